// Package tiles says where kernels that hold tiles in registers are the right choice.
package tiles

import "tandem/runtime"

// Pay reports whether they are faster on the target's device. A CPU has too few registers, and computes
// what lies outside a tile's triangle. A target that is nil has no device; the launch says so.
func Pay(on runtime.Target) bool {
	return on != nil && on.Device() != nil && on.Device().Info().Kind != "cpu"
}
