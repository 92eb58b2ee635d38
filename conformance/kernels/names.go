package kernels

import "tandem/dsl"

// Reserved has words for names that WGSL reserves or that front ends do.
//
//tandem:kernel workgroup=64 threads=len(target)
//tandem:len    final=len(target) signed=len(target)
//tandem:test   target=0..1000 override=0..9
//tandem:want   reservedReference
func Reserved(t dsl.Thread, override uint32, target, final []uint32, signed []int32, workgroup *[64]uint32) {
	loop := t.Global.X
	let := target[loop] + override
	fn, inout, handle := let, let*2, let*3
	enum := [2]uint32{fn, inout}
	array := struct{ vec3, f32, ptr uint32 }{enum[0], enum[1], handle}
	Hullshader := array.vec3 + array.f32 + array.ptr
	__x := Hullshader + 1
	_y := __x
	a__b := _y
	workgroup[t.Local.X] = a__b
	for do := range uint32(2) {
		a__b += do
	}
	final[loop] = workgroup[t.Local.X] + a__b
	signed[loop] = int32(private(while(a__b)))
}

func private(storage uint32) uint32 { return storage + 1 }
func while(uniform uint32) uint32   { return private(uniform) * 2 }

func reservedReference(override uint32, target, final []uint32, signed []int32) {
	for i, v := range target {
		six := 6*(v+override) + 1
		final[i] = 2*six + 1
		signed[i] = int32(2*(six+2) + 1)
	}
}

// Größe has letters beyond ASCII, also where they would collide.
//
//tandem:kernel workgroup=64 threads=len(größe)
//tandem:len    世界=len(größe)
//tandem:test   größe=0..1000
//tandem:want   größeReference
func Größe(t dsl.Thread, größe, 世界 []uint32) {
	π, pi, é, e := t.Global.X, uint32(1), uint32(2), uint32(3)
	ǆ, Δx, x٣ := pi+é, é*e, größe[π]
	µ, μ := x٣+1, x٣+2 // the micro sign and the Greek letter
	世界[π] = ǆ + 10*Δx + x٣ + µ + μ
}

func größeReference(größe, 世界 []uint32) {
	for i, v := range größe {
		世界[i] = 3*v + 66
	}
}

// Predeclared has names of WGSL's functions, which it uses too.
//
//tandem:kernel workgroup=64 threads=len(abs)
//tandem:len    sqrt=len(abs)
//tandem:test   abs=0..100
//tandem:want   predeclaredReference
func Predeclared(t dsl.Thread, abs, sqrt []float32) {
	i := t.Global.X
	dot, clamp, fma := abs[i], float32(1), float32(2)
	select_, floor := clamp+fma, dsl.Floor(dot)
	max := dsl.Max(floor, select_)
	sqrt[i] = dsl.Sqrt(max*max) + mix(dsl.Abs(-dot), 2) + atomicAdd(1)
}

func mix(x, y float32) float32          { return x * y }
func atomicAdd(bitcast float32) float32 { return bitcast + 1 }

func predeclaredReference(abs, sqrt []float32) {
	for i, v := range abs {
		floor := float32(uint32(v))
		sqrt[i] = max(floor, 3) + 2*v + 2
	}
}

// Coordinates has the names that the generated code uses itself.
//
//tandem:kernel workgroup=32 groups=groups
//tandem:len    params=32*groups on=32*groups
//tandem:test   groups=0..9 params=0..100 fold=0..5 lane=0..5 first=0..9 last=0..9
//tandem:want   coordinatesReference
func Coordinates(t dsl.Thread, groups, fold, lane, first, last uint32, params, on []uint32, shared *[32]uint32) {
	group, local, global := t.Group.X, t.Local.X, t.Global.X
	l, p, args, at, gen, cpu, runtime, testing, kernels := params[global], fold, lane, first, last, group, local, uint32(1), uint32(2)
	shared[local] = l
	t.Barrier()
	d, c, x := shared[31-local], fold, groups
	on[global] = l + p + args + at + gen + cpu + runtime + testing + kernels + d + c + x
}

func coordinatesReference(groups, fold, lane, first, last uint32, params, on []uint32) {
	for i := range 32 * groups {
		on[i] = params[i] + params[i/32*32+31-i%32] + 2*fold + lane + first + last + i/32 + i%32 + 3 + groups
	}
}

// Arguments has parameters with the names of what a launcher declares.
//
//tandem:kernel workgroup=64 threads=len(l)
//tandem:len    grid=len(l)
//tandem:test   runtime=0..9 unsafe=0..9 p=0..9 cpu=0..9
//tandem:want   argumentsReference
func Arguments(t dsl.Thread, runtime, unsafe, p, cpu uint32, l, grid []float32) {
	i := t.Global.X
	grid[i] = l[i] + float32(runtime+unsafe*p+cpu)
}

func argumentsReference(runtime, unsafe, p, cpu uint32, l, grid []float32) {
	for i, v := range l {
		grid[i] = v + float32(runtime+unsafe*p+cpu)
	}
}

// Main is a kernel with a usual name.
//
//tandem:kernel workgroup=64 threads=len(main)
//tandem:want   mainReference
func Main(t dsl.Thread, main []uint32) { main[t.Global.X]++ }

func mainReference(x []uint32) {
	for i := range x {
		x[i]++
	}
}

// Blank has parameters that nothing uses.
//
//tandem:kernel workgroup=64 threads=1
//tandem:len    x=1
//tandem:want   blankReference
func Blank(_ dsl.Thread, unused float32, x []uint32, scratch *[4]uint32) {
	var _ = unused
	_, _ = x, 5
	x[0] = 7
}

func blankReference(_ float32, x []uint32) { x[0] = 7 }

// Comments end where Go ends them: */ /* //  oops;  oops;   oops
//
//tandem:kernel workgroup=64 threads=len(x)
//tandem:want   commentsReference
func Comments(t dsl.Thread, x []uint32) {
	x[t.Global.X] += 1 // *//  x[t.Global.X] = 0; /*
}

func commentsReference(x []uint32) { mainReference(x) }
