package runtime

// Stats counts what a device has done. In the steady state of a repeated scope
// only Dispatches and Submits (and what was read and written) grow.
type Stats struct {
	Dispatches        int64 // launches that were submitted
	Submits           int64 // submissions to the device
	Writes            int64 // host writes
	Reads             int64 // waits for results
	BuffersCreated    int64
	BytesAllocated    int64 // of the buffers created
	PipelinesCreated  int64
	BindGroupsCreated int64
	PoolHits          int64 // buffers that came from the pool

	InUse  int64 // bytes of live buffers, now
	Pooled int64 // bytes of released buffers kept to be used again, now
}

// Since returns what was counted after before. InUse and Pooled become
// differences too.
func (s Stats) Since(before Stats) Stats {
	return Stats{
		Dispatches:        s.Dispatches - before.Dispatches,
		Submits:           s.Submits - before.Submits,
		Writes:            s.Writes - before.Writes,
		Reads:             s.Reads - before.Reads,
		BuffersCreated:    s.BuffersCreated - before.BuffersCreated,
		BytesAllocated:    s.BytesAllocated - before.BytesAllocated,
		PipelinesCreated:  s.PipelinesCreated - before.PipelinesCreated,
		BindGroupsCreated: s.BindGroupsCreated - before.BindGroupsCreated,
		PoolHits:          s.PoolHits - before.PoolHits,
		InUse:             s.InUse - before.InUse,
		Pooled:            s.Pooled - before.Pooled,
	}
}

// Stats returns the device's counters.
func (d *Device) Stats() Stats {
	if d == nil {
		return Stats{}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stats
}
