package kernels

import (
	"math"
	"math/bits"

	"tandem/dsl"
)

// Divide has Go's signs, and MinInt32 / -1 wraps.
//
//tandem:kernel workgroup=64 threads=len(a)
//tandem:len    b=len(a) quotient=len(a) remainder=len(a)
//tandem:test   a=-2147483648..2147483647 b=-100..-1
//tandem:want   divideReference
func Divide(t dsl.Thread, a, b, quotient, remainder []int32) {
	i := t.Global.X
	quotient[i] = a[i] / b[i]
	remainder[i] = a[i] % b[i]
}

func divideReference(a, b, quotient, remainder []int32) {
	for i := range a {
		n, d := int64(a[i]), int64(b[i])
		q := n / d
		quotient[i], remainder[i] = int32(q), int32(n-q*d)
	}
}

// DivideUnsigned has operands that would be negative as int32.
//
//tandem:kernel workgroup=64 threads=len(a)
//tandem:len    b=len(a) quotient=len(a) remainder=len(a)
//tandem:test   a=0..4294967295 b=1..4294967295
//tandem:want   divideUnsignedReference
func DivideUnsigned(t dsl.Thread, a, b, quotient, remainder []uint32) {
	i := t.Global.X
	quotient[i] = a[i] / b[i]
	remainder[i] = a[i] % b[i]
}

func divideUnsignedReference(a, b, quotient, remainder []uint32) {
	for i := range a {
		quotient[i], remainder[i] = bits.Div32(0, a[i], b[i])
	}
}

// DivideByConstants divides by constants of either sign, the smallest too.
//
//tandem:kernel workgroup=64 threads=len(a)
//tandem:len    out=5*len(a)
//tandem:test   a=-2147483648..2147483647
//tandem:want   divideByConstantsReference
func DivideByConstants(t dsl.Thread, a, out []int32) {
	x := a[t.Global.X]
	o := t.Global.X * 5
	out[o] = x / 3
	out[o+1] = x % -3
	out[o+2] = x / -1
	out[o+3] = x / -2147483648
	out[o+4] = x % 4
}

func divideByConstantsReference(a, out []int32) {
	for i, v := range a {
		x := int64(v)
		for n, r := range []int64{x / 3, x - x/3*3, -x, 0, x - x/4*4} {
			out[5*i+n] = int32(r)
		}
		if v == math.MinInt32 {
			out[5*i+3] = 1
		}
	}
}

// Wrap overflows in every operation that can.
//
//tandem:kernel workgroup=64 threads=len(a)
//tandem:len    b=len(a) out=6*len(a)
//tandem:test   a=-2147483648..2147483647 b=-2147483648..2147483647
//tandem:want   wrapReference
func Wrap(t dsl.Thread, a, b, out []int32) {
	i, o := t.Global.X, t.Global.X*6
	x, y := a[i], b[i]
	out[o] = x + y
	out[o+1] = x - y
	out[o+2] = x * y
	out[o+3] = -x
	x++
	out[o+4] = x
	y--
	out[o+5] = y
}

func wrapReference(a, b, out []int32) {
	for i := range a {
		x, y := int64(a[i]), int64(b[i])
		for n, v := range []int64{x + y, x - y, x * y, -x, x + 1, y - 1} {
			out[6*i+n] = int32(uint32(uint64(v)))
		}
	}
}

// Shift shifts by any count, and by counts that are provably small.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    n=len(x) left=len(x) right=len(x) logical=len(x) masked=len(x)
//tandem:test   x=-2147483648..2147483647 n=0..70
//tandem:want   shiftReference
func Shift(t dsl.Thread, x []int32, n []uint32, left, right []int32, logical []uint32, masked []int32) {
	i := t.Global.X
	left[i] = x[i] << n[i]
	right[i] = x[i] >> n[i]
	logical[i] = uint32(x[i]) >> n[i]
	masked[i] = x[i] >> (n[i] & 31)
}

// shiftReference multiplies by powers of two.
func shiftReference(x []int32, n []uint32, left, right []int32, logical []uint32, masked []int32) {
	for i, v := range x {
		signed, unsigned, count := float64(v), float64(uint32(v)), int(n[i])
		left[i] = int32(uint32(math.Mod(math.Ldexp(unsigned, count), 1<<32)))
		right[i] = int32(math.Floor(math.Ldexp(signed, -count)))
		logical[i] = uint32(math.Ldexp(unsigned, -count))
		masked[i] = int32(math.Floor(math.Ldexp(signed, -(count % 32))))
	}
}

// ShiftAssign shifts in place, by signed counts.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len    n=len(x) y=len(x)
//tandem:test   n=0..40 x=-2147483648..2147483647 y=0..4294967295
//tandem:want   shiftAssignReference
func ShiftAssign(t dsl.Thread, n []int32, x []int32, y []uint32) {
	i := t.Global.X
	x[i] >>= n[i]
	y[i] <<= n[i]
}

func shiftAssignReference(n []int32, x []int32, y []uint32) {
	for i, count := range n {
		x[i] = int32(math.Floor(math.Ldexp(float64(x[i]), -int(count))))
		y[i] = uint32(math.Mod(math.Ldexp(float64(y[i]), int(count)), 1<<32))
	}
}

// BitOperations has all of them, and their assignments.
//
//tandem:kernel workgroup=64 threads=len(a)
//tandem:len    b=len(a) out=len(a)
//tandem:test   a=0..4294967295 b=0..4294967295
//tandem:want   bitOperationsReference
func BitOperations(t dsl.Thread, a, b, out []uint32) {
	i := t.Global.X
	x, y := a[i], b[i]
	v := x&y ^ x | y&^x
	v ^= ^y
	v |= x >> 3
	v &= 0xfffffff0 | y
	v &^= 1 << 31
	v %= 1000003
	out[i] = v
}

func bitOperationsReference(a, b, out []uint32) {
	for i := range a {
		var v uint32
		for bit := range 32 {
			x, y := a[i]>>bit&1, b[i]>>bit&1
			r := x * y
			r = (r + x) % 2
			if y == 1 && x == 0 {
				r = 1
			}
			r = (r + 1 - y) % 2
			if bit < 29 && a[i]>>(bit+3)&1 == 1 {
				r = 1
			}
			if bit < 4 {
				r *= y
			}
			if bit == 31 {
				r = 0
			}
			v |= r << bit
		}
		out[i] = v - v/1000003*1000003
	}
}

// Order compares integers whose order depends on their sign.
//
//tandem:kernel workgroup=64 threads=len(a)
//tandem:len    b=len(a) out=len(a)
//tandem:test   a=-2147483648..2147483647 b=-2147483648..2147483647
//tandem:want   orderReference
func Order(t dsl.Thread, a, b []int32, out []uint32) {
	i := t.Global.X
	x, y := a[i], b[i]
	var bits uint32
	if x < y {
		bits |= 1
	}
	if uint32(x) < uint32(y) {
		bits |= 2
	}
	if x == y || min(x, y) != max(y, x) {
		bits |= 4
	}
	if max(uint32(x), uint32(y), 7) == uint32(y) {
		bits |= 8
	}
	out[i] = bits
}

func orderReference(a, b []int32, out []uint32) {
	for i := range a {
		x, y := int64(a[i]), int64(b[i])
		u, v := x&math.MaxUint32, y&math.MaxUint32
		out[i] = 4
		if x-y < 0 {
			out[i]++
		}
		if u-v < 0 {
			out[i] += 2
		}
		if v >= u && v >= 7 {
			out[i] += 8
		}
	}
}

// NeverByZero has constants to the right of operators that Go and WGSL refuse
// there, where no invocation comes.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test   x=1..100
//tandem:want   neverByZeroReference
func NeverByZero(t dsl.Thread, x []uint32) {
	i := t.Global.X
	zero, minus := uint32(0), -1
	for k := range dsl.Unroll(3) {
		if x[i] <= 100+uint32(k) {
			x[i] += uint32(k)
			continue
		}
		x[i] = x[i]/uint32(k) + 9%uint32(k) + quotient(1, 0) + 5/zero + 1<<(k-1)
		x[i] /= zero
		x[i] %= uint32(k)
		x[i] <<= minus
		x[i] >>= k - 1
	}
}

func neverByZeroReference(x []uint32) {
	for i := range x {
		x[i] += 3 // 0, 1 and 2: each round finds it small enough
	}
}

func quotient(a, b uint32) uint32 { return a / b }

// ByConstantZero divides by a constant that is 0, which is a kernel bug where x is above 0: its test draws none.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test   x=0..0
func ByConstantZero(t dsl.Thread, x []uint32) {
	if zero := uint32(0); x[t.Global.X] > 0 {
		x[t.Global.X] /= zero
	}
}

// ShiftByLess shifts by a constant that is negative, which is a kernel bug where x is above 0: its test draws none.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:test   x=0..0
func ShiftByLess(t dsl.Thread, x []uint32) {
	if less := -1; x[t.Global.X] > 0 {
		x[t.Global.X] <<= less
	}
}
