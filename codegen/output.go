package codegen

import (
	"go/build/constraint"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/gocpu"
	"tandem/codegen/ir"
	"tandem/codegen/launch"
	"tandem/codegen/load"
	"tandem/codegen/wgsl"
)

// Options say where the generated package is.
type Options struct {
	Path    string // its import path; the kernels' own: in place
	Name    string // its name; "" is gen, or in place the kernels' own
	Command string // what generates the files again, for their headers
}

// File is a generated file.
type File struct {
	Name    string // in the folder of the generated package
	Content []byte
}

// Compile turns the kernels of p into the files of the generated package. The
// error is a [load.Errors] with everything that is wrong in the package; then
// there are no files.
//
// A variant (//tandem:const) has a shader and a Go file of its own, for the
// runtime to choose; the launcher and the parity test are those of its kernel.
func Compile(p *load.Package, o Options) ([]File, error) {
	kernels, err := Kernels(p)
	var errs load.Errors
	errs.Join(err)
	errs = append(errs, checkNames(p, o)...)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	errs = append(errs, checkLaunchers(p, kernels, o)...)
	errs = append(errs, uniteVariants(kernels)...)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	out, err := files(p, kernels, o)
	if err == nil && o.inPlace(p) {
		err = checkInPlace(p, out).Err()
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (o Options) inPlace(p *load.Package) bool { return o.Path == p.Path }

// base is the name of a kernel's files without extension. An underscore could
// make Go take a file for a test or for another platform. In place, the files
// stand among the author's own.
func base(p *load.Package, k *ir.Kernel, o Options) string {
	name := strings.ReplaceAll(launch.Base(k), "_", "")
	if o.inPlace(p) {
		return "tandem_" + name
	}
	return name
}

// files emits the files of all kernels, in order.
func files(p *load.Package, kernels []*Kernel, o Options) ([]File, error) {
	options := &launch.Options{Command: o.Command, Out: o.Path, Variants: map[string][]*ir.Kernel{}, Builds: map[string]constraint.Expr{}}
	for _, k := range p.Kernels {
		if k.Builds != nil {
			options.Builds[k.Name] = k.Builds
		}
	}
	for _, k := range kernels {
		if k.IR.Variant != "" {
			options.Variants[k.IR.Name] = append(options.Variants[k.IR.Name], k.IR)
			continue
		}
		options.Kernels = append(options.Kernels, k.IR)
	}
	rank := func(k *ir.Kernel) int { // first those of every build, which may declare for all
		if options.Builds[k.Func] == nil {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(options.Kernels, func(a, b *ir.Kernel) int { return rank(a) - rank(b) })
	out := make([][]File, len(kernels))
	fails := make([]error, len(kernels))
	parallel(len(kernels), func(i int) {
		k := kernels[i].IR
		fails[i] = guard(k.Func, k.Pos, "the Go back end", func() (err error) {
			out[i], err = kernels[i].files(p, o, options)
			return err
		})
	})
	var errs load.Errors
	for _, err := range fails {
		errs.Join(err)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return slices.Concat(out...), nil
}

// files emits the shader, the Go code and the parity test of one kernel.
func (k *Kernel) files(p *load.Package, o Options, options *launch.Options) ([]File, error) {
	name := base(p, k.IR, o)
	out := k.shaders(name)
	code := newFile(p, o)
	if err := launch.Emit(code, k.IR, k.Shader, name, options); err != nil {
		return nil, err
	}
	if err := gocpu.Emit(code, k.IR, k.Shader.Fields); err != nil {
		return nil, err
	}
	main, err := gocpu.Render(code, name+".go")
	if err != nil {
		return nil, err
	}
	parts := []gocpu.File{main}
	simd, err := k.simdFile(name+"_simd.go", p, o, options)
	if err != nil {
		return nil, err
	}
	if simd != nil {
		parts = append(parts, *simd)
	}
	parts[0].Code = append(main.Code, gocpu.Table(k.IR, parts...)...)
	for _, part := range parts {
		out = append(out, File{part.Name, part.Code})
	}
	if k.IR.Variant != "" {
		return out, nil
	}
	test := newFile(p, o)
	if err := launch.EmitTest(test, k.IR, k.Shader, p.Types, options); err != nil {
		return nil, err
	}
	parity, err := gocpu.Render(test, name+"_test.go")
	return append(out, File{parity.Name, parity.Code}), err
}

// shaders returns the files of WGSL.
func (k *Kernel) shaders(name string) []File {
	out := []File{{name + ".wgsl", []byte(k.Shader.Text)}}
	if k.Shader.InPlace != "" {
		out = append(out, File{name + "_inplace.wgsl", []byte(k.Shader.InPlace)})
	}
	for _, form := range []struct {
		s      *wgsl.Shader
		suffix string
	}{{k.Shader.Vector, "_vector.wgsl"}, {k.Shader.Debug, "_debug.wgsl"}} {
		if form.s == nil {
			continue
		}
		out = append(out, File{name + form.suffix, []byte(form.s.Text)})
		if form.s.InPlace != "" {
			out = append(out, File{name + "_inplace" + form.suffix, []byte(form.s.InPlace)})
		}
	}
	return out
}

// simdFile returns the file that runs several invocations at a time, nil if k has none.
func (k *Kernel) simdFile(name string, p *load.Package, o Options, options *launch.Options) (*gocpu.File, error) {
	code := newFile(p, o)
	simd, err := constraint.Parse("//go:build " + gocpu.SIMDTag)
	if err != nil {
		return nil, err
	}
	launch.Header(code, k.IR, simd, options)
	found, err := gocpu.EmitSIMD(code, k.IR, k.Shader.Fields)
	if err != nil || found.Vectors == 0 {
		return nil, err
	}
	file, err := gocpu.Render(code, name)
	return &file, err
}

func newFile(p *load.Package, o Options) *jen.File {
	name := o.Name
	switch {
	case o.inPlace(p):
		name = p.Name
	case name == "":
		name = "gen"
	}
	f := jen.NewFilePathName(o.Path, name)
	gocpu.Import(f, p.Types)
	gocpu.Import(f, p.Types.Imports()...)
	for _, path := range []string{"math", "tandem/runtime", "tandem/runtime/parity", "tandem/cpu", "tandem/dsl"} {
		f.ImportName(path, path[strings.LastIndexByte(path, '/')+1:])
	}
	return f
}
