package ops

import "tandem/runtime"

// onCPU reports whether a target is the CPU device. It runs the invocations of a workgroup one after the
// other: some operators have a kernel for it that has an invocation do what a workgroup does on a GPU.
func onCPU(on runtime.Target) bool {
	return on != nil && on.Device() != nil && on.Device().Info().Kind == "cpu"
}
