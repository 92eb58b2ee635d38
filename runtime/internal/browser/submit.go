//go:build js

package browser

import (
	"cmp"
	"context"
	"syscall/js"
	"time"

	"tandem/runtime/internal/driver"
)

// Submit writes, encodes and submits b. The browser tells an error only later:
// the next wait returns it.
func (d *device) Submit(b *driver.Batch) error {
	if err := d.usable(); err != nil {
		return err
	}
	d.begin()
	for _, w := range b.Writes {
		data := js.Global().Get("Uint8Array").New(len(w.Data))
		js.CopyBytesToJS(data, w.Data)
		d.queue.Call("writeBuffer", w.Buffer.(*buffer).Value, w.Offset, data)
	}
	var err error
	switch b.Timing {
	case driver.Untimed:
		d.submit(b.Clears, b.Launches, b.Copies)
	default:
		err = d.submitClocked(b)
	}
	d.endLater()
	return err
}

// submit encodes and submits work.
func (d *device) submit(clears []driver.Clear, launches []driver.Launch, copies []driver.Copy) {
	if len(clears)+len(launches)+len(copies) == 0 {
		return
	}
	encoder := d.dev.Call("createCommandEncoder")
	for _, c := range clears {
		encoder.Call("clearBuffer", c.Buffer.(*buffer).Value, c.Offset, c.Size)
	}
	if len(launches) > 0 {
		pass := encoder.Call("beginComputePass")
		var set *pipeline
		for i := range launches {
			set = encode(pass, &launches[i], set)
		}
		pass.Call("end")
	}
	for _, c := range copies {
		encoder.Call("copyBufferToBuffer", c.Src.(*buffer).Value, c.From, c.Dst.(*buffer).Value, c.To, c.Size)
	}
	d.queue.Call("submit", []any{encoder.Call("finish")})
}

// encode puts l into pass, in which the pipeline set is set, and returns l's.
func encode(pass js.Value, l *driver.Launch, set *pipeline) *pipeline {
	p := l.Pipeline.(*pipeline)
	if p != set {
		pass.Call("setPipeline", p.Value)
	}
	offsets := []any{}
	if p.uniform {
		offsets = append(offsets, l.Uniform)
	}
	pass.Call("setBindGroup", 0, l.Group.(held).Value, offsets)
	switch x, y := l.Groups[0], l.Groups[1]; {
	case l.Indirect != nil:
		pass.Call("dispatchWorkgroupsIndirect", l.Indirect.(*buffer).Value, l.IndirectAt)
	case l.Folded:
		pass.Call("dispatchWorkgroups", driver.FoldWidth, x/driver.FoldWidth+min(x%driver.FoldWidth, 1), 1)
	default:
		pass.Call("dispatchWorkgroups", x, y, l.Groups[2])
	}
	return p
}

// submitClocked submits b and measures from outside.
func (d *device) submitClocked(b *driver.Batch) error {
	part := max(len(b.Launches), 1)
	if b.Timing == driver.Each {
		part = 1
	}
	d.submit(b.Clears, nil, nil)
	for rest := b.Launches; len(rest) > 0; {
		if err := d.idle(); err != nil {
			return err
		}
		start := time.Now()
		n := min(part, len(rest))
		d.submit(nil, rest[:n], nil)
		if err := d.idle(); err != nil {
			return err
		}
		b.Times = append(b.Times, time.Since(start))
		rest = rest[n:]
	}
	d.submit(nil, nil, b.Copies)
	return nil
}

// idle returns when the device has done what was submitted.
func (d *device) idle() error {
	_, err := await(d.queue.Call("onSubmittedWorkDone"))
	return err
}

// Fetch maps staging and gives its content to f.
func (d *device) Fetch(ctx context.Context, staging driver.Buffer, size int64, f func([]byte)) error {
	if err := d.usable(); err != nil {
		return err
	}
	b := staging.(*buffer)
	done := make(chan error, 1)
	size = (size + 7) / 8 * 8
	promise := b.Call("mapAsync", mapRead, 0, size)
	go func() {
		_, err := await(promise)
		done <- err
	}()
	select {
	case <-ctx.Done():
		b.Release() // ends the mapping
		return ctx.Err()
	case err := <-done:
		if err != nil {
			b.Release()
			return cmp.Or(d.takeLate(), d.usable(), err)
		}
	}
	data := make([]byte, size)
	js.CopyBytesToGo(data, js.Global().Get("Uint8Array").New(b.Call("getMappedRange", 0, size)))
	b.Call("unmap")
	f(data)
	return d.takeLate()
}

// takeLate returns the error of an earlier submit, once.
func (d *device) takeLate() error {
	err := d.late
	d.late = nil
	return err
}
