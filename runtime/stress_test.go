package runtime

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// stress is a goroutine that does to its buffers what comes to mind, and to a
// model of them in Go memory.
type stress struct {
	t      *testing.T
	d      *Device
	r      *rand.Rand
	scope  *Scope // nil: none is open
	live   []*modelled
	shared *Buffer[float32] // only read
	total  *Buffer[float32] // all add to it
	added  float32
}

// modelled is a buffer and what should be in it.
type modelled struct {
	buffer *Buffer[float32]
	want   []float32
}

var stressSizes = []int{1, 3, 64, 65, 300}

func (s *stress) on() Target {
	if s.scope != nil && s.r.IntN(4) > 0 {
		if s.r.IntN(8) == 0 {
			return s.scope.Scope()
		}
		return s.scope
	}
	return s.d
}

func (s *stress) pick() *modelled { return s.live[s.r.IntN(len(s.live))] }

func (s *stress) must(what string, err error) {
	if err != nil {
		s.t.Errorf("%s: %v", what, err)
	}
}

// check compares content with the model.
func (s *stress) check(what string, got, want []float32) {
	if !slices.Equal(got, want) {
		s.t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// step does one thing.
func (s *stress) step() {
	ctx := context.Background()
	a := float32(s.r.IntN(8))
	if len(s.live) < 3 {
		s.create(a)
		return
	}
	switch m := s.pick(); s.r.IntN(16) {
	case 0:
		if len(s.live) < 10 {
			s.create(a)
		}
	case 1:
		i := slices.Index(s.live, m)
		s.live = slices.Delete(s.live, i, i+1)
		if s.r.IntN(4) > 0 { // else: left to the garbage collector
			m.buffer.Release()
		}
	case 2, 3:
		s.must("grow", Grow(s.on(), a, m.buffer))
		for i := range m.want {
			m.want[i] += a
		}
	case 4:
		if to := s.pick(); to != m && len(to.want) >= len(m.want) {
			s.must("add", Add(s.on(), a, m.buffer, to.buffer))
			for i, v := range m.want {
				to.want[i] = v + a
			}
		}
	case 5:
		if m.want[0] < 1e5 {
			s.must("double", Double(s.on(), m.buffer, m.buffer))
			for i := range m.want {
				m.want[i] *= 2
			}
		}
	case 6:
		if to := s.pick(); to != m && len(to.want) >= len(m.want) {
			s.must("copy", m.buffer.CopyTo(s.on(), to.buffer))
			copy(to.want, m.want)
		}
	case 7:
		at := s.r.IntN(len(m.want))
		data := all(len(m.want)-at, a)
		s.must("write", m.buffer.Write(at, data))
		copy(m.want[at:], data)
		clear(data)
	case 8:
		got, err := m.buffer.Read(ctx)
		s.must("read", err)
		s.check("read", got, m.want)
	case 9:
		to := s.pick()
		x, y := make([]float32, len(m.want)), make([]float32, len(to.want))
		s.must("read many", ReadMany(ctx, Into(m.buffer, x), Into(to.buffer, y)))
		s.check("read many", x, m.want)
		s.check("read many", y, to.want)
	case 10:
		s.submit()
		s.scope = s.d.Scope()
	case 11:
		s.submit()
	case 12:
		s.must("total", Grow(s.on(), 1, s.total))
		s.added++
	case 13:
		if len(m.want) >= 64 {
			s.must("shared", Add(s.on(), a, s.shared, m.buffer))
			for i := range 64 {
				m.want[i] = 3 + a
			}
		}
	case 14:
		s.replace(m, a)
	case 15:
		s.forget(m, a)
	}
}

// replace puts what a kernel makes of m in m's place, in memory that may be what
// the scope was just done with, and lets go of the old.
func (s *stress) replace(m *modelled, a float32) {
	next := NewUninit[float32](s.on(), len(m.want))
	s.must("replace", Add(s.on(), a, m.buffer, next))
	for i := range m.want {
		m.want[i] += a
	}
	if s.r.IntN(4) > 0 { // else: the garbage collector finds it, perhaps while the scope is open
		m.buffer.Release()
	}
	m.buffer = next
}

// forget records on a scope that it never submits: what takes the place of what
// in it does not matter, and m stays as it is.
func (s *stress) forget(m *modelled, a float32) {
	scope := s.d.Scope()
	for range 3 {
		b := NewUninit[float32](scope, len(m.want))
		s.must("forget", Add(scope, a, m.buffer, b))
		b.Release()
	}
}

// create makes a buffer.
func (s *stress) create(a float32) {
	n := stressSizes[s.r.IntN(len(stressSizes))]
	m := &modelled{want: make([]float32, n)}
	switch s.r.IntN(3) {
	case 0:
		m.buffer = New[float32](s.on(), n)
	case 1:
		m.want = all(n, a)
		m.buffer = Upload(s.d, m.want)
	default:
		m.want = all(n, a)
		m.buffer = NewUninit[float32](s.d, n)
		s.must("write", m.buffer.Write(0, m.want))
	}
	s.must("create", m.buffer.Err())
	s.live = append(s.live, m)
}

func (s *stress) submit() {
	if s.scope != nil {
		s.must("submit", s.scope.Submit())
		s.scope = nil
	}
}

// stressRound runs goroutines for steps each, while the garbage collector runs,
// and checks what is left.
func stressRound(t *testing.T, d *Device, seed uint64, goroutines, steps int) {
	shared, total := Upload(d, all(64, float32(3))), New[float32](d, 1)
	stop := make(chan bool)
	var collector, group sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				goruntime.GC()
				time.Sleep(time.Millisecond) // a browser's event loop runs only while all wait
			}
		}
	})
	var lock sync.Mutex
	var added float32
	for i := range goroutines {
		group.Go(func() {
			s := &stress{t: t, d: d, r: rand.New(rand.NewPCG(seed, uint64(i))), shared: shared, total: total}
			for step := 0; step < steps && !t.Failed(); step++ {
				s.step()
			}
			s.submit()
			for _, m := range s.live {
				got, err := m.buffer.Read(context.Background())
				s.must("read", err)
				s.check("at the end", got, m.want)
				m.buffer.Release()
			}
			lock.Lock()
			added += s.added
			lock.Unlock()
		})
	}
	group.Wait()
	close(stop)
	collector.Wait()
	want(t, total, added)
	shared.Release()
	total.Release()
	if t.Failed() {
		t.Fatalf("seed %d", seed)
	}
}

func TestStress(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		seed := rand.Uint64()
		stressRound(t, d, seed, 8, 150)
	})
}

// TestSoak runs the stress for TANDEM_SOAK_TIME (default five minutes a device)
// and checks that memory stays flat: the process's, under the race detector, whose
// own grows with every round, Go's heap.
//
// Memory that is kept grows for some 100 rounds, until the cache of bind groups
// is full. After that what malloc has given out on a software GPU (Mesa's
// lavapipe, with glibc) goes up and down with the cache, by 2 MB, while what it
// holds grows by less than 1 MB in all, ever more slowly: it has an arena for
// each of the threads that call it, and these reach their peaks at different times.
func TestSoak(t *testing.T) {
	if !soaking(t) {
		t.Skip("TestSoak does not run: it takes minutes; set TANDEM_SOAK=1 (make soak)")
	}
	length := 5 * time.Minute
	if v := os.Getenv("TANDEM_SOAK_TIME"); v != "" {
		var err error
		if length, err = time.ParseDuration(v); err != nil || length <= 0 {
			t.Fatalf("TANDEM_SOAK_TIME=%q is not a time, such as 90s or 5m", v)
		}
	}
	onDevices(t, func(t *testing.T, d *Device) {
		var memory []int64
		start := time.Now()
		for seed := uint64(0); time.Since(start) < length || seed < settled; seed++ {
			stressRound(t, d, seed, 8, 300)
			memory = append(memory, heldMemory())
			if seed%10 == 9 {
				n := d.Stats()
				t.Logf("after %d rounds: memory %s, %d buffers, %d bind groups", seed+1, byteCount(memory[seed]), n.BuffersCreated, n.BindGroupsCreated)
			}
		}
		half := memory[len(memory)/2:]
		middle := len(half) / 2
		before, after := median(half[:middle+1]), median(half[middle:])
		t.Logf("%d rounds, memory %s, then %s", len(memory), byteCount(before), byteCount(after))
		if after-before > 1<<20 {
			t.Errorf("memory grows from %s to %s over the last half", byteCount(before), byteCount(after))
		}
	})
}

// settled is how many rounds it takes at least until the last half says whether
// memory grows, however slow the device.
const settled = 200

// soaking reports whether the long tests are to run.
func soaking(t *testing.T) bool {
	t.Helper()
	on, err := fromEnvironment("TANDEM_SOAK", "1")
	ok(t, err)
	return on != ""
}

// heldMemory returns the bytes of memory that the process holds; Go's heap alone
// where they are not known or the race detector's are among them.
func heldMemory() int64 {
	goruntime.GC()
	debug.FreeOSMemory()
	data, err := os.ReadFile("/proc/self/statm")
	var pages, resident int64
	if _, e := fmt.Fscan(strings.NewReader(string(data)), &pages, &resident); err != nil || e != nil || raceEnabled {
		var m goruntime.MemStats
		goruntime.ReadMemStats(&m)
		return int64(m.HeapInuse)
	}
	return resident * int64(os.Getpagesize())
}

func median(v []int64) int64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}
