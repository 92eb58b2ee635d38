// Package tools holds the commands that rebuild what is generated: go generate
// ./... runs them.
package tools

//go:generate go tool tandem generate -out ../gen ../ops/kernels
//go:generate go tool tandem generate -out ../gen/train ../ops/kernels/train
//go:generate go tool tandem generate ../examples/... ../conformance/... ../bench/...
