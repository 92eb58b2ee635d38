package parity

import (
	"fmt"
	"math/rand"
	"strings"
)

// Draw draws the arguments of one test case. Everything it gives follows from
// its seed.
type Draw struct {
	rand    *rand.Rand
	work    int // the size this case is about; below 0: each size its own
	sizes   []int
	limit   int64 // halved when a case turned out too large
	memory  int64 // elements drawn so far
	args    []string
	buffers []Memory
	views   bool     // kernels are given views into larger buffers
	longer  int      // how buffers exceed the least length: 0 not at all, 1 by a few elements, 2 by as many again
	beyond  []string // the buffers that have
}

// maxElements is how many elements a case's buffers may have together.
const maxElements = 1 << 22

// rejected is what a draw panics with when its arguments are outside the
// kernel's domain; the engine draws again.
type rejected struct{ why string }

// sizesFor returns the sizes worth testing for a workgroup of n invocations:
// none, one, around the workgroup's edge, primes, and as large as the domain
// goes. For a vector form with so many lanes, 0 if there is none, also those
// that fill a vector in part, and around the edge of its workgroup.
func sizesFor(n, lanes int) []int {
	const prime, largerPrime, large = 61, 1009, 1 << 30
	sizes := []int{0, 1, max(n-1, 0), n, n + 1, prime, largerPrime, large}
	if lanes > 0 {
		sizes = append(sizes, 2, 3, 4, 7, lanes*n-1, lanes*n, lanes*n+2)
	}
	return sizes
}

// Rand returns the source of randomness, for test generators.
func (d *Draw) Rand() *rand.Rand { return d.rand }

// Work returns the size of the case, for test generators.
func (d *Draw) Work() int {
	size := min(d.pick(), largestWork, int(d.limit))
	d.note("size", size)
	return size
}

// largestWork is the large size that a test generator is asked for.
const largestWork = 4000

// pick returns the size of the case, or where each argument has its own, a random one.
func (d *Draw) pick() int {
	if d.work >= 0 {
		return d.work
	}
	return d.sizes[d.rand.Intn(len(d.sizes))]
}

// Size draws an integer argument that decides how much work there is.
func Size[T int | int32 | uint32](d *Draw, name string, lo, hi int64) T {
	v := T(d.size(lo, hi))
	d.note(name, v)
	return v
}

// Len draws the length of a buffer that no rule ties to other arguments.
func (d *Draw) Len(lo, hi int64) int64 {
	return d.size(max(lo, 0), hi)
}

// size draws from lo..hi, one of the sizes worth testing where it lies within.
func (d *Draw) size(lo, hi int64) int64 {
	if hi < lo {
		panic(rejected{fmt.Sprintf("the domain %d..%d is empty", lo, hi)})
	}
	hi = max(lo, min(hi, d.limit))
	n := int64(d.pick())
	if d.work < 0 && d.rand.Intn(2) == 0 {
		n = lo + d.rand.Int63n(hi-lo+1)
	}
	return max(lo, min(n, hi))
}

// Value draws a uniform argument: every number in it from bounds, the smallest
// and largest value, or without them from the default domain.
func Value[T any](d *Draw, name string, bounds ...float64) T {
	var v [1]T
	memoryOf(v[:], layout[T]()).fill(d.rand, bounds)
	d.note(name, v[0])
	return v[0]
}

// Where rejects the arguments drawn so far unless the condition holds.
func (d *Draw) Where(text string, holds bool) {
	if !holds {
		panic(rejected{text + " does not hold"})
	}
}

// Within rejects arguments of a generator where a number in v is not within lo..hi,
// as the kernel's //tandem:test says.
func Within[T any](d *Draw, name string, v T, lo, hi float64) {
	memoryOf([]T{v}, layout[T]()).within(name, lo, hi)
}

// Note adds a drawn argument to the description of the case.
func (d *Draw) Note(name string, value any) { d.note(name, value) }

func (d *Draw) note(name string, value any) {
	d.args = append(d.args, fmt.Sprintf("%s=%v", name, value))
}

// describe returns the arguments in words.
func (d *Draw) describe() string { return strings.Join(d.args, " ") }

// hint says what elements beyond the least length are for, where there are some.
func (d *Draw) hint() string {
	if len(d.beyond) == 0 {
		return ""
	}
	return fmt.Sprintf("\n\tthere is more of %s than //tandem:len asks for: the kernel has to leave that alone, and the reference does not get it; where the length itself matters, say of what lengths to test (//tandem:test len(%s)=lo..hi)",
		strings.Join(d.beyond, ", "), d.beyond[0])
}

// reserve counts n elements and rejects a case that grows too large.
func (d *Draw) reserve(name string, n int64) int {
	if n < 0 {
		panic(rejected{fmt.Sprintf("the length of %s would be %d", name, n)})
	}
	if d.memory += n; n > maxElements || d.memory > maxElements {
		panic(rejected{tooLarge})
	}
	d.note("len("+name+")", n)
	return int(n)
}

const tooLarge = "the buffers would be too large for a test"

// attempt runs draw once and reports why it was rejected. A panic in the
// arithmetic of a size expression (a division by a zero that `where` excludes)
// is a rejection too.
func attempt(d *Draw, draw func(*Draw) Case) (c Case, why string) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case rejected:
			why = p.why
		default:
			if err, ok := p.(error); !ok || !strings.Contains(err.Error(), "divide by zero") {
				panic(p)
			}
			why = "a size divides by zero"
		}
	}()
	return draw(d), ""
}

// attempts is how often a case is drawn before the domain counts as empty.
const attempts = 2000

// drawCase draws case number index from seed. Where the wanted size does not
// meet the kernel's conditions it falls back to random sizes within them.
func drawCase(index int, seed int64, k *Kernel) (*Draw, Case, string) {
	r := rand.New(rand.NewSource(seed))
	sizes, limit, why := k.sizes(), int64(1<<32), ""
	for try := range attempts {
		d := &Draw{rand: r, work: -1, sizes: sizes, limit: limit, views: index%2 == 1, longer: []int{0, 0, 1, 0, 0, 2}[index%6]}
		if index < len(sizes) && (try < 20 || why == tooLarge) {
			d.work = sizes[index]
		}
		var c Case
		if c, why = attempt(d, k.Draw); why == "" {
			return d, c, ""
		}
		if why == tooLarge && limit > 1 {
			limit = min(limit, 1<<24) / 2
		}
	}
	return nil, Case{}, why
}
