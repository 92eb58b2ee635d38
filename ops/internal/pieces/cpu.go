package pieces

import "tandem/runtime"

// OnCPU reports whether a target is the CPU device. It runs the invocations of a workgroup one
// after the other: some operators have a kernel for it that has an invocation, or eight, do what a
// workgroup does on a GPU.
func OnCPU(on runtime.Target) bool {
	return on != nil && on.Device() != nil && on.Device().Info().Kind == "cpu"
}
