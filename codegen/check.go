package codegen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"

	"tandem/codegen/gocpu"
	"tandem/codegen/ir"
	"tandem/codegen/load"
)

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
		switch o := hidden(v.Type(), p.Types).(type) {
		case *types.TypeName:
			errs.Add(p.Pos(v.Pos()), k.Name, "the launcher cannot name the type %s: export it, or generate in place with -out .", o.Name())
		case *types.Var:
			errs.Add(p.Pos(v.Pos()), k.Name, "the launcher cannot name the field %s of %s: export it, or generate in place with -out .", o.Name(), types.TypeString(v.Type(), (*types.Package).Name))
		}
	}
	return errs
}

// hidden returns an unexported type of pkg that another package has to name for a value of type t, or an unexported field; nil if there
// is none. Of a struct without slices it names the type only, but a struct with slices it declares anew.
func hidden(t types.Type, pkg *types.Package) types.Object {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if t.Obj().Pkg() == pkg && !t.Obj().Exported() {
			return t.Obj()
		}
		for arg := range t.TypeArgs().Types() {
			if o := hidden(arg, pkg); o != nil {
				return o
			}
		}
		if hasSlices(t) {
			return hidden(t.Underlying(), pkg)
		}
	case *types.Struct:
		for f := range t.Fields() {
			if o := hidden(f.Type(), pkg); o != nil {
				return o
			}
			if !f.Exported() && f.Name() != "_" {
				return f
			}
		}
	case *types.Slice:
		return hidden(t.Elem(), pkg)
	case *types.Array:
		return hidden(t.Elem(), pkg)
	}
	return nil
}

// hasSlices reports whether t is a struct with slices in it.
func hasSlices(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if _, slice := f.Type().Underlying().(*types.Slice); slice || hasSlices(f.Type()) {
			return true
		}
	}
	return false
}

// checkLaunchers reports launchers that clash with each other.
func checkLaunchers(p *load.Package, kernels []*Kernel, o Options) (errs load.Errors) {
	files := map[string]*ir.Kernel{}
	for _, k := range kernels {
		name := base(p, k.IR, o)
		if other := files[name]; other != nil {
			errs.Add(k.IR.Pos, k.IR.Func, "its files would have the same names as those of kernel %s at %s: rename one of them", other.Func, other.Pos)
		}
		files[name] = k.IR
	}
	return errs
}

// checkInPlace reports what the package declares that clashes with a file that is generated into it, or hides what the file needs.
func checkInPlace(p *load.Package, files []File) (errs load.Errors) {
	clash := map[string]string{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name, ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Content, parser.SkipObjectResolution)
		errs.Join(err)
		for _, name := range imported(file, p.Types.Imports()) {
			clash[name] = "a package that " + f.Name + " imports"
		}
		for _, name := range declared(file) {
			clash[name] = "what " + f.Name + " declares"
		}
	}
	for _, name := range p.Types.Scope().Names() {
		why := clash[name]
		if why == "" && gocpu.IsOwn(name) && types.Universe.Lookup(name) != nil {
			why = "what is predeclared in Go, which generated code uses"
		}
		if why != "" {
			errs.Add(p.Pos(p.Types.Scope().Lookup(name).Pos()), "", "%s has the name of %s: call it something else", name, why)
		}
	}
	return errs
}

// imported returns the names by which a file imports packages, of which those that are not tandem's are known.
func imported(file *ast.File, known []*types.Package) (names []string) {
	for _, spec := range file.Imports {
		from, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(from)
		for _, pkg := range known {
			if pkg.Path() == from {
				name = pkg.Name()
			}
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names = append(names, name)
	}
	return names
}

// declared returns the names that a file declares.
func declared(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						names = append(names, id.Name)
					}
				}
			}
		}
	}
	return names
}

// checkEffects reports kernels of whose work nothing is seen, in no variant. Of those
// that failed nobody knows.
func checkEffects(kernels []*ir.Kernel, failed []error) (errs load.Errors) {
	seen := map[string]bool{}
	for i, k := range kernels {
		seen[k.Name] = seen[k.Name] || failed[i] != nil || hasEffect(k)
	}
	for _, k := range kernels {
		if !seen[k.Name] {
			errs.Add(k.Pos, k.Func, "nothing of what it does is seen: it writes to no buffer, and prints and asserts nothing; store its results in a slice that is a parameter")
			seen[k.Name] = true
		}
	}
	return errs
}

// hasEffect reports whether a kernel writes to a buffer, prints or asserts.
func hasEffect(k *ir.Kernel) bool {
	found := slices.ContainsFunc(k.Buffers, func(b *ir.Var) bool { return b.Access == ir.ReadWrite })
	ir.KernelBodies(k, func(body *[]ir.Stmt) {
		ir.Walk(*body, func(s ir.Stmt) bool {
			switch s.(type) {
			case *ir.Print, *ir.Assert:
				found = true
			}
			return !found
		}, nil)
	})
	return found
}
