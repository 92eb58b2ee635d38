package runtime

import (
	"tandem/runtime/internal/cpudev"
	"tandem/runtime/internal/driver"
)

// driverAdapters lists every adapter, the CPU device last.
func driverAdapters() []driver.Adapter {
	return append(gpuAdapters(), cpudev.Adapter())
}
