package train

import (
	"math"
	"math/rand"

	"tandem/dsl"
	"tandem/dsl/group"
)

// Attend is the shape of causal self-attention: Heads independent heads of
// Length rows of Dim elements each.
type Attend struct {
	Heads, Length, Dim uint32
	Scale              float32
}

// AttentionGradQuery writes the gradient of causal attention with respect to q, all
// matrices of shape [Heads, Length, Dim], to dq, and to delta, [Heads, Length], each row's mean of
// the gradients of its weights, for AttentionGradKeyValue. lse comes from the forward pass. A
// workgroup takes one query. With p the weights and g = dy·v their gradients, dq is
// Scale Σ p (g − delta) k, where delta = Σ p g / Σ p: computed from the same p, so that the
// rounding of p cancels (Dao et al., 2022, take it from y).
//
// The tolerance is stated, here and for the other gradients of attention: the code does not show
// that the weights of a row, exponentials of score − lse, sum to 1. The derived tolerance takes
// each for 1, and would allow a tenth of a typical gradient.
//
//tandem:kernel workgroup=64 groups=s.Length,s.Heads
//tandem:where  s.Dim > 0 && s.Dim <= 128
//tandem:len    q=s.Heads*s.Length*s.Dim k=s.Heads*s.Length*s.Dim v=s.Heads*s.Length*s.Dim
//tandem:len    dy=s.Heads*s.Length*s.Dim lse=s.Heads*s.Length delta=s.Heads*s.Length dq=s.Heads*s.Length*s.Dim
//tandem:test   gen=attentionGradQueryCase
//tandem:want   attentionGradQueryReference
//tandem:tol    abs=1e-5 rel=1e-4
func AttentionGradQuery(t dsl.Thread, s Attend, q, k, v, dy, lse, delta, dq []float32, query, grad *[128]float32, weight, slope, scratch *[64]float32) {
	lane := t.Local.X
	row := t.Group.Y*s.Length + t.Group.X
	base := t.Group.Y * s.Length * s.Dim
	for d := lane; d < s.Dim; d += 64 {
		query[d] = q[row*s.Dim+d] * s.Scale
		grad[d] = dy[row*s.Dim+d]
	}
	t.Barrier()
	visible := t.Group.X + 1
	var total, product float32               // of p and of p g, over this invocation's keys
	var low, high, meanLow, meanHigh float32 // Σ p g k and Σ p k, elements lane and lane+64
	for first := uint32(0); first < visible; first += 64 {
		var p, pg float32
		if first+lane < visible {
			at := base + (first+lane)*s.Dim
			p = dsl.Exp(dot(query[:], k, at, s.Dim) - lse[row])
			pg = p * dot(grad[:], v, at, s.Dim)
		}
		total += p
		product += pg
		weight[lane] = p
		slope[lane] = pg
		t.Barrier()
		for i := range min(64, visible-first) {
			at := base + (first+i)*s.Dim
			if lane < s.Dim {
				low += slope[i] * k[at+lane]
				meanLow += weight[i] * k[at+lane]
			}
			if lane+64 < s.Dim {
				high += slope[i] * k[at+lane+64]
				meanHigh += weight[i] * k[at+lane+64]
			}
		}
		t.Barrier()
	}
	mean := group.Sum(t, scratch[:], product) / group.Sum(t, scratch[:], total)
	if lane == 0 {
		delta[row] = mean
	}
	if lane < s.Dim {
		dq[row*s.Dim+lane] = (low - mean*meanLow) * s.Scale
	}
	if lane+64 < s.Dim {
		dq[row*s.Dim+lane+64] = (high - mean*meanHigh) * s.Scale
	}
}

// AttentionGradKeyValue is AttentionGradQuery for k and v. A workgroup takes one key.
//
//tandem:kernel workgroup=64 groups=s.Length,s.Heads
//tandem:where  s.Dim > 0 && s.Dim <= 128
//tandem:len    q=s.Heads*s.Length*s.Dim k=s.Heads*s.Length*s.Dim v=s.Heads*s.Length*s.Dim
//tandem:len    dy=s.Heads*s.Length*s.Dim lse=s.Heads*s.Length delta=s.Heads*s.Length
//tandem:len    dk=s.Heads*s.Length*s.Dim dv=s.Heads*s.Length*s.Dim
//tandem:test   gen=attentionGradKeyValueCase
//tandem:want   attentionGradKeyValueReference
//tandem:tol    abs=1e-5 rel=1e-4
func AttentionGradKeyValue(t dsl.Thread, s Attend, q, k, v, dy, lse, delta, dk, dv []float32, key, value *[128]float32, slope, weight *[64]float32) {
	lane := t.Local.X
	row := t.Group.Y*s.Length + t.Group.X
	base := t.Group.Y * s.Length * s.Dim
	for d := lane; d < s.Dim; d += 64 {
		key[d] = k[row*s.Dim+d]
		value[d] = v[row*s.Dim+d]
	}
	t.Barrier()
	var lowK, highK, lowV, highV float32
	for first := t.Group.X; first < s.Length; first += 64 {
		var p, ds float32
		if i := first + lane; i < s.Length {
			at := base + i*s.Dim
			p = dsl.Exp(scaledDot(q, at, key[:], s.Dim, s.Scale) - lse[t.Group.Y*s.Length+i])
			ds = p * (dot(value[:], dy, at, s.Dim) - delta[t.Group.Y*s.Length+i]) * s.Scale
		}
		weight[lane] = p
		slope[lane] = ds
		t.Barrier()
		for i := range min(64, s.Length-first) {
			at := base + (first+i)*s.Dim
			if lane < s.Dim {
				lowK += slope[i] * q[at+lane]
				lowV += weight[i] * dy[at+lane]
			}
			if lane+64 < s.Dim {
				highK += slope[i] * q[at+lane+64]
				highV += weight[i] * dy[at+lane+64]
			}
		}
		t.Barrier()
	}
	if lane < s.Dim {
		dk[row*s.Dim+lane] = lowK
		dv[row*s.Dim+lane] = lowV
	}
	if lane+64 < s.Dim {
		dk[row*s.Dim+lane+64] = highK
		dv[row*s.Dim+lane+64] = highV
	}
}

// dot returns the product of x[:n] and y[at:at+n].
func dot(x, y []float32, at, n uint32) float32 {
	var sum float32
	for d := range n {
		sum += x[d] * y[at+d]
	}
	return sum
}

// scaledDot returns the product of x[at:at+n], scaled, and y[:n]: rounded as the forward pass
// rounds it, so that errors of the weights cancel where they should.
func scaledDot(x []float32, at uint32, y []float32, n uint32, scale float32) float32 {
	var sum float32
	for d := range n {
		sum += x[at+d] * scale * y[d]
	}
	return sum
}

// attentionInputs draws q, k, v and dy, with heads of a multiple of unit elements, and computes lse and delta of them.
func attentionInputs(r *rand.Rand, size, unit int) (s Attend, q, k, v, dy, lse, delta []float32) {
	s = Attend{Heads: uint32(r.Intn(4)), Length: uint32(r.Intn(min(size, 150) + 1)), Dim: uint32(unit * (1 + r.Intn(128/unit)))}
	s.Scale = 1 / float32(math.Sqrt(float64(s.Dim)))
	n := int(s.Heads * s.Length * s.Dim)
	q, k, v, dy = uniform(r, n), uniform(r, n), uniform(r, n), uniform(r, n)
	lse, delta = make([]float32, s.Heads*s.Length), make([]float32, s.Heads*s.Length)
	for row := range s.Heads * s.Length {
		_, l := attentionWeights(s, q, k, row)
		lse[row] = float32(l)
	}
	round(delta, attentionMeans(s, q, k, v, dy))
	return s, q, k, v, dy, lse, delta
}

// rowProduct returns the dot product of row i of x and row j of y.
func rowProduct(s Attend, x, y []float32, i, j uint32) float64 {
	sum := 0.0
	for d := range s.Dim {
		sum += float64(x[i*s.Dim+d]) * float64(y[j*s.Dim+d])
	}
	return sum
}

// attentionWeights returns the softmax that a row of q gives the keys it sees,
// and the logarithm of its denominator.
func attentionWeights(s Attend, q, k []float32, row uint32) (weights []float64, lse float64) {
	weights = make([]float64, row%s.Length+1)
	largest := math.Inf(-1)
	for j := range weights {
		weights[j] = rowProduct(s, q, k, row, row-row%s.Length+uint32(j)) * float64(s.Scale)
		largest = math.Max(largest, weights[j])
	}
	sum := 0.0
	for _, w := range weights {
		sum += math.Exp(w - largest)
	}
	for j, w := range weights {
		weights[j] = math.Exp(w-largest) / sum
	}
	return weights, largest + math.Log(sum)
}

func attentionGradQueryCase(r *rand.Rand, size int) (s Attend, q, k, v, dy, lse, delta, dq []float32) {
	s, q, k, v, dy, lse, delta = attentionInputs(r, size, 1)
	return s, q, k, v, dy, lse, delta, uniform(r, len(q))
}

func attentionGradKeyValueCase(r *rand.Rand, size int) (s Attend, q, k, v, dy, lse, delta, dk, dv []float32) {
	s, q, k, v, dy, lse, delta = attentionInputs(r, size, 1)
	return s, q, k, v, dy, lse, delta, uniform(r, len(q)), uniform(r, len(q))
}

// attentionGradReference returns the three gradients by differentiating the softmax.
func attentionGradReference(s Attend, q, k, v, dy []float32) (dq, dk, dv []float64) {
	dq, dk, dv = make([]float64, len(q)), make([]float64, len(q)), make([]float64, len(q))
	for row := range s.Heads * s.Length {
		weights, _ := attentionWeights(s, q, k, row)
		first := row - row%s.Length
		mean := 0.0
		for j, w := range weights {
			mean += w * rowProduct(s, dy, v, row, first+uint32(j))
		}
		for j, w := range weights {
			other := first + uint32(j)
			ds := w * (rowProduct(s, dy, v, row, other) - mean) * float64(s.Scale)
			for d := range s.Dim {
				dq[row*s.Dim+d] += ds * float64(k[other*s.Dim+d])
				dk[other*s.Dim+d] += ds * float64(q[row*s.Dim+d])
				dv[other*s.Dim+d] += w * float64(dy[row*s.Dim+d])
			}
		}
	}
	return dq, dk, dv
}

func attentionGradQueryReference(s Attend, q, k, v, dy, lse, delta, dq []float32) {
	want, _, _ := attentionGradReference(s, q, k, v, dy)
	round(dq, want)
	round(delta, attentionMeans(s, q, k, v, dy))
}

// attentionMeans returns the mean of each row's weights' gradients.
func attentionMeans(s Attend, q, k, v, dy []float32) []float64 {
	means := make([]float64, s.Heads*s.Length)
	for row := range s.Heads * s.Length {
		weights, _ := attentionWeights(s, q, k, row)
		for j, w := range weights {
			means[row] += w * rowProduct(s, dy, v, row, row-row%s.Length+uint32(j))
		}
	}
	return means
}

func attentionGradKeyValueReference(s Attend, q, k, v, dy, lse, delta, dk, dv []float32) {
	_, wantK, wantV := attentionGradReference(s, q, k, v, dy)
	round(dk, wantK)
	round(dv, wantV)
}

// round stores x in y as float32.
func round(y []float32, x []float64) {
	for i, v := range x {
		y[i] = float32(v)
	}
}

// uniform returns n numbers between -1 and 1.
func uniform(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = r.Float32()*2 - 1
	}
	return x
}
