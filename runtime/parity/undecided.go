package parity

import (
	"fmt"
	"math"
	"slices"
)

// share counts undecided elements of an output over all cases.
type share struct {
	undecided, all int
	open, cases    int     // cases that have undecided elements, and all with elements
	most           int     // elements of a case
	slightly       int     // undecided ones that noise moves by less than would prove nothing, so that none of them needs to be
	moved          float64 // by up to this
}

// of returns the share.
func (s share) of() float64 {
	if s.all == 0 {
		return 0
	}
	return float64(s.undecided) / float64(s.all)
}

// An output of few elements is judged by cases, of which a quarter may have undecided elements.
// Such as the place of a maximum, it depends on all its inputs, so that near ties are no rarity,
// and of a dozen elements one is more than 1%. All other cases are compared, and a mistake shows in
// each of them.
const (
	few     = 16
	fewOpen = 0.25
)

// exceeds reports whether more is undecided than may be.
func (s share) exceeds(limit float64) bool {
	return s.of() > limit && (s.most > few || float64(s.open) > fewOpen*float64(s.cases))
}

// countUndecided adds the case's elements to the shares by output.
func (c *testCase) countUndecided() {
	if c.undecided == nil {
		return
	}
	for i, b := range c.Outputs {
		if slices.Contains(c.Unordered, b) {
			continue
		}
		s := c.shares[b.label()]
		if s == nil {
			s = &share{}
			c.shares[b.label()] = s
		}
		n, all := b.stated(), len(c.undecided[i])
		if all == 0 {
			continue
		}
		s.add(c.undecided[i][:n], c.moved[i][:len(c.moved[i])/all*n], useless*rootMeanSquare(c.sizes[b.label()]))
	}
}

// add counts the elements of a case. moved is how far noise moves each of their scalars; up to
// little is little.
func (s *share) add(undecided []bool, moved []float64, little float64) {
	n, before := len(undecided), s.undecided
	if n == 0 {
		return
	}
	s.cases++
	s.most = max(s.most, n)
	s.all += n
	for i, u := range undecided {
		if !u {
			continue
		}
		s.undecided++
		if most := slices.Max(moved[i*len(moved)/n : (i+1)*len(moved)/n]); most <= little {
			s.slightly++
			s.moved = math.Max(s.moved, most)
		}
	}
	if s.undecided > before {
		s.open++
	}
}

// checkShare fails the test if more of an output is undecided than may be, and says what helps.
func (r *run) checkShare(name string, s *share) {
	limit, t := float64(r.report.MaxShare), r.kernel.Tolerance
	if !s.exceeds(limit) {
		return
	}
	what := fmt.Sprintf("%s: %d of %d elements of %s, %s,", r.kernel.Name, s.undecided, s.all, name, percent(s.of()))
	if 2*s.slightly > s.undecided {
		r.failf("%s are moved by rounding errors as large as WGSL allows them by more than twice the tolerance of %.2g + %.2g*|value|, but by no more than %.2g: draw milder data (//tandem:test), or state a tolerance that covers that (//tandem:tol abs=%.0e) and in the comment above it why",
			what, t.Abs, t.Rel, s.moved, s.moved)
		return
	}
	advice := "draw other data (//tandem:test) or decide less sharply"
	if more := math.Ceil(150 * s.of()); more <= 50 {
		advice = fmt.Sprintf("draw other data (//tandem:test), decide less sharply, or where it cannot be otherwise allow more (//tandem:tol undecided=%.0f%%)", more)
	}
	most := percent(limit)
	if s.most <= few {
		most += ", or those of a quarter of the cases,"
	}
	r.failf("%s are undecided (they depend on a comparison or conversion of floats that rounding can turn); at most %s may be: %s", what, most, advice)
}

// percent returns a share in percent.
func percent(share float64) string { return fmt.Sprintf("%.3g%%", 100*share) }
