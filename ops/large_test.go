package ops_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tandem/ops"
	"tandem/ops/opstest"
	"tandem/runtime"
)

// softmaxRow, normRow and largest are what operators over rows do, in float64.
func softmaxRow(x []float32) []float64 {
	m, sum := math.Inf(-1), 0.0
	for _, v := range x {
		m = math.Max(m, float64(v))
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = math.Exp(float64(v) - m)
		sum += y[i]
	}
	for i := range y {
		y[i] /= sum
	}
	return y
}

func normRow(x []float32) []float64 {
	mean, variance := 0.0, 0.0
	for _, v := range x {
		mean += float64(v) / float64(len(x))
	}
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean) / float64(len(x))
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = (float64(v) - mean) / math.Sqrt(variance+1e-5)
	}
	return y
}

func largest(x []float32) uint32 {
	at := 0
	for i, v := range x {
		if v > x[at] {
			at = i
		}
	}
	return uint32(at)
}

// TestManyAndWideRows: rows beyond the 65,535 workgroups of a grid's side, as wide as GPT-2's
// vocabulary, of one element, and none.
func TestManyAndWideRows(t *testing.T) {
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		for _, shape := range [][2]int{{65_541, 2}, {3, 50_257}, {1, 1}, {0, 5}, {1, 200_003}} {
			rows, cols := shape[0], shape[1]
			b := opstest.NewBench(t, dev)
			x, soft, norm := b.Random(rows, cols), b.Random(rows, cols), b.Random(rows, cols)
			one, none, top := b.Random(cols), b.Random(cols), b.Index(9, rows)
			b.Must(ops.Fill(dev, 1, one))
			b.Must(ops.Fill(dev, 0, none))
			b.Must(ops.Softmax(dev, x, soft))
			b.Must(ops.LayerNorm(dev, 1e-5, x, one, none, norm))
			b.Must(ops.ArgMax(dev, x, top))
			in, s, n, a := opstest.Values(t, x), opstest.Values(t, soft), opstest.Values(t, norm), opstest.Values(t, top)
			for r := range rows {
				row := in[r*cols : (r+1)*cols]
				if want := largest(row); a[r] != want {
					t.Fatalf("%v: the largest of row %d is %d, not %d", shape, r, want, a[r])
				}
				near(t, "softmax", shape, r, s[r*cols:], softmaxRow(row))
				near(t, "layernorm", shape, r, n[r*cols:], normRow(row))
			}
		}
	})
}

// TestSoftmaxOfTheLowest: rows of what is no larger than the lowest number are rows as others; of
// −∞ alone, they have no softmax. Also by the variant for long rows.
func TestSoftmaxOfTheLowest(t *testing.T) {
	lowest, none := float32(-math.MaxFloat32), float32(math.Inf(-1))
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		long := opstest.Open(t, runtime.Options{Device: dev.Info().Name, Variants: map[string]string{"Softmax": "long=1"}})
		for _, cols := range []int{1, 3, 255, 257, 4096, 4097, 51_200, 51_201, 60_000} {
			for _, other := range []float32{lowest, none, -1e30} {
				in := make([]float32, 3*cols)
				for i := range in {
					in[i] = lowest
					if i >= cols && i%3 == 0 {
						in[i] = other
					}
				}
				for i := 2 * cols; i < len(in); i++ {
					in[i] = none
				}
				for _, d := range []*runtime.Device{dev, long} {
					x, err := ops.Of(d, in, 3, cols)
					if err != nil {
						t.Fatal(err)
					}
					y := ops.New[float32](d, 3, cols)
					if err := ops.Softmax(d, x, y); err != nil {
						t.Fatal(err)
					}
					got := opstest.Values(t, y)
					for r := range 2 {
						near(t, "softmax", [2]int{3, cols}, r, got[r*cols:], softmaxRow(in[r*cols:(r+1)*cols]))
					}
					for i, v := range got[2*cols:] {
						if v == v {
							t.Fatalf("of %d times −∞, softmax %d is %v", cols, i, v)
						}
					}
				}
			}
		}
	})
}

// TestLargestOfNothing: what has no largest number gives what the comments of Max, Min and ArgMax say.
func TestLargestOfNothing(t *testing.T) {
	nan, inf, lowest := float32(math.NaN()), float32(math.Inf(1)), float32(-math.MaxFloat32)
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		of := func(data ...float32) ops.Floats {
			x, err := ops.Of(dev, data, 1, len(data))
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		long := func(v float32, others map[int]float32) ops.Floats { // so that there are several launches
			data := slices.Repeat([]float32{v}, 30000)
			for i, other := range others {
				data[i] = other
			}
			return of(data...)
		}
		for _, c := range []struct {
			x    ops.Floats
			want uint32
		}{
			{long(nan, nil), 29999}, {long(-inf, map[int]float32{9000: lowest, 9001: lowest, 29000: lowest}), 9000},
			{long(1, map[int]float32{0: nan, 500: nan}), 1}, {long(1, map[int]float32{29999: inf}), 29999},
			{of(-inf, -inf, -inf), 2}, {of(nan, nan), 1}, {of(nan, 1, 2, nan), 2}, {of(-inf, lowest, lowest, -inf), 1}, {of(-inf, inf, inf), 1}, {of(3, 3), 0},
		} {
			y := ops.New[uint32](dev, 1)
			if err := ops.ArgMax(dev, c.x, y); err != nil || opstest.Values(t, y)[0] != c.want {
				t.Errorf("the largest of %.20v is %v, not %d (%v)", opstest.Values(t, c.x)[:min(20, c.x.Len())], opstest.Values(t, y), c.want, err)
			}
		}
		high, low := of(0), of(0)
		if err := ops.Max(dev, of(-inf, -inf), high); err != nil || opstest.Values(t, high)[0] != lowest {
			t.Errorf("the largest of −∞ is %v (%v)", opstest.Values(t, high), err)
		}
		if err := ops.Min(dev, of(inf, inf), low); err != nil || opstest.Values(t, low)[0] != -lowest {
			t.Errorf("the smallest of ∞ is %v (%v)", opstest.Values(t, low), err)
		}
	})
}

// near fails unless got begins with want, within 1e-4.
func near(t *testing.T, what string, shape [2]int, row int, got []float32, want []float64) {
	t.Helper()
	for i, w := range want {
		if !(math.Abs(float64(got[i])-w) <= 1e-4*(1+math.Abs(w))) {
			t.Fatalf("%s of %v: row %d, column %d is %v and should be %v", what, shape, row, i, got[i], w)
		}
	}
}

// TestLongArrays: scans, sorts and reductions of any length against plain Go.
func TestLongArrays(t *testing.T) {
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		for _, n := range []int{0, 1, 2, 4, 255, 256, 257, 1025, 4095, 4096, 4100, 65_537, 300_007, 300_008, 5_000_004} {
			b := opstest.NewBench(t, dev)
			x, sums, before, sorted := b.Random(n), b.Random(n), b.Random(n), b.Random(n)
			sum, low, high := b.Random(1), b.Random(1), b.Random(1)
			in := opstest.Values(t, x)
			for i := range in { // whole numbers, so that every order of summation gives the same
				in[i] = float32(math.Floor(float64(in[i]) * 8))
			}
			b.Must(x.Write(in))
			b.Must(ops.InclusiveScan(dev, x, sums))
			b.Must(ops.ExclusiveScan(dev, x, before))
			b.Must(ops.Sort(dev, x, sorted))
			b.Must(ops.Sum(dev, x, sum))
			b.Must(ops.Min(dev, x, low))
			b.Must(ops.Max(dev, x, high))

			var total float32
			wantSums, wantBefore := make([]float32, n), make([]float32, n)
			for i, v := range in {
				wantBefore[i] = total
				total += v
				wantSums[i] = total
			}
			wantLow, wantHigh := float32(math.MaxFloat32), float32(-math.MaxFloat32)
			for _, v := range in {
				wantLow, wantHigh = min(wantLow, v), max(wantHigh, v)
			}
			equal(t, "inclusive scan", opstest.Values(t, sums), wantSums)
			equal(t, "exclusive scan", opstest.Values(t, before), wantBefore)
			equal(t, "sum, min, max", slices.Concat(opstest.Values(t, sum), opstest.Values(t, low), opstest.Values(t, high)), []float32{total, wantLow, wantHigh})
			slices.Sort(in)
			equal(t, "sort", opstest.Values(t, sorted), in)
		}
	})
}

// equal fails unless got and want are the same.
func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, not %d", what, len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s of %d: element %d is %v and should be %v", what, len(want), i, got[i], want[i])
		}
	}
}

// TestSortOrder: every float has its place, NaN too.
func TestSortOrder(t *testing.T) {
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		nan, inf, zero := float32(math.NaN()), float32(math.Inf(1)), float32(0)
		want := []float32{-nan, -inf, -math.MaxFloat32, -1, -zero, 0, 1e-30, 1, math.MaxFloat32, inf, nan}
		want[0], want[4] = math.Float32frombits(math.Float32bits(nan)|1<<31), math.Float32frombits(1<<31)
		mixed := []float32{want[10], want[3], want[0], want[9], want[5], want[7], want[1], want[4], want[8], want[2], want[6]}
		x, err := ops.Of(dev, mixed, len(mixed))
		if err != nil {
			t.Fatal(err)
		}
		y := ops.New[float32](dev, len(mixed))
		if err := ops.Sort(dev, x, y); err != nil {
			t.Fatal(err)
		}
		for i, v := range opstest.Values(t, y) {
			if math.Float32bits(v) != math.Float32bits(want[i]) {
				t.Errorf("element %d is %v and should be %v", i, v, want[i])
			}
		}
	})
}

// TestEmpty: operators on tensors of no elements do nothing, or say what there is none of.
func TestEmpty(t *testing.T) {
	dev := opstest.Open(t, runtime.Options{Device: "cpu"})
	f := func(shape ...int) ops.Floats { return ops.New[float32](dev, shape...) }
	u := func(shape ...int) *ops.Tensor[uint32] { return ops.New[uint32](dev, shape...) }
	for what, err := range map[string]error{
		"gelu":        ops.Gelu(dev, f(0), f(0)),
		"add a row":   ops.Add(dev, f(0, 3), f(3), f(0, 3)),
		"add no row":  ops.Add(dev, f(3, 0), f(0), f(3, 0)),
		"softmax":     ops.Softmax(dev, f(3, 0), f(3, 0)),
		"causal":      ops.CausalSoftmax(dev, 0, f(3, 0, 5), f(3, 0, 5)),
		"layernorm":   ops.LayerNorm(dev, 1e-5, f(3, 0), f(0), f(0), f(3, 0)),
		"rmsnorm":     ops.RMSNorm(dev, 1e-5, f(0, 3), f(3), f(0, 3)),
		"argmax":      ops.ArgMax(dev, f(0, 3), u(0)),
		"no rows":     ops.Matmul(dev, ops.Product{}, f(0, 3), f(3, 4), f(0, 4)),
		"no columns":  ops.Matmul(dev, ops.Product{}, f(2, 3), f(3, 0), f(2, 0)),
		"no batch":    ops.Matmul(dev, ops.Product{}, f(0, 2, 3), f(3, 4), f(0, 2, 4)),
		"no heads":    ops.Attention(dev, 2, f(0, 2, 4), f(0, 2, 4), f(0, 2, 4), f(0, 2, 4), f(0, 2)),
		"no queries":  ops.Attention(dev, 2, f(1, 0, 4), f(1, 2, 4), f(1, 2, 4), f(1, 0, 4), f(1, 0)),
		"split heads": ops.SplitHeads(dev, 0, 0, f(2, 0, 8), f(2, 2, 0, 4)),
		"merge heads": ops.MergeHeads(dev, 0, f(0, 2, 3, 4), f(0, 3, 8)),
		"no ids":      ops.Embed(dev, 0, u(2, 0), f(9, 4), nil, f(2, 0, 4)),
		"no width":    ops.Embed(dev, 0, u(2, 3), f(9, 0), nil, f(2, 3, 0)),
		"transpose":   ops.Transpose(dev, f(0, 3), f(3, 0)),
		"conv":        ops.Conv2D(dev, 1, f(0, 3, 5, 5), f(4, 3, 3, 3), f(0, 4, 5, 5)),
		"a row of 0":  ops.CopyRow(dev, 1, f(3, 0), f(0)),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, err := range map[string]error{
		"argmax of rows of none":  ops.ArgMax(dev, f(3, 0), u(3)),
		"a product over none":     ops.Matmul(dev, ops.Product{}, f(2, 0), f(0, 3), f(2, 3)),
		"a negative side":         ops.Fill(dev, 1, f(2, -3)),
		"a side beyond memory":    ops.Fill(dev, 1, f(1<<40, 1<<40)),
		"more than a kernel sees": ops.Fill(dev, 1, f(1<<50)),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	y := f(2, 3)
	if err := ops.Embed(dev, 0, u(2), f(0, 3), nil, y); err != nil {
		t.Error("of no tokens:", err)
	}
}

// TestTensor: tensors are made, viewed and copied by their shapes.
func TestTensor(t *testing.T) {
	dev := opstest.Open(t, runtime.Options{Device: "cpu"})
	shape := []int{2, 3}
	x := ops.New[float32](dev, shape...)
	shape[0] = 99
	if x.String() != "float32[2, 3]" || x.Side(-1) != 3 || x.Len() != 6 {
		t.Errorf("x is %v with %d elements", x, x.Len())
	}
	if err := x.Write([]float32{1, 2, 3, 4, 5, 6}); err != nil {
		t.Fatal(err)
	}
	rows, err := x.Rows(1, 2)
	if err != nil || !slices.Equal(opstest.Values(t, rows), []float32{4, 5, 6}) {
		t.Errorf("the second row is %v (%v)", rows, err)
	}
	flat, err := x.Reshape(6)
	if err != nil || flat.String() != "float32[6]" {
		t.Errorf("reshaped, %v (%v)", flat, err)
	}
	single := ops.New[uint32](dev)
	if single.Len() != 1 || single.String() != "uint32[]" {
		t.Errorf("a tensor without sides is %v with %d elements", single, single.Len())
	}
	var none ops.Floats
	none.Release()
	if none.Len() != 0 || none.Shape() != nil || none.String() != "float32nil" {
		t.Errorf("nil is %v with %d elements", none, none.Len())
	}
	_, errOf := ops.Of(dev, []float32{1, 2}, 3)
	_, errOn := ops.On[float32](nil, 3)
	_, errOn2 := ops.On(x.View(), 7)
	_, errReshape := x.Reshape(7)
	_, errReshape2 := none.Reshape(1)
	_, errRows := x.Rows(1, 3)
	_, errRows2 := none.Rows(0, 0)
	_, errRead := none.Read(t.Context())
	x.Release()
	_, errReleased := x.Read(t.Context())
	for i, err := range []error{errOf, errOn, errOn2, errReshape, errReshape2, errRows, errRows2, errRead, errReleased, none.Write(nil), x.Write(nil)} {
		if err == nil {
			t.Errorf("%d: no error", i)
		}
	}
}

// TestFarAway: numbers beyond all sides, up to the largest there are, are errors of the operator,
// not wrapped round; where only "at least all" is asked for, they mean that.
func TestFarAway(t *testing.T) {
	opstest.OnEach(t, func(t *testing.T, dev *runtime.Device) {
		f := func(shape ...int) ops.Floats { return ops.New[float32](dev, shape...) }
		norm := ops.Normed{Epsilon: 1e-5, Weight: f(8), Bias: f(8)}
		for _, far := range []int{1 << 31, 1 << 32, 1<<32 + 1, math.MaxInt - 1, math.MaxInt} {
			for operator, err := range map[string]error{
				"ops.Matmul":         ops.Matmul(dev, ops.Product{Column: far}, f(2, 3), f(3, 4), f(2, 4)),
				"ops.Embed":          ops.Embed(dev, far, ops.New[uint32](dev, 1, 2), f(4, 8), f(4, 8), f(1, 2, 8)),
				"ops.SplitHeads":     ops.SplitHeads(dev, far, 0, f(1, 2, 8), f(1, 2, 2, 4)),
				"ops.KVAppend":       ops.KVAppend(dev, 0, far, f(1, 2, 8), f(1, 2, 2, 4)),
				"ops.SplitQKV":       ops.SplitQKV(dev, far, f(1, 2, 24), f(1, 2, 2, 4), f(1, 2, 2, 4), f(1, 2, 2, 4)),
				"ops.MergeHeads":     ops.MergeHeads(dev, far, f(1, 2, 2, 4), f(1, 2, 8)),
				"ops.NormQKV":        ops.NormQKV(dev, far, norm, f(1, 8), f(8, 24), nil, f(1, 8), f(1, 1, 24), f(1, 2, 1, 4), f(1, 2, 3, 4), f(1, 2, 3, 4)),
				"ops.AttentionTerms": ops.AttentionTerms(dev, far, f(1, 1, 4), f(1, 2, 4), f(1, 2, 4), f(4, 8), f(8), f(1, 8)),
				"ops.Attention":      ops.Attention(dev, far, f(1, 2, 4), f(1, 2, 4), f(1, 2, 4), f(1, 2, 4), f(1, 2)),
				"ops.CopyRow":        ops.CopyRow(dev, far, f(2, 4), f(4)),
			} {
				if err == nil || !strings.HasPrefix(err.Error(), operator+": ") {
					t.Errorf("%s with %d: %v", operator, far, err)
				}
			}
			y := f(1, 4)
			if err := ops.CausalSoftmax(dev, far, f(1, 4), y); err != nil || !slices.Equal(opstest.Values(t, y), []float32{0.25, 0.25, 0.25, 0.25}) {
				t.Errorf("an offset of %d: %v (%v)", far, opstest.Values(t, y), err)
			}
			logits, err := ops.Of(dev, []float32{2, 1, 1, 1}, 4)
			if err != nil {
				t.Fatal(err)
			}
			token := ops.New[uint32](dev, 1)
			if err := ops.SampleTopK(dev, far, 1, 0.99, logits, token); err != nil || opstest.Values(t, token)[0] != 3 {
				t.Errorf("of the %d largest: %v (%v)", far, opstest.Values(t, token), err)
			}
		}
	})
}
