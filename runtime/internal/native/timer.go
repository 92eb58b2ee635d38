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
// it is. Two readings of the device's counter give it as exactly as the time that
// each takes is short beside the time between them, so that time grows until a
// tick is known to within 2%.
func (t *timer) calibrate(d *device) error {
	const enough, longest = 1.02, 200 * time.Millisecond
	if _, err := t.read(d); err != nil { // a first submit takes longer than others
		return err
	}
	first, err := t.read(d)
	for wait := 5 * time.Millisecond; err == nil; wait *= 2 {
		time.Sleep(wait)
		var last reading
		if last, err = t.read(d); err != nil {
			break
		}
		least, most := tickBetween(first, last)
		if most <= enough*least || wait > longest {
			t.tick = tickIn(least, most)
			return nil
		}
	}
	return err
}

// reading is what the device's counter was at some time between two.
type reading struct {
	ticks         uint64
	before, after time.Time
}

// read reads the device's counter.
func (t *timer) read(d *device) (reading, error) {
	r := reading{before: time.Now()}
	ticks, err := t.measure(d, nil, nil, nil, false)
	if err == nil {
		r.ticks = ticks[1]
	}
	r.after = time.Now()
	return r, err
}

// tickBetween returns the least and the most nanoseconds that a tick can have taken from
// one reading to a later one.
func tickBetween(a, b reading) (least, most float64) {
	ticks := float64(max(b.ticks-a.ticks, 1))
	return float64(b.before.Sub(a.after)) / ticks, float64(b.after.Sub(a.before)) / ticks
}

// tickIn chooses a tick between two bounds: a nanosecond, as most devices count, if it can be.
func tickIn(least, most float64) float64 {
	if least <= 1 && 1 <= most {
		return 1
	}
	return (least + most) / 2
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
