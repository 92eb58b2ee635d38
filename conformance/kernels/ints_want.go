package kernels

import (
	"math"
	"math/bits"
	"math/rand"
	"slices"
	"strconv"
	"strings"

	"tandem/dsl"
)

// intCountsReference asks the standard library, and counts what is known to
// count.
func intCountsReference(n uint32, x []uint32, y []dsl.IVec4) {
	for k, v := range x {
		rounds := min(n, v+2) // i ends the loop when it is above v
		pairs := 0
		for i := range rounds {
			for j := range n {
				if j >= i && (j-i)%2 == 0 && (i+j)%3 != v%3 {
					pairs++
				}
			}
		}
		most := 0
		if digits := strconv.Itoa(int(v)); v > 0 {
			for d := '0'; d <= '9'; d++ {
				most = max(most, strings.Count(digits, string(d)))
			}
		}
		y[k] = dsl.IVec4{X: int32(bits.Len32(v)*100 + bits.OnesCount32(v)), Y: int32(pairs), Z: -2 * int32(rounds), W: int32(most)}
	}
}

// intSearchCase draws a sorted buffer.
func intSearchCase(r *rand.Rand, size int) (sorted, x []int32, at []dsl.IVec2) {
	for range r.Intn(size + 1) {
		sorted = append(sorted, int32(r.Intn(200))-50)
	}
	slices.Sort(sorted)
	for range size {
		x = append(x, int32(r.Intn(200))-50)
	}
	return sorted, x, make([]dsl.IVec2, size)
}

// intSearchReference looks at all elements.
func intSearchReference(sorted, x []int32, at []dsl.IVec2) {
	for i, v := range x {
		at[i] = dsl.IVec2{}
		for _, s := range sorted {
			if s < v {
				at[i].X++
			}
		}
		for n, s := range steps {
			if s <= v {
				at[i].Y = int32(n)
			}
		}
	}
}

func intsReference(x, y []int32) {
	for i, v := range x {
		k := i % 4096
		y[i] = 140 + 3*int32(k%4) + v + int32(len(x)%7) + int32(k/1000) + int32(math.Floor(float64(v)/2))
	}
}

func intIndexReference(x, y []float32) {
	for i := range x {
		sum := float64(y[i]) - float64(x[len(x)-1-i])
		if i < len(x)-1 {
			sum += 2 * float64(x[i+1])
		}
		y[i] = float32(sum)
	}
}
