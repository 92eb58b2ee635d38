package opstest

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"tandem/ops"
	"tandem/runtime"
)

// Operator is an operator with arguments that fit, to be tried with ones that do not.
type Operator struct {
	Name   string // as its errors have it
	Floats []Arg
	Index  []Arg // arguments of whole numbers
	Call   func(on runtime.Target, f []ops.Floats, i []*ops.Tensor[uint32]) error
}

// Arg is an argument: its name, a shape that fits, and one that does not (nil: any fits).
type Arg struct {
	Name       string
	Shape, Bad []int
	Optional   bool // may be nil
}

// Is returns an argument by its name, a shape that fits and one that does not.
func Is(name string, shape, bad []int) Arg { return Arg{Name: name, Shape: shape, Bad: bad} }

// Optional returns an argument that may be nil.
func Optional(name string, shape, bad []int) Arg {
	return Arg{Name: name, Shape: shape, Bad: bad, Optional: true}
}

// Shaped returns an operator of floats, for tests that only need arguments that fit.
func Shaped(name string, call func(on runtime.Target, f []ops.Floats) error, shapes ...[]int) Operator {
	o := Operator{Name: name, Call: func(on runtime.Target, f []ops.Floats, _ []*ops.Tensor[uint32]) error { return call(on, f) }}
	for _, s := range shapes {
		o.Floats = append(o.Floats, Arg{Shape: s})
	}
	return o
}

// each calls f for every argument of o.
func (o Operator) each(f func(i int, a Arg)) {
	for i, a := range append(append([]Arg{}, o.Floats...), o.Index...) {
		f(i, a)
	}
}

// call calls o with tensors of its own on on; change may replace argument i.
func (o Operator) call(t *testing.T, on, home runtime.Target, change func(f []ops.Floats, i []*ops.Tensor[uint32])) (err error) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it panics: %v", r)
		}
	}()
	var f []ops.Floats
	var index []*ops.Tensor[uint32]
	for _, a := range o.Floats {
		f = append(f, ops.New[float32](home, a.Shape...))
	}
	for _, a := range o.Index {
		index = append(index, ops.New[uint32](home, a.Shape...))
	}
	if change != nil {
		change(f, index)
	}
	return o.Call(on, f, index)
}

// with returns a change that puts tensors in argument i's place.
func (o Operator) with(i int, x ops.Floats, y *ops.Tensor[uint32]) func([]ops.Floats, []*ops.Tensor[uint32]) {
	return func(f []ops.Floats, index []*ops.Tensor[uint32]) {
		if i < len(f) {
			f[i] = x
		} else {
			index[i-len(f)] = y
		}
	}
}

// TryOperators calls every operator with arguments that fit and then with ones that do not: of
// another shape, nil, released, of another device; and without a device. All that do not fit are
// errors, which stick to a scope; those of shapes name the operator, the argument and both shapes.
func TryOperators(t *testing.T, operators []Operator) {
	dev := Open(t, runtime.Options{Device: "cpu"})
	other := Open(t, runtime.Options{Device: "cpu"})
	for _, o := range operators {
		t.Run(o.Name, func(t *testing.T) {
			if err := o.call(t, dev, dev, nil); err != nil {
				t.Fatal("with arguments that fit: ", err)
			}
			for what, on := range map[string]runtime.Target{"no device": nil, "a nil device": (*runtime.Device)(nil), "a nil scope": (*runtime.Scope)(nil)} {
				if err := o.call(t, on, dev, nil); err == nil || panics(err) {
					t.Errorf("on %s: %v", what, err)
				}
			}
			o.each(func(i int, a Arg) {
				o.tryShape(t, dev, i, a)
				if err := o.refused(t, dev, o.with(i, nil, nil)); !a.Optional && (err == nil || panics(err)) {
					t.Errorf("%s nil: %v", a.Name, err)
				} else if a.Optional && err != nil {
					t.Errorf("without %s: %v", a.Name, err)
				}
				gone, goneIndex := ops.New[float32](dev, a.Shape...), ops.New[uint32](dev, a.Shape...)
				gone.Release()
				goneIndex.Release()
				if err := o.refused(t, dev, o.with(i, gone, goneIndex)); !errors.Is(err, runtime.ErrReleased) {
					t.Errorf("%s released: %v", a.Name, err)
				}
				err := o.refused(t, dev, o.with(i, ops.New[float32](other, a.Shape...), ops.New[uint32](other, a.Shape...)))
				if !errors.Is(err, runtime.ErrWrongDevice) {
					t.Errorf("%s of another device: %v", a.Name, err)
				}
			})
		})
	}
}

// refused calls o on a scope, with arguments that change may replace, and returns the error, which
// has to stick to the scope.
func (o Operator) refused(t *testing.T, dev *runtime.Device, change func(f []ops.Floats, i []*ops.Tensor[uint32])) error {
	t.Helper()
	s := dev.Scope()
	err := o.call(t, s, dev, change)
	if stuck := s.Submit(); !errors.Is(err, stuck) { // it may say more
		t.Errorf("the error is %v, and the scope's %v", err, stuck)
	}
	return err
}

// tryShape gives argument i a shape that does not fit.
func (o Operator) tryShape(t *testing.T, dev *runtime.Device, i int, a Arg) {
	t.Helper()
	if a.Bad == nil {
		return
	}
	err := o.refused(t, dev, o.with(i, ops.New[float32](dev, a.Bad...), ops.New[uint32](dev, a.Bad...)))
	if err == nil || panics(err) {
		t.Errorf("%s of shape %v: %v", a.Name, a.Bad, err)
		return
	}
	shape := strings.ReplaceAll(fmt.Sprint(a.Bad), " ", ", ")
	text := err.Error()
	if !strings.HasPrefix(text, o.Name+": ") || !strings.Contains(text, a.Name) || !strings.Contains(text, shape) || strings.Count(text, "[") < 2 {
		t.Errorf("%s of shape %v: the error does not name operator, argument and both shapes: %v", a.Name, a.Bad, err)
	}
}

// TryOverlaps calls every operator with each two of its tensors of floats in the same memory.
// Either the operator says that they overlap, or it does what it does with copies of them: on every
// device, and however many launches it takes.
func TryOverlaps(t *testing.T, operators []Operator) {
	OnEach(t, func(t *testing.T, dev *runtime.Device) {
		for _, o := range operators {
			for j := range o.Floats {
				for i := range j {
					t.Run(fmt.Sprintf("%s/%s and %s", o.Name, o.Floats[i].Name, o.Floats[j].Name), func(t *testing.T) { o.tryOverlap(t, dev, i, j) })
				}
			}
		}
	})
}

// tryOverlap calls o with arguments i and j in the same memory.
func (o Operator) tryOverlap(t *testing.T, dev *runtime.Device, i, j int) {
	apart, together := o.draw(t, dev), o.draw(t, dev)
	first, second := apart.floats[i], apart.floats[j]
	common := first
	if second.Len() > first.Len() {
		common = second
	}
	before := Values(t, common)
	if err := errors.Join(first.Write(before[:first.Len()]), second.Write(before[:second.Len()])); err != nil {
		t.Fatal(err)
	}
	memory := runtime.Upload(dev, before)
	for _, at := range []int{i, j} {
		x, err := ops.On(memory.Slice(0, apart.floats[at].Len()), o.Floats[at].Shape...)
		if err != nil {
			t.Fatal(err)
		}
		together.floats[at] = x
	}
	err := o.Call(dev, together.floats, together.index)
	if errors.Is(err, runtime.ErrAliased) {
		return
	}
	if err := errors.Join(err, o.Call(dev, apart.floats, apart.index)); err != nil {
		t.Fatal(err)
	}
	for at, x := range apart.floats {
		want, got := Values(t, x), Values(t, together.floats[at])
		other := apart.floats[i]
		if at == i {
			other = apart.floats[j]
		}
		if at == i || at == j { // what was written is in the one or the other
			for k, v := range Values(t, other)[:min(other.Len(), len(want))] {
				if math.Float32bits(want[k]) == math.Float32bits(before[k]) {
					want[k] = v
				}
			}
		}
		for k := range want {
			if math.Float32bits(got[k]) != math.Float32bits(want[k]) {
				t.Fatalf("no error, and element %d of %s is %v, not %v", k, o.Floats[at].Name, got[k], want[k])
			}
		}
	}
}

// TryRefused has the kernels of every operator refused, one at a time. The operator returns the
// error and launches nothing after it: as much runs as does on a scope, to which the first error
// sticks.
func TryRefused(t *testing.T, operators []Operator) {
	for _, name := range []string{"cpu", "gpu"} {
		t.Run(name, func(t *testing.T) {
			dev := Open(t, runtime.Options{Device: name, NoTune: true}) // what is timed would count
			for _, o := range operators {
				t.Run(o.Name, func(t *testing.T) { o.tryRefused(t, dev) })
			}
		})
	}
}

// tryRefused calls o with each of its kernels refused.
func (o Operator) tryRefused(t *testing.T, dev *runtime.Device) {
	a := o.draw(t, dev)
	ran := func(on runtime.Target) (launches int64, err error) {
		before := dev.Stats()
		err = o.Call(on, a.floats, a.index)
		if scope, ok := on.(*runtime.Scope); ok {
			scope.Submit() // the same error
		}
		return dev.Stats().Since(before).Dispatches, err
	}
	report, err := runtime.Profile(dev, func() error { _, err := ran(dev); return err })
	if err != nil || len(report.Kernels) == 0 {
		t.Fatalf("%d kernels ran: %v", len(report.Kernels), err)
	}
	for _, k := range report.Kernels {
		dev.UseVariant(k.Name, "refused")
		launched, err := ran(dev)
		want, wantErr := ran(dev.Scope())
		dev.ChooseVariant(k.Name)
		if !errors.Is(err, runtime.ErrVariant) || !errors.Is(wantErr, runtime.ErrVariant) {
			t.Errorf("with %s refused: %v, on a scope %v", k.Name, err, wantErr)
		}
		if launched != want {
			t.Errorf("with %s refused, %d launches run, %d of them after it", k.Name, launched, launched-want)
		}
	}
}

// arguments are those of a call.
type arguments struct {
	floats []ops.Floats
	index  []*ops.Tensor[uint32]
}

// draw makes arguments that fit o: random numbers, and indices of 0.
func (o Operator) draw(t *testing.T, dev *runtime.Device) (a arguments) {
	b := NewBench(t, dev)
	for _, x := range o.Floats {
		a.floats = append(a.floats, b.Random(x.Shape...))
	}
	for _, x := range o.Index {
		a.index = append(a.index, ops.New[uint32](dev, x.Shape...))
	}
	return a
}

// panics reports whether an error stands for a panic.
func panics(err error) bool { return strings.HasPrefix(err.Error(), "it panics") }
