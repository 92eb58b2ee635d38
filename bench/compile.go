package bench

import (
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"strings"
	"time"

	"tandem/codegen"
	"tandem/codegen/codegentest"
	"tandem/gen"
	"tandem/runtime"
)

// compiling measures costs that should grow with work and no faster: generating kernels, launching
// them for the first time, and scopes of many launches. Each larger size stands beside the
// smallest, by the piece.
func compiling(s *suite) (err error) {
	defer caught(&err)
	counts := []int{10, 50, 200}
	if s.Small {
		counts = []int{2, 4, 8}
	}
	if err := s.generation(counts); err != nil {
		return err
	}
	if err := s.firstLaunches(counts); err != nil {
		return err
	}
	return s.scopes()
}

// growth adds the costs of pieces of work of several sizes, each by the piece.
func (s *suite) growth(name, unit, pieces string, sizes []int, total []float64) {
	for i, n := range sizes {
		r := Result{Name: fmt.Sprintf("%s, each of %d %s", name, n, pieces), Unit: unit, Value: total[i] / float64(n)}
		if i == 0 {
			s.add(r)
			continue
		}
		s.against(r, fmt.Sprintf("each of %d %s", sizes[0], pieces), total[0]/float64(sizes[0]))
	}
}

// synthetic is a kernel with a loop, barriers, a helper and a table of its own. Its numbers are
// unlike those of any run before, so that no driver's cache has it.
const synthetic = `
// Kernel%[1]d adds up weighted rows.
//
//tandem:kernel workgroup=64 groups=rows
//tandem:len    x=rows*cols y=rows
func Kernel%[1]d(t dsl.Thread, rows, cols uint32, x, y []float32, part *[64]float32) {
	lane := t.Local.X
	var sum float32
	for j := lane; j < cols; j += 64 {
		v := x[t.Group.X*cols+j]
		switch {
		case v > %[2]v:
			sum += weigh%[1]d(v, table%[1]d[j%%4])
		case v < 0:
			sum -= dsl.Exp(v) * %[2]v
		}
	}
	part[lane] = sum
	t.Barrier()
	for w := uint32(32); w > 0; w /= 2 {
		if lane < w {
			part[lane] += part[lane+w]
		}
		t.Barrier()
	}
	if lane == 0 {
		y[t.Group.X] = part[0]
	}
}

var table%[1]d = [4]float32{1, 2, %[2]v, 4}

func weigh%[1]d(v, w float32) float32 {
	if w > 2 {
		return v * w
	}
	return v*v + w
}
`

// syntheticPackage returns a package of n kernels.
func syntheticPackage(n int) string {
	var text strings.Builder
	text.WriteString("package kernels\n\nimport \"tandem/dsl\"\n")
	for i := range n {
		fmt.Fprintf(&text, synthetic, i, 1+rand.Float32())
	}
	return text.String()
}

// generation measures the compiler.
func (s *suite) generation(counts []int) error {
	times, memory := make([]float64, len(counts)), make([]float64, len(counts))
	for i, n := range counts {
		text := syntheticPackage(n)
		run := func() ([]float64, error) {
			start := time.Now()
			peak, err := peakMemory(func() error { return generate(text, n) })
			return []float64{1e3 * time.Since(start).Seconds(), peak}, err
		}
		if _, err := run(); err != nil { // the first also loads what kernels import
			return err
		}
		best, err := run()
		for range 2 {
			again, e := run()
			if e != nil {
				err = e
				break
			}
			best = []float64{min(best[0], again[0]), max(best[1], again[1])}
		}
		if err != nil {
			return err
		}
		times[i], memory[i] = best[0], best[1]
	}
	s.growth("generate", "ms", "kernels", counts, times)
	s.growth("generate, peak memory", "MB", "kernels", counts, memory)
	return nil
}

// generate compiles a package of n kernels.
func generate(text string, n int) error {
	p, err := codegentest.Source("kernels.go", text)
	if err != nil {
		return err
	}
	files, err := codegen.Compile(p, codegen.Options{Path: codegentest.Path + "/gen", Name: "gen", Command: "bench"})
	tests := 0
	for _, f := range files {
		if strings.HasSuffix(f.Name, "_test.go") {
			tests++
		}
	}
	if err == nil && tests != n {
		err = fmt.Errorf("%d kernels gave %d tests", n, tests)
	}
	return err
}

// peakMemory returns by how many MB Go's heap grew at most while f ran.
func peakMemory(f func() error) (float64, error) {
	goruntime.GC()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	before, peak := m.HeapAlloc, m.HeapAlloc
	done, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			goruntime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	err := f()
	close(done)
	<-stopped
	return float64(peak-before) / 1e6, err
}

// firstLaunches measures the first launch of kernels: the device's driver compiles them.
func (s *suite) firstLaunches(counts []int) error {
	if s.dev.Info().Kind == "cpu" {
		fmt.Fprintln(s.out, "compile: the CPU device compiles no pipelines: first launches are not measured")
		return nil
	}
	times := make([]float64, len(counts))
	x, y := s.random(1024), s.poisoned(16)
	defer release(x, y)
	for i, n := range counts {
		p, err := codegentest.Source("kernels.go", syntheticPackage(n))
		if err != nil {
			return err
		}
		kernels, err := codegen.Kernels(p)
		if err != nil {
			return err
		}
		launched := make([]*runtime.Kernel, n)
		for j, k := range kernels {
			launched[j] = &runtime.Kernel{Name: k.IR.Name, Entry: k.IR.Name, Source: "kernels.go:1", WGSL: k.Shader.Text,
				Workgroup: [3]uint32{64, 1, 1}, Dims: 1, Params: 16,
				Buffers: []runtime.Arg{{Name: "x", Access: runtime.Read, Size: 4}, {Name: "y", Access: runtime.ReadWrite, Size: 4}}}
		}
		start := time.Now()
		for _, k := range launched {
			l := runtime.Begin(s.dev, k)
			runtime.Bind[float32](l, 0, x)
			runtime.Bind[float32](l, 1, y)
			l.Grid("rows", runtime.Int(16))
			*runtime.Params[[4]uint32](l) = [4]uint32{16, 64, 16, 0}
			if err := l.End(); err != nil {
				return err
			}
		}
		if err := s.dev.Wait(ctx); err != nil {
			return err
		}
		times[i] = 1e3 * time.Since(start).Seconds()
	}
	s.growth("first launch", "ms", "kernels", counts, times)
	return nil
}

// scopes measures scopes of many launches, from recording until the device is done.
func (s *suite) scopes() error {
	counts := []int{10, 1000, 100_000}
	if s.Small {
		counts = []int{10, 100, 1000}
	}
	x, y := runtime.New[float32](s.dev, 64), runtime.New[float32](s.dev, 64)
	defer x.Release()
	defer y.Release()
	run := func(n int) error {
		scope := s.dev.Scope()
		for range n {
			if err := gen.Saxpy(scope, 1, x, y); err != nil {
				return err
			}
		}
		return scope.Submit()
	}
	times, memory := make([]float64, len(counts)), make([]float64, len(counts))
	for i, n := range counts {
		times[i] = 1e12
		for range max(3, 1000/n) {
			peak, err := peakMemory(func() error {
				start := time.Now()
				err := run(n)
				if err == nil {
					err = s.dev.Wait(ctx)
				}
				times[i] = min(times[i], 1e6*time.Since(start).Seconds())
				return err
			})
			if err != nil {
				return err
			}
			memory[i] = max(memory[i], 1e3*peak)
		}
	}
	s.growth("scope", "µs", "launches", counts, times)
	s.growth("scope, Go memory", "kB", "launches", counts, memory)
	return nil
}
