package kernels

import (
	"math"
	"math/bits"

	"tandem/dsl"
)

// Resize draws a picture in another size. Where a coordinate is within rounding
// of a whole number, either neighbour will do: what lies between them is continuous.
//
//tandem:kernel workgroup=8x8 threads=toWidth,toHeight
//tandem:where  width > 0 && height > 0
//tandem:len    from=width*height to=toWidth*toHeight
//tandem:test   width=1..40 height=1..40 toWidth=1..60 toHeight=1..60 from=0..1
//tandem:want   resized
func Resize(t dsl.Thread, width, height, toWidth, toHeight uint32, from, to []float32) {
	x := dsl.Clamp((float32(t.Global.X)+0.5)*float32(width)/float32(toWidth)-0.5, 0, float32(width-1))
	y := dsl.Clamp((float32(t.Global.Y)+0.5)*float32(height)/float32(toHeight)-0.5, 0, float32(height-1))
	left, up := dsl.Uint32(dsl.Floor(x)), dsl.Uint32(dsl.Floor(y))
	right, down := min(left+1, width-1), min(up+1, height-1)
	above := dsl.Mix(from[up*width+left], from[up*width+right], x-dsl.Floor(x))
	below := dsl.Mix(from[down*width+left], from[down*width+right], x-float32(left))
	to[t.Global.Y*toWidth+t.Global.X] = dsl.Mix(above, below, y-float32(up))
}

// resized weighs every pixel by how near it is.
func resized(width, height, toWidth, toHeight uint32, from, to []float32) {
	place := func(i, from, to uint32) float64 {
		return min(max((float64(i)+0.5)*float64(from)/float64(to)-0.5, 0), float64(from-1))
	}
	weight := func(at float64, pixel uint32) float64 { return max(1-math.Abs(at-float64(pixel)), 0) }
	for i := range to[:toWidth*toHeight] {
		x, y := place(uint32(i)%toWidth, width, toWidth), place(uint32(i)/toWidth, height, toHeight)
		sum := 0.0
		for j, p := range from[:width*height] {
			sum += weight(x, uint32(j)%width) * weight(y, uint32(j)/width) * float64(p)
		}
		to[i] = float32(sum)
	}
}

// Bicubic draws a picture in another size, of sixteen pixels around each. Its weights are as smooth as they are small: what cancels in
// them is no error.
//
//tandem:kernel workgroup=8x8 threads=toWidth,toHeight
//tandem:where  width > 0 && height > 0
//tandem:len    from=width*height to=toWidth*toHeight
//tandem:test   width=1..40 height=1..40 toWidth=1..60 toHeight=1..60 from=0..1
//tandem:want   bicubic
func Bicubic(t dsl.Thread, width, height, toWidth, toHeight uint32, from, to []float32) {
	x := (float32(t.Global.X)+0.5)*float32(width)/float32(toWidth) - 0.5
	y := (float32(t.Global.Y)+0.5)*float32(height)/float32(toHeight) - 0.5
	pastX, pastY := x-dsl.Floor(x), y-dsl.Floor(y)
	left, up := int32(dsl.Floor(x))-1, int32(dsl.Floor(y))-1
	sum := float32(0)
	for j := range int32(4) {
		row := uint32(min(max(up+j, 0), int32(height)-1)) * width
		line := float32(0)
		for i := range int32(4) {
			line += cubic(pastX+1-float32(i)) * from[row+uint32(min(max(left+i, 0), int32(width)-1))]
		}
		sum += cubic(pastY+1-float32(j)) * line
	}
	to[t.Global.Y*toWidth+t.Global.X] = sum
}

// cubic is the weight of a pixel at a distance (Keys, 1981).
func cubic(d float32) float32 {
	d = dsl.Abs(d)
	if d < 1 {
		return (1.5*d-2.5)*d*d + 1
	}
	if d < 2 {
		return ((-0.5*d+2.5)*d-4)*d + 2
	}
	return 0
}

// bicubic draws a cubic through four points each way, by the slopes at the two in the middle.
func bicubic(width, height, toWidth, toHeight uint32, from, to []float32) {
	between := func(at float64, p func(i int) float64) float64 {
		i := int(math.Floor(at))
		t, a, b, c, d := at-math.Floor(at), p(i-1), p(i), p(i+1), p(i+2)
		m, n := (c-a)/2, (d-b)/2
		return b + t*(m+t*(3*(c-b)-2*m-n+t*(2*(b-c)+m+n)))
	}
	within := func(i int, n uint32) int { return min(max(i, 0), int(n)-1) }
	for i := range to[:toWidth*toHeight] {
		x := (float64(uint32(i)%toWidth)+0.5)*float64(width)/float64(toWidth) - 0.5
		y := (float64(uint32(i)/toWidth)+0.5)*float64(height)/float64(toHeight) - 0.5
		to[i] = float32(between(y, func(v int) float64 {
			return between(x, func(u int) float64 { return float64(from[within(v, height)*int(width)+within(u, width)]) })
		}))
	}
}

// Forces adds what all bodies do to each. Near ones outweigh all others, and may
// cancel, so that few elements are far more sensitive than most.
//
//tandem:kernel workgroup=64 threads=len(at)
//tandem:len    force=len(at)
//tandem:test   len(at)=0..300
//tandem:want   forces
func Forces(t dsl.Thread, at, force []dsl.Vec3) {
	i := t.Global.X
	var sum dsl.Vec3
	for _, other := range at {
		d := other.Sub(at[i])
		near := dsl.InverseSqrt(dsl.Dot(d, d) + 1e-3)
		sum = sum.Add(d.Scale(near * near * near))
	}
	force[i] = sum
}

// forces computes in float64.
func forces(at, force []dsl.Vec3) {
	for i, p := range at {
		var x, y, z float64
		for _, q := range at {
			dx, dy, dz := float64(q.X)-float64(p.X), float64(q.Y)-float64(p.Y), float64(q.Z)-float64(p.Z)
			r := math.Pow(dx*dx+dy*dy+dz*dz+1e-3, 1.5)
			x, y, z = x+dx/r, y+dy/r, z+dz/r
		}
		force[i] = dsl.Vec3{X: float32(x), Y: float32(y), Z: float32(z)}
	}
}

// Exactly computes indices and counts in floats, as shaders without integers did. All of it is exact in float32, so that every device
// decides alike.
//
//tandem:kernel workgroup=64 threads=len(y)
//tandem:len    x=len(y)
//tandem:want   exactly
func Exactly(t dsl.Thread, x, y []uint32) {
	at := float32(t.Global.X)
	set := float32(0)
	for k := range 8 {
		if x[uint32(at/2)]>>k&1 == 1 {
			set += 1
		}
	}
	odd := dsl.Fract(dsl.Fma(at, 0.5, 3)) == 0.5
	place := dsl.Floor(dsl.Vec2{X: at, Y: set}.Scale(0.25).Sub(dsl.Vec2{X: 0.25}))
	y[t.Global.X] = uint32(set) + 16*uint32(int32(place.X)+1) + 4096*uint32(place.Y) + dsl.Select(odd, uint32(1)<<31, 0)
}

// exactly computes in integers.
func exactly(x, y []uint32) {
	for i := range y {
		set := uint32(bits.OnesCount8(uint8(x[i/2])))
		y[i] = set + 16*((uint32(i)+3)/4) + 4096*(set/4) + uint32(i)%2<<31
	}
}

// Windowed resamples a row by a sinc of three lobes either way. WGSL allows a sine much error, and the divisor may be small: both go
// into the tolerance, so that no element is called undecided for them.
//
//tandem:kernel workgroup=64 threads=len(to)
//tandem:where  len(from) > 0
//tandem:test   len(from)=1..60 len(to)=0..300 from=0..1
//tandem:want   windowed
func Windowed(t dsl.Thread, from, to []float32) {
	at := (float32(t.Global.X)+0.5)*float32(len(from))/float32(len(to)) - 0.5
	left := dsl.Floor(at)
	sum, all := float32(0), float32(0)
	for k := int32(-2); k <= 3; k++ {
		w := lobes(at - left - float32(k))
		sum += w * from[min(max(int32(left)+k, 0), int32(len(from))-1)]
		all += w
	}
	to[t.Global.X] = sum / all
}

// lobes is the weight of a sample at a distance.
func lobes(d float32) float32 {
	d = dsl.Abs(d)
	switch {
	case d < 1e-3:
		return 1
	case d >= 3:
		return 0
	}
	d *= math.Pi
	return 3 * dsl.Sin(d) * dsl.Sin(d/3) / (d * d)
}

// windowed computes in float64.
func windowed(from, to []float32) {
	sinc := func(x float64) float64 {
		if x == 0 {
			return 1
		}
		return math.Sin(math.Pi*x) / (math.Pi * x)
	}
	for i := range to {
		at := (float64(i)+0.5)*float64(len(from))/float64(len(to)) - 0.5
		sum, all := 0.0, 0.0
		for j := math.Floor(at) - 2; j <= math.Floor(at)+3; j++ {
			w := sinc(at-j) * sinc((at-j)/3)
			sum += w * float64(from[int(min(max(j, 0), float64(len(from)-1)))])
			all += w
		}
		to[i] = float32(sum / all)
	}
}
