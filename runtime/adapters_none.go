//go:build !cgo && !js

package runtime

import "tandem/runtime/internal/driver"

// gpuAdapters lists the GPUs: none, since a program built with CGO_ENABLED=0
// cannot reach a GPU driver.
func gpuAdapters() []driver.Adapter { return nil }

// noGPU is what a list of devices without a GPU leaves open.
const noGPU = " (built with CGO_ENABLED=0, or with no C compiler: such a program reaches no GPU)"
