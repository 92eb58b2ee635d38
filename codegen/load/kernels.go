package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// findKernels fills in p.Kernels, and p.Errs with what is wrong about the
// places and signatures of directives.
func (p *Package) findKernels() {
	for _, file := range p.Files {
		inDoc := map[*ast.CommentGroup]bool{}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Doc == nil {
				continue
			}
			inDoc[fn.Doc] = true
			p.addKernel(fn)
		}
		p.findLost(file, inDoc)
	}
}

// addKernel adds fn to the kernels if its directives say that it is one.
func (p *Package) addKernel(fn *ast.FuncDecl) {
	lines := directives(p, fn.Doc)
	if len(lines) == 0 {
		return
	}
	name := fn.Name.Name
	if !hasKernelDirective(lines) {
		p.Errs.Add(lines[0].Pos, name, "there is no //tandem:kernel line: add one with workgroup= and threads= or groups=")
		return
	}
	obj, _ := p.Info.Defs[fn.Name].(*types.Func)
	if !p.checkSignature(fn, obj) {
		return
	}
	p.Kernels = append(p.Kernels, &Kernel{
		Name: name, Decl: fn, Func: obj, Pos: p.Pos(fn.Name.Pos()),
		Doc: proseOf(fn.Doc), Directives: lines,
	})
}

// directives returns the //tandem: lines of a doc comment.
func directives(p *Package, doc *ast.CommentGroup) []Directive {
	if doc == nil {
		return nil
	}
	var lines []Directive
	for _, c := range doc.List {
		if strings.HasPrefix(c.Text, Prefix) {
			lines = append(lines, Directive{p.Pos(c.Pos()), strings.TrimRight(c.Text, " \t\r")})
		}
	}
	return lines
}

// hasKernelDirective also takes an unknown directive for one: its own error
// is the better one, and comes from reading the line.
func hasKernelDirective(lines []Directive) bool {
	for _, d := range lines {
		if word := firstWord(strings.TrimPrefix(d.Text, Prefix)); word == "kernel" || !known[word] {
			return true
		}
	}
	return false
}

// known are the directives.
var known = map[string]bool{"kernel": true, "where": true, "len": true, "test": true, "want": true, "types": true, "const": true, "inplace": true, "tol": true}

func firstWord(text string) string {
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		return text[:i]
	}
	return text
}

// proseOf returns a doc comment without its directives.
func proseOf(doc *ast.CommentGroup) string {
	prose := &ast.CommentGroup{}
	for _, c := range doc.List {
		if !strings.HasPrefix(c.Text, Prefix) {
			prose.List = append(prose.List, c)
		}
	}
	return strings.TrimSpace(prose.Text())
}

// checkSignature reports whether a kernel has the form func(t dsl.Thread, …).
func (p *Package) checkSignature(fn *ast.FuncDecl, obj *types.Func) bool {
	before := len(p.Errs)
	bad := func(pos token.Pos, format string, args ...any) { p.Errs.Add(p.Pos(pos), fn.Name.Name, format, args...) }
	if fn.Recv != nil {
		bad(fn.Recv.Pos(), "a kernel is a function, not a method: pass the receiver as a parameter")
	}
	if r := fn.Type.Results; r != nil {
		bad(r.Pos(), "a kernel has no results: write them to a buffer, a parameter of type []T")
	}
	if fn.Body == nil {
		bad(fn.Pos(), "a kernel needs a body in Go")
	}
	if obj == nil || startsWithUnknown(obj.Type().(*types.Signature)) { // declared twice, or of no type: which was reported
		return false
	}
	if !startsWithThread(obj.Type().(*types.Signature)) {
		bad(fn.Type.Params.Pos(), "the first parameter of a kernel is its dsl.Thread: func %s(t dsl.Thread, …)", fn.Name.Name)
	}
	if fn.Name.Name == "_" || fn.Name.Name == "init" || fn.Name.Name == "main" {
		bad(fn.Name.Pos(), "a kernel cannot be called %s: its launcher needs a name", fn.Name.Name)
	}
	return len(p.Errs) == before
}

// startsWithUnknown reports whether the type of the first parameter is not known.
func startsWithUnknown(sig *types.Signature) bool {
	return sig.Params().Len() > 0 && sig.Params().At(0).Type() == types.Typ[types.Invalid]
}

func startsWithThread(sig *types.Signature) bool {
	return sig.Params().Len() > 0 && IsThread(sig.Params().At(0).Type())
}

// IsThread reports whether t is dsl.Thread.
func IsThread(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "Thread" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == DSL
}

// findLost reports directives that no function owns, and comments that were
// meant to be directives.
func (p *Package) findLost(file *ast.File, inDoc map[*ast.CommentGroup]bool) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			switch at := p.Pos(c.Pos()); {
			case strings.HasPrefix(c.Text, Prefix) && !inDoc[group]:
				p.Errs.Add(at, "", "this directive belongs in the doc comment of a kernel, right above its func line")
			case isMeant(c.Text) && inDoc[group]:
				p.Errs.Add(at, "", "a directive needs //tandem: without a space, in lower case, on a line of its own")
			}
		}
	}
}

// isMeant reports whether a comment is "// tandem:kernel", "//Tandem:kernel", "/*tandem:kernel*/" or the like.
func isMeant(text string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(strings.TrimLeft(text, "/* \t")), "tandem:")
	return ok && !strings.HasPrefix(text, Prefix) && known[strings.TrimSuffix(firstWord(rest), "*/")]
}
