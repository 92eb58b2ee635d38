package kernels

import (
	"math"
	"math/rand"

	"tandem/dsl"
	"tandem/dsl/group"
)

// Attend is the shape of causal attention over Heads independent heads: Queries
// rows of q against the first Keys of Capacity rows of k and v, each of Dim
// elements. The last query sees all keys, the one before it one fewer, and so on.
type Attend struct {
	Heads, Queries, Keys, Capacity, Dim uint32
	Scale                               float32 // of the scores, 1/√Dim as a rule
}

// Attention writes the causal attention of q to y, both [Heads, Queries, Dim],
// with k and v [Heads, Capacity, Dim]; and the logarithm of each softmax's
// denominator to lse, [Heads, Queries], for the backward pass. A workgroup
// takes one query and walks over the keys, 64 at a time, keeping a running
// maximum and sum (Milakov and Gimelshein, 2018): no matrix of scores is stored.
//
//tandem:kernel workgroup=64 groups=s.Queries,s.Heads
//tandem:where  s.Dim > 0 && s.Dim <= 128 && s.Queries <= s.Keys && s.Keys <= s.Capacity
//tandem:len    q=s.Heads*s.Queries*s.Dim k=s.Heads*s.Capacity*s.Dim v=s.Heads*s.Capacity*s.Dim
//tandem:len    y=s.Heads*s.Queries*s.Dim lse=s.Heads*s.Queries
//tandem:test   gen=attentionCase
//tandem:want   attentionReference
func Attention(t dsl.Thread, s Attend, q, k, v, y, lse []float32, query *[128]float32, weight, scratch *[64]float32) {
	lane := t.Local.X
	row := t.Group.Y*s.Queries + t.Group.X
	base := t.Group.Y * s.Capacity * s.Dim
	for d := lane; d < s.Dim; d += 64 {
		query[d] = q[row*s.Dim+d] * s.Scale
	}
	t.Barrier()
	visible := s.Keys - s.Queries + t.Group.X + 1
	largest := float32(-math.MaxFloat32)
	var sum, low, high float32 // low and high: elements lane and lane+64 of the result
	for first := uint32(0); first < visible; first += 64 {
		score := float32(-math.MaxFloat32)
		if first+lane < visible {
			score = dot(query[:], k, base+(first+lane)*s.Dim, s.Dim)
		}
		next := max(largest, group.Max(t, scratch[:], score))
		var e float32
		if first+lane < visible {
			e = dsl.Exp(score - next)
		}
		weight[lane] = e
		shrink := dsl.Exp(largest - next)
		sum = sum*shrink + group.Sum(t, scratch[:], e)
		low *= shrink
		high *= shrink
		for i := range min(64, visible-first) {
			at := base + (first+i)*s.Dim
			if lane < s.Dim {
				low += weight[i] * v[at+lane]
			}
			if lane+64 < s.Dim {
				high += weight[i] * v[at+lane+64]
			}
		}
		largest = next
		t.Barrier()
	}
	if lane < s.Dim {
		y[row*s.Dim+lane] = low / sum
	}
	if lane+64 < s.Dim {
		y[row*s.Dim+lane+64] = high / sum
	}
	if lane == 0 {
		lse[row] = largest + dsl.Log(sum)
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

func attentionCase(r *rand.Rand, size int) (s Attend, q, k, v, y, lse []float32) {
	s = Attend{Heads: uint32(r.Intn(4)), Queries: uint32(r.Intn(min(size, 40) + 1)), Dim: 1 + uint32(r.Intn(128))}
	s.Keys = s.Queries + uint32(r.Intn(100))
	s.Capacity = s.Keys + uint32(r.Intn(3))
	s.Scale = 1 / float32(math.Sqrt(float64(s.Dim)))
	rows, kept := int(s.Heads*s.Queries), int(s.Heads*s.Capacity*s.Dim)
	return s, uniform(r, rows*int(s.Dim)), uniform(r, kept), uniform(r, kept), uniform(r, rows*int(s.Dim)), uniform(r, rows)
}

// attentionWeights returns the softmax of the scores of query i of head h, and
// the logarithm of its denominator.
func attentionWeights(s Attend, q, k []float32, h, i uint32) (weights []float64, lse float64) {
	weights = make([]float64, s.Keys-s.Queries+i+1)
	largest := math.Inf(-1)
	for j := range weights {
		for d := range s.Dim {
			weights[j] += float64(q[(h*s.Queries+i)*s.Dim+d]) * float64(k[(h*s.Capacity+uint32(j))*s.Dim+d]) * float64(s.Scale)
		}
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

func attentionReference(s Attend, q, k, v, y, lse []float32) {
	for h := range s.Heads {
		for i := range s.Queries {
			weights, l := attentionWeights(s, q, k, h, i)
			lse[h*s.Queries+i] = float32(l)
			for d := range s.Dim {
				sum := 0.0
				for j, w := range weights {
					sum += w * float64(v[(h*s.Capacity+uint32(j))*s.Dim+d])
				}
				y[(h*s.Queries+i)*s.Dim+d] = float32(sum)
			}
		}
	}
}
