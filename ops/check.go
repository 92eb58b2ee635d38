package ops

import (
	"fmt"
	"slices"
)

// shaped is what shape checks ask of a tensor of any element type.
type shaped interface{ Shape() []int }

// named is an argument of an operator.
type named struct {
	name string
	arg  shaped
}

// want returns an error unless t has exactly the given shape.
func want(operator, name string, t shaped, shape ...int) error {
	if slices.Equal(t.Shape(), shape) {
		return nil
	}
	return fmt.Errorf("%s: %s is %s and should be %s", operator, name, text(t.Shape()), text(shape))
}

// wantSame returns an error unless all arguments have the shape of the first.
func wantSame(operator string, args ...named) error {
	if args[0].arg.Shape() == nil {
		return fmt.Errorf("%s: %s is nil", operator, args[0].name)
	}
	for _, a := range args[1:] {
		if !slices.Equal(a.arg.Shape(), args[0].arg.Shape()) {
			return fmt.Errorf("%s: %s is %s and %s is %s; they should be the same", operator,
				args[0].name, text(args[0].arg.Shape()), a.name, text(a.arg.Shape()))
		}
	}
	return nil
}

// matrix returns the shape of t as rows of its last side.
func matrix(operator, name string, t shaped) (rows, cols int, err error) {
	shape := t.Shape()
	if len(shape) == 0 {
		return 0, 0, fmt.Errorf("%s: %s is %s and should have rows", operator, name, text(shape))
	}
	return count(shape[:len(shape)-1]), shape[len(shape)-1], nil
}

// firstError returns the first of errs that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// flag returns 1 for true.
func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
