package codegen

import (
	"bytes"
	"fmt"
	"go/build/constraint"
	"path"
	"path/filepath"
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
	return files(p, kernels, o)
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
	code := newFile(p, o)
	if err := launch.Emit(code, k.IR, k.Shader, name, options); err != nil {
		return nil, err
	}
	if err := (gocpu.Options{File: lineFile(p, o)}).Emit(code, k.IR, k.Shader.Fields); err != nil {
		return nil, err
	}
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
	out, err := rendered(out, name+".go", code)
	if err != nil {
		return nil, err
	}
	if out, err = k.simdFile(out, name+"_simd.go", p, o, options); err != nil || k.IR.Variant != "" {
		return out, err
	}
	test := newFile(p, o)
	if err := launch.EmitTest(test, k.IR, k.Shader, p.Types, options); err != nil {
		return nil, err
	}
	return rendered(out, name+"_test.go", test)
}

// simdFile appends the file that runs several invocations at a time, if k has one.
func (k *Kernel) simdFile(out []File, name string, p *load.Package, o Options, options *launch.Options) ([]File, error) {
	code := newFile(p, o)
	simd, err := constraint.Parse("//go:build " + gocpu.SIMDTag)
	if err != nil {
		return nil, err
	}
	launch.Header(code, k.IR, simd, options)
	found, err := (gocpu.Options{File: lineFile(p, o)}).EmitSIMD(code, k.IR, k.Shader.Fields)
	if err != nil || found.Vectors == 0 {
		return out, err
	}
	return rendered(out, name, code)
}

// rendered appends a Go file.
func rendered(out []File, name string, file *jen.File) ([]File, error) {
	var text bytes.Buffer
	if err := file.Render(&text); err != nil {
		return nil, fmt.Errorf("%s is not valid Go: %w", name, err)
	}
	return append(out, File{name, gocpu.Tidy(text.Bytes(), name)}), nil
}

// lineFile returns how //line comments of the generated files name a source
// file. Go takes a relative name from the folder of the file it stands in, so
// that files of the same module are reached by a path between the two folders.
func lineFile(p *load.Package, o Options) func(string) string {
	here := "."
	if len(p.Kernels) > 0 {
		here = path.Dir(p.Kernels[0].Pos.File)
	}
	module := strings.TrimSuffix(strings.TrimSuffix(p.Path, here), "/") // p.Path is module/here
	out := strings.TrimPrefix(strings.TrimPrefix(o.Path, module), "/")
	return func(file string) string {
		if d := p.Deps[path.Dir(file)]; d != nil && d.Root != p.Root {
			return file // of another module: there is no path that holds elsewhere
		}
		at, err := filepath.Rel(filepath.FromSlash(out), filepath.FromSlash(file))
		if err != nil {
			return file
		}
		return filepath.ToSlash(at)
	}
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
	f.ImportName(p.Path, p.Name)
	for _, path := range []string{"tandem/runtime", "tandem/runtime/parity", "tandem/cpu", "tandem/dsl"} {
		f.ImportName(path, path[strings.LastIndexByte(path, '/')+1:])
	}
	return f
}
