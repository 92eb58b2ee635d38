package runtime

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"
)

// Launch is a launch being put together. It is what generated launchers are
// written with; programs call the launchers. The first failure sticks, and End
// returns it.
type Launch struct {
	kernel *Kernel
	dev    *Device
	scope  *Scope // nil: alone, outside a scope
	err    error

	args     []argument
	block    []uint64 // the uniform block
	dims     [3]int64 // the grid, in the kernel's unit; of an indirect launch, the most it may be
	indirect argument // grid on the device, if it has storage
	bytes    float64  // memory traffic and arithmetic, for profiles
	flops    float64

	variants []variantGrid // of kernel.Variants
	chosen   bool          // kernel is the form to run

	key      formKey   // what record works out
	grid     shape     // likewise
	bindings []binding // scratch of record
}

// variantGrid is the grid of a variant, if it may stand for the default.
type variantGrid struct {
	dims [3]int64
	fits bool
}

// argument is a bound view.
type argument struct {
	own    *owner
	st     *storage // set under the device's lock
	offset int64
	bytes  int64
	n      int64
	span   span // what must not overlap another argument's
}

// Value is a named number in an error.
type Value struct {
	Name string
	N    int64
}

var launches = sync.Pool{New: func() any { return new(Launch) }}

// Begin starts a launch of k.
func Begin(on Target, k *Kernel) *Launch {
	l := launches.Get().(*Launch)
	l.reset(k)
	if on == nil {
		l.err = failf(ErrNil, "%s: no device or scope to launch on", k.Name)
		return l
	}
	l.dev, l.scope, l.err = on.target()
	return l
}

// reset makes l, which is new or was freed, the launch of k with nothing bound.
func (l *Launch) reset(k *Kernel) {
	l.kernel = k
	if n := len(k.Buffers); cap(l.args) < n {
		l.args = make([]argument, n)
	}
	l.args = l.args[:len(k.Buffers)]
	words := k.words()
	for i := range k.Variants {
		words = max(words, k.Variants[i].Kernel.words())
	}
	if cap(l.block) < words {
		l.block = make([]uint64, words)
	}
	clear(l.block[:words])
	l.block = l.block[:k.words()]
	if n := len(k.Variants); n > 0 {
		l.variants = slices.Grow(l.variants[:0], n)[:n]
		clear(l.variants)
	}
}

// free gives l back with nothing bound. Buffers that a launch still named would not be
// found unreachable.
func (l *Launch) free() {
	clear(l.args)
	clear(l.bindings)
	l.dev, l.scope, l.err = nil, nil, nil
	l.dims, l.bytes, l.flops, l.chosen = [3]int64{}, 0, 0, false
	if l.indirect.own != nil {
		l.indirect = argument{}
	}
	launches.Put(l)
}

// Bind binds v to buffer i of the kernel.
func Bind[T any](l *Launch, i int, v View[T]) {
	if l.err != nil {
		return
	}
	var b *Buffer[T]
	if v != nil {
		b = v.View()
	}
	arg := &l.kernel.Buffers[i]
	if b == nil {
		l.fail(ErrNil, "%s is nil", arg.Name)
		return
	}
	l.bind(arg.Name, &b.view, &l.args[i])
	if arg.MaxLen > 0 && int64(b.n) > arg.MaxLen {
		l.fail(ErrLimit, "%s has %d elements; the kernel counts them in an int and takes up to %d", arg.Name, b.n, arg.MaxLen)
	}
}

// bind makes a the argument for v.
func (l *Launch) bind(name string, v *view, a *argument) {
	if err := v.bad(); err != nil {
		l.err = l.errorf(err, "%s: %v", name, err)
		return
	}
	switch {
	case v.own.dev != l.dev:
		theirs, ours := apart(v.own.dev, l.dev)
		l.fail(ErrWrongDevice, "%s is a buffer of %s, but the launch is on %s", name, theirs, ours)
	case int64(v.n) > 1<<32-1:
		l.fail(ErrLimit, "%s has %d elements; a kernel can address 4294967295", name, v.n)
	}
	a.own, a.offset, a.bytes, a.n, a.span = v.own, v.off, v.bytes, int64(v.n), v.span()
}

// fail records the first failure.
func (l *Launch) fail(kind error, format string, args ...any) {
	if l.err == nil {
		l.err = l.errorf(kind, format, args...)
	}
}

// errorf makes an error of a kind that begins with the kernel's name.
func (l *Launch) errorf(kind error, format string, args ...any) error {
	return failf(kind, "%s: %s", l.kernel.Name, fmt.Sprintf(format, args...))
}

// argName returns the name of buffer i.
func (l *Launch) argName(i int) string { return l.kernel.Buffers[i].Name }

// Where checks a condition of the kernel; text is the condition as written and
// values are the numbers in it.
func (l *Launch) Where(text string, cond Size, values ...Value) {
	if l.err != nil || (cond.bad == "" && cond.n != 0) {
		return
	}
	if cond.bad != "" {
		l.fail(ErrLimit, "%s %s%s", text, cond.bad, with(values))
		return
	}
	l.fail(ErrCondition, "%s does not hold%s", text, with(values))
}

// with lists values for an error.
func with(values []Value) string {
	if len(values) == 0 {
		return ""
	}
	text := ""
	for _, v := range values {
		text += fmt.Sprintf(", %s = %d", v.Name, v.N)
	}
	return " with" + text[1:]
}

// Len returns the number of elements bound to buffer i.
func (l *Launch) Len(i int) Size { return Size{n: l.args[i].n} }

// Need checks that buffer i has at least n elements; text is n as written.
func (l *Launch) Need(i int, text string, n Size, values ...Value) {
	if l.err != nil {
		return
	}
	name := l.kernel.Buffers[i].Name
	switch have := l.args[i].n; {
	case n.bad != "":
		l.fail(ErrLimit, "the length of %s: %s %s%s", name, text, n.bad, with(values))
	case n.n < 0:
		l.fail(ErrRange, "the length of %s: %s is %d%s", name, text, n.n, with(values))
	case have < n.n:
		l.fail(ErrTooShort, "%s has %d elements and needs at least %d (%s)", name, have, n.n, text)
	}
}

// Grid sets the grid, in the kernel's own unit (invocations or workgroups);
// text is the grid as written.
func (l *Launch) Grid(text string, dims ...Size) {
	l.dims = [3]int64{1, 1, 1}
	for i, d := range dims {
		switch {
		case l.err != nil:
			return
		case d.bad != "":
			l.fail(ErrGrid, "grid %s: side %s %s", text, axes[i], d.bad)
		case d.n < 0:
			l.fail(ErrGrid, "grid %s: side %s is %d", text, axes[i], d.n)
		}
		l.dims[i] = d.n
	}
}

var axes = [3]string{"x", "y", "z"}

// Variant sets the grid of variant i, which then may stand for the default.
func (l *Launch) Variant(i int, dims ...Size) {
	v := &l.variants[i]
	v.dims, v.fits = [3]int64{1, 1, 1}, true
	for axis, d := range dims {
		v.dims[axis], v.fits = d.n, v.fits && d.bad == "" && d.n >= 0
	}
}

// VariantWhere says what else variant i needs to stand for the default.
func (l *Launch) VariantWhere(i int, cond Size) {
	l.variants[i].fits = l.variants[i].fits && cond.bad == "" && cond.n != 0
}

// Indirect takes the grid from grid: three uint32 in the kernel's own unit, read
// on the device when the launch runs. Along each side, what Grid said is the most: that much
// is known to lie within the arguments. A grid over the device's limit runs nothing.
func (l *Launch) Indirect(grid View[uint32]) {
	if l.err != nil {
		return
	}
	var b *Buffer[uint32]
	if grid != nil {
		b = grid.View()
	}
	if b == nil {
		l.fail(ErrNil, "the grid is nil")
		return
	}
	if l.bind("grid", &b.view, &l.indirect); l.err == nil && b.n < 3 {
		l.fail(ErrTooShort, "the grid has %d elements and needs 3", b.n)
	}
}

// Cost says how many bytes the launch moves and how many floating-point
// operations it does, for profiles. Without it a profile counts the bound bytes.
func (l *Launch) Cost(bytes, flops float64) { l.bytes, l.flops = bytes, flops }

// Params returns the launch's uniform block, zeroed, to be filled in.
func Params[T any](l *Launch) *T {
	return (*T)(unsafe.Pointer(unsafe.SliceData(l.block)))
}

// End records the launch on its scope, or submits it if it has none, and returns
// the first failure.
func (l *Launch) End() error {
	err := l.err
	if err == nil {
		err = l.record()
	}
	if l.scope != nil {
		err = l.scope.stick(err)
	}
	l.free()
	return err
}
