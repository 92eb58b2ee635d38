package ops_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tandem/dsl"
	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/runtime"
)

// TestGemvHalf holds products with half-precision matrices of any shape against float64.
func TestGemvHalf(t *testing.T) {
	opstest.OnEach(t, func(t *testing.T, d *runtime.Device) {
		for _, side := range [][2]int{{1, 1}, {3, 7}, {5, 8}, {9, 24}, {100, 1000}, {64, 8192}, {2, 1025}} {
			rows, cols := side[0], side[1]
			b := opstest.NewBench(t, d)
			x, bias, y := b.Random(cols), b.Random(rows), b.Random(rows)
			w, values := halves(b, rows, cols)
			for _, c := range []ops.Floats{nil, bias} {
				b.Must(ops.GemvHalf(d, w, x, c, y))
				in, add := opstest.Values(t, x), opstest.Values(t, bias)
				for i, got := range opstest.Values(t, y) {
					want := 0.0
					if c != nil {
						want = float64(add[i])
					}
					for j, v := range in {
						want += float64(values[i*cols+j]) * float64(v)
					}
					if !(math.Abs(float64(got)-want) <= 1e-5*(1+math.Abs(want))*math.Sqrt(float64(cols))) {
						t.Fatalf("%v, bias %v: element %d is %v, want %v", side, c != nil, i, got, want)
					}
				}
			}
		}
	})
}

// halves returns a random matrix of halves and its values.
func halves(b *opstest.Bench, rows, cols int) (ops.Halves, []float32) {
	w := ops.New[dsl.Float16](b.Dev, rows, cols)
	data, values := make([]dsl.Float16, rows*cols), opstest.Values(b.T, b.Random(rows, cols))
	for i, v := range values {
		data[i] = dsl.ToFloat16(v)
		values[i] = data[i].Float32()
	}
	b.Must(w.Write(data))
	return w, values
}

// TestToHalf: the device rounds as dsl.ToFloat16 does.
func TestToHalf(t *testing.T) {
	opstest.OnEach(t, func(t *testing.T, d *runtime.Device) {
		b := opstest.NewBench(t, d)
		x, y := b.Random(3, 100), ops.New[dsl.Float16](d, 3, 100)
		b.Must(ops.ToHalf(d, x, y))
		in := opstest.Values(t, x)
		for i, got := range opstest.Values(t, y) {
			if got != dsl.ToFloat16(in[i]) {
				t.Fatalf("%v becomes %v, want %v", in[i], got.Float32(), dsl.ToFloat16(in[i]).Float32())
			}
		}
	})
}

// TestHalfErrors: arguments that do not fit are errors that name operator, argument and both shapes.
func TestHalfErrors(t *testing.T) {
	d := opstest.Open(t, runtime.Options{Device: "cpu"})
	f := func(shape ...int) ops.Floats { return ops.New[float32](d, shape...) }
	h := func(shape ...int) ops.Halves { return ops.New[dsl.Float16](d, shape...) }
	for _, c := range []struct {
		err  error
		says string
	}{
		{ops.GemvHalf(d, h(4), f(4), nil, f(4)), "ops.GemvHalf: w is [4] and should be a matrix"},
		{ops.GemvHalf(d, h(4, 8), f(9), nil, f(4)), "ops.GemvHalf: x is [9] and should be [8], as w is [4, 8]"},
		{ops.GemvHalf(d, h(4, 8), f(8), f(5), f(4)), "ops.GemvHalf: bias is [5] and should be [4], as w is [4, 8]"},
		{ops.GemvHalf(d, h(4, 8), f(8), nil, f(3)), "ops.GemvHalf: y is [3] and should be [4], as w is [4, 8]"},
		{ops.GemvHalf(d, h(4, 0), f(0), nil, f(4)), "a product over no elements"},
		{ops.GemvHalf(d, nil, f(8), nil, f(4)), "ops.GemvHalf: w is"},
		{ops.GemvHalf(nil, h(4, 8), f(8), nil, f(4)), "no device or scope to launch on"},
		{ops.ToHalf(d, f(3, 5), h(3, 5)), "15 elements, and they are written in pairs"},
		{ops.ToHalf(d, f(3, 4), h(4, 3)), "ops.ToHalf: x is [3, 4] and y is [4, 3]"},
	} {
		if got := fmt.Sprint(c.err); c.err == nil || !strings.Contains(got, c.says) {
			t.Errorf("%q should say %q", got, c.says)
		}
	}
}
