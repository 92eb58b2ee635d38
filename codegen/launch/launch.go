// Package launch emits what a Go program calls: for each kernel its descriptor,
// its uniform block and its typed launchers (Emit), and its parity test
// (EmitTest).
package launch

import (
	"fmt"
	"go/build/constraint"
	"strings"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/gocpu"
	"tandem/codegen/ir"
	"tandem/codegen/load"
	"tandem/codegen/wgsl"
)

// Import paths of what generated code stands on.
const (
	runtimePath = "tandem/runtime"
	parityPath  = "tandem/runtime/parity"
	dslPath     = "tandem/dsl"
)

// Options say what a package's generated files have in common. One Options
// serves all kernels of a package, from several goroutines too.
type Options struct {
	Command string       // what a user types to generate the file again
	Out     string       // import path of the generated package
	Kernels []*ir.Kernel // all kernels of the package: the first that takes a struct of views declares it
	// Builds are the constraints of the kernels' files, by the names of the Go functions, without those of every build.
	Builds map[string]constraint.Expr
	// Variants are those of a kernel, by its name, without the default.
	Variants map[string][]*ir.Kernel
}

// Launcher returns the name of k's launcher: the kernel's, and the values of the
// constants of a variant.
func Launcher(k *ir.Kernel) string {
	plain := *k
	plain.Variant = ""
	return k.Name + strings.TrimPrefix(gocpu.Name(k), gocpu.Name(&plain))
}

// Base returns the name of k's files without extension.
func Base(k *ir.Kernel) string { return strings.ToLower(Launcher(k)) }

// Emit adds k to the file f: header, descriptor, uniform block, and launchers,
// which a variant leaves to its kernel. The file embeds base.wgsl,
// base_inplace.wgsl where s has an in-place form, and the vector and debug forms
// of both: base_vector.wgsl, base_inplace_vector.wgsl and so on.
func Emit(f *jen.File, k *ir.Kernel, s *wgsl.Shader, base string, o *Options) error {
	e := newEmitter(f, k, s, o)
	e.header(o.Builds[k.Func])
	e.embed("WGSL", base+".wgsl")
	if s.InPlace != "" {
		e.embed("InPlaceWGSL", base+"_inplace.wgsl")
	}
	e.embedForm(s.Vector, "Vector", base)
	e.embedForm(s.Debug, "Debug", base)
	e.descriptor()
	e.block()
	if k.Variant != "" {
		return nil
	}
	if err := e.views(); err != nil {
		return err
	}
	e.launchers()
	return nil
}

// embedForm declares the variables of another form's shaders, if there is one.
func (e *emitter) embedForm(s *wgsl.Shader, form, base string) {
	if s == nil {
		return
	}
	file := "_" + strings.ToLower(form) + ".wgsl"
	e.embed(form+"WGSL", base+file)
	if s.InPlace != "" {
		e.embed("InPlace"+form+"WGSL", base+"_inplace"+file)
	}
}

// emitter emits one kernel.
type emitter struct {
	*jen.File
	k     *ir.Kernel
	s     *wgsl.Shader
	o     *Options
	name  string                     // that the unexported declarations begin with
	args  map[*ir.Var]*jen.Statement // how a launcher reads a parameter
	names map[*ir.Param]string       // of a launcher's parameters
}

func newEmitter(f *jen.File, k *ir.Kernel, s *wgsl.Shader, o *Options) *emitter {
	e := &emitter{File: f, k: k, s: s, o: o, name: gocpu.Name(k), args: map[*ir.Var]*jen.Statement{}, names: map[*ir.Param]string{}}
	used := map[string]bool{e.name + "Launch": true, e.name + "Kernel": true, e.name + "Params": true}
	for _, p := range launchParams(k) {
		e.names[p] = localName(p.Name, used)
		e.bindArgs(p, jen.Id(e.names[p]))
	}
	return e
}

// bindArgs notes that value is how to read p.
func (e *emitter) bindArgs(p *ir.Param, value *jen.Statement) {
	if p.Var != nil {
		e.args[p.Var] = value
	}
	for _, part := range p.Parts {
		if part.Kind != ir.SharedParam {
			e.bindArgs(part, value.Clone().Dot(part.Name))
		}
	}
}

// arg returns how to read v.
func (e *emitter) arg(v *ir.Var) *jen.Statement { return e.args[v].Clone() }

// launchParams returns the parameters that a launcher has.
func launchParams(k *ir.Kernel) []*ir.Param {
	var out []*ir.Param
	for _, p := range k.Params {
		if p.Kind != ir.SharedParam {
			out = append(out, p)
		}
	}
	return out
}

// shown returns how the source writes a parameter: x, or m.Val of a part.
func shown(k *ir.Kernel, v *ir.Var) string {
	var find func(list []*ir.Param, prefix string) string
	find = func(list []*ir.Param, prefix string) string {
		for _, p := range list {
			if p.Var == v {
				return prefix + p.Name
			}
			if name := find(p.Parts, prefix+p.Name+"."); name != "" {
				return name
			}
		}
		return ""
	}
	return find(k.Params, "")
}

// localName returns a name for a parameter that is free in generated functions: one that
// they use themselves gets an underscore.
func localName(name string, used map[string]bool) string {
	if name == "" || name == "_" {
		name = "unused"
	}
	for gocpu.IsOwn(name) || used[name] {
		name += "_"
	}
	used[name] = true
	return name
}

// errorf returns an error at k.
func (e *emitter) errorf(format string, args ...any) error {
	return load.Errors{{Pos: e.k.Pos, Kernel: e.k.Func, Msg: fmt.Sprintf(format, args...)}}
}

// Header says where a file that is generated beside k's own comes from, and which builds it is for.
func Header(f *jen.File, k *ir.Kernel, builds constraint.Expr, o *Options) {
	newEmitter(f, k, nil, o).header(load.And(o.Builds[k.Func], builds))
}

// header says where the file comes from and which builds it is for, in the form that Go tools know.
func (e *emitter) header(builds constraint.Expr) {
	e.ImportNames(map[string]string{runtimePath: "runtime", parityPath: "parity", dslPath: "dsl", "tandem/cpu": "cpu"})
	e.HeaderComment("Code generated by tandem from " + source(e.k) + "; DO NOT EDIT.")
	if e.o.Command != "" {
		e.HeaderComment("Generate it again with: " + gocpu.OneLine(e.o.Command))
	}
	if builds != nil {
		e.HeaderComment("//go:build " + builds.String())
	}
}

// source returns the file and line of k's Go function.
func source(k *ir.Kernel) string { return gocpu.OneLine(k.Pos.File) + ":" + itoa(k.Pos.Line) }

// embed declares the variable that holds a shader's text.
func (e *emitter) embed(suffix, file string) {
	e.Anon("embed")
	e.Comment("//go:embed " + file)
	e.Var().Id(e.name + suffix).String()
	e.Line()
}
