package cpu

import "sync/atomic"

// printing counts the debug launches that are running.
var printing atomic.Int32

// Printing reports whether dsl.Print prints: a debug launch is running.
func Printing() bool { return printing.Load() > 0 }

// Print makes dsl.Print print while f runs.
func Print(f func() error) error {
	printing.Add(1)
	defer printing.Add(-1)
	return f()
}
