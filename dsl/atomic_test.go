package dsl_test

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"tandem/dsl"
)

func TestAtomicsReturnTheOldValue(t *testing.T) {
	for _, c := range []struct {
		name      string
		op        func(a *dsl.AtomicInt32) int32
		old, want int32
	}{
		{"Load", (*dsl.AtomicInt32).Load, -7, -7},
		{"Exchange", func(a *dsl.AtomicInt32) int32 { return a.Exchange(3) }, -7, 3},
		{"Add", func(a *dsl.AtomicInt32) int32 { return a.Add(3) }, math.MaxInt32, math.MinInt32 + 2},
		{"Sub", func(a *dsl.AtomicInt32) int32 { return a.Sub(math.MinInt32) }, -7, math.MaxInt32 - 6},
		{"Min", func(a *dsl.AtomicInt32) int32 { return a.Min(-8) }, -7, -8},
		{"Min keeps", func(a *dsl.AtomicInt32) int32 { return a.Min(8) }, -7, -7},
		{"Max", func(a *dsl.AtomicInt32) int32 { return a.Max(-6) }, -7, -6},
		{"Max keeps", func(a *dsl.AtomicInt32) int32 { return a.Max(-8) }, -7, -7},
		{"And", func(a *dsl.AtomicInt32) int32 { return a.And(6) }, 12, 4},
		{"Or", func(a *dsl.AtomicInt32) int32 { return a.Or(6) }, 12, 14},
		{"Xor", func(a *dsl.AtomicInt32) int32 { return a.Xor(6) }, 12, 10},
		{"CompareExchange", func(a *dsl.AtomicInt32) int32 { return a.CompareExchange(-7, 1) }, -7, 1},
		{"CompareExchange keeps", func(a *dsl.AtomicInt32) int32 { return a.CompareExchange(7, 1) }, -7, -7},
	} {
		var a dsl.AtomicInt32
		a.Store(c.old)
		if got := c.op(&a); got != c.old {
			t.Errorf("%s returned %d, want the old value %d", c.name, got, c.old)
		}
		if got := a.Load(); got != c.want {
			t.Errorf("%s left %d, want %d", c.name, got, c.want)
		}
	}
	var u dsl.AtomicUint32
	if u.Sub(1) != 0 || u.Max(5) != math.MaxUint32 || u.Min(5) != math.MaxUint32 || u.Load() != 5 {
		t.Error("AtomicUint32 compares as signed")
	}
	if u.CompareAndSwap(4, 1) || !u.CompareAndSwap(5, 1) || u.Load() != 1 {
		t.Error("CompareAndSwap")
	}
}

func TestAtomicLayout(t *testing.T) {
	if n := unsafe.Sizeof(dsl.AtomicInt32{}) + unsafe.Sizeof(dsl.AtomicUint32{}); n != 8 {
		t.Errorf("two atomics take %d bytes", n)
	}
}

func TestAtomicsFromManyInvocations(t *testing.T) {
	var sum, xor, highest, count dsl.AtomicUint32
	var float dsl.AtomicUint32
	const n = 64 * 20
	seen := make([]dsl.AtomicUint32, n)
	err := dsl.Emulate(line(64, 20), same(func(t dsl.Thread) {
		i := t.Global.X
		sum.Add(i)
		xor.Xor(1 << (i % 32))
		highest.Max(i)
		dsl.AtomicAddFloat32(&float, 0.5)
		seen[count.Add(1)].Add(1) // each old value once
	}))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(sum.Load(), xor.Load(), highest.Load(), dsl.Float32FromBits(float.Load()))
	if want := fmt.Sprint(n*(n-1)/2, 0, n-1, n/2); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for i := range seen {
		if seen[i].Load() != 1 {
			t.Fatalf("value %d was returned %d times", i, seen[i].Load())
		}
	}
}

func ExampleAtomicUint32() {
	bins := make([]dsl.AtomicUint32, 3)
	x := []uint32{0, 2, 2, 1, 2}
	dsl.Emulate(dsl.Grid{Workgroup: [3]uint32{4, 1, 1}, Threads: [3]uint32{5, 1, 1}}, func() func(dsl.Thread) {
		return func(t dsl.Thread) { bins[x[t.Global.X]].Add(1) }
	})
	fmt.Println(bins[0].Load(), bins[1].Load(), bins[2].Load())
	// Output: 1 1 3
}

func ExampleClamp() {
	fmt.Println(dsl.Clamp(5, 0, 3))
	fmt.Println(dsl.Clamp(dsl.Vec2{X: -1, Y: 0.5}, dsl.Vec2{}, dsl.Vec2{X: 1, Y: 1}))
	// Output:
	// 3
	// {0 0.5}
}
