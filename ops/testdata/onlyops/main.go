// Command onlyops is a program that uses operators and trains nothing.
package main

import (
	"context"
	"fmt"
	"os"

	"tandem/ops"
	"tandem/runtime"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	dev, err := runtime.Open(runtime.Options{Device: "cpu"})
	if err != nil {
		return err
	}
	defer dev.Close()
	x, err := ops.Of(dev, []float32{1, 2, 3}, 1, 3)
	if err != nil {
		return err
	}
	if err := ops.Softmax(dev, x, x); err == nil {
		return fmt.Errorf("softmax wrote what it reads")
	}
	y := ops.New[float32](dev, 1, 3)
	if err := ops.Softmax(dev, x, y); err != nil {
		return err
	}
	out, err := y.Read(context.Background())
	fmt.Println(out)
	return err
}
