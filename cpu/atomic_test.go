package cpu_test

import (
	"math"
	"sync"
	"testing"

	"tandem/cpu"
	"tandem/dsl"
)

// Each operation, on buffers and on workgroup memory, must leave and return what
// the method of dsl does.
func TestAtomicsAgreeWithDSL(t *testing.T) {
	type signed = func(p *int32, v int32) int32
	for _, c := range []struct {
		name          string
		atomic, plain signed
		dsl           func(a *dsl.AtomicInt32, v int32) int32
	}{
		{"Exchange", cpu.AtomicExchange[int32], cpu.PlainExchange[int32], (*dsl.AtomicInt32).Exchange},
		{"Add", cpu.AtomicAdd[int32], cpu.PlainAdd[int32], (*dsl.AtomicInt32).Add},
		{"Sub", cpu.AtomicSub[int32], cpu.PlainSub[int32], (*dsl.AtomicInt32).Sub},
		{"And", cpu.AtomicAnd[int32], cpu.PlainAnd[int32], (*dsl.AtomicInt32).And},
		{"Or", cpu.AtomicOr[int32], cpu.PlainOr[int32], (*dsl.AtomicInt32).Or},
		{"Xor", cpu.AtomicXor[int32], cpu.PlainXor[int32], (*dsl.AtomicInt32).Xor},
		{"Min", cpu.AtomicMin[int32], cpu.PlainMin[int32], (*dsl.AtomicInt32).Min},
		{"Max", cpu.AtomicMax[int32], cpu.PlainMax[int32], (*dsl.AtomicInt32).Max},
		{"CompareExchange with 5",
			func(p *int32, v int32) int32 { return cpu.AtomicCompareExchange(p, 5, v) },
			func(p *int32, v int32) int32 { return cpu.PlainCompareExchange(p, 5, v) },
			func(a *dsl.AtomicInt32, v int32) int32 { return a.CompareExchange(5, v) }},
		{"CompareAndSwap with 5",
			func(p *int32, v int32) int32 { return cpu.Select[int32](cpu.AtomicCompareAndSwap(p, 5, v), 1, 0) },
			func(p *int32, v int32) int32 { return cpu.Select[int32](cpu.PlainCompareAndSwap(p, 5, v), 1, 0) },
			func(a *dsl.AtomicInt32, v int32) int32 { return dsl.Select[int32](a.CompareAndSwap(5, v), 1, 0) }},
		{"Store, Load",
			func(p *int32, v int32) int32 { cpu.AtomicStore(p, v); return cpu.AtomicLoad(p) },
			func(p *int32, v int32) int32 { cpu.PlainStore(p, v); return *p },
			func(a *dsl.AtomicInt32, v int32) int32 { a.Store(v); return a.Load() }},
	} {
		for _, before := range ints {
			for _, v := range ints {
				var a dsl.AtomicInt32
				a.Store(before)
				want := c.dsl(&a, v)
				for way, op := range map[string]signed{"Atomic": c.atomic, "Plain": c.plain} {
					x := before
					if got := op(&x, v); got != want || x != a.Load() {
						t.Errorf("%s%s(%d, %d) = %d and leaves %d, dsl has %d and %d", way, c.name, before, v, got, x, want, a.Load())
					}
				}
			}
		}
	}
	x, y := uint32(math.MaxUint32), uint32(math.MaxUint32)
	cpu.AtomicMin(&x, 7)
	cpu.PlainMin(&y, 7)
	if x != 7 || y != 7 {
		t.Errorf("minimum of uint32: %d, %d", x, y)
	}
}

func TestAtomicsFromManyGoroutines(t *testing.T) {
	var sum, low, xor int32
	var wg sync.WaitGroup
	for g := range int32(8) {
		wg.Go(func() {
			for i := range int32(1000) {
				cpu.AtomicAdd(&sum, 1)
				cpu.AtomicMin(&low, -i*g)
				cpu.AtomicXor(&xor, 1<<(i%31))
			}
		})
	}
	wg.Wait()
	if sum != 8000 || low != -999*7 || xor != 0 {
		t.Errorf("sum %d, minimum %d, xor %d", sum, low, xor)
	}
}
