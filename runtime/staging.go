package runtime

import (
	"math/bits"

	"tandem/runtime/internal/driver"
)

// stage is a staging buffer.
type stage struct {
	buf  driver.Buffer
	size int64 // a power of two
}

// stagingPool holds staging buffers that nothing uses, by the log of their size.
type stagingPool struct {
	free  [64][]*stage
	bytes int64
}

// maxStaging is how many bytes of staging buffers are kept.
const maxStaging = 128 << 20

// takeStage returns a staging buffer of at least size bytes. The caller holds
// d.mu.
func (d *Device) takeStage(size int64) (*stage, error) {
	log := bits.Len64(uint64(max(size, 256) - 1))
	if free := d.staging.free[log]; len(free) > 0 {
		s := free[len(free)-1]
		d.staging.free[log] = free[:len(free)-1]
		d.staging.bytes -= s.size
		return s, nil
	}
	s := &stage{size: 1 << log}
	var err error
	if s.buf, err = d.drv.NewBuffer(s.size, driver.Staging); err != nil {
		d.note(err)
		return nil, failf(err, "memory for reading %s: %v", byteCount(size), err)
	}
	d.stats.BuffersCreated++
	d.stats.BytesAllocated += s.size
	return s, nil
}

// putStage gives s back.
func (d *Device) putStage(s *stage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.staging.bytes+s.size > maxStaging {
		s.buf.Release()
		return
	}
	log := bits.Len64(uint64(s.size - 1))
	d.staging.free[log] = append(d.staging.free[log], s)
	d.staging.bytes += s.size
}

// release gives the staging buffers back to the driver.
func (p *stagingPool) release() {
	for _, free := range p.free {
		for _, s := range free {
			s.buf.Release()
		}
	}
	*p = stagingPool{}
}
