// Package names has names that WGSL reserves, predeclares or does not know, and
// comments that try to leave theirs.
package names

import "tandem/dsl"

type target struct {
	_    uint32
	enum uint32
	ü    float32
}

func sign(x float32) float32 { return dsl.Sign(x) * 2 }

func round(x, y uint32) uint32 { return x / y * y }

// Reserved has words of WGSL as names.
//
//tandem:kernel workgroup=64 groups=n
func Reserved(t dsl.Thread, n uint32, params, storage, vec3 []float32, workgroup *[64]float32) {
	loop := t.Local.X
	fn := params[loop]
	array := fn + storage[loop]
	__x := array + 1
	_y := __x
	f32 := _y
	vec3[loop] = f32 + sign(f32) + workgroup[loop]
}

// Letters has letters beyond ASCII.
//
//tandem:kernel workgroup=64 groups=n
func Letters(t dsl.Thread, n uint32, été, λ []float32, Ω *[64]float32) {
	π, 世界, naïve := float32(3.14), t.Local.X, float32(1)
	Ω[世界] = π
	λ[世界] = été[世界] + Ω[世界] + naïve
}

// Predeclared keeps length and dot, which it does not call, but not max.
//
//tandem:kernel workgroup=64 groups=n
func Predeclared(t dsl.Thread, n uint32, out []float32) {
	length, dot, max := float32(1), float32(2), float32(3)
	length += out[0]
	dot += length
	max += dot
	out[t.Local.X] = dsl.Max(dot, length) + max
}

// Coordinates has the names of the coordinates for other things.
//
//tandem:kernel workgroup=8x8 groups=n,n
func Coordinates(t dsl.Thread, n uint32, group, global, local []uint32) {
	groups := round(t.Groups.X, 3) + t.GroupIndex() + t.GlobalIndex() + t.LocalIndex()
	group[groups] = global[t.Global.Y] + local[t.Local.Y] + t.Group.Y + t.Size.Y
}

// Shadows declares a name again and again.
//
//tandem:kernel workgroup=64 groups=n
func Shadows(t dsl.Thread, n uint32, x []uint32) {
	i := t.Local.X
	{
		i := i + x[i]
		i++
		for i := i; i < n; i++ {
			x[i] = i
		}
		x[i] = 1
	}
	var s target
	s.enum = i
	s.ü = 2
	x[i] = s.enum + uint32(s.ü)
}

// Comments ends here: */ or here; or /* here. Bidi: ‮. A break:fn f() {} var x = 1;
//
//	indented line, a tab: 	.
//
//tandem:kernel workgroup=64 groups=n
func Comments(t dsl.Thread, n uint32, x []uint32) { x[t.Local.X] = 1 }

// Locals has the names of the locals of the functions that load and store.
//
//tandem:kernel workgroup=64 groups=n
func Locals(t dsl.Thread, n uint32, at, v [][3]dsl.Vec3, i []uint8, old []dsl.AtomicUint32) {
	lane := t.Local.X
	v[lane] = at[lane]
	if i[lane] == 3 {
		old[lane].CompareExchange(1, 2)
	}
}
