package bench

import (
	"fmt"
	"math"

	"tandem/ops"
	"tandem/ops/train"
	"tandem/runtime"
)

// rows measures kernels over rows against copying.
func rows(s *suite) (err error) {
	defer caught(&err)
	for _, size := range s.sizes().rows {
		if err := s.rowsOf(size[0], size[1]); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf measures rows of one width.
func (s *suite) rowsOf(count, cols int) error {
	x, y := s.random(count, cols), s.poisoned(count, cols)
	w, b, nll := s.random(cols), s.random(cols), s.poisoned(count)
	defer release(x, y, w, b, nll)
	targets := ops.New[uint32](s.dev, count)
	defer targets.Release()
	limit, err := s.copyBandwidth(x, y)
	if err != nil {
		return err
	}
	n := x.Len()
	for _, c := range []struct {
		name   string
		work   work
		check  bool
		launch func(on runtime.Target) error
	}{
		{"softmax", each(n, 8, softmaxFlops), true, func(on runtime.Target) error { return ops.Softmax(on, x, y) }},
		{"layernorm", each(n, 8, layerNormFlops), false, func(on runtime.Target) error { return ops.LayerNorm(on, 1e-5, x, w, b, y) }},
		{"rmsnorm", each(n, 8, rmsNormFlops), false, func(on runtime.Target) error { return ops.RMSNorm(on, 1e-5, x, w, y) }},
		{"crossentropy", each(n, 4, crossEntropyFlops), false, func(on runtime.Target) error { return train.GatherNLL(on, cols, targets, x, nll) }},
	} {
		name := fmt.Sprintf("%s %dx%d", c.name, count, cols)
		must(ops.Fill(s.dev, float32(math.NaN()), y))
		if err := c.launch(s.dev); err != nil {
			return err
		}
		if c.check {
			if err := s.checkSoftmax(name, cols, x, y); err != nil {
				return err
			}
		}
		if err := s.throughput(name, "GB/s", c.work, "copy", limit, c.launch); err != nil {
			return err
		}
	}
	return nil
}

// checkSoftmax checks elements of a softmax in float64.
func (s *suite) checkSoftmax(name string, cols int, x, y ops.Floats) error {
	return sample(name, y, 1e-5, func(i int) (float64, error) {
		row := make([]float32, cols)
		first := i / cols * cols
		err := x.View().Slice(first, first+cols).ReadInto(ctx, row)
		sum := 0.0
		for _, v := range row {
			sum += math.Exp(float64(v))
		}
		return math.Exp(float64(row[i-first])) / sum, err
	})
}

// attention measures fused causal attention.
func attention(s *suite) (err error) {
	defer caught(&err)
	size := s.sizes().attention
	heads, length, dim := size.batch*size.heads, size.length, size.dim
	q, k, v, y := s.random(heads, length, dim), s.random(heads, length, dim), s.random(heads, length, dim), s.poisoned(heads, length, dim)
	lse := s.poisoned(heads, length)
	defer release(q, k, v, y, lse)
	launch := func(on runtime.Target) error { return ops.Attention(on, length, q, k, v, y, lse) }
	if err := launch(s.dev); err != nil {
		return err
	}
	if err := s.checkAttention(length, dim, q, k, v, y); err != nil {
		return err
	}
	t, spread, err := s.seconds(launch)
	if err != nil {
		return err
	}
	s.add(Result{Name: fmt.Sprint("attention ", size), Unit: "ms", Value: 1e3 * t, Spread: spread}.doing(causal(heads, length, dim), t))
	return nil
}

// checkAttention checks elements of causal attention in float64.
func (s *suite) checkAttention(length, dim int, q, k, v, y ops.Floats) error {
	left, err := q.Read(ctx)
	must(err)
	keys, err := k.Read(ctx)
	must(err)
	values, err := v.Read(ctx)
	must(err)
	return sample("attention", y, 1e-4, func(i int) (float64, error) {
		row := i / dim
		first := row / length * length
		sum, out := 0.0, 0.0
		for j := first; j <= row; j++ {
			score := 0.0
			for d := range dim {
				score += float64(left[row*dim+d]) * float64(keys[j*dim+d])
			}
			w := math.Exp(score / math.Sqrt(float64(dim)))
			sum += w
			out += w * float64(values[j*dim+i%dim])
		}
		return out / sum, nil
	})
}
