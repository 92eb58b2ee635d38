package gocpu

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

// names gives every variable of a function an identifier. The author's names are
// kept; a name is changed where it would hide another that the code in its scope
// may need.
type names struct {
	of     map[*ir.Var]string
	taken  map[string]bool // in scope now
	wanted map[string]bool // by the author's variables: names the emitter makes up avoid them
	scopes [][]string
}

// predeclared are the identifiers that generated code uses or may use.
const predeclared = "bool byte error false float32 float64 int int8 int16 int32 int64 iota len max min nil panic " +
	"true uint uint8 uint16 uint32 uint64 uintptr clear copy string " +
	"cpu dsl elementary math unsafe runtime"

// launching are the names that launchers and parity tests use themselves, beside the predeclared ones.
const launching = "on l p grid d c t noise parity testing init"

var (
	predeclaredNames = strings.Fields(predeclared)
	ownNames         = append(strings.Fields(launching), predeclaredNames...)
)

// IsOwn reports whether generated code uses the name itself: a parameter or a
// package of the author's that has it gets another there.
func IsOwn(name string) bool { return slices.Contains(ownNames, name) }

// ImportedAs returns the name that generated files have for a package of the
// author's: its own, unless that would hide another or be hidden. A capital is
// in all that generated packages declare, and in the name of hardly any package.
func ImportedAs(pkg *types.Package) string {
	name := pkg.Name()
	if IsOwn(name) || types.Universe.Lookup(name) != nil || strings.ContainsFunc(name, unicode.IsUpper) {
		return name + "_"
	}
	return name
}

// Import tells the file f what it calls packages of the author's.
func Import(f *jen.File, pkgs ...*types.Package) {
	for _, pkg := range pkgs {
		if name := ImportedAs(pkg); name == pkg.Name() {
			f.ImportName(pkg.Path(), name)
		} else {
			f.ImportAlias(pkg.Path(), name)
		}
	}
}

func newNames(body []ir.Stmt, params []*ir.Var) *names {
	n := &names{of: map[*ir.Var]string{}, taken: map[string]bool{}, wanted: map[string]bool{}}
	for _, word := range predeclaredNames {
		n.taken[word] = true
	}
	for _, v := range params {
		n.wanted[identifier(v.Name)] = true
	}
	ir.Walk(body, func(s ir.Stmt) bool {
		if d, ok := s.(*ir.Define); ok {
			n.wanted[identifier(d.Var.Name)] = true
		}
		return true
	}, nil)
	n.push()
	return n
}

// reserve keeps a name of the package from being used for a variable.
func (n *names) reserve(name string) { n.taken[name] = true }

func (n *names) push() { n.scopes = append(n.scopes, nil) }

func (n *names) pop() {
	last := len(n.scopes) - 1
	for _, name := range n.scopes[last] {
		delete(n.taken, name)
	}
	n.scopes = n.scopes[:last]
}

// declare names v in the current scope.
func (n *names) declare(v *ir.Var) string {
	name := n.take(identifier(v.Name), nil)
	n.of[v] = name
	return name
}

// fresh names something of the emitter's own in the current scope.
func (n *names) fresh(base string) string { return n.take(identifier(base), n.wanted) }

// everywhere names something of the emitter's own in all scopes.
func (n *names) everywhere(base string) string {
	name := n.fresh(base)
	last := len(n.scopes) - 1
	n.scopes[last] = n.scopes[last][:len(n.scopes[last])-1] // so that it stays taken
	return name
}

func (n *names) take(base string, avoid map[string]bool) string {
	name := base
	for i := 2; n.taken[name] || avoid[name]; i++ {
		name = base + strconv.Itoa(i)
	}
	n.taken[name] = true
	last := len(n.scopes) - 1
	n.scopes[last] = append(n.scopes[last], name)
	return name
}

// identifier returns name as a Go identifier: names that passes make up may
// hold other characters.
func identifier(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case unicode.IsLetter(r) || r == '_' || i > 0 && unicode.IsDigit(r):
			b.WriteRune(r)
		default:
			b.WriteRune('_')
		}
	}
	id := b.String()
	if strings.Trim(id, "_") == "" {
		return "unnamed" + id[min(1, len(id)):]
	}
	if token.IsKeyword(id) {
		return id + "_"
	}
	return id
}

// lowerFirst returns name with its first word in lower case: RowSum → rowSum,
// GELU → gelu, RGBToGray → rgbToGray.
func lowerFirst(name string) string {
	runes := []rune(name)
	for i := range runes {
		nextIsLower := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if !unicode.IsUpper(runes[i]) || i > 0 && nextIsLower {
			break
		}
		runes[i] = unicode.ToLower(runes[i])
	}
	return string(runes)
}

// upperFirst returns name with its first letter in upper case.
func upperFirst(name string) string {
	runes := []rune(name)
	if len(runes) > 0 {
		runes[0] = unicode.ToUpper(runes[0])
	}
	return string(runes)
}
