package conformance

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"regexp"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tandem/dsl"
	"tandem/runtime"
)

// feature is a part of the language with what its kernels compute.
type feature struct {
	name string
	rows []row
}

// row is a kernel with arguments, and what it does to them by hand.
type row struct {
	name           string
	kernel, launch any // the Go function and its generated launcher
	grid           dsl.Grid
	args           []any   // as the launcher takes them; buffers are in, out, inout
	near           float64 // how far floats may be off, |got-want|/(1+|want|)
	fails          string  // what emulate and the CPU report; a GPU goes on
}

// TestConformance runs every row in all three ways: go test -v lists them, by
// feature.
func TestConformance(t *testing.T) {
	for _, f := range features {
		t.Run(f.name, func(t *testing.T) {
			for _, r := range f.rows {
				t.Run(r.title(), func(t *testing.T) {
					t.Run("emulate", r.emulate)
					for _, dev := range devices() {
						t.Run(way(dev), func(t *testing.T) { r.on(t, dev) })
					}
				})
			}
		})
	}
}

// way is "cpu" or "gpu".
func way(dev *runtime.Device) string {
	if dev.Info().Kind == "cpu" {
		return "cpu"
	}
	return "gpu"
}

func (r *row) title() string {
	name := functionName(r.kernel)
	if r.name != "" {
		name += ", " + r.name
	}
	return name
}

// devices opens the CPU and every GPU, once.
var devices = sync.OnceValue(func() []*runtime.Device {
	var open []*runtime.Device
	for _, info := range runtime.Devices() {
		dev, err := runtime.Open(runtime.Options{Device: fmt.Sprint(info.Index)})
		if err != nil {
			panic(err)
		}
		open = append(open, dev)
	}
	return open
})

// TestGPU says if there is no GPU to conform.
func TestGPU(t *testing.T) {
	if !slices.ContainsFunc(devices(), func(d *runtime.Device) bool { return way(d) == "gpu" }) {
		t.Skip("not run: no GPU here; the tables ran on emulate and cpu only")
	}
}

// emulate calls the kernel itself.
func (r *row) emulate(t *testing.T) {
	kernel := reflect.ValueOf(r.kernel)
	args := []reflect.Value{{}}
	for _, a := range r.args {
		args = append(args, host(a))
	}
	err := dsl.Emulate(r.grid, func() func(dsl.Thread) {
		with := slices.Clone(args)
		for i := len(with); i < kernel.Type().NumIn(); i++ { // workgroup memory comes last
			with = append(with, reflect.New(kernel.Type().In(i).Elem()))
		}
		return func(t dsl.Thread) {
			mine := slices.Clone(with)
			mine[0] = reflect.ValueOf(t)
			kernel.Call(mine)
		}
	})
	if r.failed(t, err) {
		return
	}
	for i, a := range r.args {
		if b, ok := a.(buffer); ok {
			b.check(t, i, b.fromHost(args[i+1]), r.near)
		}
	}
}

// on calls the launcher.
func (r *row) on(t *testing.T, dev *runtime.Device) {
	if r.fails != "" && way(dev) == "gpu" {
		t.Skip("not run: a GPU does not report this, but in debug launches")
	}
	r.launchOn(t, dev)
}

func (r *row) launchOn(t *testing.T, dev *runtime.Device) {
	launch := reflect.ValueOf(r.launch)
	args := []reflect.Value{reflect.ValueOf(dev)}
	for i, a := range r.args {
		args = append(args, device(a, dev, launch.Type().In(i+1)))
	}
	err, _ := launch.Call(args)[0].Interface().(error)
	if err == nil {
		err = dev.Wait(context.Background())
	}
	if r.failed(t, err) {
		return
	}
	for i, a := range r.args {
		if b, ok := a.(buffer); ok {
			b.check(t, i, b.fromDevice(t, args[i+1]), r.near)
		}
	}
}

// failed holds err against what should be reported and reports whether there
// is nothing to compare.
func (r *row) failed(t *testing.T, err error) bool {
	t.Helper()
	switch {
	case err == nil && r.fails == "":
		return false
	case err == nil:
		t.Errorf("no error, want %s", r.fails)
	case r.fails == "" || !regexp.MustCompile(r.fails).MatchString(err.Error()):
		t.Errorf("got error %v, want %q", err, r.fails)
	}
	return true
}

// buffer is an argument in memory.
type buffer interface {
	host() reflect.Value
	device(*runtime.Device) reflect.Value
	fromHost(reflect.Value) any
	fromDevice(*testing.T, reflect.Value) any
	check(t *testing.T, arg int, got any, near float64)
}

// host returns an argument as the kernel takes it.
func host(a any) reflect.Value {
	if b, ok := a.(buffer); ok {
		return b.host()
	}
	return reflect.ValueOf(a)
}

// device returns an argument as the launcher takes it.
func device(a any, dev *runtime.Device, as reflect.Type) reflect.Value {
	if b, ok := a.(buffer); ok {
		return b.device(dev)
	}
	if v := reflect.ValueOf(a); v.Kind() == reflect.Struct && v.Type() != as {
		return views(v, dev, as)
	}
	return reflect.ValueOf(a)
}

// views returns a struct of slices as the launcher's struct of views.
func views(v reflect.Value, dev *runtime.Device, as reflect.Type) reflect.Value {
	out := reflect.New(as).Elem()
	for i := range v.NumField() {
		to := out.FieldByName(v.Type().Field(i).Name)
		switch x := v.Field(i).Interface().(type) {
		case []uint32:
			to.Set(reflect.ValueOf(runtime.Upload(dev, x)))
		case []float32:
			to.Set(reflect.ValueOf(runtime.Upload(dev, x)))
		default:
			to.Set(v.Field(i))
		}
	}
	return out
}

// data is a buffer of Ts.
type data[T any] struct{ before, after []T }

// in is a buffer that stays as it is, out one that starts as zeros, inout one that changes.
func in[T any](values ...T) buffer         { return &data[T]{values, values} }
func out[T any](want ...T) buffer          { return &data[T]{make([]T, len(want)), want} }
func inout[T any](before, want []T) buffer { return &data[T]{before, want} }

func (b *data[T]) host() reflect.Value { return reflect.ValueOf(slices.Clone(b.before)) }

func (b *data[T]) device(dev *runtime.Device) reflect.Value {
	return reflect.ValueOf(runtime.Upload(dev, b.before))
}

func (b *data[T]) fromHost(v reflect.Value) any { return v.Interface() }

func (b *data[T]) fromDevice(t *testing.T, v reflect.Value) any {
	got, err := v.Interface().(*runtime.Buffer[T]).Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (b *data[T]) check(t *testing.T, arg int, got any, near float64) {
	t.Helper()
	equal := cmp.Options{cmpopts.EquateEmpty(), cmp.Exporter(func(reflect.Type) bool { return true }), cmp.Comparer(func(a, b float32) bool { return close(a, b, near) })}
	if d := cmp.Diff(b.after, got, equal); d != "" {
		t.Errorf("argument %d, -want +got\n%s", arg, d)
	}
}

func close(a, b float32, near float64) bool {
	if a == b || a != a && b != b {
		return true
	}
	return math.Abs(float64(a)-float64(b)) <= near*(1+math.Abs(float64(b)))
}

// counters is a buffer of atomics: A, made of words of type T.
type counters[A any, T int32 | uint32] struct {
	data[T]
	load func(*A) T
	keep func(*A, T)
}

// atomics32 is a buffer of AtomicInt32 that changes, atomicsU32 of AtomicUint32.
func atomics32(before, want []int32) buffer {
	return &counters[dsl.AtomicInt32, int32]{data[int32]{before, want}, (*dsl.AtomicInt32).Load, (*dsl.AtomicInt32).Store}
}

func atomicsU32(before, want []uint32) buffer {
	return &counters[dsl.AtomicUint32, uint32]{data[uint32]{before, want}, (*dsl.AtomicUint32).Load, (*dsl.AtomicUint32).Store}
}

func (b *counters[A, T]) host() reflect.Value {
	s := make([]A, len(b.before))
	for i, v := range b.before {
		b.keep(&s[i], v)
	}
	return reflect.ValueOf(s)
}

func (b *counters[A, T]) fromHost(v reflect.Value) any {
	s := v.Interface().([]A)
	got := make([]T, len(s))
	for i := range s {
		got[i] = b.load(&s[i])
	}
	return got
}

func (b *counters[A, T]) device(dev *runtime.Device) reflect.Value {
	return reflect.ValueOf(runtime.As[A](runtime.Upload(dev, b.before)))
}

func (b *counters[A, T]) fromDevice(t *testing.T, v reflect.Value) any {
	return b.data.fromDevice(t, reflect.ValueOf(runtime.As[T](v.Interface().(*runtime.Buffer[A]))))
}

// bits is a buffer whose floats are compared by their bits.
type bits struct{ data[float32] }

// exactly is a buffer that is written with the bits of want.
func exactly(want ...float32) buffer { return &bits{data[float32]{make([]float32, len(want)), want}} }

func (b *bits) check(t *testing.T, arg int, got any, _ float64) {
	t.Helper()
	for i, v := range got.([]float32) {
		if g, w := math.Float32bits(v), math.Float32bits(b.after[i]); g != w {
			t.Errorf("argument %d, element %d: %#x, not %#x", arg, i, g, w)
		}
	}
}

// threads is a grid of n invocations in workgroups of width w, groups one of n workgroups.
func threads(w uint32, n int) dsl.Grid {
	if n == 0 {
		return dsl.Grid{Workgroup: [3]uint32{w, 1, 1}}
	}
	return dsl.Grid{Workgroup: [3]uint32{w, 1, 1}, Threads: [3]uint32{uint32(n), 1, 1}}
}

func groups(w uint32, n int) dsl.Grid {
	return dsl.Grid{Workgroup: [3]uint32{w, 1, 1}, Groups: [3]uint32{uint32(n), 1, 1}}
}

// functionName returns the name of a kernel.
func functionName(f any) string {
	name := goruntime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	name = strings.TrimSuffix(name, "[...]")
	return name[strings.LastIndexByte(name, '.')+1:]
}
