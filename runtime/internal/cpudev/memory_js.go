package cpudev

import "runtime"

// addressable is all the memory that a WebAssembly program can have.
const addressable = 4 << 30

// freeMemory returns the memory that Go has not taken yet.
func freeMemory() (int64, bool) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return addressable - int64(m.Sys), true
}
