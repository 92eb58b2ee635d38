//go:build goexperiment.simd && amd64

package cpu

import (
	"math"
	"simd/archsimd"
)

// The functions of this file do what those of the same name in dsl/elementary do, operation
// by operation, in the same order and precision. (For GOAMD64=v3 Go fuses some of theirs.)

const (
	expSteps  = 32
	toInteger = 0x1.8p52
)

// Constants, loaded from memory for the reason that Eight gives.
var (
	log2E        = four(math.Log2E)
	ln2          = four(math.Ln2)
	one          = four(1)
	half         = four(1. / 2)
	sixth        = four(1. / 6)
	twentyFourth = four(1. / 24)
	toStep       = four(toInteger / expSteps)
	largestPower = four(160)
	leastPower   = four(-160)
)

var wholeSteps = [4]uint64{1<<64 - expSteps, 1<<64 - expSteps, 1<<64 - expSteps, 1<<64 - expSteps}

func four(x float64) [4]float64 { return [4]float64{x, x, x, x} }

// exp2Table holds 2^(i/expSteps), bit by bit.
var exp2Table = func() (table [expSteps]uint64) {
	for i := range table {
		table[i] = math.Float64bits(math.Exp2(float64(i) / expSteps))
	}
	return table
}()

// ExpFloat32 is dsl.Exp. Beyond the limits powers of 2 are 0 or ∞, as theirs are; a NaN stays what it is.
func ExpFloat32(x archsimd.Float32x8) archsimd.Float32x8 {
	by := archsimd.LoadFloat64x4(&log2E)
	low, high := x.GetLo().ConvertToFloat64().Mul(by), x.GetHi().ConvertToFloat64().Mul(by)
	return x.SetLo(powerOf2(limited(low)).ConvertToFloat32()).SetHi(powerOf2(limited(high)).ConvertToFloat32())
}

// InverseSqrtFloat32 is dsl.InverseSqrt.
func InverseSqrtFloat32(x archsimd.Float32x8) archsimd.Float32x8 {
	ones := archsimd.LoadFloat64x4(&one)
	low := ones.Div(x.GetLo().ConvertToFloat64().Sqrt())
	high := ones.Div(x.GetHi().ConvertToFloat64().Sqrt())
	return x.SetLo(low.ConvertToFloat32()).SetHi(high.ConvertToFloat32())
}

// limited returns the elements that are beyond -limit or limit as these.
func limited(v archsimd.Float64x4) archsimd.Float64x4 {
	limit, least := archsimd.LoadFloat64x4(&largestPower), archsimd.LoadFloat64x4(&leastPower)
	v = limit.Merge(v, limit.Less(v))
	return least.Merge(v, v.Less(least))
}

// powerOf2 returns 2^v.
func powerOf2(v archsimd.Float64x4) archsimd.Float64x4 {
	magic := archsimd.LoadFloat64x4(&toStep)
	shifted := v.Add(magic)
	n := shifted.AsUint64x4()
	f := v.Sub(shifted.Sub(magic)).Mul(archsimd.LoadFloat64x4(&ln2))
	scale := exp2Of(n).Add(n.And(archsimd.LoadUint64x4(&wholeSteps)).ShiftAllLeft(52 - 5)).AsFloat64x4()
	square := f.Mul(f)
	low := archsimd.LoadFloat64x4(&half).Add(f.Mul(archsimd.LoadFloat64x4(&sixth)))
	power := f.Add(square.Mul(low.Add(square.Mul(archsimd.LoadFloat64x4(&twentyFourth)))))
	return scale.Add(scale.Mul(power))
}

// exp2Of looks up n%expSteps.
func exp2Of(n archsimd.Uint64x4) archsimd.Uint64x4 {
	var low, high archsimd.Uint64x2
	a, b := n.GetLo(), n.GetHi()
	low = low.SetElem(0, exp2Table[a.GetElem(0)%expSteps]).SetElem(1, exp2Table[a.GetElem(1)%expSteps])
	high = high.SetElem(0, exp2Table[b.GetElem(0)%expSteps]).SetElem(1, exp2Table[b.GetElem(1)%expSteps])
	return n.SetLo(low).SetHi(high)
}
