//go:build !js

package conformance

import (
	"testing"

	"tandem/conformance/chromium"
)

// TestBrowser runs the tables of this package in a browser, on its WebGPU, on
// the CPU and in emulate.
func TestBrowser(t *testing.T) {
	chromium.Test(t, ".")
}

// TestRuntimeInBrowser runs the runtime's own tests there.
func TestRuntimeInBrowser(t *testing.T) {
	chromium.Test(t, "tandem/runtime", "-test.short")
}
