package ops_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"tandem/ops"
	"tandem/runtime"
)

// must ends an example that cannot go on.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

func ExampleMatmul() {
	dev := must(runtime.Open(runtime.Options{Device: "cpu"}))
	defer dev.Close()
	a := must(ops.Of(dev, []float32{
		1, 2, 3,
		4, 5, 6}, 2, 3))
	b := must(ops.Of(dev, []float32{
		1, 0,
		0, 1,
		1, 1}, 3, 2))
	bias := must(ops.Of(dev, []float32{10, 20}, 2))
	c := ops.New[float32](dev, 2, 2)
	if err := ops.Matmul(dev, ops.Product{Bias: bias}, a, b, c); err != nil {
		log.Fatal(err)
	}
	fmt.Println(must(c.Read(context.Background())))
	fmt.Println(ops.Matmul(dev, ops.Product{}, a, a, c))
	// Output:
	// [14 25 20 31]
	// ops.Matmul: a is [2, 3] and b is [2, 3]: the inner sides, 3 and 2, differ
}

func ExampleSoftmax() {
	dev := must(runtime.Open(runtime.Options{Device: "cpu"}))
	defer dev.Close()
	x := must(ops.Of(dev, []float32{
		0, 0, 0, 0,
		1, 2, 3, 4}, 2, 4))
	y := ops.New[float32](dev, 2, 4)
	if err := ops.Softmax(dev, x, y); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", must(y.Read(context.Background())))
	// Output: [0.250 0.250 0.250 0.250 0.032 0.087 0.237 0.644]
}

// Two queries of one head attend to three keys: the first sees two of them, the second all.
func ExampleAttention() {
	dev := must(runtime.Open(runtime.Options{Device: "cpu"}))
	defer dev.Close()
	q := must(ops.Of(dev, []float32{0, 0, 0, 0}, 1, 2, 2))
	k := must(ops.Of(dev, []float32{1, 2, 3, 4, 5, 6}, 1, 3, 2))
	v := must(ops.Of(dev, []float32{2, 0, 4, 0, 0, 9}, 1, 3, 2))
	y, lse := ops.New[float32](dev, 1, 2, 2), ops.New[float32](dev, 1, 2)

	s := dev.Scope() // both launches go out in one submit
	if err := ops.Attention(s, 3, q, k, v, y, lse); err != nil {
		log.Fatal(err)
	}
	if err := ops.Scale(s, 2, y, y); err != nil {
		log.Fatal(err)
	}
	if err := s.Submit(); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", must(y.Read(context.Background())))
	fmt.Println(must(lse.Read(context.Background()))[0] == float32(math.Log(2)))
	// Output:
	// [6.00 0.00 4.00 6.00]
	// true
}
