package runtime

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"tandem/cpu"
)

// What goes wrong is an error of the right kind that says what and where.
func TestErrors(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x, y := New[float32](d, 10), New[float32](d, 10)
		released := New[float32](d, 10)
		view := released.Slice(0, 5)
		released.Release()
		other := openFor(t, "cpu")
		foreign := New[float32](other, 10)
		submitted := d.Scope()
		ok(t, submitted.Submit())
		ctx := context.Background()
		grid := func(k *Kernel, text string, dims ...Size) error {
			l := Begin(d, k)
			Bind[uint32](l, 0, New[uint32](d, 4))
			l.Grid(text, dims...)
			return l.End()
		}
		plane := countKernel
		plane.Dims = 2
		var nothing *Buffer[float32]
		tests := []struct {
			name string
			err  error
			kind error
			text string
		}{
			{"too short", Add(d, 1, x, New[float32](d, 3)), ErrTooShort, "add: y has 3 elements and needs at least 10 (len(x))"},
			{"released", Add(d, 1, released, y), ErrReleased, "add: x was released"},
			{"view of a released buffer", Add(d, 1, x.Slice(0, 5), view), ErrReleased, "add: y was released"},
			{"read of a released buffer", errOf(released.Read(ctx)), ErrReleased, ""},
			{"write to a released buffer", released.Write(0, []float32{1}), ErrReleased, ""},
			{"nil", Add(d, 1, nil, y), ErrNil, "add: x is nil"},
			{"nil buffer", Add(d, 1, nothing, y), ErrNil, "add: x is nil"},
			{"zero buffer", Add(d, 1, new(Buffer[float32]), y), ErrNil, "add: x: the buffer was not made by New"},
			{"read of a zero buffer", errOf(new(Buffer[float32]).Read(ctx)), ErrNil, ""},
			{"write to a zero buffer", new(Buffer[float32]).Write(0, nil), ErrNil, ""},
			{"copy to a zero buffer", x.CopyTo(d, new(Buffer[float32])), ErrNil, "copy: destination"},
			{"zero buffer as another", As[uint32](new(Buffer[float32])).Err(), ErrNil, ""},
			{"zero scope", new(Scope).Err(), ErrNil, ""},
			{"no device", Add(nil, 1, x, y), ErrNil, "add"},
			{"nil device", Add((*Device)(nil), 1, x, y), ErrNil, ""},
			{"nil scope", Add((*Scope)(nil), 1, x, y), ErrNil, ""},
			{"foreign", Add(d, 1, foreign, y), ErrWrongDevice, "add: x is a buffer of CPU"},
			{"submitted", Add(submitted, 1, x, y), ErrSubmitted, "already submitted"},
			{"submitted twice", submitted.Submit(), ErrSubmitted, "already submitted"},
			{"new on submitted", New[float32](submitted, 1).Err(), ErrSubmitted, "new buffer of 1 float32 (4 bytes): the scope was already submitted"},
			{"new within submitted", NewUninit[float32](submitted.Scope(), 1).Err(), ErrSubmitted, "already submitted"},
			{"upload on submitted", Upload(submitted, []float32{1}).Err(), ErrSubmitted, "already submitted"},
			{"unopened", Add(new(Device), 1, x, y), ErrNil, "made by runtime.Open"},
			{"new on unopened", New[float32](new(Device), 1).Err(), ErrNil, "made by runtime.Open"},
			{"slice", Add(d, 1, x.Slice(2, 11), y), ErrRange, "[2:11] of a buffer of 10 elements"},
			{"slice backwards", x.Slice(4, 2).Err(), ErrRange, "[4:2]"},
			{"write over the end", x.Write(8, []float32{1, 2, 3}), ErrRange, "write of 3 elements at 8 to a buffer of 10"},
			{"write before the start", x.Write(-1, []float32{1}), ErrRange, ""},
			{"write far over the end", x.Write(math.MaxInt, []float32{1}), ErrRange, ""},
			{"read into a short slice", x.ReadInto(ctx, make([]float32, 9)), ErrTooShort, "read of 10 elements into a slice of 9"},
			{"copy to a short buffer", x.CopyTo(d, y.Slice(0, 9)), ErrTooShort, "copy of 10 elements to a buffer of 9"},
			{"odd bytes", As[float32](New[uint8](d, 7)).Err(), ErrRange, "7 bytes are not a whole number of float32"},
			{"negative length", New[float32](d, -1).Err(), ErrRange, "negative"},
			{"over the largest buffer", New[float32](d, math.MaxInt).Err(), ErrLimit, "takes buffers of up to"},
			{"64-bit elements", New[float64](d, 1).Err(), ErrLimit, "float64 has no form on a GPU"},
			{"pointers", New[struct{ p *int }](d, 1).Err(), ErrLimit, "*int"},
			{"use of a failed buffer", Add(d, 1, New[float32](d, -1), y), ErrRange, "add: x: new buffer"},
			{"grid over 32 bits", grid(&countKernel, "n", Int(1<<32)), ErrGrid, "count: side x of the grid is 4294967296"},
			{"side over the limit", grid(&plane, "1, n", Int(1), Int(65536)), ErrGrid, "count: side y of the grid is 65536 workgroups"},
			{"negative grid", grid(&countKernel, "a-b", Int(1).Sub(Int(2))), ErrGrid, "count: grid a-b: side x is -1"},
			{"overflowing grid", grid(&countKernel, "a*b", Int(1<<40).Mul(Int(1<<40))), ErrGrid, "count: grid a*b: side x does not fit 64 bits"},
			{"condition", where(d, "a < b", Int(3).Lt(Int(2)), Value{"a", 3}, Value{"b", 2}), ErrCondition, "count: a < b does not hold with a = 3, b = 2"},
			{"bad condition", where(d, "a/b > 0", Int(3).Div(Int(0)).Gt(Int(0)), Value{"b", 0}), ErrLimit, "count: a/b > 0 divides by zero with b = 0"},
		}
		for _, test := range tests {
			if !errors.Is(test.err, test.kind) || test.err == nil || !strings.Contains(test.err.Error(), test.text) {
				t.Errorf("%s: got %v, want %v with %q", test.name, test.err, test.kind, test.text)
			}
		}
		ok(t, Add(d, 1, x, y)) // the device is as good as before
		want(t, y, all(10, float32(1))...)
	})
}

func errOf[T any](_ T, err error) error { return err }

func where(on Target, text string, cond Size, values ...Value) error {
	l := Begin(on, &countKernel)
	l.Where(text, cond, values...)
	return l.End()
}

// Errors stick to a scope: what comes after is not recorded, what came before
// runs.
func TestStickyErrors(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		for _, fail := range []func(on Target, x *Buffer[float32]) error{
			func(on Target, x *Buffer[float32]) error { return Add(on, 1, x, x) },
			func(on Target, _ *Buffer[float32]) error { return Refuse(on, ErrAliased) },
		} {
			x := New[float32](d, 4)
			s := d.Scope()
			ok(t, Grow(s, 1, x))
			inner := s.Scope()
			first := fail(inner, x)
			if !errors.Is(first, ErrAliased) {
				t.Fatal(first)
			}
			if err := Grow(s, 10, x); err != first {
				t.Errorf("a launch after the error returns %v", err)
			}
			if err := Refuse(s, ErrLimit); err != ErrLimit {
				t.Errorf("another error is returned as %v", err)
			}
			if err := inner.Submit(); err != first {
				t.Errorf("the inner scope returns %v", err)
			}
			if err := s.Submit(); err != first {
				t.Errorf("the scope returns %v", err)
			}
			want(t, x, 1, 1, 1, 1)
		}
	})
}

// Refuse has nothing to keep an error on where there is no scope, nor an error to keep where there is none.
func TestRefuse(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		for _, on := range []Target{nil, d, d.Scope(), (*Device)(nil), new(Device), new(Device).Scope(), (*Scope)(nil), &Scope{}} {
			if err := Refuse(on, nil); err != nil {
				t.Errorf("on %T: %v", on, err)
			}
			if err := Refuse(on, ErrLimit); err != ErrLimit {
				t.Errorf("on %T: %v", on, err)
			}
		}
		ok(t, Grow(d, 1, New[float32](d, 4)))
	})
}

// A launch on a scope within a submitted one is an error.
func TestInnerScopeOfSubmitted(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x := New[float32](d, 1)
		s := d.Scope()
		inner := s.Scope()
		ok(t, Grow(inner, 1, x))
		ok(t, s.Submit())
		if err := Grow(inner, 1, x); !errors.Is(err, ErrSubmitted) {
			t.Errorf("got %v", err)
		}
		want(t, x, 1)
	})
}

// A rejected shader is an error at the Go line it came from, each time.
func TestShaderErrors(t *testing.T) {
	d := openFor(t, "gpu")
	tests := []struct{ name, from, to, position string }{
		{"syntax", "x[i] += params.a;", "x[i] += ;", "grow.go:77"},
		{"type", "x[i] += params.a;", "x[i] += 1u;", "grow.go:77"},
		{"entry point", "fn grow(", "fn other(", "grow.go:10"},
		{"binding", "@binding(1)", "@binding(5)", "grow.go:10"},
	}
	for _, test := range tests {
		k := growKernel
		k.WGSL = strings.Replace(k.WGSL, test.from, test.to, 1)
		before, after, _ := strings.Cut(k.WGSL, "let i =")
		k.Lines = fmt.Sprintf("*%d,77*%d", strings.Count(before, "\n"), strings.Count(after, "\n")) // the line of "let i" and after
		for range 2 {
			l := Begin(d, &k)
			Bind[float32](l, 0, New[float32](d, 4))
			l.Grid("4", Int(4))
			err := l.End()
			if !errors.Is(err, ErrShader) || !strings.HasPrefix(err.Error(), test.position) || !strings.Contains(err.Error(), "kernel grow") {
				t.Errorf("%s: got %v", test.name, err)
			}
		}
	}
	x := New[float32](d, 1)
	ok(t, Grow(d, 1, x))
	want(t, x, 1)
}

// A kernel that fails on the CPU device is the error of the submit, and of a read
// that would give its result.
func TestKernelErrors(t *testing.T) {
	d := openFor(t, "cpu")
	k := elementwise("broken", "", "", []Arg{{Name: "x", Access: ReadWrite, Size: 4}}, func(l *cpu.Launch) error {
		x := cpu.Slice[float32](l, 0)
		return each(l, func(i uint32) { x[i+1] = 1 })
	})
	launch := func(on Target, x *Buffer[float32]) error {
		l := Begin(on, &k)
		Bind(l, 0, x)
		l.Grid("len(x)", l.Len(0))
		return l.End()
	}
	x := New[float32](d, 3)
	if err := launch(d, x); !errors.Is(err, ErrKernel) {
		t.Errorf("the launch returns %v", err)
	}
	s := d.Scope()
	ok(t, launch(s, x))
	if _, err := x.Read(context.Background()); !errors.Is(err, ErrKernel) {
		t.Errorf("the read returns %v", err)
	}
	if err := s.Submit(); !errors.Is(err, ErrKernel) {
		t.Errorf("the scope returns %v", err)
	}
	ok(t, d.Err())
}

// A context that has ended ends a read, and the device goes on.
func TestReadContext(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x := New[float32](d, 4)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := x.Read(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		//lint:ignore SA1012 what becomes of a nil context is tested
		if _, err := x.Read(nil); !errors.Is(err, ErrNil) {
			t.Errorf("without a context: %v", err)
		}
		want(t, x, 0, 0, 0, 0)
	})
}

// A read whose context ends while the device works gives up; the staging buffer
// that the device still writes is not used for other reads.
func TestReadGivesUp(t *testing.T) {
	d := openFor(t, "gpu")
	x, y := New[float32](d, 1<<18), Upload(d, all(1<<18, float32(5)))
	want(t, y.Slice(0, 1), 5) // warm
	gaveUp := 0
	for range 20 {
		for range 5 {
			ok(t, Grow(d, 1, x))
		}
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Microsecond)
		if err := x.ReadInto(ctx, make([]float32, 1<<18)); errors.Is(err, context.DeadlineExceeded) {
			gaveUp++
		} else {
			ok(t, err)
		}
		cancel()
		want(t, y.Slice(0, 2), 5, 5)
	}
	want(t, x.Slice(0, 1), 100)
	if gaveUp == 0 {
		t.Skip("TestReadGivesUp shows nothing: every read came in time")
	}
}

// After Close everything returns ErrClosed, and nothing ends the process.
func TestClosed(t *testing.T) {
	for _, kind := range []string{"cpu", "gpu"} {
		t.Run(kind, func(t *testing.T) {
			d := openFor(t, kind)
			x, y := New[float32](d, 4), New[float32](d, 4)
			s := d.Scope()
			ok(t, Add(s, 1, x, y))
			ok(t, d.Close())
			ok(t, d.Close())
			tests := map[string]error{
				"launch":        Add(d, 1, x, y),
				"recorded":      Add(s, 1, x, y),
				"submit":        s.Submit(),
				"read":          errOf(x.Read(context.Background())),
				"write":         x.Write(0, []float32{1}),
				"new":           New[float32](d, 4).Err(),
				"buffer":        x.Err(),
				"copy":          x.CopyTo(d, y),
				"wait":          d.Wait(context.Background()),
				"time":          errOf(d.Time(func(on Target) error { return Add(on, 1, x, y) })),
				"profile":       errOf(Profile(d, func() error { return nil })),
				"the device's":  d.Err(),
				"a new scope's": Add(d.Scope(), 1, x, y),
			}
			for name, err := range tests {
				if !errors.Is(err, ErrClosed) {
					t.Errorf("%s: got %v", name, err)
				}
			}
			x.Release()
			x.Release()
		})
	}
}

// Nothing that is asked of nothing ends the process: whatever returns an error returns ErrNil, and so
// does the Err of a buffer or scope.
func TestNil(t *testing.T) {
	ctx := reflect.ValueOf(context.Background())
	for _, nothing := range []any{(*Device)(nil), new(Device), new(Device).Scope(), (*Scope)(nil), (*Scope)(nil).Scope(), new(Scope), (*Reading)(nil), (*Buffer[float32])(nil), new(Buffer[float32])} {
		v := reflect.ValueOf(nothing)
		for i := range v.NumMethod() {
			name, method := fmt.Sprintf("%s.%s", v.Type(), v.Type().Method(i).Name), v.Method(i)
			var args []reflect.Value
			for j := range method.Type().NumIn() {
				arg := reflect.Zero(method.Type().In(j))
				if arg.Type() == reflect.TypeFor[context.Context]() {
					arg = ctx
				}
				args = append(args, arg)
			}
			for _, out := range method.Call(args) {
				err, isError := out.Interface().(error)
				if made, ok := out.Interface().(interface{ Err() error }); ok {
					err, isError = made.Err(), true
				}
				if (isError || out.Type() == reflect.TypeFor[error]()) && !errors.Is(err, ErrNil) {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	d := openFor(t, "cpu")
	var none *Buffer[float32]
	if none.Len() != 0 || none.Device() != nil || none.View() != nil {
		t.Error("a nil buffer has something")
	}
	for name, err := range map[string]error{
		"As of nothing": As[uint32](none).Err(), "copy to nothing": New[float32](d, 1).CopyTo(d, none), "launch on nothing": Grow(d, 1, none),
		"Time of nothing": errOf(d.Time(nil)), "Profile of nothing": errOf(Profile(d, nil)), "Profile of no device": errOf(Profile(nil, func() error { return nil })),
		"ReadMany of no region": ReadMany(context.Background(), Region{}), "StartReading of no region": errOf(StartReading(Region{})),
		"New on nothing": New[float32](nil, 1).Err(), "Upload to no device": Upload((*Device)(nil), []float32{1}).Err(),
	} {
		if !errors.Is(err, ErrNil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
