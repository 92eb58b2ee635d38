package train

import (
	"math"

	"tandem/dsl"
)

// Differentiable is an elementwise function, passed to MapGrad as a type.
type Differentiable interface {
	// Slope returns the derivative at x.
	Slope(x float32) float32
	// Reference is Slope in float64, by the textbook formula.
	Reference(x float64) float64
}

// Gelu is the Gaussian error linear unit in its tanh form.
type Gelu struct{}

const (
	geluScale = 0.7978845608028654 // √(2/π)
	geluCubic = 0.044715
)

// Slope differentiates x/(1 + exp(-2u)) with u = √(2/π) (x + 0.044715 x³).
func (Gelu) Slope(x float32) float32 {
	u := geluScale * (x + geluCubic*x*x*x)
	s := 1 / (1 + dsl.Exp(-2*u))
	return s + 2*x*s*(1-s)*geluScale*(1+3*geluCubic*x*x)
}

// Reference differentiates x/2 (1 + tanh u).
func (Gelu) Reference(x float64) float64 {
	th := math.Tanh(math.Sqrt(2/math.Pi) * (x + geluCubic*x*x*x))
	return (1+th)/2 + x/2*(1-th*th)*math.Sqrt(2/math.Pi)*(1+3*geluCubic*x*x)
}

// Silu is the sigmoid linear unit.
type Silu struct{}

// Slope differentiates x times the logistic function.
func (Silu) Slope(x float32) float32 {
	s := 1 / (1 + dsl.Exp(-x))
	return s * (1 + x*(1-s))
}

// Reference is Slope in float64.
func (Silu) Reference(x float64) float64 {
	e := math.Exp(-x)
	return (1 + e + x*e) / ((1 + e) * (1 + e))
}

// Relu is the rectified linear unit.
type Relu struct{}

// Slope returns 1 above 0 and 0 elsewhere.
func (Relu) Slope(x float32) float32 { return dsl.Select(x > 0, 1, float32(0)) }

// Reference is Slope in float64.
func (Relu) Reference(x float64) float64 {
	if x > 0 {
		return 1
	}
	return 0
}

// MapGrad writes dy times the slope of F at x to dx.
//
//tandem:kernel workgroup=256 threads=len(dx)
//tandem:types  F=Gelu,Silu,Relu
//tandem:len    x=len(dx) dy=len(dx)
//tandem:test   x=-6..6 dy=-1..1 len(dx)=0..3000
//tandem:want   MapGradReference
//tandem:inplace dx=dy
func MapGrad[F Differentiable](t dsl.Thread, x, dy, dx []float32) {
	var f F
	i := t.Global.X
	dx[i] = f.Slope(x[i]) * dy[i]
}

// MapGradReference is MapGrad in float64. The parity test, in another package, instantiates it.
func MapGradReference[F Differentiable](x, dy, dx []float32) {
	var f F
	for i := range dx {
		dx[i] = float32(f.Reference(float64(x[i])) * float64(dy[i]))
	}
}
