package runtime

import (
	goruntime "runtime"
	"testing"
	"time"
)

// The pool hands memory out by exact size, keeps at most its limit, and gives up
// the oldest first.
func TestPool(t *testing.T) {
	for _, kind := range []string{"cpu", "gpu"} {
		t.Run(kind, func(t *testing.T) {
			d := openWith(t, Options{Device: kind, PoolBytes: 64 << 10})
			at := func() Stats { return d.Stats() }
			New[float32](d, 1000).Release()
			before := at()
			New[float32](d, 1001).Release() // rounds to another size
			if n := at().Since(before); n.PoolHits != 0 || n.BuffersCreated != 1 {
				t.Errorf("another size: %+v", n)
			}
			before = at()
			New[float32](d, 1000).Release()
			if n := at().Since(before); n.PoolHits != 1 || n.BuffersCreated != 0 {
				t.Errorf("the same size: %+v", n)
			}
			var buffers []*Buffer[float32]
			for range 30 {
				buffers = append(buffers, New[float32](d, 1000)) // 4000 bytes each
			}
			if n := at().InUse; n != 30*4000 {
				t.Errorf("%d bytes in use", n)
			}
			for _, b := range buffers {
				b.Release()
			}
			if n := at(); n.InUse != 0 || n.Pooled > 64<<10 || n.Pooled < 56<<10 {
				t.Errorf("after the releases: %+v", n)
			}
			before = at()
			New[float32](d, 1001) // the oldest of the pool: given up
			if n := at().Since(before); n.PoolHits != 0 {
				t.Errorf("the oldest was kept: %+v", n)
			}
		})
	}
}

// Buffers that nobody released go back once nothing reaches them; views keep
// them.
func TestAbandonedBuffers(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		view := New[float32](d, 4096).Slice(64, 128)
		for range 10 {
			New[float32](d, 1000)
		}
		wait := func(inUse int64) {
			t.Helper()
			for range 100 {
				goruntime.GC()
				if d.Stats().InUse == inUse {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
			t.Errorf("%d bytes in use, want %d", d.Stats().InUse, inUse)
		}
		wait(4 * 4096)
		ok(t, Grow(d, 1, view))
		goruntime.KeepAlive(view)
		view = nil
		wait(0)
	})
}

// A scope that is never submitted runs nothing, and what it recorded is forgotten
// with it.
func TestScopeNeverSubmitted(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x := New[float32](d, 4)
		y := New[float32](d, 4)
		func() {
			s := d.Scope()
			ok(t, Grow(s, 1, y))
			y.Release() // still held by what is recorded
		}()
		for range 100 {
			goruntime.GC()
			if d.Stats().Pooled == 16 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if n := d.Stats(); n.Pooled != 16 || n.Dispatches != 0 {
			t.Errorf("got %+v", n)
		}
		want(t, x, 0, 0, 0, 0)
	})
}

// The cache of bind groups forgets what was not used lately, and what is in use
// lives on.
func TestGroupCache(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		step := int(d.Limits().StorageAlign) / 4
		const views = 2*maxGroups + 100
		x := New[float32](d, views*step)
		s := d.Scope()
		for i := range views {
			ok(t, Grow(s, 1, x.Slice(i*step, i*step+1)))
			ok(t, Grow(s, 1, x.Slice(0, 1))) // used all the time
		}
		made := d.Stats().BindGroupsCreated
		ok(t, Grow(s, 1, x.Slice(0, 1)))
		ok(t, Grow(s, 1, x.Slice((views-1)*step, (views-1)*step+1)))
		if n := d.Stats().BindGroupsCreated; n != made {
			t.Errorf("bind groups in use were dropped: %d new", n-made)
		}
		ok(t, Grow(s, 1, x.Slice(step, step+1)))
		if n := d.Stats().BindGroupsCreated; n != made+1 {
			t.Errorf("the oldest bind group was kept")
		}
		ok(t, s.Submit())
		got := read(t, x)
		if got[0] != views+2 || got[step] != 2 || got[2*step] != 1 || got[(views-1)*step] != 2 {
			t.Errorf("got %v %v %v %v", got[0], got[step], got[2*step], got[(views-1)*step])
		}
		kept := 0
		d.mu.Lock()
		defer d.mu.Unlock()
		for st := range d.all {
			kept += len(st.groups)
		}
		if cached := d.groups.young.count + d.groups.old.count; kept != 2*cached { // x and the parameters
			t.Errorf("memory names bind groups %d times, and the cache has %d, of two bindings each", kept, cached)
		}
	})
}
