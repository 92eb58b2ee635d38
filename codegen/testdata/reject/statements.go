package reject

import (
	"fmt"
	"slices"

	"tandem/dsl"
)

// Statements and calls that have no meaning on a GPU.

func nothing() {}

//tandem:kernel workgroup=64 threads=len(x)
func goStatement(t dsl.Thread, x []float32) {
	go nothing() // want "cannot start goroutines"
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func deferStatement(t dsl.Thread, x []float32) {
	defer nothing() // want "defer"
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func endlessLoop(t dsl.Thread, x []float32) {
	for { // want "nothing ends this loop.*break or return"
		x[t.Global.X]++
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func endlessEmpty(t dsl.Thread, x []float32) {
	x[t.Global.X]++
	for true { // want "nothing ends this loop"
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func endlessCondition(t dsl.Thread, x []float32) {
	done := false
	for !done { // want "nothing ends this loop"
		x[t.Global.X]++
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func endlessButForInner(t dsl.Thread, x []float32) {
outer:
	for { // want "nothing ends this loop"
		for {
			x[t.Global.X]++
			if x[t.Global.X] > 5 {
				continue outer
			}
			break
		}
		switch {
		case x[t.Global.X] > 3:
			break
		}
	}
}

func spin() uint32 {
	for i := uint32(0); ; i++ { // want "nothing ends this loop"
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func endlessHelper(t dsl.Thread, x []uint32) {
	x[t.Global.X] = spin()
}

//tandem:kernel workgroup=64 threads=len(x)
func gotoStatement(t dsl.Thread, x []float32) {
again:
	x[t.Global.X]++
	if x[t.Global.X] < 5 {
		goto again // want "goto"
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func selectStatement(t dsl.Thread, x []float32) {
	select {} // want "channels"
}

//tandem:kernel workgroup=64 threads=len(x)
func panics(t dsl.Thread, x []float32) {
	if x[t.Global.X] < 0 {
		panic("negative") // want "panic cannot be called.*dsl.Assert"
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func recovers(t dsl.Thread, x []float32) {
	recover() // want "recover"
}

//tandem:kernel workgroup=64 threads=len(x)
func prints(t dsl.Thread, x []float32) {
	println(x[t.Global.X]) // want "println.*dsl.Print"
}

//tandem:kernel workgroup=64 threads=len(x)
func formats(t dsl.Thread, x []float32) {
	fmt.Println(x[t.Global.X]) // want "fmt.Println"
}

//tandem:kernel workgroup=64 threads=len(x)
func appends(t dsl.Thread, x []float32) {
	x[0] = append(x, 1)[0] // want "append cannot be called"
}

//tandem:kernel workgroup=64 threads=len(x)
func makes(t dsl.Thread, x []float32) {
	s := make([]float32, 4) // want "make.*array"
	x[t.Global.X] = s[0]
}

//tandem:kernel workgroup=64 threads=len(x)
func copies(t dsl.Thread, x, y []float32) {
	copy(x, y) // want "copy"
}

//tandem:kernel workgroup=64 threads=len(x)
func clears(t dsl.Thread, x []float32) {
	clear(x) // want "clear"
}

//tandem:kernel workgroup=64 threads=len(x)
func caps(t dsl.Thread, x []uint32) {
	x[t.Global.X] = uint32(cap(x)) // want "cap.*len"
}

//tandem:kernel workgroup=64 threads=len(x)
func sorts(t dsl.Thread, x []uint32) {
	slices.Sort(x) // want "slices.Sort|Sort"
}

func factorial(n uint32) uint32 {
	if n == 0 {
		return 1
	}
	return n * factorial(n-1) // want "factorial calls itself.*no recursion: write a loop"
}

//tandem:kernel workgroup=64 threads=len(x)
func recursion(t dsl.Thread, x []uint32) {
	x[t.Global.X] = factorial(t.Global.X)
}

func even(n uint32) bool {
	if n == 0 {
		return true
	}
	return odd(n - 1)
}

func odd(n uint32) bool {
	if n == 0 {
		return false
	}
	return even(n - 1) // want "even calls itself.*no recursion"
}

//tandem:kernel workgroup=64 threads=len(x)
func mutualRecursion(t dsl.Thread, x []uint32) {
	if even(t.Global.X) {
		x[t.Global.X] = 1
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func changedClosure(t dsl.Thread, x []float32) {
	f := func(v float32) float32 { return v * 2 }
	if x[0] > 1 {
		f = func(v float32) float32 { return v * 3 } // want "functions are bound once"
	}
	x[t.Global.X] = f(x[t.Global.X])
}

//tandem:kernel workgroup=64 threads=len(x)
func lateClosure(t dsl.Thread, x []float32) {
	var f func(float32) float32 // want "a function is bound once, where it is declared"
	x[t.Global.X] = f(x[t.Global.X])
}

//tandem:kernel workgroup=64 threads=len(x)
func storedClosures(t dsl.Thread, x []float32) {
	f := [1]func(float32) float32{double} // want "a function cannot be stored"
	x[t.Global.X] = f[0](x[t.Global.X])
}

//tandem:kernel workgroup=64 threads=len(x)
func closureThatCounts(t dsl.Thread, x []float32) {
	n := float32(0)
	count := func() { n++ } // want "may read what it captures and not change it"
	count()
	x[t.Global.X] = n
}

func double(v float32) float32 { return v * 2 }

func apply(f func(float32) float32, v float32) float32 { return f(v) }

//tandem:kernel workgroup=64 threads=len(x)
func writingClosure(t dsl.Thread, x []float32) {
	sum := float32(0)
	apply(func(v float32) float32 {
		sum += v // want "may read what it captures and not change it"
		return v
	}, 1)
	x[t.Global.X] = sum
}

type table struct{ f func(float32) float32 }

//tandem:kernel workgroup=64 threads=len(x)
func closureInStruct(t dsl.Thread, x []float32) {
	s := table{f: double} // want "field f: a function cannot be stored"
	x[t.Global.X] = s.f(1)
}

var counter uint32

//tandem:kernel workgroup=64 threads=len(x)
func globalWritten(t dsl.Thread, x []uint32) {
	counter++ // want "counter"
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func globalRead(t dsl.Thread, x []uint32) {
	x[t.Global.X] = counter // want "counter"
}

//tandem:kernel workgroup=64 threads=len(x)
func rangeFunction(t dsl.Thread, x []uint32) {
	for i := range func(yield func(uint32) bool) { yield(1) } { // want "iterator functions"
		x[i] = 1
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func rangeString(t dsl.Thread, x []uint32) {
	for range "abc" { // want "string"
		x[0] = 1
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func typeSwitch(t dsl.Thread, x []uint32) {
	switch any(x[0]).(type) { // want "interface values"
	case uint32:
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func sliceVariable(t dsl.Thread, x, y []uint32) {
	s := x
	if t.Global.X > 3 {
		s = y // want "bound once and cannot be assigned"
	}
	s[0] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func sliceLiteral(t dsl.Thread, x []uint32) {
	s := []uint32{1, 2} // want "slice cannot be stored: use an array"
	x[t.Global.X] = s[0]
}

//tandem:kernel workgroup=64 threads=len(x)
func bufferReassigned(t dsl.Thread, x, y []uint32) {
	x = y // want "bound once and cannot be assigned"
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func sliceIsNil(t dsl.Thread, x []uint32) {
	if x == nil { // want "slices cannot be compared, and are never nil: compare len"
		return
	}
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func denormal(t dsl.Thread, x []float32) {
	x[t.Global.X] = 1e-45 // want "smaller than the least float32"
}

//tandem:kernel workgroup=64 threads=len(x)
func callBeside(t dsl.Thread, x []uint32) {
	v := uint32(1)
	x[t.Global.X] = v + bump(&v) // want "before or after the call"
}

func bump(p *uint32) uint32 { *p++; return *p }
