// Package conformance holds the kernel language to its definition: kernels, one
// small kernel for each feature and each known fault; gen, what is generated
// from them; and tests that run all of them in the three ways.
package conformance
