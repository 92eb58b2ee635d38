package kernels

import (
	"tandem/conformance/helpers"
	"tandem/dsl"
)

func apply(v uint32, f func(uint32) uint32) uint32 { return f(v) + f(v+1) }

func triple(v uint32) uint32 { return 3 * v }

// Arguments of function type: named functions, literals that capture, and one
// handed on.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..1000
//tandem:want   functionArgumentsReference
func FunctionArguments(t dsl.Thread, k uint32, x, y []uint32) {
	i := t.Global.X
	offset := k + 1
	y[i] = apply(x[i], triple) +
		apply(x[i], func(v uint32) uint32 { return v*offset + k }) +
		twiceOver(x[i], func(v uint32) uint32 { return v ^ 1 })
}

func twiceOver(v uint32, f func(uint32) uint32) uint32 { return apply(f(v), f) }

func functionArgumentsReference(k uint32, x, y []uint32) {
	for i, v := range x {
		w := v ^ 1
		y[i] = 6*v + 3 + (2*v+1)*(k+1) + 2*k + (w ^ 1) + ((w + 1) ^ 1)
	}
}

// OtherPackage calls what another package has.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..1000
//tandem:want   otherPackageReference
func OtherPackage(t dsl.Thread, x, y []uint32) {
	i := t.Global.X
	p := helpers.Point{X: x[i], Y: helpers.Weigh(x[i])}
	a := [3]uint32{1, x[i], 5}
	y[i] = p.Norm() + helpers.Scale*helpers.Weights[2] +
		helpers.Fold(a[:], uint32(7), func(sum, v uint32) uint32 { return sum*2 + v })
}

func otherPackageReference(x, y []uint32) {
	for i, v := range x {
		y[i] = 5*v + map[uint32]uint32{0: 1, 1: 10, 2: 100, 3: 1000}[v%4] + 365
	}
}

// Number is a constraint of the kernels' own.
type Number interface{ ~int32 | ~uint32 | ~float32 }

func largest[T Number](x []T, least T) T {
	for _, v := range x {
		least = max(least, v)
	}
	return least
}

// Two is a generic struct.
type Two[T Number] struct{ A, B T }

// Sum is a method of a generic type.
func (p Two[T]) Sum() T { return p.A + p.B }

// Set is one with a pointer receiver.
func (p *Two[T]) Set(v T) { p.A, p.B = v, p.A }

// GenericHelpers instantiates helpers and types for several types.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=-100..100
//tandem:want   genericHelpersReference
func GenericHelpers(t dsl.Thread, x []int32, y []float32) {
	i := t.Global.X
	a := [3]int32{x[i], -5, 2}
	b := [2]float32{float32(x[i]) / 2, -0.5}
	p := Two[float32]{A: 1, B: 2}
	p.Set(largest(b[:], -1))
	q := Two[int32]{A: largest(a[:], -3)}
	q.Set(4)
	c := [1]uint32{0}
	y[i] = p.Sum() + float32(q.Sum()) + float32(largest(c[:], 1))
}

func genericHelpersReference(x []int32, y []float32) {
	for i, v := range x {
		y[i] = max(float32(v)/2, -0.5) + 1 + 4 + float32(max(v, 2)) + 1
	}
}

// Sum adds up the elements of x that belong to an invocation, for each type.
//
//tandem:kernel workgroup=64 threads=len(y)
//tandem:len    x=3*len(y)
//tandem:types  T=float32,int32,uint32
//tandem:test   x=0..100
//tandem:want   GenericSumWant
func GenericSum[T Number](t dsl.Thread, x, y []T) {
	i := t.Global.X
	var sum T
	for j := range uint32(3) {
		sum += x[3*i+j]
	}
	y[i] = sum / 2
}

// GenericSumWant is GenericSum by float64.
func GenericSumWant[T Number](x, y []T) {
	for i := range y {
		y[i] = T((float64(x[3*i]) + float64(x[3*i+1]) + float64(x[3*i+2])) / 2)
	}
}

// Operation is what a functor does.
type Operation interface{ Apply(x float32) float32 }

// Negate and Halve are functors.
type (
	Negate struct{}
	Halve  struct{}
)

// Apply returns -x.
func (Negate) Apply(x float32) float32 { return -x }

// Apply returns x/2.
func (Halve) Apply(x float32) float32 { return x / 2 }

// Functor applies F.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len     y=len(x)
//tandem:types   F=Negate,Halve
//tandem:want    FunctorWant
//tandem:inplace y=x
func Functor[F Operation](t dsl.Thread, x, y []float32) {
	var f F
	y[t.Global.X] = f.Apply(x[t.Global.X])
}

// FunctorWant multiplies.
func FunctorWant[F Operation](x, y []float32) {
	var f F
	factor := map[Operation]float64{Negate{}: -1, Halve{}: 0.5}[f]
	for i, v := range x {
		y[i] = float32(factor * float64(v))
	}
}

// Tile is the width of a tile.
const Tile = 8

// Variants reverses tiles, of a width that the tuner may choose.
//
//tandem:kernel workgroup=Tile groups=ceil(len(x),Tile)
//tandem:const  Tile=8,16,32
//tandem:len    y=len(x)
//tandem:want   variantsReference
func Variants(t dsl.Thread, x, y []float32, tile *[Tile]float32) {
	i := t.Global.X
	inside := i < dsl.Len(x)
	if inside {
		tile[t.Local.X] = x[i]
	}
	t.Barrier()
	var sum float32
	for j := range dsl.Unroll(Tile) {
		sum += tile[j]
	}
	if inside {
		y[i] = x[i] + 0*sum
	}
}

func variantsReference(x, y []float32) { copy(y, x) }

// InPlace may write over what it reads.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len     y=len(x)
//tandem:want    inPlaceReference
//tandem:inplace y=x
func InPlace(t dsl.Thread, x, y []float32) {
	i := t.Global.X
	v := x[i]
	y[i] = v * 2
	y[i] += v
}

func inPlaceReference(x, y []float32) {
	for i, v := range x {
		y[i] = float32(3 * float64(v))
	}
}

// MethodValues calls methods as functions.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..1000
//tandem:want   methodValuesReference
func MethodValues(t dsl.Thread, x, y []uint32) {
	i := t.Global.X
	n := Inner{x[i], 2}
	y[i] = Inner.Sum(n) + apply(n.P, n.plus)
	(*Inner).Bump(&n, 3)
	y[i] += n.Q
}

func methodValuesReference(x, y []uint32) {
	for i, v := range x {
		y[i] = v + 1 + 2 + (2 + v) + (2 + v + 1) + (2 + v + 3)
	}
}

func (n Inner) plus(v uint32) uint32 { return n.Q + v }

// NamedFunctions gives names to functions: literals that read what changes later,
// a method value that keeps its receiver, one that another captures.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..1000
//tandem:want   namedFunctionsReference
func NamedFunctions(t dsl.Thread, x, y []uint32) {
	i := t.Global.X
	k := uint32(1)
	scaled := func(v uint32) uint32 { return v * k }
	p := helpers.Point{X: x[i], Y: 3}
	norm := p.Norm
	p.X = 100
	sum := scaled(5)
	k = x[i] % 4
	var both = func(v uint32) uint32 { return scaled(v) + triple(v) }
	store := func(v uint32) { y[i] = v }
	for n := range uint32(3) {
		square := func() uint32 { return n * n }
		sum += both(square())
	}
	store(sum + norm())
}

func namedFunctionsReference(x, y []uint32) {
	for i, v := range x {
		y[i] = 5 + (0+1+4)*(v%4+3) + helpers.Point{X: v, Y: 3}.Norm()
	}
}

// ArgumentsOnce calls helpers that use an argument once: after they changed what it was made of, in a condition, in a loop, in a function.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=0..9
//tandem:want   argumentsOnceReference
func ArgumentsOnce(t dsl.Thread, x, y []uint32) {
	i := t.Global.X
	v := x[i]
	sum := changedFirst(x, i, &v, v+1, x[i]+2)
	fixed := v + i
	sum += guarded(x, i, fixed*2, fixed-v == i) + repeated(x[i:], fixed+3) + appliedTwice(x, i, fixed&7)
	y[i] = sum
}

func changedFirst(x []uint32, i uint32, p *uint32, a, b uint32) uint32 {
	*p = 50
	x[i]++
	return a*100 + b*10000
}

func guarded(x []uint32, i, a uint32, is bool) uint32 {
	if x[i] > 5 {
		if is {
			return a
		}
	}
	return 1
}

func repeated(part []uint32, a uint32) (sum uint32) {
	for k := range uint32(3) {
		sum += part[0]*k + a
	}
	return sum
}

func appliedTwice(x []uint32, i, a uint32) uint32 {
	f := func(b uint32) uint32 { return x[i]*b + a }
	return f(2) + f(f(3))
}

func argumentsOnceReference(x, y []uint32) {
	for i, v := range x {
		n, fixed := v+1, uint32(50+i)
		guarded := uint32(1)
		if n > 5 {
			guarded = fixed * 2
		}
		a := fixed % 8
		y[i] = (v+1)*100 + (v+2)*10000 + guarded + 3*n + 3*(fixed+3) + 2*n + a + n*(3*n+a) + a
		x[i] = n
	}
}

// QuotientOnce divides for a helper that uses the quotient in a condition.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    y=len(x)
//tandem:test   x=1..9
//tandem:want   quotientOnceReference
func QuotientOnce(t dsl.Thread, x, y []uint32) {
	i := t.Global.X
	n := x[i]
	y[i] = guarded(x, i, 7/n, n > 20)
}

func quotientOnceReference(_, y []uint32) {
	for i := range y {
		y[i] = 1
	}
}
