//go:build js

package runtime

import (
	"tandem/runtime/internal/browser"
	"tandem/runtime/internal/driver"
)

// gpuAdapters lists the GPU of the browser.
func gpuAdapters() []driver.Adapter { return browser.Adapters() }

// noGPU is nothing here: every browser that has a GPU lists it.
const noGPU = ""
