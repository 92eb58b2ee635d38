package cpu

import (
	"runtime"
	"sync"
)

// A team is goroutines that help with launches, one for each core but the one
// that launches. They start with the first launch that is worth sharing, and
// stay.
type team struct {
	start sync.Once
	n     int
	calls chan ticket
}

// A ticket asks for help with a turn of a job.
type ticket struct {
	job  *job
	turn uint32
}

var helpers team

// size returns the number of helpers.
func (t *team) size() int {
	t.start.Do(func() {
		t.n = runtime.GOMAXPROCS(0) - 1
		t.calls = make(chan ticket, t.n)
		for range t.n {
			go t.help()
		}
	})
	return t.n
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
		if c.job.work(c.turn) {
			c.job.finished <- struct{}{}
		}
	}
}
