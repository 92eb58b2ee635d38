// Package kernels holds the kernels of the operator library, written in the
// kernel language: ordinary Go functions from which tandem generates package
// gen. Matrices are dense and row-major. Every kernel names an independent
// reference (//tandem:want), which computes in float64.
//
// Programs call package ops, which chooses kernels and grids and checks shapes;
// call package gen to launch a kernel directly.
package kernels
