package cpudev

// smallBuffer is a size that is had without asking: reading the system's figures
// takes longer than a small allocation.
const smallBuffer = 64 << 20

// room reports whether size bytes of memory can be had, and how many are free.
// Where the system does not say, everything is believed to fit.
func room(size int64) (free int64, ok bool) {
	if size < smallBuffer {
		return 0, true
	}
	free, known := freeMemory()
	return free, !known || size <= free
}
