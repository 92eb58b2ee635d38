package codegen

import (
	"bytes"
	"fmt"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/gocpu"
	"tandem/codegen/ir"
	"tandem/codegen/launch"
	"tandem/codegen/launch/accuracy"
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

// checkNames reports kernels whose name does not suit where the launchers go.
func checkNames(p *load.Package, o Options) (errs load.Errors) {
	if !o.inPlace(p) && p.Name == "main" && len(p.Kernels) > 0 {
		errs.Add(p.Kernels[0].Pos, "", "package main cannot be imported by the generated package: generate in place with -out .")
		return errs
	}
	for _, k := range p.Kernels {
		switch exported := token.IsExported(k.Name); {
		case o.inPlace(p) && exported:
			errs.Add(k.Pos, k.Name, "generated in place, the launcher takes this name: call the kernel %s", gocpu.Name(&ir.Kernel{Name: k.Name}))
		case !o.inPlace(p) && !exported:
			errs.Add(k.Pos, k.Name, "the generated package cannot call a function that is not exported: write its name with a capital, or generate in place with -out .")
		case !o.inPlace(p):
			errs = append(errs, hiddenTypes(p, k)...)
		}
	}
	return errs
}

// hiddenTypes reports parameters whose type the generated package cannot name.
func hiddenTypes(p *load.Package, k *load.Kernel) (errs load.Errors) {
	for v := range k.Func.Signature().Params().Variables() {
		if _, ok := v.Type().Underlying().(*types.Pointer); ok {
			continue // workgroup memory is no launch argument
		}
		if t := hidden(v.Type(), p.Types); t != nil {
			errs.Add(p.Pos(v.Pos()), k.Name, "the launcher cannot name the type %s: export it, or generate in place with -out .", t.Obj().Name())
		}
	}
	return errs
}

// hidden returns the unexported type of pkg that t is or is made of, nil if
// there is none.
func hidden(t types.Type, pkg *types.Package) *types.Named {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if t.Obj().Pkg() == pkg && !t.Obj().Exported() {
			return t
		}
	case *types.Slice:
		return hidden(t.Elem(), pkg)
	case *types.Array:
		return hidden(t.Elem(), pkg)
	}
	return nil
}

// checkLaunchers reports launchers that clash with each other, or in place with
// what the package has.
func checkLaunchers(p *load.Package, kernels []*Kernel, o Options) (errs load.Errors) {
	files := map[string]*ir.Kernel{}
	for _, k := range kernels {
		if o.inPlace(p) && k.IR.Variant == "" && p.Types.Scope().Lookup(k.IR.Name) != nil {
			errs.Add(k.IR.Pos, k.IR.Func, "the package already has a %s, the name of the launcher: rename one of them", k.IR.Name)
		}
		name := base(p, k.IR, o)
		if other := files[name]; other != nil {
			errs.Add(k.IR.Pos, k.IR.Func, "its files would have the same names as those of kernel %s at %s: rename one of them", other.Func, other.Pos)
		}
		files[name] = k.IR
	}
	return errs
}

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
	options := &launch.Options{Command: o.Command, Out: o.Path, Variants: map[string][]*ir.Kernel{}}
	for _, k := range kernels {
		if k.IR.Variant != "" {
			options.Variants[k.IR.Name] = append(options.Variants[k.IR.Name], k.IR)
			continue
		}
		options.Kernels = append(options.Kernels, k.IR)
	}
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
	launch.Header(code, k.IR, options)
	code.HeaderComment("//go:build " + gocpu.SIMDTag)
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

// CPU returns the Go code that runs k on the CPU.
func CPU(k *Kernel) (string, error) {
	f := jen.NewFilePathName("gen", "gen")
	if err := gocpu.Emit(f, k.IR, k.Shader.Fields); err != nil {
		return "", err
	}
	return shown(f)
}

// SIMD returns the Go code that runs eight invocations of k at a time, where Go has vectors, or
// "" and why there is none.
func SIMD(k *Kernel) (string, gocpu.SIMD, error) {
	f := jen.NewFilePathName("gen", "gen")
	found, err := gocpu.Options{}.EmitSIMD(f, k.IR, k.Shader.Fields)
	if err != nil || found.Vectors == 0 {
		return "", found, err
	}
	text, err := shown(f)
	return text, found, err
}

// shown returns generated Go for people to read.
func shown(f *jen.File) (string, error) {
	var text bytes.Buffer
	if err := f.Render(&text); err != nil {
		return "", err
	}
	return string(withoutLines(gocpu.Tidy(text.Bytes(), "gen.go"))), nil
}

// withoutLines drops the //line comments, which are not for people.
func withoutLines(src []byte) []byte {
	return lineComment.ReplaceAll(src, nil)
}

var lineComment = regexp.MustCompile(`(?m)^//line .*\n`)

// Describe lists k's place, grid, bindings, workgroup memory and tolerance.
func Describe(k *Kernel) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s   %s", k.IR.Name, k.IR.Pos)
	if k.IR.Variant != "" {
		fmt.Fprintf(&b, "   %s", k.IR.Variant)
	}
	w := k.IR.Workgroup
	fmt.Fprintf(&b, "\nworkgroup  %d × %d × %d\ngrid       %s\n", w[0], w[1], w[2], gridText(k.IR))
	binding := 0
	if len(k.Shader.Fields) > 0 {
		var names []string
		for _, f := range k.Shader.Fields {
			names = append(names, fmt.Sprintf("%s %s @%d", f.Name, f.Type, f.Offset))
		}
		fmt.Fprintf(&b, "binding 0  uniform: %s\n", strings.Join(names, ", "))
		binding = 1
	}
	for i, v := range k.IR.Buffers {
		access := "read"
		if v.Access == ir.ReadWrite {
			access = "read-write"
		}
		fmt.Fprintf(&b, "binding %d  %s %s, %s\n", binding+i, v.Name, v.Type, access)
	}
	if f := k.IR.Vector; f != nil {
		fmt.Fprintf(&b, "vectorised  %d elements an invocation\n", f.Lanes)
	} else {
		fmt.Fprintf(&b, "not vectorised  %s\n", k.IR.Scalar)
	}
	total := 0
	for _, v := range k.IR.Shared {
		fmt.Fprintf(&b, "workgroup memory  %s %s, %d bytes\n", v.Name, v.Type, v.Type.Size())
		total += v.Type.Size()
	}
	fmt.Fprintf(&b, "workgroup memory in all  %d bytes\ntolerance  %s\n", total, accuracy.Of(k.IR))
	return b.String()
}

func gridText(k *ir.Kernel) string {
	unit := "workgroups"
	if k.Grid.Threads {
		unit = "invocations"
	}
	var sides []string
	for _, d := range k.Grid.Dims {
		sides = append(sides, d.Text)
	}
	return strings.Join(sides, " × ") + " " + unit
}
