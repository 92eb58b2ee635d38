package load

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
)

// buildsOf returns the constraint of the builds that a file of p is in: what its //go:build line and its name say; nil where it is
// in every build.
func (p *Package) buildsOf(file *ast.File) constraint.Expr {
	expr := buildsOfName(path.Base(p.Pos(file.Package).File))
	for _, group := range file.Comments {
		for _, c := range group.List {
			if c.Pos() > file.Package || !constraint.IsGoBuild(c.Text) {
				continue
			}
			if line, err := constraint.Parse(c.Text); err == nil { // the go command reports what is wrong
				return And(line, expr)
			}
		}
	}
	return expr
}

// And returns the constraint of the builds that both are in.
func And(a, b constraint.Expr) constraint.Expr {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &constraint.AndExpr{X: a, Y: b}
}

// buildsOfName returns what a file's name says: x_linux.go, x_arm64.go, x_linux_arm64.go. Which words are systems and
// architectures package build knows.
func buildsOfName(name string) constraint.Expr {
	parts := strings.Split(strings.TrimSuffix(name, ".go"), "_")
	last, before := parts[len(parts)-1], parts[max(len(parts)-2, 0)]
	tag := func(s string) constraint.Expr { return &constraint.TagExpr{Tag: s} }
	for _, c := range []struct {
		os, arch string
		expr     constraint.Expr
	}{{"", "", nil}, {last, "", tag(last)}, {"", last, tag(last)}, {before, last, And(tag(before), tag(last))}} {
		match := build.Context{GOOS: c.os, GOARCH: c.arch, Compiler: "gc", OpenFile: emptyFile}
		if ok, err := match.MatchFile("", name); ok && err == nil {
			return c.expr
		}
	}
	return nil
}

// emptyFile opens a file that says nothing but its package.
func emptyFile(string) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader([]byte("package p\n"))), nil
}

// findBuilds fills in the constraints of the kernels, and reports what one needs from files of fewer builds: in others
// it would be another kernel. Package dsl is the same for all.
func (p *Package) findBuilds() {
	for _, k := range p.Kernels {
		k.Builds = p.buildsOf(p.fileOf(k.Decl))
	}
	only := map[*ast.File]constraint.Expr{}
	packages := slices.DeleteFunc(append(slices.Collect(maps.Values(p.Deps)), p), func(p *Package) bool { return p.Path == DSL })
	for _, from := range packages {
		for _, f := range from.Files {
			if expr := from.buildsOf(f); expr != nil {
				only[f] = expr
			}
		}
	}
	if len(only) == 0 {
		return
	}
	all := newDeclarations(packages)
	for _, k := range p.Kernels {
		fewer := func(d declaration) bool {
			expr := only[d.p.fileOf(d.node)]
			if expr == nil || Implies(k.Builds, expr) {
				return false
			}
			at := d.p.Pos(d.node.Pos())
			p.Errs.Add(k.Pos, k.Name, "it uses what %s:%d declares for builds with %s only, and in others would be another kernel: declare that in a file of every build, or the kernel in one with //go:build %s",
				at.File, at.Line, expr, expr)
			return true
		}
		_ = all.use(declaration{p, k.Decl}, fewer) || slices.ContainsFunc(k.named(), func(name string) bool {
			d, ok := all[p.Types.Scope().Lookup(name)]
			return ok && all.use(d, fewer)
		})
	}
}

// named returns the words of k's directives: functions, types and constants are among them.
func (k *Kernel) named() (words []string) {
	for _, d := range k.Directives {
		words = append(words, strings.FieldsFunc(strings.TrimPrefix(d.Text, Prefix), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
		})...)
	}
	return words
}

// fileOf returns the file of p that a node is in.
func (p *Package) fileOf(n ast.Node) *ast.File {
	i := slices.IndexFunc(p.Files, func(f *ast.File) bool { return f.FileStart <= n.Pos() && n.Pos() < f.FileEnd })
	return p.Files[i]
}

// Implies reports whether every build of a is one of b, as far as tags say.
func Implies(a, b constraint.Expr) bool {
	tags := map[string]bool{}
	for _, expr := range []constraint.Expr{a, b} {
		eachTag(expr, func(tag string) { tags[tag] = true })
	}
	names := slices.Sorted(maps.Keys(tags))
	if len(names) > 16 {
		return false
	}
	for set := range 1 << len(names) {
		on := func(tag string) bool { return set>>slices.Index(names, tag)&1 != 0 }
		if (a == nil || a.Eval(on)) && b != nil && !b.Eval(on) {
			return false
		}
	}
	return true
}

// eachTag calls f for the tags in a constraint.
func eachTag(expr constraint.Expr, f func(tag string)) {
	switch e := expr.(type) {
	case *constraint.TagExpr:
		f(e.Tag)
	case *constraint.NotExpr:
		eachTag(e.X, f)
	case *constraint.AndExpr:
		eachTag(e.X, f)
		eachTag(e.Y, f)
	case *constraint.OrExpr:
		eachTag(e.X, f)
		eachTag(e.Y, f)
	}
}
