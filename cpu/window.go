package cpu

import "strconv"

// Window returns n elements of x from first on, which a loop is about to reach. The elements belong to the invocations
// after the one that At holds, as many as lanes says, in turn. If x ends before, Window panics as the index of the first
// element that is missing would.
func Window[T any](x []T, first, n, lanes int) []T {
	if first > len(x)-n {
		panic(missing{first, lanes, len(x)})
	}
	return x[first:][:n]
}

// missing is the panic of a Window.
type missing struct{ first, lanes, length int }

// element returns the place of the first element that is missing.
func (m missing) element() int { return max(m.first, m.length) }

// after returns how many invocations after the one that At holds it belongs to.
func (m missing) after() uint32 { return uint32((m.element() - m.first) % m.lanes) }

// Error returns Go's words for the index.
func (m missing) Error() string {
	return "runtime error: index out of range [" + strconv.Itoa(m.element()) + "] with length " + strconv.Itoa(m.length)
}

// RuntimeError says that it is one of Go's own.
func (m missing) RuntimeError() {}
