package cpu

import (
	"runtime"
	"sync"
	"time"
)

// A team is goroutines that help with launches, one for each core but the one
// that launches. They start with the first launch that is worth sharing, and
// stay.
type team struct {
	start sync.Once
	n     int // how many there are
	calls chan ticket
}

// attentive is for how long a helper that has helped looks out for the next call
// before it sleeps: waking it takes longer than a small launch, and launches come
// one after the other.
const attentive = 50 * time.Microsecond

// A ticket asks for help with a turn of a job.
type ticket struct {
	job  *job
	turn uint32
}

var helpers team

// size returns the number of helpers that have a core.
func (t *team) size() int {
	cores := runtime.GOMAXPROCS(0)
	t.start.Do(func() {
		t.n = cores - 1
		t.calls = make(chan ticket, t.n)
		for range t.n {
			go t.help()
		}
	})
	return min(t.n, cores-1)
}

// wake calls at most n helpers. Where the channel is full all are busy, and
// will come to earlier calls first.
func (t *team) wake(help ticket, n uint32) {
	for range min(uint32(t.size()), n) {
		select {
		case t.calls <- help:
		default:
			return
		}
	}
}

// help answers calls.
func (t *team) help() {
	for c := range t.calls {
		for helped := true; helped; {
			var last bool
			if helped, last = c.job.work(c.turn); last {
				c.job.finished <- struct{}{}
			}
			if helped {
				c, helped = t.soon()
			}
		}
	}
}

// soon returns a call that comes in the next moment.
func (t *team) soon() (c ticket, ok bool) {
	for begin := time.Now(); time.Since(begin) < attentive; {
		for range 20 {
			select {
			case c := <-t.calls:
				return c, true
			default:
			}
		}
	}
	return ticket{}, false
}

// Outside returns i, an index that is out of range wherever it is reached: Go refuses it as a constant.
func Outside[T int | int32 | uint32](i T) T { return i }
