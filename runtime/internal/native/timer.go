//go:build cgo && !js

package native

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/cogentcore/webgpu/wgpu"

	"tandem/runtime/internal/driver"
)

/*
#include "shim.h"
*/
import "C"

// timedAtOnce is how many launches are timed in one submit: each takes two
// queries, and a query set has at most 4096.
const timedAtOnce = 1024

// timer measures with timestamps of the device.
type timer struct {
	set     *wgpu.QuerySet
	resolve *buffer
	stage   *buffer
	tick    float64 // nanoseconds
}

// make makes what t needs, if there is nothing, and finds out how long a tick is.
func (t *timer) make(d *device) error {
	if t.set != nil {
		return nil
	}
	const size = 16 * timedAtOnce
	set, err := create(d, "queries", func() (*wgpu.QuerySet, error) {
		return d.dev.CreateQuerySet(&wgpu.QuerySetDescriptor{Type: wgpu.QueryTypeTimestamp, Count: 2 * timedAtOnce})
	})
	if err != nil {
		return err
	}
	resolve, err := d.newBuffer(size, wgpu.BufferUsageQueryResolve|wgpu.BufferUsageCopySrc)
	if err != nil {
		return err
	}
	stage, err := d.NewBuffer(size, driver.Staging)
	if err != nil {
		return err
	}
	t.set, t.resolve, t.stage = set, resolve, stage.(*buffer)
	return t.calibrate(d)
}

// calibrate measures a tick against the clock: the library does not say how long
// it is.
func (t *timer) calibrate(d *device) error {
	const apart = 20 * time.Millisecond
	var ticks [2]uint64
	var at [2]time.Time
	for i := range 2 {
		now, err := t.measure(d, nil, nil, nil, false)
		if err != nil {
			return err
		}
		ticks[i], at[i] = now[1], time.Now()
		if i == 0 {
			time.Sleep(apart)
		}
	}
	t.tick = float64(at[1].Sub(at[0])) / float64(max(ticks[1]-ticks[0], 1))
	if t.tick > 0.9 && t.tick < 1.1 {
		t.tick = 1 // most devices count nanoseconds
	}
	return nil
}

// measure submits work and returns the timestamps, two for each pass.
func (t *timer) measure(d *device, clears []driver.Clear, launches []driver.Launch, copies []driver.Copy, each bool) ([]uint64, error) {
	passes := 1
	q := C.shim_queries{set: refOf(t.set), resolve: t.resolve.ref}
	if each {
		passes, q.each = len(launches), 1
	}
	size := int64(16 * passes)
	copies = append(copies[:len(copies):len(copies)], driver.Copy{Src: t.resolve, Dst: t.stage, Size: size})
	if err := d.submit(clears, launches, copies, &q); err != nil {
		return nil, err
	}
	ticks := make([]uint64, 2*passes)
	err := d.Fetch(context.Background(), t.stage, size, func(data []byte) {
		for i := range ticks {
			ticks[i] = binary.LittleEndian.Uint64(data[8*i:])
		}
	})
	return ticks, err
}

// submitTimed submits b and waits for its times.
func (d *device) submitTimed(b *driver.Batch) error {
	t := &d.timer
	if err := t.make(d); err != nil {
		return err
	}
	each := b.Timing == driver.Each
	launches, clears := b.Launches, b.Clears
	for len(launches) > 0 {
		part, copies := launches, []driver.Copy(nil)
		if each {
			part = launches[:min(timedAtOnce, len(launches))]
		}
		if launches = launches[len(part):]; len(launches) == 0 {
			copies = b.Copies
		}
		ticks, err := t.measure(d, clears, part, copies, each)
		if err != nil {
			return err
		}
		for i := 0; i < len(ticks); i += 2 {
			b.Times = append(b.Times, time.Duration(float64(ticks[i+1]-ticks[i])*t.tick))
		}
		clears = nil
	}
	return nil
}

// submitClocked submits b and measures from outside, on devices that have no
// timestamps.
func (d *device) submitClocked(b *driver.Batch) error {
	part := len(b.Launches)
	if b.Timing == driver.Each {
		part = 1
	}
	if err := d.submit(b.Clears, nil, nil, nil); err != nil {
		return err
	}
	for rest := b.Launches; len(rest) > 0; rest = rest[part:] {
		if err := d.idleNow(); err != nil {
			return err
		}
		start := time.Now()
		if err := d.submit(nil, rest[:part], nil, nil); err != nil {
			return err
		}
		if err := d.idleNow(); err != nil {
			return err
		}
		b.Times = append(b.Times, time.Since(start))
	}
	return d.submit(nil, nil, b.Copies, nil)
}

// idleNow returns when the device has done what was submitted.
func (d *device) idleNow() error {
	t := &d.throttle
	if err := t.make(d); err != nil {
		return err
	}
	back, err := d.NewBuffer(16, driver.Staging)
	if err != nil {
		return err
	}
	defer back.Release()
	if err := d.submit(nil, nil, []driver.Copy{{Src: t.word, Dst: back, Size: 4}}, nil); err != nil {
		return err
	}
	return d.Fetch(context.Background(), back, 4, func([]byte) {})
}
