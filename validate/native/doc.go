// Package native compiles shaders with cogentcore/webgpu, plainly and slowly, so
// that tests can hold generated WGSL against a real driver without the
// project's own runtime.
package native

import "errors"

// ErrAbsent says that there is no device here.
var ErrAbsent = errors.New("no WebGPU device is here")
