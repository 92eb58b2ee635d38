// Package check holds the checks that operators share. Their errors name the operator, the
// arguments and their shapes, and stick to the scope that the operator records on; the shape of a
// nil tensor is nil.
package check

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tandem/runtime"
)

// Arg is an argument of an operator: its name, and a tensor of any element type.
type Arg struct {
	name   string
	tensor shaped
}

type shaped interface{ Shape() []int }

// Of returns an argument by its name.
func Of(name string, tensor shaped) Arg { return Arg{name, tensor} }

// String returns the argument as errors name it: "x is [3, 5]".
func (a Arg) String() string { return a.name + " is " + Text(a.tensor.Shape()) }

// Operator is an operator at work: its name, and where the work goes.
type Operator struct {
	on   runtime.Target
	name string
}

// On returns an operator by its name.
func On(on runtime.Target, name string) Operator { return Operator{on, name} }

// Errorf returns an error of the operator, which sticks to the scope that it records on.
func (op Operator) Errorf(format string, args ...any) error {
	return runtime.Refuse(op.on, fmt.Errorf(op.name+": "+format, args...))
}

// Same returns an error unless all arguments have the same shape.
func (op Operator) Same(first Arg, args ...Arg) error {
	if first.tensor.Shape() == nil {
		return op.Errorf("%v", first)
	}
	for _, a := range args {
		if got := a.tensor.Shape(); got == nil || !slices.Equal(got, first.tensor.Shape()) {
			return op.Errorf("%v and %v; they should be the same", first, a)
		}
	}
	return nil
}

// Shape returns an error unless all arguments have the shape that another argument asks for.
func (op Operator) Shape(of Arg, shape []int, args ...Arg) error {
	for _, a := range args {
		if got := a.tensor.Shape(); got == nil || !slices.Equal(got, shape) {
			return op.Errorf("%v and should be %s, as %v", a, Text(shape), of)
		}
	}
	return nil
}

// Apart returns an error where a written argument, of floats, shares memory with one of others. It
// is for what several launches would clobber for each other; a launch sees to its own arguments.
func (op Operator) Apart(written Arg, others ...Arg) error {
	w, _ := written.tensor.(runtime.View[float32])
	for _, o := range others {
		if other, _ := o.tensor.(runtime.View[float32]); runtime.Overlap(w, other) {
			return op.Errorf("%w: %s and %s share memory, and %s is written", runtime.ErrAliased, written.name, o.name, written.name)
		}
	}
	return nil
}

// One returns an error unless y is a single element and x is there.
func (op Operator) One(x, y Arg) error {
	if x.tensor.Shape() == nil || y.tensor.Shape() == nil || Count(y.tensor.Shape()) != 1 {
		return op.Errorf("%v and %v; y should be a single element", x, y)
	}
	return nil
}

// Rows returns the shape of x as rows of its last side.
func (op Operator) Rows(x Arg) (rows, cols int, err error) {
	shape := x.tensor.Shape()
	if len(shape) == 0 {
		return 0, 0, op.Errorf("%v and should have rows", x)
	}
	return Count(shape[:len(shape)-1]), shape[len(shape)-1], nil
}

// Epsilon reports an eps, added to a variance so that its root is not 0, that is negative, infinite or no number.
func (op Operator) Epsilon(eps float32) error {
	if !(eps >= 0 && eps <= math.MaxFloat32) {
		return op.Errorf("eps is %v and should be at least 0, and finite", eps)
	}
	return nil
}

// Count returns the number of elements of a shape: −1 for one with a negative side, and for one that is
// beyond any memory the largest number, so that either fails as a size.
func Count(shape []int) int {
	if slices.ContainsFunc(shape, func(side int) bool { return side < 0 }) {
		return -1
	}
	if slices.Contains(shape, 0) {
		return 0
	}
	n := 1
	for _, side := range shape {
		if n > math.MaxInt/side {
			return math.MaxInt
		}
		n *= side
	}
	return n
}

// Text prints a shape: that of a nil tensor as nil.
func Text(shape []int) string {
	if shape == nil {
		return "nil"
	}
	return strings.ReplaceAll(fmt.Sprint(shape), " ", ", ")
}

// First returns the first of several checks' errors that is not nil, which is the one that sticks.
// It is not for launches: its arguments are all evaluated, and what comes after a launch that was
// refused is not to run.
func First(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Flag returns 1 for true, as kernels take it.
func Flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
