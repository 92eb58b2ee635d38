package opstest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tandem/ops"
	"tandem/runtime"
)

// SmallBinding is a binding limit for Pieces, in bytes: 16,384 elements.
const SmallBinding = 64 << 10

// Pieces runs a case on a device and on one that takes bindings of so many bytes at most,
// where it must give the same results, within 1e-4 × (1 + |value|), since sums in
// pieces are taken in another order. run returns the tensors to compare.
func Pieces(t *testing.T, binding int64, cases map[string]func(b *Bench) []ops.Floats) {
	for _, name := range []string{"cpu", "gpu"} {
		t.Run(name, func(t *testing.T) {
			whole := Open(t, runtime.Options{Device: name})
			small := Open(t, runtime.Options{Device: name, BindingBytes: binding})
			for name, run := range cases {
				t.Run(name, func(t *testing.T) { same(t, NewBench(t, whole), NewBench(t, small), run) })
			}
		})
	}
	t.Run("overlapping", func(t *testing.T) { // the rule is the runtime's, one for all devices
		for name, run := range cases {
			t.Run(name, func(t *testing.T) { overlapping(t, binding, run) })
		}
	})
}

// overlapping runs a case for every two of its tensors that can overlap, in three ways: where an
// operator refuses them whole, it refuses them in pieces, and else the results are the same.
func overlapping(t *testing.T, binding int64, run func(b *Bench) []ops.Floats) {
	whole := Open(t, runtime.Options{Device: "cpu"})
	small := Open(t, runtime.Options{Device: "cpu", BindingBytes: binding})
	plain := NewBench(t, whole)
	run(plain)
	for second := range plain.sizes {
		for first, n := range plain.sizes[:second] {
			last := (n - 1) / 64 * 64 // where views may begin
			for _, shift := range slices.Compact([]int{0, min(64, last), last}) {
				overlap := &overlap{first: first, second: second, shift: shift, size: max(n, shift+plain.sizes[second])}
				t.Run(fmt.Sprintf("tensors %d and %d at %d", first, second, shift), func(t *testing.T) {
					a, b := NewBench(t, whole), NewBench(t, small)
					a.overlap, b.overlap = overlap.on(whole), overlap.on(small)
					same(t, a, b, run)
				})
			}
		}
	}
}

// same fails unless a case gives the same on both benches.
func same(t *testing.T, whole, small *Bench, run func(b *Bench) []ops.Floats) {
	t.Helper()
	want, got := results(whole, run), results(small, run)
	if !slices.Equal(whole.refused, small.refused) {
		t.Fatalf("whole, the calls %v are refused; in pieces, the calls %v", whole.refused, small.refused)
	}
	if whole.refused != nil {
		return // what a refused operator leaves is not defined
	}
	for i := range want {
		for j, w := range want[i] {
			if diff := math.Abs(float64(got[i][j] - w)); !(diff <= 1e-4*(1+math.Abs(float64(w)))) {
				t.Fatalf("result %d, element %d of %d is %v in pieces and %v whole", i, j, len(want[i]), got[i][j], w)
			}
		}
	}
}

// results runs a case and reads its results.
func results(b *Bench, run func(b *Bench) []ops.Floats) [][]float32 {
	b.T.Helper()
	var values [][]float32
	for _, x := range run(b) {
		values = append(values, Values(b.T, x))
	}
	return values
}

// Bench makes tensors of random numbers, the same for the same calls on every device.
type Bench struct {
	T       *testing.T
	Dev     *runtime.Device
	r       *rand.Rand
	sizes   []int    // of the tensors that Random made
	overlap *overlap // which of them overlap; nil: none
	calls   int      // of Must
	refused []int    // those whose arguments overlapped
}

// overlap is memory for two of a bench's tensors: the first at its start, the second at shift.
type overlap struct {
	first, second, shift, size int
	memory                     *runtime.Buffer[float32]
}

// on returns o with memory on dev.
func (o overlap) on(dev *runtime.Device) *overlap {
	o.memory = runtime.New[float32](dev, o.size)
	return &o
}

// NewBench returns a bench on dev.
func NewBench(t *testing.T, dev *runtime.Device) *Bench {
	return &Bench{T: t, Dev: dev, r: rand.New(rand.NewPCG(1, 2))}
}

// Random returns a tensor of numbers from −1 to 1.
func (b *Bench) Random(shape ...int) ops.Floats {
	b.T.Helper()
	x := b.tensor(shape)
	b.sizes = append(b.sizes, x.Len())
	data := make([]float32, x.Len())
	for i := range data {
		data[i] = 2*b.r.Float32() - 1
	}
	b.Must(x.Write(data))
	return x
}

// tensor makes the next tensor, of its own memory or in what two have in common.
func (b *Bench) tensor(shape []int) ops.Floats {
	at := 0
	switch o, next := b.overlap, len(b.sizes); {
	case o == nil || (next != o.first && next != o.second):
		return ops.New[float32](b.Dev, shape...)
	case next == o.second:
		at = o.shift
	}
	n := 1
	for _, side := range shape {
		n *= side
	}
	x, err := ops.On(b.overlap.memory.Slice(at, at+n), shape...)
	b.Must(err)
	return x
}

// Index returns a tensor of numbers below limit.
func (b *Bench) Index(limit int, shape ...int) *ops.Tensor[uint32] {
	b.T.Helper()
	x := ops.New[uint32](b.Dev, shape...)
	data := make([]uint32, x.Len())
	for i := range data {
		data[i] = uint32(b.r.IntN(limit))
	}
	b.Must(x.Write(data))
	return x
}

// Must fails the test on an error, other than that arguments overlap where the bench makes tensors overlap.
func (b *Bench) Must(err error) {
	b.T.Helper()
	b.calls++
	if b.overlap != nil && errors.Is(err, runtime.ErrAliased) {
		b.refused = append(b.refused, b.calls)
	} else if err != nil {
		b.T.Fatal(err)
	}
}

// Values reads a tensor.
func Values[T any](t *testing.T, x *ops.Tensor[T]) []T {
	t.Helper()
	values, err := x.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return values
}
