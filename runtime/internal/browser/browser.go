//go:build js

// Package browser drives WebGPU in a browser (or Node.js) through syscall/js.
//
// Whatever takes time is a promise there: waiting for one parks the goroutine
// and lets the browser's event loop run. So a program must not open devices,
// make buffers or read from within an event handler, but in a goroutine that the
// handler starts.
package browser

import (
	"errors"
	"fmt"
	"syscall/js"

	"tandem/runtime/internal/driver"
)

// object is a JavaScript object literal.
type object = map[string]any

// device is an open device. WebAssembly has one thread, so it needs no lock.
type device struct {
	limits     driver.Limits
	dev, queue js.Value
	lost       bool
	closed     bool
	late       error // of a submit, learnt after it returned
	lateErrors js.Func
}

// open opens the browser's GPU. An adapter makes one device, so it is asked for
// again.
func open() (driver.Device, error) {
	adapter, err := request()
	if err != nil {
		return nil, err
	}
	limits := object{}
	for _, name := range raised {
		if v := adapter.Get("limits").Get(name); v.Type() == js.TypeNumber {
			limits[name] = v
		}
	}
	dev, err := await(adapter.Call("requestDevice", object{"requiredLimits": limits}))
	if err != nil {
		return nil, fmt.Errorf("the browser refuses to open the device: %w", err)
	}
	d := &device{dev: dev, queue: dev.Get("queue"), limits: limitsOf(dev.Get("limits"))}
	d.lateErrors = js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) > 0 && args[0].Truthy() && d.late == nil {
			d.late = failure(args[0])
		}
		return nil
	})
	go func() {
		await(dev.Get("lost"))
		d.lost = true
	}()
	return d, nil
}

func (d *device) Limits() driver.Limits { return d.limits }

// Close gives the device up.
func (d *device) Close() {
	if !d.closed {
		d.closed = true
		d.dev.Call("destroy")
	}
}

// usable returns why d cannot be used, or nil.
func (d *device) usable() error {
	switch {
	case d.closed:
		return errors.New("device closed")
	case d.lost:
		return driver.ErrLost
	}
	return nil
}

// failure returns the error for a GPUError.
func failure(e js.Value) error {
	if outOfMemory := js.Global().Get("GPUOutOfMemoryError"); outOfMemory.Truthy() && e.InstanceOf(outOfMemory) {
		return driver.ErrOutOfMemory
	}
	return &errPromise{e}
}

// begin and the two ends enclose calls that may fail.
func (d *device) begin() {
	d.dev.Call("pushErrorScope", "out-of-memory")
	d.dev.Call("pushErrorScope", "validation")
}

// end waits for the error of the calls since begin.
func (d *device) end() error {
	inner, outer := d.dev.Call("popErrorScope"), d.dev.Call("popErrorScope")
	for _, p := range []js.Value{inner, outer} {
		e, err := await(p)
		switch {
		case d.lost:
			return driver.ErrLost
		case err != nil:
			return err
		case e.Truthy():
			return failure(e)
		}
	}
	return nil
}

// endLater keeps the error of the calls since begin for the next wait.
func (d *device) endLater() {
	d.dev.Call("popErrorScope").Call("then", d.lateErrors, d.lateErrors)
	d.dev.Call("popErrorScope").Call("then", d.lateErrors, d.lateErrors)
}
