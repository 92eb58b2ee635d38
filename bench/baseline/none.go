//go:build !cgo || js

package baseline

import "errors"

// Saxpy launches y += a x, straight on the binding, which needs cgo: it is not there in this build.
type Saxpy struct{}

var errNone = errors.New("this build is without cgo, which the WebGPU binding needs")

// OpenSaxpy returns an error that says so.
func OpenSaxpy(string, int) (*Saxpy, error) { return nil, errNone }

// Run does nothing.
func (*Saxpy) Run(Style, int) error { return errNone }

// Wait does nothing.
func (*Saxpy) Wait() {}

// Read does nothing.
func (*Saxpy) Read() (float32, error) { return 0, errNone }

// Rest does nothing.
func Rest() (resume func()) { return func() {} }
