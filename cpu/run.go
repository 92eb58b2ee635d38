package cpu

import (
	"reflect"
	"sync"
	"time"
)

// Run runs a kernel's workgroups on all cores. groups is the function generated
// for the kernel; it runs workgroups first to last-1, counted X first, and is
// called for disjoint ranges, at the same time. args are the kernel's arguments;
// groups must not change them.
//
// A panic in groups is a bug of the kernel and becomes a *fault.Error, after
// which the contents of the buffers are not defined.
//
// In the steady state Run allocates nothing.
func Run[A any](l *Launch, args A, groups func(a *A, first, last uint32)) error {
	form := formOf[A]()
	if form.simd != nil && simd.Load() {
		groups = form.simd
	}
	c, ok := form.pool.Get().(*call[A])
	if !ok {
		c = newCall[A]()
	}
	c.args, c.groups = args, groups
	err := l.Run(c.run)
	*c = call[A]{run: c.run}
	form.pool.Put(c)
	return err
}

// A call keeps arguments where other goroutines can reach them.
type call[A any] struct {
	args   A
	groups func(a *A, first, last uint32)
	run    func(first, last uint32) // calls groups with args
}

func newCall[A any]() *call[A] {
	c := new(call[A])
	c.run = func(first, last uint32) { c.groups(&c.args, first, last) }
	return c
}

// A form is what is known of a kernel, which its arguments' type A stands for.
type form[A any] struct {
	pool sync.Pool                         // of *call[A]
	simd func(args *A, first, last uint32) // the kernel's groups with several invocations at a time; nil: none
}

// forms holds the *form[A] of each type A.
var forms sync.Map

func formOf[A any]() *form[A] {
	key := reflect.TypeFor[A]()
	if f, ok := forms.Load(key); ok {
		return f.(*form[A])
	}
	f, _ := forms.LoadOrStore(key, new(form[A]))
	return f.(*form[A])
}

// Run is the function Run for a groups that holds its arguments itself, which
// costs the allocation of a closure.
func (l *Launch) Run(groups func(first, last uint32)) error {
	total, err := l.total()
	if err != nil || total == 0 {
		return err
	}
	j := jobs.Get().(*job)
	defer jobs.Put(j)
	j.begin(l, groups)
	if done, each := j.sample(total); done < total {
		j.share(done, total, each)
	}
	return j.end()
}

const (
	worthSharing = 10 * time.Microsecond // work for which waking another core pays
	sampleTime   = 2 * time.Microsecond
	chunkTime    = 25 * time.Microsecond
)

// sample runs workgroups until it is known how long one takes, or, if all are
// soon done, all. It returns how many it ran and the time of each.
func (j *job) sample(total uint32) (done uint32, each time.Duration) {
	begin := time.Now()
	for n := uint32(1); done < total; n *= 2 {
		last := done + min(n, total-done)
		j.runRange(done, last)
		done = last
		if done == total {
			break
		}
		took := time.Since(begin)
		rest := time.Duration(float64(took) * float64(total-done) / float64(done))
		if rest < worthSharing || helpers.size() == 0 {
			j.runRange(done, total)
			return total, 0
		}
		if took >= sampleTime {
			return done, max(took/time.Duration(done), 1)
		}
	}
	return done, 0
}

// share runs workgroups first to total-1, each of which takes about each, on all
// cores.
func (j *job) share(first, total uint32, each time.Duration) {
	rest := total - first
	fair := rest/uint32(4*(helpers.size()+1)) + 1
	chunk := min(max(uint32(chunkTime/each), 1), fair)
	j.offer(first, total, chunk)
	turn := j.turn
	helpers.wake(ticket{j, turn}, j.chunks-1)
	if _, last := j.work(turn); !last {
		<-j.finished
	}
}
