package conformance

import (
	"errors"
	"fmt"
	"io"
	"os"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"

	"tandem/conformance/gen"
	"tandem/dsl"
	"tandem/runtime"
)

// debuggers opens every device for debug launches, once.
var debuggers = sync.OnceValue(func() []*runtime.Device {
	var open []*runtime.Device
	for _, dev := range devices() {
		debugger, err := runtime.Open(runtime.Options{Device: fmt.Sprint(dev.Info().Index), Debug: true})
		if err != nil {
			panic(err)
		}
		open = append(open, debugger)
	}
	return open
})

// TestDebugLaunches runs every row in a debug launch on each device: it computes
// the same, and reports what emulate and the CPU report, at the same line.
func TestDebugLaunches(t *testing.T) {
	for _, dev := range debuggers() {
		for _, f := range features {
			for _, r := range f.rows {
				t.Run(way(dev)+"/"+f.name+"/"+r.title(), func(t *testing.T) { r.launchOn(t, dev) })
			}
		}
	}
}

// TestDebugSticks: a fault is an ErrKernel of the launch and of its scope, and
// the device goes on.
func TestDebugSticks(t *testing.T) {
	for _, dev := range debuggers() {
		t.Run(way(dev), func(t *testing.T) {
			x := runtime.Upload(dev, []uint32{1, 2})
			s := dev.Scope()
			gen.OutOfRange(s, x)
			if err := s.Submit(); !errors.Is(err, runtime.ErrKernel) {
				t.Errorf("the scope says %v", err)
			}
			if err := gen.OutOfRange(dev, x); !errors.Is(err, runtime.ErrKernel) {
				t.Errorf("the launch says %v", err)
			}
			if err := gen.OutOfRange(dev, runtime.Upload(dev, []uint32{1, 0})); err != nil {
				t.Errorf("a launch without a fault says %v", err)
			}
		})
	}
}

// TestPrint: debug launches print as fmt.Println does.
func TestPrint(t *testing.T) {
	if goruntime.GOOS == "js" {
		t.Skip("not run: a browser has no pipe to print into")
	}
	for _, dev := range debuggers() {
		x, y := runtime.Upload(dev, []int32{-3, 2}), runtime.Upload(dev, []dsl.Vec2{{X: 0.5, Y: -1}})
		got := stderr(t, func() error { return gen.Printed(dev, x, y) })
		if want := "x: -3 true 7\n{0.5 -1} 1.5 done\n"; !strings.HasSuffix(got, want) {
			t.Errorf("got %q, not %q", got, want)
		}
	}
}

// TestTooManyForDebug: a kernel with as many buffers as devices take has no
// debug form.
func TestTooManyForDebug(t *testing.T) {
	for _, dev := range debuggers() {
		if way(dev) == "cpu" {
			continue // it needs no debug form
		}
		b := func() *runtime.Buffer[uint32] { return runtime.Upload(dev, []uint32{1}) }
		err := gen.Buffers(dev, b(), b(), b(), b(), b(), b(), b(), b())
		if !errors.Is(err, runtime.ErrLimit) || !strings.Contains(err.Error(), "debug") {
			t.Errorf("got %v", err)
		}
	}
}

// stderr returns what f writes there.
func stderr(t *testing.T, f func() error) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stderr
	os.Stderr = w
	failure := f()
	os.Stderr = old
	w.Close()
	text, err := io.ReadAll(r)
	if failure != nil || err != nil {
		t.Fatal(failure, err)
	}
	return string(text)
}
