// Code generated from docs/tutorial.md; DO NOT EDIT.

package tutorial

import (
	"context"
	"fmt"
	"tandem/conformance/tutorial/gen"
	"tandem/runtime"
)

func Example_program2() {
	run(func(ctx context.Context, dev *runtime.Device) error {
		pixels := runtime.Upload(dev, []float32{0.1, 0.2, 0.9})
		out := runtime.New[float32](dev, 3)
		if err := gen.Expose(dev, 1, pixels, out); err != nil {
			return err
		}
		got, err := out.Read(ctx)
		if err != nil {
			return err
		}
		fmt.Printf("%.1f\n", got) // [0.2 0.4 1.0]
		return nil
	})
	// Output:
	// [0.2 0.4 1.0]
}

func Example_program4() {
	run(func(ctx context.Context, dev *runtime.Device) error {
		a := runtime.Upload(dev, make([]float32, 64*64))
		b := runtime.New[float32](dev, 64*64)
		scope := dev.Scope()
		for range 10 {
			if err := gen.Diffuse(scope, 64, 64, 0.5, a, b); err != nil {
				return err
			}
			a, b = b, a
		}
		if err := scope.Submit(); err != nil {
			return err
		}
		return nil
	})
	// Output:
}

func Example_program6() {
	run(func(ctx context.Context, dev *runtime.Device) error {
		ones := make([]float32, 1_000_000)
		for i := range ones {
			ones[i] = 1
		}
		x := runtime.Upload(dev, ones)
		for x.Len() > 1 {
			sums := runtime.New[float32](dev, (x.Len()+4095)/4096)
			if err := gen.Sum(dev, x, sums); err != nil {
				return err
			}
			x = sums
		}
		total, err := x.Read(ctx)
		if err != nil {
			return err
		}
		fmt.Println(total) // [1e+06]
		return nil
	})
	// Output:
	// [1e+06]
}

func Example_program8() {
	run(func(ctx context.Context, dev *runtime.Device) error {
		ones := make([]uint32, 10_000)
		for i := range ones {
			ones[i] = 1
		}
		x, y := runtime.Upload(dev, ones), runtime.New[uint32](dev, 10_000)
		totals, sums, all := runtime.New[uint32](dev, 40), runtime.New[uint32](dev, 40), runtime.New[uint32](dev, 1)
		if err := gen.ScanBlocks(dev, x, y, totals); err != nil {
			return err
		}
		if err := gen.ScanBlocks(dev, totals, sums, all); err != nil {
			return err
		}
		if err := gen.AddBefore(dev, sums, y); err != nil {
			return err
		}
		last, err := y.Slice(9_999, 10_000).Read(ctx)
		if err != nil {
			return err
		}
		fmt.Println(last) // [10000]
		return nil
	})
	// Output:
	// [10000]
}
