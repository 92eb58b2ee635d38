//go:build goexperiment.simd && amd64

package cpu

import (
	"math"
	"simd/archsimd"

	"tandem/dsl"
)

// The functions of this file do what those of the same name in dsl/elementary do, operation
// by operation, in the same order and precision. (For GOAMD64=v3 Go fuses some of theirs.)

const (
	expSteps  = 32
	toInteger = 0x1.8p52
)

// exp2Table holds 2^(i/expSteps), bit by bit.
var exp2Table = func() (table [expSteps]uint64) {
	for i := range table {
		table[i] = math.Float64bits(math.Exp2(float64(i) / expSteps))
	}
	return table
}()

// ExpFloat32 is dsl.Exp.
func ExpFloat32(x archsimd.Float32x8) archsimd.Float32x8 {
	log2E := archsimd.BroadcastFloat64x4(math.Log2E)
	low, high := x.GetLo().ConvertToFloat64().Mul(log2E), x.GetHi().ConvertToFloat64().Mul(log2E)
	if !ordinary(low) || !ordinary(high) {
		return Map(dsl.Exp[float32], x)
	}
	return x.SetLo(powerOf2(low).ConvertToFloat32()).SetHi(powerOf2(high).ConvertToFloat32())
}

// InverseSqrtFloat32 is dsl.InverseSqrt.
func InverseSqrtFloat32(x archsimd.Float32x8) archsimd.Float32x8 {
	one := archsimd.BroadcastFloat64x4(1)
	low := one.Div(x.GetLo().ConvertToFloat64().Sqrt())
	high := one.Div(x.GetHi().ConvertToFloat64().Sqrt())
	return x.SetLo(low.ConvertToFloat32()).SetHi(high.ConvertToFloat32())
}

// ordinary reports whether powerOf2 is for all elements.
func ordinary(v archsimd.Float64x4) bool {
	limit := archsimd.BroadcastFloat64x4(160)
	size := v.AsInt64x4().And(archsimd.BroadcastInt64x4(math.MaxInt64)).AsFloat64x4()
	return size.Less(limit).ToBits() == 1<<4-1
}

// powerOf2 returns 2^v.
func powerOf2(v archsimd.Float64x4) archsimd.Float64x4 {
	magic := archsimd.BroadcastFloat64x4(toInteger / expSteps)
	shifted := v.Add(magic)
	n := shifted.AsUint64x4()
	f := v.Sub(shifted.Sub(magic)).Mul(archsimd.BroadcastFloat64x4(math.Ln2))
	scale := exp2Of(n).Add(n.ShiftAllRight(5).ShiftAllLeft(52)).AsFloat64x4()
	square := f.Mul(f)
	low := archsimd.BroadcastFloat64x4(1. / 2).Add(f.Mul(archsimd.BroadcastFloat64x4(1. / 6)))
	power := f.Add(square.Mul(low.Add(square.Mul(archsimd.BroadcastFloat64x4(1. / 24)))))
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
