package accuracy

import (
	"fmt"
	"maps"
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
// for all parts that have none of their own.
type memory map[place]estimate

// late begins the path of what a loop wrote to one part after another. The
// rounds do not see it: each has its own part.
const late = "late:"

// varied stands in a path for an index of a loop that has ended.
const varied = "?"

// set replaces what is at p, and all parts of it.
func (m memory) set(p place, x estimate) {
	for q := range m {
		if q.v == p.v && q != p && isPart(q.path, p.path) {
			delete(m, q)
		}
	}
	m[p] = x
}

// isPart reports whether a path leads to a part of what another leads to.
func isPart(path, whole string) bool {
	rest, ok := strings.CutPrefix(path, whole)
	return ok && (whole == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}

// at returns what is at p: what was written there, else what it may be.
func (m memory) at(p place) estimate {
	if x, ok := m[p]; ok && p.path != "" {
		return x
	}
	for i := len(p.path) - 1; i > 0; i-- { // a part of what was written
		if p.path[i] == '.' || p.path[i] == '[' {
			if x, ok := m[place{p.v, p.path[:i]}]; ok {
				return x
			}
		}
	}
	var list []estimate
	era := 0
	for q, x := range m {
		if q.v != p.v || q.path != "" && !mayBe(p, q) || x.era < era {
			continue
		}
		if x.era > era {
			era, list = x.era, nil
		}
		list = append(list, x)
	}
	return joinAll(list)
}

// mayBe reports whether what was written to q may be seen in p. In a buffer an
// invocation has its own elements: another index is another's, as it was.
func mayBe(p, q place) bool {
	if strings.HasPrefix(q.path, late) {
		return false
	}
	if p.v.Space == ir.BufferVar && p.path != "" && !strings.Contains(q.path, varied) {
		return isPart(q.path, p.path)
	}
	a, b := segments(p.path), segments(q.path)
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

// isNumber reports whether an index is a constant.
func isNumber(index string) bool {
	return len(index) > 2 && strings.Trim(index[1:len(index)-1], "0123456789") == ""
}

// collapse gives v one estimate for all its parts.
func (m memory) collapse(v *ir.Var) {
	var list []estimate
	for p, x := range m {
		if p.v == v && p.path != "" && !strings.HasPrefix(p.path, late) {
			list = append(list, x)
		}
	}
	if len(list) > 0 {
		m.set(place{v, ""}, joinAll(list))
	}
}

// either joins what two alternatives leave.
func either(a, b memory) memory {
	out := maps.Clone(a)
	for p, x := range a {
		out[p] = p.either(x, b.entry(p))
	}
	for p, x := range b {
		if _, ok := a[p]; !ok {
			out[p] = p.either(x, a.entry(p))
		}
	}
	return out
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
func (m memory) entry(p place) estimate {
	if x, ok := m[p]; ok {
		return x
	}
	return m.at(p)
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
		p := e.placeOf(x.X)
		return place{p.v, p.path + "[" + e.linear(x.I).String() + "]"}
	}
	return place{}
}
