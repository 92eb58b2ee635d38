// Package pieces cuts launches whose arguments are larger than the device lets a
// kernel see into several. Operators that work on whatever a model's weights are as
// large as use it, so that their callers need not know.
package pieces

import (
	"tandem/dsl"
	"tandem/runtime"
)

// aligned is what windows start at multiples of, in units: whatever a unit is, 64 of four
// bytes each lie where every device can bind.
const aligned = 64

// Each calls f for windows [first, end) that cover n units, one after the other, of
// which none is over the device's limit where the largest argument has unit elements of four
// bytes in each of the n. Nearly always there is one window. Where units are
// so large that no 64 of them fit there is one too, and its launch says what is too large.
func Each(on runtime.Target, n, unit int, f func(first, end int) error) error {
	step := n
	if fit := limit(on) / 4; unit > 0 && n > fit/unit {
		step = fit / unit / aligned * aligned
	}
	if step <= 0 {
		return f(0, n)
	}
	for first := 0; first < n; first += step {
		if err := f(first, min(first+step, n)); err != nil {
			return err
		}
	}
	return nil
}

// Whole reports whether Each has windows that are not over the device's limit for n units.
func Whole(on runtime.Target, n, unit int) bool {
	return unit == 0 || min(n, aligned) <= limit(on)/4/unit
}

// Fits reports whether a kernel on the device can see n elements of four bytes at once.
func Fits(on runtime.Target, n int) bool { return n <= limit(on)/4 }

// limit returns how many bytes a kernel on the device can see of a buffer. A target that is nil has no
// device; the launch says so.
func limit(on runtime.Target) int {
	if on == nil || on.Device() == nil {
		return 0
	}
	return int(on.Device().Limits().BindingBytes)
}

// Of returns units first to end-1 of v, of unit elements each, as a piece of v.
func Of[T any](v runtime.View[T], unit, first, end int) *runtime.Buffer[T] {
	b := v.View()
	if b == nil || (first == 0 && end*unit == b.Len()) {
		return b
	}
	return b.Piece(first*unit, end*unit)
}

// reduceParts is how many partial results the first step of a reduction has at most.
const reduceParts = 2048

// Reduce reduces n elements to one. fold reduces elements first to end-1 to as many partial results as
// partial has room for, and last these to one. How elements are grouped depends on their number
// and the device's limit alone, so results are the same on every run.
func Reduce(on runtime.Target, n int, fold func(first, end int, partial *runtime.Buffer[float32]) error,
	last func(partial *runtime.Buffer[float32]) error) error {
	windows := 0
	Each(on, n, 1, func(_, _ int) error { windows++; return nil })
	parts := min(max((n+1023)/1024, 1), reduceParts)
	if windows > 1 {
		parts = reduceParts // so that every window's results begin where a device can bind them
	}
	partial := runtime.NewUninit[float32](on, windows*parts)
	defer partial.Release()
	at := 0
	err := Each(on, n, 1, func(first, end int) error {
		at += parts
		return fold(first, end, partial.Slice(at-parts, at))
	})
	if err != nil {
		return err
	}
	return last(partial)
}

// Quads returns the elements of x by four, without the last few that make no four.
func Quads(x *runtime.Buffer[float32]) *runtime.Buffer[dsl.Vec4] {
	return runtime.As[dsl.Vec4](x.Slice(0, x.Len()/4*4))
}
