package dsl

import (
	"fmt"
	"os"

	"tandem/dsl/fault"
)

// Assert stops the launch with an error that shows message, its position and
// the invocation if cond does not hold. Emulate, the CPU and debug launches
// check it; on the GPU other launches do not.
func Assert(cond bool, message string) {
	if !cond {
		panic(fault.Assertion(message))
	}
}

// Print writes its arguments to standard error as fmt.Println does. Emulate and
// debug launches print; others do not.
func Print(args ...any) { fmt.Fprintln(os.Stderr, args...) }
