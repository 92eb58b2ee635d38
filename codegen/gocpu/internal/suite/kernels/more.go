package kernels

import "tandem/dsl"

// firstAbove returns the first lane with more than v, 16 if there is none. Where
// twice is set the lanes wait for each other once more, some having returned.
func firstAbove(t dsl.Thread, s *[16]uint32, v uint32, twice bool) uint32 {
	lane := t.Local.X
	s[lane] = v
	t.Barrier()
	if twice {
		w := s[lane^1]
		t.Barrier()
		s[lane] = w
		t.Barrier()
		if w > 90 {
			return 1000 + w
		}
	}
	for i := range uint32(16) {
		if s[i] == v+1 {
			continue
		}
		if s[i] > v {
			return i
		}
	}
	return 16
}

// Search calls helpers with barriers that lanes leave one by one, from loops.
//
//tandem:kernel workgroup=16 groups=n
//tandem:len    x=16*n out=16*n
func Search(t dsl.Thread, n uint32, x, out []uint32, s *[16]uint32) {
	v := x[t.Global.X]
	sum := firstAbove(t, s, v, false)
	t.Barrier()
	for k := range uint32(2) {
		sum = sum*17 + firstAbove(t, s, v+k, k+n > 3)
		t.Barrier()
	}
	out[t.Global.X] = sum
}

// Heads has loops whose heads Go has no room for.
//
//tandem:kernel workgroup=16 groups=n
//tandem:len    x=16*n out=16*n
func Heads(t dsl.Thread, n uint32, x, out []uint32, s *[16]uint32) {
	lane := t.Local.X
	sum := uint32(0)
	for a, b := uint32(0), uint32(1); a < 100; a, b = b, a+b {
		if a%5 == 3 {
			continue
		}
		if a > 50+lane {
			break
		}
		sum += a
	}
	for i, k := lane, uint32(0); k < 3; i, k = i*3+1, k+1 {
		if k+n == 3 {
			continue
		}
		s[lane] = x[t.Global.X] + i
		t.Barrier()
		sum += s[i%16]
		t.Barrier()
	}
	for a, b := uint32(0), uint32(1); a < 10; a, b = b, a+b {
		s[lane] = sum
		t.Barrier()
		sum += s[(lane+a)%16]
		t.Barrier()
		if a == n {
			continue
		}
		sum++
	}
	for i, v := range s {
		sum += uint32(i) * v
	}
	out[t.Global.X] = sum
}

// Celsius is a defined scalar.
type Celsius float32

// Scales has fields that only its package can name.
type Scales struct {
	factor  Celsius
	offsets [3]float32
	inner   struct{ x, y uint32 }
}

// MakeScales returns Scales.
func MakeScales(factor Celsius, o [3]float32, x, y uint32) Scales {
	s := Scales{factor: factor, offsets: o}
	s.inner.x, s.inner.y = x, y
	return s
}

// Of applies the scales.
func (s *Scales) of(v Celsius, i uint32) Celsius { return v*s.factor + Celsius(s.offsets[i%3]) }

// Defined uses defined types, nested arrays, and structs that only their package
// can name.
//
//tandem:kernel workgroup=16 groups=n
//tandem:len    x=16*n out=16*n
func Defined(t dsl.Thread, n uint32, s Scales, low Celsius, weights [2][2]float32, x []Celsius, out [][2]Celsius, shared *struct {
	last  [16]Celsius
	count dsl.AtomicUint32
	cells [2]struct{ hits [4]dsl.AtomicInt32 }
}) {
	lane := t.Local.X
	v := max(s.of(x[t.Global.X], lane), low)
	shared.last[15-lane] = v
	if v > 0 {
		shared.count.Add(1)
	}
	shared.cells[lane%2].hits[lane%4].Sub(int32(lane))
	t.Barrier()
	pair := [2]Celsius{shared.last[lane], v}
	if pair == [2]Celsius{} {
		pair[1] = 1
	}
	pair[0] += Celsius(shared.count.Load()) * Celsius(weights[lane%2][s.inner.x%2])
	pair[1] += Celsius(shared.cells[s.inner.y%2].hits[lane%4].Load())
	out[t.Global.X] = pair
}

// DefinedHere binds Defined to arguments; the type of its workgroup memory has no
// name elsewhere.
func DefinedHere(n uint32, s Scales, low Celsius, weights [2][2]float32, x []Celsius, out [][2]Celsius) func() func(dsl.Thread) {
	return func() func(dsl.Thread) {
		var shared struct {
			last  [16]Celsius
			count dsl.AtomicUint32
			cells [2]struct{ hits [4]dsl.AtomicInt32 }
		}
		return func(t dsl.Thread) { Defined(t, n, s, low, weights, x, out, &shared) }
	}
}

// Unguarded indexes its buffers in ways that no directive vouches for.
//
//tandem:kernel workgroup=16 threads=n
func Unguarded(t dsl.Thread, n uint32, x, y []uint32) {
	i := t.Global.X
	if i < uint32(len(x)) {
		y[i] = x[i] + x[(i+1)%uint32(len(x))]
	}
}

// Wide has an accumulator that is too large for registers, in two dimensions.
//
//tandem:kernel workgroup=4x4 groups=n
//tandem:len    out=16*n
func Wide(t dsl.Thread, n uint32, out []float32, s *[16]float32) {
	var grid [3][5]float32
	me := t.LocalIndex()
	for k := range uint32(3) {
		s[me] = float32(me + k)
		t.Barrier()
		for i := range 5 {
			grid[k][i] += s[(me+uint32(i)*3)%16]
		}
		t.Barrier()
	}
	turned := grid
	grid[0], grid[2] = grid[2], grid[0]
	t.Barrier()
	var sum float32
	for k := range 3 {
		for i := range 5 {
			sum += grid[k][i]*float32(k+1) - turned[k][i]*float32(i)
		}
	}
	if t.LocalIndex() == 0 {
		sum += 1000
	}
	out[t.Group.X*16+me] = sum
}

// Left has values that all lanes share after a return that only some take.
//
//tandem:kernel workgroup=16 threads=n
//tandem:len    x=n y=n
func Left(t dsl.Thread, n, d uint32, x, y []uint32) {
	i := t.Global.X
	y[i] = 7
	if x[i] < 50 {
		return
	}
	step := n / d
	y[i] = x[i] + step
	again := step * d
	if again > 5 {
		y[i] += again
	}
}

// LeftTile is Left with workgroups of two dimensions.
//
//tandem:kernel workgroup=4x4 threads=n,n
//tandem:len    x=n*n y=n*n
func LeftTile(t dsl.Thread, n, d uint32, x, y []uint32) {
	i := t.Global.Y*n + t.Global.X
	y[i] = 7
	if x[i] < 50 {
		return
	}
	step := (n + t.Group.X) / d
	y[i] = x[i] + step
}

// LeftGroup is Left with a barrier before.
//
//tandem:kernel workgroup=16 groups=n
//tandem:len    x=16*n y=16*n
func LeftGroup(t dsl.Thread, n, d uint32, x, y []uint32, s *[16]uint32) {
	i := t.Global.X
	s[t.Local.X] = x[i]
	t.Barrier()
	if s[15-t.Local.X] < 50 {
		return
	}
	step := (n + t.Group.X) / d
	y[i] = x[i] + step
}

// Strided has loops in which the lanes share arrays by strides: those that can run in step, and those that
// must not.
//
//tandem:kernel workgroup=64 groups=n
//tandem:len    x=cols*n y=cols*n out=64*n
func Strided(t dsl.Thread, n, cols uint32, x, y, out []uint32, bins *[16]dsl.AtomicUint32, s *[64]uint32) {
	lane := t.Local.X
	row := t.Group.X * cols
	var sum, odd uint32
	if cols > 10 { // all lanes come here together
		for j := lane + 3; j < cols; j += 64 {
			v := x[row+j]
			if v%2 == 1 {
				odd += v
			}
			sum = sum*3 + v
			y[row+j] = sum
			bins[v%16].Add(1)
		}
	}
	start := t.Global.X
	offset := row
	row = 7 // not what start or offset knew
	for i := start; i < dsl.Len(x); i += n * 64 {
		sum += x[i]
	}
	end := cols
	for j := lane; j < end; j += 64 { // its end moves
		sum += x[offset+j]
		if end > 40 {
			end--
		}
	}
	s[lane] = sum
	t.Barrier()
	if s[63-lane]%5 == 0 {
		return
	}
	for j := lane; j < cols; j += 64 { // some lanes are gone, the first perhaps
		odd += x[offset+j]
	}
	out[start] = s[63-lane] + odd + bins[lane%16].Load() + row
}

// Elementary calls the builtins of floats, among so much work that eight at a time pays.
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:len a=len(x) b=len(x) y=32*len(x)
func Elementary(t dsl.Thread, x, a, b, y []float32) {
	i, n := t.Global.X, dsl.Len(x)
	v, low, high := x[i], a[i], b[i]
	y[i] = dsl.Abs(v) + near(high)
	y[n+i] = dsl.Sign(v) + near(high)
	y[2*n+i] = dsl.Floor(v) + near(high)
	y[3*n+i] = dsl.Ceil(v) + near(high)
	y[4*n+i] = dsl.Round(v) + near(high)
	y[5*n+i] = dsl.Trunc(v) + near(high)
	y[6*n+i] = dsl.Fract(v) + near(high)
	y[7*n+i] = dsl.Sqrt(v) + near(high)
	y[8*n+i] = dsl.InverseSqrt(v) + near(high)
	y[9*n+i] = dsl.Exp(v) + near(high)
	y[10*n+i] = dsl.Exp2(v) + near(high)
	y[11*n+i] = dsl.Log(v) + near(high)
	y[12*n+i] = dsl.Log2(v) + near(high)
	y[13*n+i] = dsl.Sin(v) + near(high)
	y[14*n+i] = dsl.Cos(v) + near(high)
	y[15*n+i] = dsl.Tan(v) + near(high)
	y[16*n+i] = dsl.Asin(v) + near(high)
	y[17*n+i] = dsl.Acos(v) + near(high)
	y[18*n+i] = dsl.Atan(v) + near(high)
	y[19*n+i] = dsl.Sinh(v) + near(high)
	y[20*n+i] = dsl.Cosh(v) + near(high)
	y[21*n+i] = dsl.Tanh(v) + near(high)
	y[22*n+i] = dsl.Min(v, low) + near(high)
	y[23*n+i] = dsl.Max(v, low) + near(high)
	y[24*n+i] = dsl.Pow(v, low) + near(high)
	y[25*n+i] = dsl.Atan2(v, low) + near(high)
	y[26*n+i] = dsl.Step(v, low) + near(high)
	y[27*n+i] = dsl.Clamp(v, low, high) + near(high)
	y[28*n+i] = dsl.Fma(v, low, high) + near(high)
	y[29*n+i] = dsl.Mix(v, low, high) + near(high)
	y[30*n+i] = dsl.Smoothstep(v, low, high) + near(high)
	y[31*n+i] = dsl.Select(v < low, v, high)
}

// near returns x, nearly.
func near(x float32) float32 {
	for range dsl.Unroll(6) {
		x = x*0.5 + x*0.5
	}
	return x
}
