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
