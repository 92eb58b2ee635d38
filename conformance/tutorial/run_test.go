// Package tutorial runs what docs/tutorial.md launches its kernels with.
package tutorial

import (
	"context"
	"fmt"

	"tandem/runtime"
)

// run calls program with the best device, and prints its error.
func run(program func(context.Context, *runtime.Device) error) {
	dev, err := runtime.Open(runtime.Options{})
	if err == nil {
		err = program(context.Background(), dev)
	}
	if err != nil {
		fmt.Println(err)
	}
}
