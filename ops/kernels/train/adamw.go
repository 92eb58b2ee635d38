package train

import (
	"math"
	"math/rand"

	"tandem/dsl"
)

// Optimizer holds the constants of a step of AdamW.
type Optimizer struct {
	Rate, Beta1, Beta2, Epsilon, Decay float32
	Correction1, Correction2           float32 // 1 − Beta1^step, 1 − Beta2^step
	MaxNorm                            float32 // gradients are scaled to at most this norm; 0: not clipped
}

// AdamW makes a step of Adam with decoupled weight decay (Loshchilov and Hutter,
// 2019) on the parameters p, with gradient g and moments m and v. squares[0] is the sum of
// the squares of all gradients of the model: where its root is above MaxNorm, g is scaled by
// MaxNorm/(norm + 1e-6), without the value ever visiting the host.
//
//tandem:kernel workgroup=256 threads=len(p)
//tandem:len    g=len(p) m=len(p) v=len(p) squares=1
//tandem:test   gen=adamCase o=0..1 v=0..1
//tandem:want   adamReference
func AdamW(t dsl.Thread, o Optimizer, squares, g, p, m, v []float32) {
	i := t.Global.X
	grad := g[i] * clipScale(o.MaxNorm, squares[0])
	first := o.Beta1*m[i] + (1-o.Beta1)*grad
	second := o.Beta2*v[i] + (1-o.Beta2)*grad*grad
	m[i] = first
	v[i] = second
	step := first / o.Correction1 / (dsl.Sqrt(second/o.Correction2) + o.Epsilon)
	p[i] = p[i]*(1-o.Rate*o.Decay) - o.Rate*step
}

// clipScale returns what gradients with the given sum of squares are multiplied by.
func clipScale(maxNorm, squares float32) float32 {
	if maxNorm <= 0 {
		return 1
	}
	return min(1, maxNorm/(dsl.Sqrt(squares)+1e-6))
}

// Clip multiplies the gradient g by what brings a norm whose square is squares[0]
// down to maxNorm, as AdamW does; 0: it leaves g as it is.
//
//tandem:kernel workgroup=256 threads=len(g)
//tandem:len    squares=1
//tandem:test   maxNorm=0..2 squares=0..4 len(g)=0..2000
//tandem:want   clipReference
func Clip(t dsl.Thread, maxNorm float32, squares, g []float32) {
	g[t.Global.X] *= clipScale(maxNorm, squares[0])
}

func clipReference(maxNorm float32, squares, g []float32) {
	if maxNorm > 0 {
		scale := math.Min(1, float64(maxNorm)/(math.Sqrt(float64(squares[0]))+1e-6))
		for i := range g {
			g[i] = float32(scale * float64(g[i]))
		}
	}
}

func adamCase(r *rand.Rand, size int) (o Optimizer, squares, g, p, m, v []float32) {
	o = Optimizer{Rate: 0.01, Beta1: 0.9, Beta2: 0.95, Epsilon: 1e-8, Decay: 0.1, MaxNorm: float32(r.Intn(2))}
	step := float64(1 + r.Intn(5))
	o.Correction1 = float32(1 - math.Pow(float64(o.Beta1), step))
	o.Correction2 = float32(1 - math.Pow(float64(o.Beta2), step))
	g, v = uniform(r, size), uniform(r, size)
	sum := 0.0
	for i := range v {
		v[i] = (v[i] + 1) / 2
		sum += float64(g[i]) * float64(g[i])
	}
	return o, []float32{float32(sum)}, g, uniform(r, size), uniform(r, size), v
}

func adamReference(o Optimizer, squares, g, p, m, v []float32) {
	scale := 1.0
	if o.MaxNorm > 0 {
		scale = math.Min(1, float64(o.MaxNorm)/(math.Sqrt(float64(squares[0]))+1e-6))
	}
	b1, b2 := float64(o.Beta1), float64(o.Beta2)
	for i := range p {
		grad := float64(g[i]) * scale
		first := b1*float64(m[i]) + (1-b1)*grad
		second := b2*float64(v[i]) + (1-b2)*grad*grad
		m[i], v[i] = float32(first), float32(second)
		step := first / float64(o.Correction1) / (math.Sqrt(second/float64(o.Correction2)) + float64(o.Epsilon))
		p[i] = float32(float64(p[i])*(1-float64(o.Rate)*float64(o.Decay)) - float64(o.Rate)*step)
	}
}
