//go:build js

package runtime

import "tandem/runtime/internal/driver"

// gpuAdapters lists the GPUs: none yet in a browser, where kernels run on the
// CPU device until there is a driver for the browser's WebGPU.
func gpuAdapters() []driver.Adapter { return nil }
