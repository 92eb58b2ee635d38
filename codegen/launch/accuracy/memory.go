package accuracy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tandem/codegen/ir"
)

// place is a variable, or a part of it that code names: path has the indices and
// fields in a normal form, so that equal paths are the same part. Different
// paths are taken to be different parts unless a loop shows otherwise.
type place struct {
	v    *ir.Var
	path string
}

// memory has the estimates of places. That of a whole variable, path "", holds
// for all parts that have none of their own. Loops and branches copy it often
// and change little of it, so copies share what none of them has changed.
type memory struct {
	numbers map[*ir.Var]int // where a variable is in vars; one for all copies
	vars    []*contents     // nil: nothing is noted
}

// contents is what is noted for a variable and its parts, each path once.
type contents struct {
	v      *ir.Var
	parts  []part
	shared bool // with a copy of the memory: to be replaced, not changed
}

// part is what is noted for a place.
type part struct {
	path string
	x    estimate
}

func newMemory() memory { return memory{numbers: map[*ir.Var]int{}} }

// clone returns a copy of m.
func (m *memory) clone() memory {
	for _, c := range m.vars {
		if c != nil {
			c.shared = true
		}
	}
	return memory{m.numbers, slices.Clone(m.vars)}
}

// own returns the contents of v, to be changed.
func (m *memory) own(v *ir.Var) *contents {
	n, ok := m.numbers[v]
	if !ok {
		n = len(m.numbers)
		m.numbers[v] = n
	}
	for len(m.vars) <= n {
		m.vars = append(m.vars, nil)
	}
	switch c := m.vars[n]; {
	case c == nil:
		m.vars[n] = &contents{v: v}
	case c.shared:
		m.vars[n] = &contents{v: v, parts: slices.Clone(c.parts)}
	}
	return m.vars[n]
}

// of returns the contents of v, nil if there are none.
func (m *memory) of(v *ir.Var) *contents {
	if n, ok := m.numbers[v]; ok {
		return m.numbered(n)
	}
	return nil
}

// numbered returns the contents at a place of vars, nil if there are none.
func (m *memory) numbered(n int) *contents {
	if n < len(m.vars) {
		return m.vars[n]
	}
	return nil
}

// all returns what is noted for a variable.
func (c *contents) all() []part {
	if c == nil {
		return nil
	}
	return c.parts
}

// find returns what is noted for a path itself.
func (c *contents) find(path string) (estimate, bool) {
	for _, p := range c.all() {
		if p.path == path {
			return p.x, true
		}
	}
	return estimate{}, false
}

// late begins the path of what a loop wrote to one part after another. The
// rounds do not see it: each has its own part.
const late = "late:"

// varied stands in a path for an index of a loop that has ended.
const varied = "?"

// set replaces what is at p, and all parts of it.
func (m *memory) set(p place, x estimate) {
	c := m.own(p.v)
	c.parts = slices.DeleteFunc(c.parts, func(q part) bool { return isPart(q.path, p.path) })
	c.parts = append(c.parts, part{p.path, x})
}

// put replaces what is noted for p itself.
func (m *memory) put(p place, x estimate) {
	c := m.own(p.v)
	for i := range c.parts {
		if c.parts[i].path == p.path {
			c.parts[i].x = x
			return
		}
	}
	c.parts = append(c.parts, part{p.path, x})
}

// take removes from c, a variable's, the parts that gone reports true for.
func (m *memory) take(c *contents, gone func(part) bool) (taken []part) {
	for _, p := range c.all() {
		if gone(p) {
			taken = append(taken, p)
		}
	}
	if len(taken) > 0 {
		c = m.own(c.v)
		c.parts = slices.DeleteFunc(c.parts, gone)
	}
	return taken
}

// isPart reports whether a path leads to a part of what another leads to.
func isPart(path, whole string) bool {
	rest, ok := strings.CutPrefix(path, whole)
	return ok && (whole == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}

// at returns what is at p: what was written there, else what it may be.
func (m *memory) at(p place) estimate { return m.of(p.v).at(p) }

func (c *contents) at(p place) estimate { return c.without(p, nil) }

// without is at where the parts that unseen reports true for cannot be seen in p.
func (c *contents) without(p place, unseen func(part) bool) estimate {
	for i := len(p.path); i > 0; i-- { // or a part of what was written
		if i == len(p.path) || p.path[i] == '.' || p.path[i] == '[' {
			if x, ok := c.find(p.path[:i]); ok {
				return x
			}
		}
	}
	var list []estimate
	era := 0
	for _, q := range c.all() {
		if q.path != "" && !mayBe(p, q.path) || q.x.era < era || unseen != nil && unseen(q) {
			continue
		}
		if q.x.era > era {
			era, list = q.x.era, nil
		}
		list = append(list, q.x)
	}
	return joinAll(list)
}

// mayBe reports whether what was written to another path of p's variable may be
// seen in p. In a buffer an invocation has its own elements: another index is
// another's, as it was.
func mayBe(p place, path string) bool {
	switch {
	case strings.HasPrefix(path, late):
		return false
	case p.path == "":
		return true
	case p.v.Space == ir.BufferVar && !strings.Contains(path, varied):
		return isPart(path, p.path)
	}
	a, b := segments(p.path), segments(path)
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] && (a[i][0] == '.' || isNumber(a[i]) && isNumber(b[i])) {
			return false
		}
	}
	return true
}

// segments divides a path into its fields and indices.
func segments(path string) []string {
	var out []string
	start, depth := 0, 0
	for i := range len(path) {
		if depth == 0 && i > start && (path[i] == '.' || path[i] == '[') {
			out = append(out, path[start:i])
			start = i
		}
		switch path[i] {
		case '[':
			depth++
		case ']':
			depth--
		}
	}
	if start < len(path) {
		out = append(out, path[start:])
	}
	return out
}

// elsewhere reports whether two paths of a variable surely differ in an index.
func (e *evaluator) elsewhere(p, q string) bool {
	a, b := segments(p), segments(q)
	for i := range min(len(a), len(b)) {
		x, okX := e.indexed[a[i]]
		y, okY := e.indexed[b[i]]
		if okX && okY {
			if r := e.rangeOfLinear(x.plus(y, -1)); r.lo > 0 || r.hi < 0 {
				return true
			}
		}
	}
	return false
}

// isNumber reports whether an index is a constant.
func isNumber(index string) bool {
	return len(index) > 2 && strings.Trim(index[1:len(index)-1], "0123456789") == ""
}

// collapse gives v one estimate for all its parts.
func (m *memory) collapse(v *ir.Var) {
	var list []estimate
	for _, q := range m.of(v).all() {
		if q.path != "" && !strings.HasPrefix(q.path, late) {
			list = append(list, q.x)
		}
	}
	if len(list) > 0 {
		m.set(place{v, ""}, joinAll(list))
	}
}

// either joins what two alternatives leave, in m.
func (m *memory) either(o memory) {
	for n := range max(len(m.vars), len(o.vars)) {
		a, b := m.numbered(n), o.numbered(n)
		if a == b && !slices.ContainsFunc(a.all(), func(p part) bool { return p.x.root != p.x.rootError() }) {
			continue // what joins with itself as it is
		}
		v := cmp.Or(a, b).v
		out := make([]part, 0, len(a.all())+1)
		for _, p := range a.all() {
			q := place{v, p.path}
			out = append(out, part{p.path, q.either(p.x, b.entry(q))})
		}
		for _, p := range b.all() {
			if _, ok := a.find(p.path); !ok {
				q := place{v, p.path}
				out = append(out, part{p.path, q.either(p.x, a.entry(q))})
			}
		}
		m.own(v).parts = out
	}
}

// either joins what two alternatives leave in p. In workgroup memory some
// invocation took the one that wrote.
func (p place) either(x, y estimate) estimate {
	switch {
	case p.v.Space != ir.WorkgroupVar || x.era == y.era:
		return join(x, y)
	case x.era > y.era:
		return x
	}
	return y
}

// entry returns what is noted for p, or stands for it.
func (c *contents) entry(p place) estimate {
	if x, ok := c.find(p.path); ok {
		return x
	}
	return c.at(p)
}

// placeOf returns the place that x names; its v is nil if x names none.
func (e *evaluator) placeOf(x ir.Expr) place {
	switch x := x.(type) {
	case *ir.Ref:
		if p, ok := e.aliases[x.Var]; ok {
			return p
		}
		return place{x.Var, ""}
	case *ir.Deref:
		return e.placeOf(x.X)
	case *ir.Addr:
		return e.placeOf(x.X)
	case *ir.FieldOf:
		p := e.placeOf(x.X)
		return place{p.v, p.path + fmt.Sprintf(".%d", x.N)}
	case *ir.Index:
		p, l := e.placeOf(x.X), e.linear(x.I)
		index := "[" + l.String() + "]"
		e.indexed[index] = l
		return place{p.v, p.path + index}
	}
	return place{}
}
