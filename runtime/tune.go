package runtime

import (
	"math/bits"
	"time"

	"tandem/runtime/internal/driver"
)

// On the first launch of a kernel with variants in a size class, the device
// times the variants and keeps the fastest.
//
// A launch that is timed must not change anything: a kernel that reads what it
// writes cannot simply run several times on the caller's buffers. So variants
// run on copies of the arguments, and before every run those that the kernel
// writes are copied anew. The copies see what was recorded before, in any scope,
// as a read would. Where an argument shares memory with one that is written, or
// the copies would be too large, nothing is timed and the default runs.

const (
	tuneBytes = 4 << 30          // the most that the copies may take
	tuneRuns  = 5                // of each variant, the first to warm up
	tuneLong  = time.Second / 20 // a variant that takes longer runs once more at most
	tuneGain  = 0.97             // of the default's time: what differs less is noise
)

// class returns the size class of l: the binary magnitudes of its grid and
// buffers, mixed (FNV-1a).
func (l *Launch) class() uint64 {
	h := uint64(fnvStart)
	for _, n := range l.dims {
		h = (h ^ uint64(bits.Len64(uint64(n)))) * fnvPrime
	}
	for i := range l.args {
		h = (h ^ uint64(bits.Len64(uint64(l.args[i].n)))) * fnvPrime
	}
	return h
}

// tune finds the variant for l, and keeps the choice.
func (t *tuner) tune(l *Launch, key choiceKey) int {
	t.timing.Lock()
	defer t.timing.Unlock()
	t.mu.Lock()
	i, known := t.choices[key] // by another goroutine, meanwhile
	t.mu.Unlock()
	if known {
		return i
	}
	name := key.text()
	i, known = t.recall(l.kernel, name)
	if !known {
		var final bool
		if i, known, final = l.timeAll(); !known && !final {
			return asDefault
		}
		if known {
			t.remember(l.kernel, name, i)
		}
	}
	t.mu.Lock()
	t.choices[key] = i
	t.mu.Unlock()
	return i
}

// timeAll times the variants of l. Not ok: they could not be timed; final: nor
// can they be another time.
func (l *Launch) timeAll() (best int, ok, final bool) {
	if !l.separate() {
		return asDefault, false, false
	}
	c, err := l.copies()
	defer c.release()
	if err != nil {
		return asDefault, false, true
	}
	fastest, err := c.time(asDefault)
	if err != nil {
		return asDefault, false, true // the launch itself will say why
	}
	fastest = time.Duration(float64(fastest) * tuneGain)
	best = asDefault
	for i := range l.kernel.Variants {
		if !l.canRun(i) {
			continue
		}
		if took, err := c.time(i); err == nil && took < fastest {
			best, fastest = i, took
		}
	}
	return best, true, true
}

// separate reports whether l can be timed now: its arguments are there and share
// no memory that it writes, it runs something, and nobody profiles the device.
func (l *Launch) separate() bool {
	total, groups := int64(0), int64(1)
	for i := range l.args {
		if l.args[i].own == nil {
			return false
		}
		for j := range i {
			if l.shareWritten(i, j) {
				return false
			}
		}
		total += l.args[i].bytes
	}
	for _, n := range l.dims {
		groups *= min(n, 1)
	}
	l.dev.mu.Lock()
	defer l.dev.mu.Unlock()
	return total <= tuneBytes && groups > 0 && l.dev.profile == nil
}

// shareWritten reports whether arguments i and j have bytes in common and one of them is written:
// a kernel in place.
func (l *Launch) shareWritten(i, j int) bool {
	a, b := &l.args[i], &l.args[j]
	return a.own == b.own && a.span.meets(b.span) && (l.kernel.writes(i) || l.kernel.writes(j))
}

// copies is a launch on copies of its arguments.
type copies struct {
	of   *Launch
	mine []*Buffer[uint8] // nil where an argument is empty
}

// copies makes copies of l's arguments.
func (l *Launch) copies() (*copies, error) {
	c := &copies{of: l, mine: make([]*Buffer[uint8], len(l.args))}
	for i := range l.args {
		if n := l.args[i].bytes; n > 0 {
			c.mine[i] = NewUninit[uint8](l.dev, int(n))
		}
	}
	return c, c.copy(func(int) bool { return true })
}

// copy copies the arguments for which which is true from the caller's buffers.
func (c *copies) copy(which func(i int) bool) error {
	s := c.of.dev.Scope()
	for i, b := range c.mine {
		if a := &c.of.args[i]; b != nil && which(i) {
			from := Buffer[uint8]{view{own: a.own, off: a.offset, bytes: a.bytes, n: int(a.bytes)}}
			if err := from.CopyTo(s, b); err != nil {
				return err
			}
		}
	}
	return s.Submit()
}

func (c *copies) release() {
	for _, b := range c.mine {
		if b != nil {
			b.Release()
		}
	}
}

// time returns the shortest time that a variant took.
func (c *copies) time(variant int) (time.Duration, error) {
	var shortest time.Duration
	for run := range tuneRuns {
		err := c.copy(func(i int) bool { return c.of.kernel.Buffers[i].Access == ReadWrite })
		if err != nil {
			return 0, err
		}
		took, err := c.run(variant)
		if err != nil {
			return 0, err
		}
		if run <= 1 || took < shortest {
			shortest = took
		}
		if run >= 1 && took > tuneLong {
			break
		}
	}
	return shortest, nil
}

// run runs a variant once and returns the time it took.
func (c *copies) run(variant int) (time.Duration, error) {
	s := c.of.dev.Scope()
	s.root.timing = driver.Total
	l := launches.Get().(*Launch)
	l.reset(c.of.kernel)
	l.dev, l.scope, l.chosen = c.of.dev, s, true
	l.dims = c.of.dims
	copy(l.variants, c.of.variants)
	copy(l.block, c.of.block)
	for i, a := range c.of.args {
		if b := c.mine[i]; b != nil {
			a.own, a.offset = b.own, 0
		}
		l.args[i] = a
	}
	if variant != asDefault {
		l.become(variant)
	}
	err := l.record()
	l.free()
	if e := s.Submit(); err == nil {
		err = e
	}
	return s.root.time, err
}
