// Package tools holds the commands that rebuild what is generated: go generate
// ./... runs them.
package tools

//go:generate go run ./tandem generate -out ../gen ../ops/kernels
//go:generate go run ./tandem generate -out ../gen/train ../ops/kernels/train
//go:generate go run ./tandem generate ../examples/... ../conformance/... ../bench/...
