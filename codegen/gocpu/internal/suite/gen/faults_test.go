package gen

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"tandem/cpu"
	"tandem/dsl/fault"
	"tandem/runtime"
)

// TestFaults: a panic becomes an error with the kernel's own line, Go's words,
// and the invocation.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		mode, where uint32
		want        string
	}{
		{0, 0, ""},
		{1, 37, "kernels/faults.go:15: kernel K: index out of range [1037] with length 8 (workgroup 2,0,0, local 5,0,0, global 37,0,0)"},
		{2, 16, "kernels/faults.go:17: kernel K: integer divide by zero (workgroup 1,0,0, local 0,0,0, global 16,0,0)"},
		{3, 127, "kernels/faults.go:19: kernel K: assertion failed: negative (workgroup 7,0,0, local 15,0,0, global 127,0,0)"},
		{4, 4, "kernels/faults.go:21: kernel K: index out of range [20] with length 16 (workgroup 0,0,0, local 4,0,0, global 4,0,0)"},
	} {
		err := launch{grid: groups(line16, 8), run: faultyCPU, params: unsafe.Pointer(&faultyParams{8, c.mode, c.where})}.fault("faults.go", faultyLines, make([]int32, 8))
		expect(t, err, c.want)
	}
}

func TestFaultTile(t *testing.T) {
	for _, c := range []struct {
		x, y uint32
		want string
	}{
		{9, 6, "kernels/faults.go:34: kernel K: index out of range [70] with length 70 (workgroup 2,1,0, local 1,2,0, global 9,6,0)"},
		{0, 0, "kernels/faults.go:34: kernel K: index out of range [70] with length 70 (workgroup 0,0,0, local 0,0,0, global 0,0,0)"},
		{10, 0, ""},
	} {
		err := launch{grid: threads([3]uint32{4, 4, 1}, 10, 7), run: faultyTileCPU, params: unsafe.Pointer(&faultyTileParams{10, 7, c.x, c.y})}.fault("faults.go", faultyTileLines, make([]uint32, 70))
		expect(t, err, c.want)
	}
}

// fault runs the generated code on buffers, and returns its error with the line of the kernel, which is in a file of kernels.
func (l launch) fault(file, lines string, buffers ...any) error {
	err := l.cpu(buffers)
	var f *fault.Error
	if errors.As(err, &f) {
		k := runtime.Kernel{Source: "kernels/" + file + ":1", Run: l.run, GoLines: lines}
		f.File, f.Line = k.Origin(f.File, f.Line)
	}
	return err
}

func expect(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("got %v", err)
		}
		return
	}
	var f *fault.Error
	if !errors.As(err, &f) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want …%s", err, want)
	}
}

// TestAllocations: a launch allocates nothing in the steady state.
func TestAllocations(t *testing.T) {
	x := make([]float32, 64*1000)
	y := make([]float32, 64)
	l := &cpu.Launch{Groups: [3]uint32{64, 1, 1}, Params: unsafe.Pointer(&rowSumParams{64, 1000}), Buffers: []cpu.Memory{
		{Ptr: unsafe.Pointer(&x[0]), Len: len(x)}, {Ptr: unsafe.Pointer(&y[0]), Len: len(y)},
	}}
	if n := testing.AllocsPerRun(100, func() {
		if err := rowSumCPU(l); err != nil {
			t.Error(err)
		}
	}); n >= 1 {
		t.Errorf("%v allocations a launch", n)
	}
}
