package runtime

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"tandem/cpu"
)

// Small kernels by hand, as the compiler would print them: WGSL and its twin.

// elementwise returns a kernel of one invocation an element.
func elementwise(name, buffers, statement string, args []Arg, run func(*cpu.Launch) error) Kernel {
	return Kernel{
		Name: name, Source: name + ".go:10", Package: "tandem/runtime",
		WGSL: `
struct Params {
  a: f32,
  threads_x: u32,
  groups_x: u32,
  pad: u32,
}
const fold = 0u;
@group(0) @binding(0) var<uniform> params: Params;
` + buffers + `
@compute @workgroup_size(64)
fn ` + name + `(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let group_x = group.x + fold * group.y;
  if (fold != 0u && group_x >= params.groups_x) {
    return;
  }
  let i = group_x * 64u + local.x;
  if (i >= params.threads_x) {
    return;
  }
  ` + statement + `
}
`,
		Workgroup: [3]uint32{64, 1, 1}, Threads: true, Dims: 1,
		Params: unsafe.Sizeof(testParams{}),
		Fields: []Field{
			{ThreadsField, 0, unsafe.Offsetof(testParams{}.threads)},
			{GroupsField, 0, unsafe.Offsetof(testParams{}.groups)},
		},
		Buffers: args, Run: run,
	}
}

type testParams struct {
	a               float32
	threads, groups uint32
	_               uint32
}

// each calls f for the elements of l.
func each(l *cpu.Launch, f func(i uint32)) error {
	n := l.Threads[0]
	return l.Run(func(first, last uint32) {
		for i := first * 64; i < min(last*64, n); i++ {
			f(i)
		}
	})
}

// addKernel: y = x + a.
var addKernel = elementwise("add", `
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;`,
	"y[i] = x[i] + params.a;",
	[]Arg{{Name: "x", Access: Read, Size: 4}, {Name: "y", Access: ReadWrite, Size: 4}},
	func(l *cpu.Launch) error {
		p := cpu.Params[testParams](l)
		return cpu.Run(l, addArgs{p.a, p.threads, cpu.Slice[float32](l, 0), cpu.Slice[float32](l, 1)}, addGroups)
	})

type addArgs struct {
	a       float32
	threads uint32
	x, y    []float32
}

func addGroups(p *addArgs, first, last uint32) {
	for i := first * 64; i < min(last*64, p.threads); i++ {
		p.y[i] = p.x[i] + p.a
	}
}

// Add: y = x + a.
func Add(on Target, a float32, x, y View[float32]) error {
	l := Begin(on, &addKernel)
	Bind(l, 0, x)
	Bind(l, 1, y)
	l.Where("len(x) >= 0", l.Len(0).Ge(Int(0)), Value{"len(x)", 5})
	l.Need(1, "len(x)", l.Len(0), Value{"len(x)", 5})
	l.Grid("len(x)", l.Len(0))
	Params[testParams](l).a = a
	return l.End()
}

// AddIndirect is Add over a grid on the device.
func AddIndirect(on Target, grid View[uint32], a float32, x, y View[float32]) error {
	l := Begin(on, &addKernel)
	Bind(l, 0, x)
	Bind(l, 1, y)
	l.Grid("len(x)", l.Len(0))
	l.Indirect(grid)
	Params[testParams](l).a = a
	return l.End()
}

// growKernel: x += a, in one buffer.
var growKernel = elementwise("grow", `
@group(0) @binding(1) var<storage, read_write> x: array<f32>;`,
	"x[i] += params.a;",
	[]Arg{{Name: "x", Access: ReadWrite, Size: 4}},
	func(l *cpu.Launch) error {
		x, p := cpu.Slice[float32](l, 0), cpu.Params[testParams](l)
		return each(l, func(i uint32) { x[i] += p.a })
	})

// Grow: x += a.
func Grow(on Target, a float32, x View[float32]) error {
	l := Begin(on, &growKernel)
	Bind(l, 0, x)
	l.Grid("len(x)", l.Len(0))
	Params[testParams](l).a = a
	return l.End()
}

// doubleKernel: y = 2x, with a form in place.
var doubleKernel = func() Kernel {
	k := elementwise("double", `
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;`,
		"y[i] = 2.0f * x[i];",
		[]Arg{{Name: "x", Access: Read, Size: 4}, {Name: "y", Access: ReadWrite, Size: 4}},
		func(l *cpu.Launch) error {
			x, y := cpu.Slice[float32](l, 0), cpu.Slice[float32](l, 1)
			return each(l, func(i uint32) { y[i] = 2 * x[i] })
		})
	inPlace := elementwise("double", `
@group(0) @binding(2) var<storage, read_write> y: array<f32>;`,
		"y[i] = 2.0f * y[i];", nil, nil)
	k.InPlace = []InPlace{{Out: 1, In: 0, WGSL: inPlace.WGSL}}
	return k
}()

// Double: y = 2x.
func Double(on Target, x, y View[float32]) error {
	l := Begin(on, &doubleKernel)
	Bind(l, 0, x)
	Bind(l, 1, y)
	l.Need(1, "len(x)", l.Len(0))
	l.Grid("len(x)", l.Len(0))
	return l.End()
}

// countKernel: n[0] += 1 in every workgroup, for groups= grids.
var countKernel = Kernel{
	Name: "count", Source: "count.go:3", Package: "tandem/runtime",
	WGSL: `
const fold = 0u;
struct Params {
  groups_x: u32,
  pad: vec3<u32>,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> n: array<atomic<u32>>;
@compute @workgroup_size(1)
fn count(@builtin(workgroup_id) group: vec3<u32>) {
  let group_x = group.x + fold * group.y;
  if (fold != 0u && group_x >= params.groups_x) {
    return;
  }
  atomicAdd(&n[0], 1u);
  atomicMax(&n[1], group_x);
}
`,
	Workgroup: [3]uint32{1, 1, 1}, Dims: 1, Params: 32,
	Fields:  []Field{{GroupsField, 0, 0}},
	Buffers: []Arg{{Name: "n", Access: ReadWrite, Size: 4}},
	Run: func(l *cpu.Launch) error {
		n := cpu.Slice[uint32](l, 0)
		n[0] += l.Groups[0]
		n[1] = max(n[1], l.Groups[0]-1)
		return nil
	},
}

// Count adds the number of workgroups to n[0] and puts the last one into n[1].
func Count(on Target, groups int, n View[uint32]) error {
	l := Begin(on, &countKernel)
	Bind(l, 0, n)
	l.Need(0, "2", Int(2))
	l.Grid("groups", Int(groups))
	return l.End()
}

// onDevices runs f on each kind of device: the CPU device, and a GPU, which may
// be a software driver.
func onDevices(t *testing.T, f func(t *testing.T, d *Device)) {
	for _, kind := range []string{"cpu", "gpu"} {
		t.Run(kind, func(t *testing.T) { f(t, openFor(t, kind)) })
	}
}

// openFor opens a device of kind for the length of a test.
func openFor(t testing.TB, kind string) *Device { return openWith(t, Options{Device: kind}) }

// openWith opens a device for the length of a test, which does not run where there is none.
func openWith(t testing.TB, o Options) *Device {
	t.Helper()
	d, err := Open(o)
	if errors.Is(err, ErrNoAdapter) {
		t.Skipf("%s does not run: %v", t.Name(), err)
	}
	ok(t, err)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// ok fails the test if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// read returns the content of b.
func read[T any](t testing.TB, b *Buffer[T]) []T {
	t.Helper()
	out, err := b.Read(context.Background())
	ok(t, err)
	return out
}

// want fails the test unless b holds values.
func want[T comparable](t testing.TB, b *Buffer[T], values ...T) {
	t.Helper()
	got := read(t, b)
	if fmt.Sprint(got) != fmt.Sprint(values) {
		t.Errorf("got %v, want %v", got, values)
	}
}

// all returns n times v.
func all[T any](n int, v T) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = v
	}
	return s
}

// sumCPU: z = x + y.
func sumCPU(l *cpu.Launch) error {
	x, y, z := cpu.Slice[float32](l, 0), cpu.Slice[float32](l, 1), cpu.Slice[float32](l, 2)
	return each(l, func(i uint32) { z[i] = x[i] + y[i] })
}
