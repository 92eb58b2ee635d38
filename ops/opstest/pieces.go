package opstest

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"tandem/ops"
	"tandem/runtime"
)

// SmallBinding is the binding limit of the device that Pieces compares with, in bytes: 16,384
// elements.
const SmallBinding = 64 << 10

// Pieces runs a case on a device and on one that takes bindings of SmallBinding at most,
// where it must give the same results, within 1e-4 × (1 + |value|), since sums in
// pieces are taken in another order. run returns the tensors to compare.
func Pieces(t *testing.T, cases map[string]func(b *Bench) []ops.Floats) {
	for _, name := range []string{"cpu", "gpu"} {
		t.Run(name, func(t *testing.T) {
			whole := Open(t, runtime.Options{Device: name})
			small := Open(t, runtime.Options{Device: name, BindingBytes: SmallBinding})
			for name, run := range cases {
				t.Run(name, func(t *testing.T) {
					want, got := results(t, whole, run), results(t, small, run)
					for i := range want {
						for j, w := range want[i] {
							if diff := math.Abs(float64(got[i][j] - w)); !(diff <= 1e-4*(1+math.Abs(float64(w)))) {
								t.Fatalf("result %d, element %d of %d is %v in pieces and %v whole", i, j, len(want[i]), got[i][j], w)
							}
						}
					}
				})
			}
		})
	}
}

// results runs a case and reads its results.
func results(t *testing.T, dev *runtime.Device, run func(b *Bench) []ops.Floats) [][]float32 {
	t.Helper()
	var values [][]float32
	for _, x := range run(NewBench(t, dev)) {
		values = append(values, Values(t, x))
	}
	return values
}

// Bench makes tensors of random numbers, the same for the same calls on every device.
type Bench struct {
	T   *testing.T
	Dev *runtime.Device
	r   *rand.Rand
}

// NewBench returns a bench on dev.
func NewBench(t *testing.T, dev *runtime.Device) *Bench {
	return &Bench{t, dev, rand.New(rand.NewPCG(1, 2))}
}

// Random returns a tensor of numbers from −1 to 1.
func (b *Bench) Random(shape ...int) ops.Floats {
	b.T.Helper()
	x := ops.New[float32](b.Dev, shape...)
	data := make([]float32, x.Len())
	for i := range data {
		data[i] = 2*b.r.Float32() - 1
	}
	b.Must(x.Write(data))
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

// Must fails the test on an error.
func (b *Bench) Must(err error) {
	b.T.Helper()
	if err != nil {
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
