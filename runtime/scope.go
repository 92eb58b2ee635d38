package runtime

import (
	"cmp"
	goruntime "runtime"
	"time"

	"tandem/runtime/internal/driver"
)

// Scope records launches to be submitted together. It may be used from several
// goroutines; what they record runs in the order in which it was recorded.
//
// The first error sticks: later launches on the scope return it and record
// nothing, and Submit returns it. What was recorded before it still runs.
//
// A scope that is never submitted runs nothing, except what a read or a launch
// elsewhere needed.
type Scope struct {
	root  *root
	outer *Scope // nil for the outermost
	done  bool   // guarded by the device's lock
	err   error  // likewise
}

// root is what a scope and the scopes within it share.
type root struct {
	dev    *Device
	batch  *batch // what is recorded and not submitted; nil if nothing
	err    error
	timing driver.Timing
	time   time.Duration
}

// Scope opens a scope on d.
func (d *Device) Scope() *Scope {
	s := &Scope{root: &root{dev: d}}
	if d != nil {
		goruntime.AddCleanup(s, d.drop, s.root)
	}
	return s
}

// Scope opens a scope within s. What is recorded on it goes out with s.
func (s *Scope) Scope() *Scope {
	if s == nil {
		return &Scope{}
	}
	return &Scope{root: s.root, outer: s}
}

// Device returns the device of s.
func (s *Scope) Device() *Device {
	d, _, _ := s.target()
	return d
}

func (s *Scope) target() (*Device, *Scope, error) {
	if s == nil || s.root == nil || s.root.dev == nil {
		return nil, nil, failf(ErrNil, "the scope is nil or of no device")
	}
	d, _, err := s.root.dev.target()
	return d, s, err
}

// Err returns the error that sticks to s, or nil.
func (s *Scope) Err() error {
	if _, _, err := s.target(); err != nil {
		return err
	}
	s.root.dev.mu.Lock()
	defer s.root.dev.mu.Unlock()
	if s.outer == nil {
		return s.root.err
	}
	return s.err
}

// stick keeps the first error of s and returns err.
func (s *Scope) stick(err error) error {
	if err == nil {
		return nil
	}
	d := s.root.dev
	d.mu.Lock()
	defer d.mu.Unlock()
	for ; s != nil; s = s.outer {
		if s.err == nil {
			s.err = err
		}
		if s.outer == nil && s.root.err == nil {
			s.root.err = err
		}
	}
	return err
}

// Refuse makes err, if it is not nil, stick to the scope that on is, as the error of a launch does,
// and returns it. It is for functions that check arguments themselves before they launch.
func Refuse(on Target, err error) error {
	if on == nil || err == nil {
		return err
	}
	if _, s, unusable := on.target(); unusable == nil && s != nil {
		return s.stick(err)
	}
	return err
}

// open returns why nothing can be recorded on s, or nil. The caller holds the
// device's lock.
func (s *Scope) open() error {
	if s.root.err != nil {
		return s.root.err
	}
	return s.submitted()
}

// submitted returns an error if s, or a scope around it, was submitted. The caller holds the device's lock.
func (s *Scope) submitted() error {
	for t := s; t != nil; t = t.outer {
		if t.done {
			return failf(ErrSubmitted, "the scope was already submitted; open a new one")
		}
	}
	return nil
}

// Submit sends what was recorded to the device and returns the first error. The
// scope cannot be used afterwards. On a scope within another it only ends this
// one: its work goes out with the outermost, or has gone, if that was submitted before.
func (s *Scope) Submit() error {
	d, _, err := s.target()
	if err != nil {
		return err
	}
	d.mu.Lock()
	if s.done {
		d.mu.Unlock()
		return failf(ErrSubmitted, "the scope was already submitted")
	}
	if s.outer != nil {
		defer d.mu.Unlock()
		err := cmp.Or(s.err, s.open())
		s.done = true
		return err
	}
	s.done = true
	b := s.root.batch
	if b != nil {
		d.enqueue(b)
	}
	err = d.err
	d.mu.Unlock()
	if b != nil {
		d.complete(b) // an error sticks to s
	}
	if e := s.Err(); e != nil {
		return e
	}
	return err
}

// drop forgets what was recorded on a scope that was never submitted.
func (d *Device) drop(r *root) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b := r.batch; b != nil {
		b.detach()
		b.finish(d, nil)
		d.recycleBatch(b)
	}
}
