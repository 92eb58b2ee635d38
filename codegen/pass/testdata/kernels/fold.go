package kernels

import "tandem/dsl"

const width = 8

var weights = [4]float32{0.25, 0.5, 0.125, 0.75}

// Constants folds what is constant after inlining and leaves floats in order.
//
//tandem:kernel workgroup=64 groups=1
func Constants(t dsl.Thread, n uint32, x []float32) {
	i := t.Global.X
	four := uint32(4)
	x[i*1+0] = x[i] * 1
	x[four*2+i] = x[i] + 0
	x[i<<0] = (x[i] + 0.5) + 0.25
	x[i/1] = weights[2] * 2
	x[n*0] = float32(four) / 3
	if four > 3 && i < n {
		x[i] = 1
	}
	if four > 4 {
		x[i] = 2
	}
	switch four {
	case 1:
		x[i] = 3
	case 4, 5:
		x[i] = 4
	default:
		x[i] = 5
	}
	if !(i < n) {
		x[i] = 6
	}
	if !(x[i] < 1) {
		x[i] = 7
	}
}

// Wraps folds integers as they wrap, and keeps what has no value.
//
//tandem:kernel workgroup=64 groups=1
func Wraps(t dsl.Thread, x []int32, y []uint32) {
	least, zero := int32(-2147483648), int32(0)
	big, shift := uint32(4000000000), uint32(33)
	x[0] = -least
	x[1] = least / -1
	x[2] = -7 % (least + 2147483645) // -7 % -3
	x[3] = 1 / zero
	x[4] = least >> shift
	y[0] = big + big
	y[1] = big << shift
	y[2] = ^big
	y[3] = uint32(least)
}

// Zeros folds what is 0 whatever else, but for what is an error: a division by what may be 0, a shift by what may be less than 0. Of
// floats, 0*x may be NaN and x+0 is not -0.
//
//tandem:kernel workgroup=64 groups=1
//tandem:where  m > 0
func Zeros(t dsl.Thread, m, n uint32, k int32, x []uint32, y []float32) {
	z, f := uint32(0), float32(0)
	x[0] = z*n + z&n + z&^n + n&z + z<<n + z>>n
	x[1] = z/m + z%m + z/(n|1)
	x[2] = z / n
	x[3] = z % n
	x[4] = z << k
	x[5] = z << (k & 7)
	x[6] = (m / n) * z
	x[7] = m / n & z
	x[8] = (m % m) * z
	x[9] = min(x[n]*z, m/n%1)
	if m/n > 3 && z > 0 {
		x[10] = 1
	}
	_ = m / n
	q := m
	q /= n
	var a [2]uint32
	a = [2]uint32{m, m / n}
	x[11] = a[0]
	y[0] = f*y[1] + (y[2] + f) + (f - y[3]) + f/y[4]
}

// Flat has sides of one, which make coordinates constant or uniform.
//
//tandem:kernel workgroup=64 groups=2,3
func Flat(t dsl.Thread, x []uint32) {
	x[t.Local.Y] = t.Global.Y
	x[t.Group.Z] = t.Groups.Z + t.Size.X
	x[t.Global.X] = t.Global.Z
}

// Edge indexes an array out of range in a branch that is never taken.
//
//tandem:kernel workgroup=64 groups=1
func Edge(t dsl.Thread, n uint32, x []float32) {
	var a [4]float32
	for i := range uint32(4) {
		a[i] = x[i]
	}
	for i := range uint32(4) {
		if n > i+1 {
			x[i] = a[i+1]
		}
	}
}

// Functor asks a type what to do: nothing of the call is left.
//
//tandem:kernel workgroup=64 groups=1
func Functor(t dsl.Thread, x []float32) {
	var p plain
	i := t.Global.X
	if p.fused() {
		x[i] = 1
	}
	x[i] += float32(p.weight(x[i]))
}

type plain struct{}

func (plain) fused() bool { return false }

func (plain) weight(float32) int32 { return 3 }

// Repeats asks twice, and for what cannot be any more, and shifts everything out.
//
//tandem:kernel workgroup=64 threads=len(x)
func Repeats(t dsl.Thread, n, m uint32, x []uint32, y []int32) {
	i := t.Global.X
	one, two, far := uint32(1), uint32(2), uint32(33)
	v := x[i]
	v = v + 0
	if i > n || v == one || (m > n || v == 1) {
		x[i] = 1
	}
	if i > n && (v == two && (n > 3 && i > n)) {
		x[i] = 2
	}
	if v == one && n > 3 && two == v || v != one && v != two {
		x[i] = 3
	}
	if v != one || n > 3 || v != two {
		x[i] = 4
	}
	if v/n == 1 && v/n == 2 { // n may be 0
		x[i] = 5
	}
	if x[i] > 5 || x[i] > 6 || x[i] >= 5 {
		x[i] = 6
	}
	x[i] = v<<far + v/n<<far + v>>far
	x[i] <<= far
	y[i] = y[i]>>far - y[i]<<far
	y[i] >>= far
}
