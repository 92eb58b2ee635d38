package parity

import (
	"fmt"
	"math"

	"tandem/dsl"
)

// Ceil returns a/b rounded up.
func Ceil(a, b int64) int64 { return (a + b - 1) / b }

// Groups returns the grid of whole workgroups.
func Groups(workgroup [3]uint32, sides ...int64) dsl.Grid {
	return dsl.Grid{Workgroup: workgroup, Groups: checkedSides(sides)}
}

// Threads returns the grid of exactly that many invocations.
func Threads(workgroup [3]uint32, sides ...int64) dsl.Grid {
	return dsl.Grid{Workgroup: workgroup, Threads: checkedSides(sides)}
}

// checkedSides returns the sides of a grid; a case whose grid makes no sense is rejected.
func checkedSides(sides []int64) [3]uint32 {
	out := [3]uint32{1, 1, 1}
	for i, n := range sides {
		if n < 0 || n > math.MaxUint32 {
			panic(rejected{fmt.Sprintf("side %d of the grid would be %d", i+1, n)})
		}
		out[i] = uint32(n)
	}
	return out
}

// invocations returns how many invocations a grid runs.
func invocations(g dsl.Grid) int64 {
	n := int64(1)
	for i := range 3 {
		side := int64(g.Threads[i])
		if g.Threads == [3]uint32{} {
			side = int64(g.Groups[i]) * int64(g.Workgroup[i])
		}
		n *= side
	}
	return n
}
