// Package wgsl writes a kernel as WGSL that reads as if a person had written it:
// the author's names, the author's shape, bindings spelt out.
//
// What it writes keeps to the forms that three front ends accept alike: Tint
// (browsers), the naga inside cogentcore/webgpu (native), and gogpu/naga. Where
// WGSL leaves open what Go defines (division, shifts, conversions, layouts), it
// writes Go's meaning, by a small helper function where an operator will not do.
package wgsl
