package parity

import (
	"context"
	"errors"
	"fmt"
	"math"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"tandem/dsl"
	"tandem/runtime"
)

// testCase is a drawn case under comparison.
type testCase struct {
	*run
	draw *Draw
	Case
	undecided [][]bool    // by output, the undecided elements; nil for none
	reference []memory    // what noise moves elements away from
	underWay  underWay    // of emulate
	closer    bool        // noise has run as often as it may
	moved     [][]float64 // by output, how far noise moves each float; nil for none
}

// compareAll runs the case in every way. The CPU's result is what the others
// are held against.
func (c *testCase) compareAll() {
	cpu := c.onDevice("cpu", c.cpu)
	if cpu == nil {
		return
	}
	c.ran("cpu")
	c.measure(cpu)
	for _, b := range c.Outputs {
		c.hasOutputs, c.elements = true, c.elements+b.stated()
	}
	c.findUndecided(cpu)
	defer c.countUndecided()
	if c.mayEmulate() {
		if got := c.emulate(); got != nil {
			c.ran("emulate")
			c.report.Emulated++
			c.check("emulate", got, "cpu", cpu, rule{tolerance: c.kernel.Tolerance, exact: exactEmulate})
		}
	}
	near := rule{tolerance: c.kernel.Tolerance}
	want := c.wanted()
	if want != nil {
		c.check("cpu", cpu, "want", want, near)
	}
	for _, dev := range c.gpus {
		got := c.onDevice(c.deviceName(dev), dev)
		if got == nil {
			continue
		}
		c.ran("gpu")
		c.check(c.deviceName(dev), got, "cpu", cpu, near)
		if want != nil {
			c.check(c.deviceName(dev), got, "want", want, near)
		}
	}
	for _, v := range c.kernel.Variants {
		c.compareVariant(v.Name, cpu)
	}
}

// compareVariant runs a variant on every device.
func (c *testCase) compareVariant(variant string, cpu []memory) {
	for _, dev := range append([]*runtime.Device{c.cpu}, c.gpus...) {
		name := c.deviceName(dev) + ", " + variant
		dev.UseVariant(c.kernel.Name, variant)
		got := c.onDevice(name, dev)
		dev.ChooseVariant(c.kernel.Name)
		if got != nil {
			c.variants[variant]++
			c.check(name, got, "cpu", cpu, rule{tolerance: c.kernel.Tolerance})
		}
	}
}

// compareInPlace runs the launcher with one buffer for both of p, on every
// device, and holds it against the CPU with two buffers of the same data.
func (c *testCase) compareInPlace(p Pair) {
	in := p.In.memory()
	if out := p.Out.memory(); out.n != in.n {
		return // one buffer has one length
	}
	if err := p.Out.becomes(p.In); err != nil {
		c.fail("in place: %v", err)
		return
	}
	apart := c.onDevice("cpu", c.cpu)
	if apart == nil {
		return
	}
	c.findUndecided(apart)
	defer c.countUndecided()
	for _, dev := range append([]*runtime.Device{c.cpu}, c.gpus...) {
		name := c.deviceName(dev) + " in place"
		if got := c.launch(name, dev, func() { p.Out.release(); p.Out.share(p.In) }); got != nil {
			c.check(name, got, "cpu", apart, rule{tolerance: c.kernel.Tolerance})
		}
	}
}

// fail records a failure with what is needed to see it again.
func (c *testCase) fail(format string, args ...any) {
	c.failf("%s: %s\n\targuments: %s%s\n\tagain with TANDEM_SEED=%d", c.kernel.Name, fmt.Sprintf(format, args...), c.draw.describe(), c.draw.hint(), c.report.Seed)
}

// onDevice runs the launcher on a device and returns the outputs, nil after a failure.
func (c *testCase) onDevice(name string, dev *runtime.Device) []memory {
	return c.launch(name, dev, func() {})
}

// launch uploads the case, calls prepare, runs the launcher and returns the outputs.
func (c *testCase) launch(name string, dev *runtime.Device, prepare func()) (out []memory) {
	c.watched(name, func() { out = c.launched(name, dev, prepare) })
	return out
}

func (c *testCase) launched(name string, dev *runtime.Device, prepare func()) []memory {
	for _, b := range c.draw.buffers {
		b.upload(dev)
		defer b.release()
	}
	prepare()
	switch err := c.Launch(dev); {
	case errors.Is(err, runtime.ErrVariant): // it cannot run this case
		return nil
	case err != nil:
		c.fail("%s: %v", name, err)
		return nil
	}
	if err := dev.Wait(context.Background()); err != nil { // with no outputs nothing else tells of it
		c.fail("%s: %v", name, err)
		return nil
	}
	for _, b := range c.Outputs {
		if err := b.fetch(); err != nil {
			c.fail("%s: %v", name, err)
			return nil
		}
	}
	return c.outputs()
}

// outputs returns copies of what the outputs hold in Go.
func (c *testCase) outputs() []memory {
	out := []memory{} // nil is a failure's; a kernel may have no outputs
	for _, b := range c.Outputs {
		out = append(out, b.snapshot())
	}
	return out
}

// reset gives every buffer's Go slice its initial data.
func (c *testCase) reset() {
	for _, b := range c.draw.buffers {
		b.reset()
	}
}

// mayEmulate reports whether the case is within what emulate has left.
func (c *testCase) mayEmulate() bool {
	return c.report.Emulated < maxEmulated && c.emulating < emulateTime && invocations(c.Grid) <= maxInvocations
}

// emulate runs the Go function itself.
func (c *testCase) emulate() []memory {
	c.reset()
	start := time.Now()
	var err error
	c.watched("emulate", func() {
		side := c.Grid.Workgroup
		c.underWay.groups = nil
		err = dsl.Emulate(c.Grid, func() func(dsl.Thread) { return c.underWay.noted(side[0]*side[1]*side[2], c.Emulate()) })
	})
	c.emulating += time.Since(start)
	if err != nil {
		c.fail("emulate: %v", err)
		return nil
	}
	return c.outputs()
}

// wanted runs the reference and returns its outputs, nil where there is none.
func (c *testCase) wanted() []memory {
	if c.Want == nil {
		return nil
	}
	c.report.Want = true
	c.reset()
	var err error
	c.watched("the reference", func() { err = safely(c.Want) })
	if err != nil {
		c.fail("the reference: %v", err)
		return nil
	}
	return c.outputs()
}

// safely calls f, which the author wrote, and returns a panic as an error that
// says where.
func safely(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v, at %s", p, panicked())
		}
	}()
	f()
	return nil
}

// panicked returns the line and function that panicked, while those that called
// it are still on the stack: what follows the runtime's own. A panic that was
// passed on has begun at the last.
func panicked() string {
	pc := make([]uintptr, 64)
	frames := goruntime.CallersFrames(pc[:goruntime.Callers(0, pc)])
	place, after := "an unknown place", false
	for {
		f, more := frames.Next()
		if after && !strings.HasPrefix(f.Function, "runtime.") {
			place, after = fmt.Sprintf("%s:%d in %s", f.File, f.Line, f.Function), false
		}
		after = after || f.Function == "runtime.gopanic"
		if !more {
			return place
		}
	}
}

// check compares the outputs of two ways.
func (c *testCase) check(gotName string, got []memory, wantName string, want []memory, by rule) {
	for i, b := range c.Outputs {
		by.unordered = slices.Contains(c.Unordered, b)
		d := c.compare(i, got[i], want[i], by)
		c.compared += b.stated()
		if len(d.bad) > 0 && !by.exact && !by.unordered && c.lookCloser() {
			d = c.compare(i, got[i], want[i], by)
		}
		c.report.MaxError = Number(math.Max(float64(c.report.MaxError), d.maxError))
		if len(d.bad) == 0 {
			continue
		}
		why := ""
		if gotName == "emulate" {
			why = "; if invocations race (a barrier is missing, one writes what another reads), go test -race says where"
		}
		c.fail("%s and %s differ: %s%s", gotName, wantName, d.describe(b.label(), by), why)
		return
	}
}

// compare compares output i of two ways, as far as noise lets it.
func (c *testCase) compare(i int, got, want memory, by rule) difference {
	by.beside = c.beside(i, by)
	return compare(got, want, by, c.skipped(i, by))
}

// skipped returns the elements of output i that are not compared: the undecided
// ones, except where bits are compared, since there nothing was left open.
func (c *testCase) skipped(i int, by rule) []bool {
	if by.exact || by.unordered || c.undecided == nil {
		return nil
	}
	return c.undecided[i]
}

// beside returns what the floats of output i may be off beside the tolerance:
// twice what noise moves them, as each of two devices may be off by that.
func (c *testCase) beside(i int, by rule) []float64 {
	if by.exact || by.unordered || !c.kernel.Tolerance.Uneven || c.moved == nil {
		return nil
	}
	twice := make([]float64, len(c.moved[i]))
	for n, moved := range c.moved[i] {
		twice[n] = 2 * moved
	}
	return twice
}

// describe returns the first difference in words.
func (d difference) describe(name string, by rule) string {
	i := d.bad[0]
	text := fmt.Sprintf("%s[%d]%s is %s, not %s", name, i, d.leaf.path, d.got.text(i, d.leaf), d.want.text(i, d.leaf))
	if g, ok := d.leaf.float(d.got.at(i, d.leaf)); ok && !by.exact {
		w, _ := d.leaf.float(d.want.at(i, d.leaf))
		text += fmt.Sprintf(" (off by %.3g, allowed %.3g)", math.Abs(g-w), by.tolerance.allowed(w)+d.beside)
	}
	if by.unordered {
		text += ", both sorted"
	}
	return text + fmt.Sprintf("; %d of %d elements differ", len(d.bad), d.want.n)
}
