package cpu

import (
	"runtime"
	"testing"
)

// TestSoon: a helper sees a call that comes soon, and does not wait for one that does not.
func TestSoon(t *testing.T) {
	idle := team{calls: make(chan ticket, 1)}
	if _, ok := idle.soon(); ok {
		t.Error("a call that nobody made")
	}
	idle.calls <- ticket{turn: 7}
	if c, ok := idle.soon(); !ok || c.turn != 7 {
		t.Errorf("got %v, %v", c, ok)
	}
}

// TestFewerCores: where the program is left one core, a launch runs on the goroutine that launches.
func TestFewerCores(t *testing.T) {
	helpers.size()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if n := helpers.size(); n != 0 {
		t.Errorf("%d helpers for one core", n)
	}
}
