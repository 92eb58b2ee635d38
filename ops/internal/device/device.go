// Package device tells the devices apart that have kernels of their own.
package device

import "tandem/runtime"

// IsCPU reports whether a target is the CPU device. It runs the invocations of a workgroup one after
// the other: some operators have a kernel for it that has an invocation, or eight, do what a workgroup
// does on a GPU. A target that is nil is no device; the launch says so.
func IsCPU(on runtime.Target) bool {
	return on != nil && on.Device() != nil && on.Device().Info().Kind == "cpu"
}
