package kernels

import (
	"tandem/dsl"
	"tandem/dsl/group"
	"tandem/dsl/rand"
)

// GroupOperations has each function of dsl/group, in a workgroup whose size is
// no power of two and has two dimensions.
//
//tandem:kernel workgroup=7x3 groups=groups
//tandem:len    x=21*groups y=9*21*groups
//tandem:test   groups=0..10 x=0..100
//tandem:want   groupOperationsReference
func GroupOperations(t dsl.Thread, groups uint32, x, y []uint32, s *[21]uint32) {
	i := t.Group.X*21 + t.LocalIndex()
	v := x[i]
	o := i * 9
	y[o] = group.Sum(t, s[:], v)
	y[o+1] = group.Max(t, s[:], v)
	y[o+2] = group.Min(t, s[:], v)
	y[o+3] = group.Reduce(t, s[:], v+1, func(a, b uint32) uint32 { return a * b })
	y[o+4] = group.InclusiveScan(t, s[:], v)
	y[o+5] = group.ExclusiveScan(t, s[:], v)
	y[o+6] = group.Broadcast(t, s[:], v, 20)
	y[o+7] = dsl.Select(group.Any(t, s[:], v > 95), uint32(1), 0)
	y[o+8] = dsl.Select(group.All(t, s[:], v < 95), uint32(1), 0)
}

func groupOperationsReference(groups uint32, x, y []uint32) {
	for g := range groups {
		v := x[21*g : 21*g+21]
		all := [9]uint32{2: 1 << 30, 3: 1, 6: v[20], 8: 1}
		for _, n := range v {
			all[0] += n
			all[1], all[2] = max(all[1], n), min(all[2], n)
			all[3] *= n + 1
			if n > 95 {
				all[7] = 1
			}
			if n >= 95 {
				all[8] = 0
			}
		}
		for i, n := range v {
			all[5] = all[4]
			all[4] += n
			copy(y[(21*int(g)+i)*9:], all[:])
		}
	}
}

// GroupFloats reduces floats in a loop that a result controls.
//
//tandem:kernel workgroup=64 groups=groups
//tandem:len    x=64*groups n=64*groups y=groups
//tandem:test   groups=0..10 x=0..50 n=0..100
//tandem:want   groupFloatsReference
func GroupFloats(t dsl.Thread, groups uint32, x []float32, n []uint32, y []float32, s *[64]float32, c *[64]uint32) {
	v, k := x[t.Global.X], n[t.Global.X]
	for group.Max(t, c[:], k) > 8 {
		v, k = v/2, k/2
	}
	total := group.Sum(t, s[:], v)
	if t.Local.X == 0 {
		y[t.Group.X] = total
	}
}

func groupFloatsReference(groups uint32, x []float32, n []uint32, y []float32) {
	for g := range groups {
		var most uint32
		var sum float64
		for i := range uint32(64) {
			most = max(most, n[64*g+i])
			sum += float64(x[64*g+i])
		}
		for ; most > 8; most /= 2 {
			sum /= 2
		}
		y[g] = float32(sum)
	}
}

// RandomBits draws from the generators of dsl/rand.
//
//tandem:kernel workgroup=64 threads=n
//tandem:len    y=n
//tandem:test   n=0..500 seed=0..4294967295
//tandem:want   randomBitsReference
func RandomBits(t dsl.Thread, n, seed uint32, y []dsl.UVec4) {
	i := t.Global.X
	p := rand.NewPhilox(seed, i)
	h := rand.NewHash(seed, i)
	for range 5 {
		y[i].Z = p.Uint32()
	}
	y[i].X = rand.PCG(i)
	y[i].Y = h.Uint32()
	y[i].W = rand.Philox4x32(dsl.UVec4{X: i}, dsl.UVec2{X: seed}).W
}

// RandomFloats draws numbers.
//
//tandem:kernel workgroup=64 threads=n
//tandem:len    y=n
//tandem:test   n=0..500 seed=0..4294967295
//tandem:want   randomFloatsReference
func RandomFloats(t dsl.Thread, n, seed uint32, y []dsl.Vec2) {
	p := rand.NewPhilox(seed, t.Global.X)
	y[t.Global.X] = dsl.Vec2{X: p.Uniform(), Y: p.Normal()}
}
