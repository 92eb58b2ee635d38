package kernels

import "tandem/dsl"

// Kernels of few workgroups, such as those of a model that generates token by token, take as long
// as they wait: for memory, and for each other at barriers. They load all that they can before the
// first barrier, and reduce with two.

// combined returns op over the values of all 256 invocations. group.Reduce has six barriers, and a
// result that a barrier may depend on. scratch may be given to the next call at once.
func combined(t dsl.Thread, scratch *[256 + 16]float32, v float32, op func(a, b float32) float32) float32 {
	lane := t.Local.X
	scratch[lane] = v
	t.Barrier()
	if lane < 16 {
		for i := uint32(16); i < 256; i += 16 {
			v = op(v, scratch[lane+i])
		}
		scratch[256+lane] = v
	}
	t.Barrier()
	v = scratch[256]
	for i := uint32(257); i < 256+16; i++ {
		v = op(v, scratch[i])
	}
	return v
}

// sumLines adds up what the invocations have summed of so many quads of columns, side by side, in
// lines, and returns to each of the first 4*width invocations the sum of its column.
func sumLines(t dsl.Thread, width uint32, sum dsl.Vec4, part *[256]dsl.Vec4, sums *[256]float32) float32 {
	lane, step := t.Local.X, 16*width
	part[lane] = sum
	t.Barrier()
	if lane < step {
		for i := step; i < 256; i += step {
			sum = sum.Add(part[lane+i])
		}
		sums[lane*4], sums[lane*4+1], sums[lane*4+2], sums[lane*4+3] = sum.X, sum.Y, sum.Z, sum.W
	}
	t.Barrier()
	var total float32
	if lane < 4*width {
		for i := uint32(0); i < 16; i++ {
			total += sums[i*4*width+lane]
		}
	}
	return total
}
