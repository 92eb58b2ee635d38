package runtime

import (
	"context"
	"testing"
)

// In the steady state of a repeated scope nothing is created.
func TestSteadyState(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x, y := New[float32](d, 256), New[float32](d, 256)
		out := make([]float32, 256)
		round := func() {
			s := d.Scope()
			z := NewUninit[float32](s, 256)
			for range 10 {
				Add(s, 1, x, z)
				Double(s, z, y)
				Double(s, y, y)
				z.CopyTo(s, x)
			}
			ok(t, s.Submit())
			z.Release()
			ok(t, y.ReadInto(context.Background(), out))
		}
		for range 3 {
			round()
		}
		before := d.Stats()
		for range 20 {
			round()
		}
		n := d.Stats().Since(before)
		if n.BuffersCreated != 0 || n.BindGroupsCreated != 0 || n.PipelinesCreated != 0 || n.InUse != 0 || n.Pooled != 0 {
			t.Errorf("the steady state creates: %+v", n)
		}
		if n.Dispatches != 800 || n.PoolHits != 20 {
			t.Errorf("%d dispatches and %d buffers from the pool, want 800 and 20", n.Dispatches, n.PoolHits)
		}
	})
}

// Recording a launch allocates nothing.
func TestLaunchAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("TestLaunchAllocatesNothing does not run: the race detector allocates")
	}
	onDevices(t, func(t *testing.T, d *Device) {
		if d.Info().Backend == "browser" {
			t.Skip("TestLaunchAllocatesNothing does not run in a browser: calls to JavaScript allocate")
		}
		x, y := New[float32](d, 64), New[float32](d, 64)
		for _, launches := range []int{50, 400} {
			round := func() { recorded(d, x, y, launches).Submit() }
			round()
			if n := testing.AllocsPerRun(5, round); n > 20 { // of the scope, however many launches
				t.Errorf("a scope of %d launches allocates %v times", launches, n)
			}
		}
	})
}

// benchOnDevices runs a benchmark on the CPU device and on a GPU.
func benchOnDevices(b *testing.B, bench func(b *testing.B, d *Device)) {
	for _, kind := range []string{"cpu", "gpu"} {
		b.Run(kind, func(b *testing.B) { bench(b, openFor(b, kind)) })
	}
}

// recorded returns a scope with launches of two buffers and 16 bytes of uniforms.
func recorded(d *Device, x, y *Buffer[float32], launches int) *Scope {
	s := d.Scope()
	for range launches {
		Add(s, 1, x, y)
	}
	return s
}

// BenchmarkRecord is the CPU's time to record a launch, launcher included.
func BenchmarkRecord(b *testing.B) {
	benchOnDevices(b, func(b *testing.B, d *Device) {
		x, y := New[float32](d, 64), New[float32](d, 64)
		b.ReportAllocs()
		for i := 0; i < b.N; i += 1000 {
			s := recorded(d, x, y, min(1000, b.N-i))
			b.StopTimer()
			s.Submit()
			d.Wait(context.Background())
			b.StartTimer()
		}
	})
}

// BenchmarkScope is the whole time of a launch in a scope of 1000, device
// included.
func BenchmarkScope(b *testing.B) {
	benchOnDevices(b, func(b *testing.B, d *Device) {
		x, y := New[float32](d, 64), New[float32](d, 64)
		b.ReportAllocs()
		for i := 0; i < b.N; i += 1000 {
			recorded(d, x, y, min(1000, b.N-i)).Submit()
			d.Wait(context.Background())
		}
	})
}

// BenchmarkSubmit is the CPU's time to submit 1000 launches, a launch: on the CPU device, to run them.
func BenchmarkSubmit(b *testing.B) {
	benchOnDevices(b, func(b *testing.B, d *Device) {
		x, y := New[float32](d, 64), New[float32](d, 64)
		b.StopTimer()
		for i := 0; i < b.N; i += 1000 {
			s := recorded(d, x, y, min(1000, b.N-i))
			b.StartTimer()
			s.Submit()
			b.StopTimer()
			d.Wait(context.Background())
		}
	})
}

// BenchmarkRead is a read of four bytes.
func BenchmarkRead(b *testing.B) {
	benchOnDevices(b, func(b *testing.B, d *Device) {
		x := New[float32](d, 1)
		var out [1]float32
		for range b.N {
			x.ReadInto(context.Background(), out[:])
		}
	})
}
