package kernels

import (
	"math"

	"tandem/dsl"
)

// Unary is an elementwise function, passed to kernels as a type.
type Unary interface {
	// Apply returns the function's value at x.
	Apply(x float32) float32
	// Reference is Apply in float64, by the textbook formula.
	Reference(x float64) float64
}

// Gelu is the Gaussian error linear unit in its tanh form (Hendrycks and Gimpel, 2016).
type Gelu struct{}

// geluScale is the square root of 2/π.
const geluScale = 0.7978845608028654

// Apply returns x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))), as x times a sigmoid.
func (Gelu) Apply(x float32) float32 { return gelu(x) }

func gelu(x float32) float32 {
	return x / (1 + dsl.Exp(-2*geluScale*(x+0.044715*x*x*x)))
}

// Reference is Apply in float64.
func (Gelu) Reference(x float64) float64 {
	return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
}

// Silu is the sigmoid linear unit x/(1+exp(-x)).
type Silu struct{}

// Apply returns x times the logistic function of x.
func (Silu) Apply(x float32) float32 { return x / (1 + dsl.Exp(-x)) }

// Reference is Apply in float64.
func (Silu) Reference(x float64) float64 { return x / (1 + math.Exp(-x)) }

// Relu is the rectified linear unit.
type Relu struct{}

// Apply returns the larger of x and 0.
func (Relu) Apply(x float32) float32 { return max(x, 0) }

// Reference is Apply in float64.
func (Relu) Reference(x float64) float64 { return math.Max(x, 0) }

// Map writes F of each element of x to y.
//
//tandem:kernel workgroup=256 threads=len(y)
//tandem:types  F=Gelu,Silu,Relu
//tandem:len    x=len(y)
//tandem:test   x=-12..12 len(y)=0..3000
//tandem:want   MapReference
//tandem:inplace y=x
func Map[F Unary](t dsl.Thread, x, y []float32) {
	var f F
	i := t.Global.X
	y[i] = f.Apply(x[i])
}

// MapReference is Map in float64. The parity test, in another package, instantiates it.
func MapReference[F Unary](x, y []float32) {
	var f F
	for i := range y {
		y[i] = float32(f.Reference(float64(x[i])))
	}
}
