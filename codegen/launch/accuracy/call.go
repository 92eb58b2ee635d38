package accuracy

import (
	"slices"

	"tandem/codegen/ir"
)

// result is what a helper returns.
type result struct {
	whole estimate
	parts []estimate
}

// joinResults returns a result that covers all in list.
func joinResults(list []result) result {
	var wholes []estimate
	var parts []estimate
	for i, r := range list {
		wholes = append(wholes, r.whole)
		switch {
		case i == 0:
			parts = slices.Clone(r.parts)
		case len(r.parts) != len(parts):
			parts = nil
		}
		for k := range parts {
			parts[k] = join(parts[k], r.parts[k])
		}
	}
	return result{joinAll(wholes), parts}
}

// call estimates a helper by its body.
func (e *evaluator) call(c *ir.Call) estimate {
	args := e.exprs(c.Args)
	for i, p := range c.Func.Params {
		if _, pointer := c.Args[i].(*ir.Addr); pointer {
			e.aliases[p] = e.placeOf(c.Args[i])
			continue
		}
		e.depths[p] = len(e.frames)
		e.hold(place{p, ""}, c.Args[i], e.numbered(args[i], p))
		e.defined(p, c.Args[i])
	}
	outer := e.results
	e.results = nil
	e.body(c.Func.Body)
	r := joinResults(e.results)
	e.results = outer
	e.ranged[c], e.parts[c] = r.whole.ints, r.parts
	return r.whole
}
