// Package helpers has functions that kernels of another package call.
package helpers

// Scale is a constant of another package.
const Scale = 3

// Weights is a table of another package.
var Weights = [4]uint32{1, 10, 100, 1000}

// Point is a type of another package.
type Point struct{ X, Y uint32 }

// Norm is a method of another package's type.
func (p Point) Norm() uint32 { return p.X*Scale + p.Y }

// Weigh reads a table.
func Weigh(i uint32) uint32 { return Weights[i%4] }

// Fold combines all elements of x.
func Fold[T, U any](x []T, start U, f func(U, T) U) U {
	for _, v := range x {
		start = f(start, v)
	}
	return start
}
