//go:build cgo && !js

package runtime

import (
	"tandem/runtime/internal/driver"
	"tandem/runtime/internal/native"
)

// gpuAdapters lists the GPUs.
func gpuAdapters() []driver.Adapter { return native.Adapters() }

// noGPU is nothing here: every GPU is listed.
const noGPU = ""
