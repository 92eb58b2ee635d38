package parity

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"tandem/cpu"
	"tandem/dsl"
	"tandem/runtime"
)

// scaleKernel is y = a*x by hand, as generated code would have it.
var scaleKernel = runtime.Kernel{
	Name: "Scale", Source: "scale.go:1", Package: "example",
	WGSL: `
struct Params { a: f32, threads_x: u32, groups_x: u32, }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
const fold = 0u;
@compute @workgroup_size(64)
fn Scale(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= params.threads_x) { return; }
  y[id.x] = params.a * x[id.x];
}
`,
	Workgroup: [3]uint32{64, 1, 1}, Threads: true, Dims: 1,
	Params: unsafe.Sizeof(scaleParams{}),
	Fields: []runtime.Field{
		{Kind: runtime.ThreadsField, Offset: unsafe.Offsetof(scaleParams{}.threads)},
		{Kind: runtime.GroupsField, Offset: unsafe.Offsetof(scaleParams{}.groups)},
	},
	Buffers: []runtime.Arg{{Name: "x", Access: runtime.Read, Size: 4}, {Name: "y", Access: runtime.ReadWrite, Size: 4}},
	Run: func(l *cpu.Launch) error {
		a, x, y := cpu.Params[scaleParams](l).a, cpu.Slice[float32](l, 0), cpu.Slice[float32](l, 1)
		for i := range l.Threads[0] {
			y[i] = a * x[i]
		}
		return nil
	},
}

type scaleParams struct {
	a               float32
	threads, groups uint32
	_               [1]uint32
}

func launchScale(on runtime.Target, a float32, n int64, x, y runtime.View[float32]) error {
	l := runtime.Begin(on, &scaleKernel)
	runtime.Bind(l, 0, x)
	runtime.Bind(l, 1, y)
	runtime.Params[scaleParams](l).a = a
	l.Grid("len(y)", runtime.Int(n))
	return l.End()
}

// scaleTest is the parity test of Scale, spoiled by change.
func scaleTest(change func(c *Case, x, y *Buffer[float32])) Kernel {
	return Kernel{Kernel: &scaleKernel, Tolerance: Tolerance{Abs: 1e-30, Rel: 3e-7}, Draw: func(d *Draw) Case {
		a := Value[float32](d, "a", -2, 2)
		y := Random[float32](d, "y", d.Len(0, 5000))
		x := Random[float32](d, "x", y.Len(), 1, 10)
		c := Case{
			Grid:    Threads([3]uint32{64, 1, 1}, y.Len()),
			Outputs: []Memory{y},
			Emulate: func() func(dsl.Thread) {
				return func(t dsl.Thread) { y.Go()[t.Global.X] = a * x.Go()[t.Global.X] }
			},
			Launch: func(on runtime.Target) error { return launchScale(on, a, y.Len(), x.View(), y.View()) },
			Want: func() {
				for i := range y.Go() {
					y.Go()[i] = float32(float64(a) * float64(x.Go()[i]))
				}
			},
		}
		if change != nil {
			change(&c, x, y)
		}
		return c
	}}
}

func TestPass(t *testing.T) {
	r := check(scaleTest(nil), 1)
	if r.Verdict != "pass" || len(r.Failures) > 0 {
		t.Fatalf("verdict %s: %v", r.Verdict, r.Failures)
	}
	if r.Cases != 14 || r.Emulated != maxEmulated || !r.Want {
		t.Errorf("%d cases, %d emulated, want %v; not 14, %d, true", r.Cases, r.Emulated, r.Want, maxEmulated)
	}
	for _, way := range []string{"emulate", "cpu", "gpu"} {
		if ran := slices.Contains(r.Ways, way); ran == (r.NotRun[way] != "") {
			t.Errorf("%s: ran %v, not run because %q: it must be one of the two", way, ran, r.NotRun[way])
		}
	}
	var decoded map[string]any
	if err := json.Unmarshal([]byte(strings.TrimPrefix(r.line(), Prefix)), &decoded); err != nil {
		t.Fatalf("the line is not JSON: %v", err)
	}
	for _, key := range []string{"kernel", "cases", "ways", "max_error", "tolerance", "verdict"} {
		if decoded[key] == nil {
			t.Errorf("the line has no %s: %s", key, r.line())
		}
	}
}

// TestSameSeed: the seed alone decides the cases.
func TestSameSeed(t *testing.T) {
	var first []string
	for round := range 2 {
		var seen []string
		k := scaleTest(nil)
		draw := k.Draw
		k.Draw = func(d *Draw) Case {
			c := draw(d)
			seen = append(seen, d.describe())
			return c
		}
		check(k, 77)
		if round == 0 {
			first = seen
		} else if !slices.Equal(first, seen) {
			t.Errorf("two runs of one seed drew\n%q\n%q", first, seen)
		}
	}
}

// TestVariants: each variant is held against the default, on every device, and
// one that never runs is listed.
func TestVariants(t *testing.T) {
	scaled := func(factor float32) *runtime.Kernel {
		k := scaleKernel
		k.WGSL = strings.Replace(k.WGSL, "params.a *", fmt.Sprintf("%.1ff * params.a *", factor), 1)
		k.Run = func(l *cpu.Launch) error {
			a, x, y := cpu.Params[scaleParams](l).a, cpu.Slice[float32](l, 0), cpu.Slice[float32](l, 1)
			for i := range l.Threads[0] {
				y[i] = factor * (a * x[i])
			}
			return nil
		}
		return &k
	}
	for _, test := range []struct {
		factor  float32
		never   bool
		verdict string
	}{{1, false, "pass"}, {2, false, "fail"}, {2, true, "pass"}} {
		kernel := scaleKernel
		kernel.Variants = []runtime.Variant{{Name: "N=2", Kernel: scaled(test.factor)}}
		k := scaleTest(func(c *Case, x, y *Buffer[float32]) {
			const a = 1.5
			c.Want = nil
			c.Emulate = func() func(dsl.Thread) {
				return func(t dsl.Thread) { y.Go()[t.Global.X] = a * x.Go()[t.Global.X] }
			}
			c.Launch = func(on runtime.Target) error {
				l := runtime.Begin(on, &kernel)
				runtime.Bind(l, 0, x.View())
				runtime.Bind(l, 1, y.View())
				runtime.Params[scaleParams](l).a = a
				l.Grid("len(y)", runtime.Int(y.Len()))
				l.Variant(0, runtime.Int(y.Len()))
				l.VariantWhere(0, runtime.Truth(!test.never))
				return l.End()
			}
		})
		k.Kernel = &kernel
		r := check(k, 1)
		if r.Verdict != test.verdict || (r.NotRun["variant N=2"] != "") != test.never {
			t.Errorf("factor %v, never %v: %s, not run %v: %v", test.factor, test.never, r.Verdict, r.NotRun, r.Failures)
		}
		if test.verdict == "fail" && !strings.Contains(r.Failures[0], "N=2 and cpu differ") {
			t.Errorf("the failure says %s", r.Failures[0])
		}
	}
}

// TestWithin: what a generator makes keeps to the domain that the author names.
func TestWithin(t *testing.T) {
	d := &Draw{limit: 1000}
	_, why := attempt(d, func(d *Draw) Case {
		Within(d, "a", float32(0.1), 0, 0.1)
		Within(d, "n", dsl.UVec2{X: 1, Y: 3}, 1, 3)
		Given(d, "x", []float32{-1, 1}).Within(-1, 1)
		Given(d, "ids", []uint32{2, 7}).Within(0, 6)
		return Case{}
	})
	if want := "the generator made 7 in ids, outside of its domain 0..6"; why != want {
		t.Errorf("%q, not %q", why, want)
	}
}

// TestAtLeast: a kernel that works on the least length is right with longer buffers too, and one
// that takes their length for it is not, though it is right with buffers of just that.
func TestAtLeast(t *testing.T) {
	scale := func(atLeast, wrong bool) Kernel {
		return Kernel{Kernel: &scaleKernel, Tolerance: Tolerance{Abs: 1e-30, Rel: 3e-7}, Draw: func(d *Draw) Case {
			n := int64(Size[uint32](d, "n", 0, 500))
			x, y := Random[float32](d, "x", 2*n+mostMore, 1, 10), Random[float32](d, "y", n)
			if atLeast {
				y = y.AtLeast()
			}
			threads := n
			if wrong {
				threads = y.Len()
			}
			return Case{
				Grid:    Threads([3]uint32{64, 1, 1}, threads),
				Outputs: []Memory{y},
				Emulate: func() func(dsl.Thread) {
					return func(t dsl.Thread) { y.Go()[t.Global.X] = 2 * x.Go()[t.Global.X] }
				},
				Launch: func(on runtime.Target) error { return launchScale(on, 2, threads, x.View(), y.View()) },
				Want: func() {
					for i := range y.Least() {
						y.Least()[i] = 2 * x.Least()[i]
					}
				},
			}
		}}
	}
	for _, test := range []struct {
		atLeast, wrong bool
		verdict        string
	}{{true, false, "pass"}, {false, true, "pass"}, {true, true, "fail"}} {
		for seed := range int64(10) {
			r := check(scale(test.atLeast, test.wrong), seed)
			if r.Verdict != test.verdict {
				t.Fatalf("at least %v, wrong %v: %s %q", test.atLeast, test.wrong, r.Verdict, r.Failures)
			}
			if test.verdict == "fail" && !strings.Contains(r.Failures[0], "there is more of y than //tandem:len asks for") {
				t.Errorf("%q", r.Failures)
			}
		}
	}
}

// TestBeyondDoesNotCount: elements beyond the least length are none that a test has compared, and say
// nothing of how large the results are.
func TestBeyondDoesNotCount(t *testing.T) {
	k := func(n int64, size float64) Kernel {
		return Kernel{Kernel: &scaleKernel, Tolerance: Tolerance{Abs: 1e-3}, Draw: func(d *Draw) Case {
			x, y := Random[float32](d, "x", n, size, size), Random[float32](d, "y", n, 9, 9).AtLeast()
			return Case{
				Grid:    Threads([3]uint32{64, 1, 1}, n),
				Outputs: []Memory{y},
				Launch:  func(on runtime.Target) error { return launchScale(on, 1, n, x.View(), y.View()) },
				Emulate: func() func(dsl.Thread) {
					return func(t dsl.Thread) { y.Go()[t.Global.X] = x.Go()[t.Global.X] }
				},
			}
		}}
	}
	for want, k := range map[string]Kernel{"nothing was compared": k(0, 1), "elements of y are of about 0.01": k(5, 0.01)} {
		if r := check(k, 5); len(r.Failures) != 1 || !strings.Contains(r.Failures[0], want) {
			t.Errorf("%q, not %s", r.Failures, want)
		}
	}
}

// TestFail spoils one thing at a time; each must be found, and named.
func TestFail(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(c *Case, x, y *Buffer[float32])
		want  string
	}{
		"reference differs": {func(c *Case, x, y *Buffer[float32]) {
			right := c.Want
			c.Want = func() {
				if right(); y.Len() > 60 {
					y.Go()[60] *= 1.001
				}
			}
		}, "Scale: cpu and want differ: y[60] is"},
		"one bit in emulate": {func(c *Case, x, y *Buffer[float32]) {
			right := c.Emulate
			c.Emulate = func() func(dsl.Thread) {
				k := right()
				return func(t dsl.Thread) {
					k(t)
					if t.Global.X == 63 {
						y.Go()[63] *= 1 + 0x1p-23
					}
				}
			}
		}, "Scale: emulate and cpu differ: y[63] is"},
		"element not written": {func(c *Case, x, y *Buffer[float32]) {
			c.Launch = func(on runtime.Target) error { return launchScale(on, 1, max(y.Len()-1, 0), x.View(), y.View()) }
		}, "Scale: emulate and cpu differ: y["},
		"reference panics": {func(c *Case, x, y *Buffer[float32]) {
			c.Want = func() { y.Go()[len(y.Go())] = 0 }
		}, "Scale: the reference: panic: runtime error: index out of range [0] with length 0, at "},
		"launcher's error": {func(c *Case, x, y *Buffer[float32]) {
			c.Launch = func(on runtime.Target) error { return launchScale(on, 1, -1, x.View(), y.View()) }
		}, "Scale: cpu: Scale: grid len(y)"},
		"store outside of the view": {func(c *Case, x, y *Buffer[float32]) {
			right := c.Launch
			c.Launch = func(on runtime.Target) error {
				if y.guard > 0 {
					if err := y.whole.Write(y.guard-1, []float32{1}); err != nil {
						return err
					}
				}
				return right(on)
			}
		}, "Scale: cpu: y was written outside of the view"},
		"emulate out of range": {func(c *Case, x, y *Buffer[float32]) {
			c.Emulate = func() func(dsl.Thread) { return func(t dsl.Thread) { y.Go()[t.Global.X+1] = 0 } }
		}, "Scale: emulate: "},
	} {
		t.Run(name, func(t *testing.T) {
			r := check(scaleTest(test.spoil), 5)
			if r.Verdict != "fail" || len(r.Failures) == 0 {
				t.Fatalf("passed")
			}
			if !strings.HasPrefix(r.Failures[0], test.want) {
				t.Errorf("failed with %q, not %q…", r.Failures[0], test.want)
			}
			for _, part := range []string{"TANDEM_SEED=5", "len(y)="} {
				if !strings.Contains(r.Failures[0], part) {
					t.Errorf("%q does not say %s", r.Failures[0], part)
				}
			}
		})
	}
}

// TestRaceHint: where the ways that are Go differ, a race is the likely reason.
func TestRaceHint(t *testing.T) {
	r := check(scaleTest(func(c *Case, x, y *Buffer[float32]) {
		right := c.Emulate
		c.Emulate = func() func(dsl.Thread) {
			k := right()
			return func(t dsl.Thread) {
				if k(t); t.Global.X == 0 {
					y.Go()[0]++
				}
			}
		}
	}), 5)
	if len(r.Failures) == 0 || !strings.Contains(r.Failures[0], "go test -race says where") {
		t.Errorf("%q", r.Failures)
	}
}

// TestPanics: a panic in what the author wrote says where it was.
func TestPanics(t *testing.T) {
	reference := scaleTest(func(c *Case, x, y *Buffer[float32]) { c.Want = func() { panic("no such thing") } })
	generator := scaleTest(nil)
	generator.Draw = func(*Draw) Case { panic("no such thing") }
	for name, k := range map[string]Kernel{"the reference: ": reference, "drawing a case: ": generator} {
		r := check(k, 5)
		if len(r.Failures) != 1 || !strings.HasPrefix(r.Failures[0], "Scale: "+name+"panic: no such thing, at ") || !strings.Contains(r.Failures[0], "parity_test.go:") {
			t.Errorf("%q", r.Failures)
		}
	}
}

// TestUseless: a tolerance that lets anything pass is a failure, unless the
// author of the kernel stated it.
func TestUseless(t *testing.T) {
	for _, test := range []struct {
		tolerance Tolerance
		verdict   string
	}{
		{Tolerance{Abs: 0.01, Rel: 1e-6}, "pass"}, // y is of about 6
		{Tolerance{Abs: 0.1, Rel: 1e-6}, "pass"},  // generate's to judge
		{Tolerance{Abs: 0.3, Rel: 1e-6}, "fail"},
		{Tolerance{Abs: 1, Rel: 1e-6}, "fail"},
		{Tolerance{Abs: 1e-6, Rel: 0.1}, "fail"},
		{Tolerance{Abs: 1e30, Rel: 1e30}, "fail"},
		{Tolerance{Abs: 1, Rel: 1, Stated: true}, "pass"},
	} {
		k := scaleTest(nil)
		k.Tolerance = test.tolerance
		r := check(k, 5)
		if r.Verdict != test.verdict || r.Verdict == "fail" && !strings.HasPrefix(r.Failures[0], "Scale: the tolerance proves nothing: it allows an error of ") {
			t.Errorf("%v: %s %q", test.tolerance, r.Verdict, r.Failures)
		}
	}
}

// TestNoOutputs: a kernel that writes nothing runs in every way all the same, and must not fail in any.
func TestNoOutputs(t *testing.T) {
	for _, test := range []struct {
		fails   string // the way
		verdict string
	}{{"", "pass"}, {"cpu", "fail"}, {"emulate", "fail"}, {"gpu", "fail"}} {
		r := check(scaleTest(func(c *Case, x, y *Buffer[float32]) {
			c.Outputs, c.Want = nil, nil
			launch := c.Launch
			c.Launch = func(on runtime.Target) error {
				if kind := on.(*runtime.Device).Info().Kind; test.fails == "cpu" && kind == "cpu" || test.fails == "gpu" && kind != "cpu" {
					return errors.New("no")
				}
				return launch(on)
			}
			if test.fails == "emulate" {
				c.Emulate = func() func(dsl.Thread) { return func(dsl.Thread) { panic("no") } }
			}
		}), 1)
		if test.fails == "gpu" && r.NotRun["gpu"] != "" {
			t.Logf("not run: with a GPU that fails: %s", r.NotRun["gpu"])
			continue
		}
		if r.Verdict != test.verdict {
			t.Errorf("%q fails: verdict %s: %v", test.fails, r.Verdict, r.Failures)
		}
		for _, way := range []string{"emulate", "cpu", "gpu"} {
			if ran := slices.Contains(r.Ways, way); test.fails == "" && ran == (r.NotRun[way] != "") {
				t.Errorf("%s: ran %v, not run because %q: it must be one of the two", way, ran, r.NotRun[way])
			}
		}
	}
}

// TestEmptyDomain: a test that draws nothing must not pass.
func TestEmptyDomain(t *testing.T) {
	k := scaleTest(nil)
	k.Draw = func(d *Draw) Case {
		d.Where("rows > 0", false)
		return Case{}
	}
	r := check(k, 1)
	if r.Verdict != "fail" || !strings.Contains(r.Failures[0], "rows > 0 does not hold") {
		t.Errorf("verdict %s: %v", r.Verdict, r.Failures)
	}
}

// TestStuck: a case that does not end is told with the kernel, the way, the invocation and
// the line of its source, on whichever way it is.
func TestStuck(t *testing.T) {
	limit, end := wayLimit, stuck
	defer func() { wayLimit, stuck = limit, end }()
	wayLimit = 300 * time.Millisecond
	for _, way := range []string{"emulate", "cpu", "the reference"} {
		var said atomic.Pointer[string]
		stuck = func(text string) { said.Store(&text) }
		spin := func() {
			for said.Load() == nil { // goes on until it is told
			}
		}
		k := scaleTest(func(c *Case, x, y *Buffer[float32]) {
			if y.Len() == 0 {
				return
			}
			launch, kernel, want := c.Launch, c.Emulate(), c.Want
			c.Want = func() {
				if way == "the reference" {
					spin()
				}
				want()
			}
			c.Launch = func(on runtime.Target) error {
				if way == "cpu" {
					spin()
				}
				return launch(on)
			}
			c.Emulate = func() func(dsl.Thread) {
				return func(t dsl.Thread) {
					if way == "emulate" && t.Global.X == 0 {
						spin()
					}
					kernel(t)
				}
			}
		})
		generated := scaleKernel
		generated.GoLines = "parity_test.go 7*9999"
		k.Kernel = &generated
		check(k, 9)
		want := regexp.MustCompile(`^Scale: ` + way + ` has not ended after 300ms, it is at .*scale.go:7.*is there a loop without an end\?\n\targuments: a=`)
		if text := said.Load(); text == nil || !want.MatchString(*text) {
			t.Errorf("%s: it says %v", way, text)
		} else if way == "emulate" && !strings.Contains(*text, "in invocation 0,0,0") {
			t.Errorf("it does not name the invocation: %s", *text)
		}
	}
}

// TestSizes: the sizes that a workgroup of 64 makes interesting all occur.
func TestSizes(t *testing.T) {
	seen := map[int64]bool{}
	k := scaleTest(func(c *Case, x, y *Buffer[float32]) { seen[y.Len()] = true })
	check(k, 3)
	for _, n := range []int64{0, 1, 61, 63, 64, 65, 1009, 5000} {
		if !seen[n] {
			t.Errorf("no case has %d elements; there are %v", n, seen)
		}
	}
}

// TestEnds: integers are drawn from the ends of their domain often enough that a test of some
// cases has both, in arguments and in elements.
func TestEnds(t *testing.T) {
	for _, bounds := range [][]float64{nil, {-7, 1 << 30}} {
		drawn := map[int32]int{}
		for seed := range int64(100) {
			d := &Draw{rand: rand.New(rand.NewSource(seed))}
			drawn[Value[int32](d, "n", bounds...)]++
		}
		ends := []int32{0, 100}
		if bounds != nil {
			ends = []int32{int32(bounds[0]), int32(bounds[1])}
		}
		for _, end := range ends {
			if drawn[end] < 4 {
				t.Errorf("of 100 integers %d are %d", drawn[end], end)
			}
		}
	}
}

// TestUndecided: elements whose decision noise turns are left out and counted; too
// many of them fail.
func TestUndecided(t *testing.T) {
	for _, test := range []struct {
		every   int64 // one element in so many is undecided
		most    float64
		verdict string
	}{{200, 0, "pass"}, {10, 0, "fail"}, {10, 0.15, "pass"}, {10, 0.05, "fail"}} {
		k := scaleTest(func(c *Case, x, y *Buffer[float32]) {
			right := c.Want
			c.Want = func() { // the reference decides otherwise
				right()
				for i := int64(0); i < y.Len(); i += test.every {
					y.Go()[i] = 1e9
				}
			}
			c.Noisy = func() error {
				right()
				for i := int64(0); i < y.Len(); i += test.every {
					y.Go()[i] = Noise(1, float32(1e9), 1)
				}
				return nil
			}
		})
		k.Tolerance.Undecided = test.most
		draw := k.Draw
		k.Draw = func(d *Draw) Case {
			if d.work >= 0 {
				d.work = 1000 // the share is counted over all cases: no small ones
			}
			return draw(d)
		}
		r := check(k, 9)
		if r.Verdict != test.verdict || r.Undecided == 0 {
			t.Errorf("one in %d, at most %v: verdict %s, %d undecided: %v", test.every, test.most, r.Verdict, r.Undecided, r.Failures)
		}
	}
}

// TestLookCloser: a decision that noise turns rarely is found where elements differ,
// and one that it never turns is not.
func TestLookCloser(t *testing.T) {
	for _, test := range []struct {
		turns   uint32 // once in so many runs; 0: never
		verdict string
	}{{50, "pass"}, {0, "fail"}} {
		k := scaleTest(func(c *Case, x, y *Buffer[float32]) {
			right := c.Want
			wrong := func() {
				right()
				if y.Len() > 1000 { // one of so many may be undecided
					y.Go()[7] = 1e9
				}
			}
			c.Want = wrong
			c.Noisy = func() error {
				right()
				if test.turns > 0 && noiseSeed%test.turns == 0 {
					wrong()
				}
				return nil
			}
		})
		if r := check(k, 9); r.Verdict != test.verdict {
			t.Errorf("turned once in %d runs: %s: %v", test.turns, r.Verdict, r.Failures)
		}
	}
}

// TestUneven: where sums are uneven, an element may be as far off beside the tolerance
// as noise moves it, unless that is too far to prove anything.
func TestUneven(t *testing.T) {
	for _, test := range []struct {
		name         string
		uneven       bool
		noise, error float64 // relative
		failure      string
	}{
		{"off by what noise moves it", true, 1e-3, 1e-3, ""},
		{"off by more", true, 1e-4, 1e-3, "cpu and want differ"},
		{"even", false, 1e-3, 0, "are moved by rounding errors"},
		{"moved too far", true, 0.1, 0, "are undecided"},
	} {
		k := scaleTest(func(c *Case, x, y *Buffer[float32]) {
			right := c.Want
			scaled := func(by float64) {
				right()
				for i := range y.Go() {
					y.Go()[i] = float32(float64(y.Go()[i]) * (1 + by))
				}
			}
			c.Want = func() { scaled(test.error) }
			c.Noisy = func() error { scaled(test.noise); return nil }
		})
		k.Tolerance.Uneven = test.uneven
		r := check(k, 9)
		failures := strings.Join(r.Failures, "\n")
		if (failures == "") != (test.failure == "") || !strings.Contains(failures, test.failure) {
			t.Errorf("%s: %q, not %q", test.name, failures, test.failure)
		}
	}
}

// TestFew: of outputs with few elements a quarter of the cases may be undecided, no more, and in
// the others a mistake is found.
func TestFew(t *testing.T) {
	for _, test := range []struct {
		elements, undecided int // of an output, cases
		mistaken            bool
		failure             string
	}{
		{1, 0, false, ""}, {1, 3, false, ""}, {3, 3, false, ""},
		{1, 4, false, "4 of 14 elements of y, 28.6%, are undecided"}, {3, 4, false, "12 of 42 elements of y, 28.6%, are undecided"},
		{100, 1, false, "100 of 1400 elements of y, 7.14%, are undecided"},
		{1, 3, true, "cpu and want differ"},
	} {
		cases := 0
		k := scaleTest(func(c *Case, x, y *Buffer[float32]) {
			right := c.Want
			cases++
			other := func(open bool) func() {
				return func() {
					if right(); open {
						for i := range y.Go() {
							y.Go()[i] = Noise(1, float32(1e9), 1)
						}
					}
				}
			}
			open := cases <= test.undecided
			c.Want = other(open || test.mistaken)
			c.Noisy = func() error { other(open)(); return nil }
		})
		draw := k.Draw
		k.Draw = func(d *Draw) Case {
			d.work, d.limit = test.elements, int64(test.elements)
			return draw(d)
		}
		r := check(k, 9)
		failures := strings.Join(r.Failures, "\n")
		if (failures == "") != (test.failure == "") || !strings.Contains(failures, test.failure) {
			t.Errorf("%d elements, %d undecided cases, mistaken %v: %q, not %q", test.elements, test.undecided, test.mistaken, failures, test.failure)
		}
	}
}

// TestAdvice: what a test says of undecided elements is what helps.
func TestAdvice(t *testing.T) {
	for _, test := range []struct {
		s         share
		want, not string
	}{
		{share{undecided: 100, all: 1000, open: 9, cases: 9, most: 500}, "10%, are undecided (they depend on a comparison or conversion of floats that rounding can turn); at most 1% may be: draw other data (//tandem:test), decide less sharply, or where it cannot be otherwise allow more (//tandem:tol undecided=15%)", ""},
		{share{undecided: 770, all: 1000, open: 9, cases: 9, most: 500}, "77%, are undecided", "//tandem:tol"},
		{share{undecided: 1000, all: 1000, open: 9, cases: 9, most: 500}, "100%, are undecided", "e+02"},
		{share{undecided: 770, all: 1000, open: 9, cases: 9, most: 500, slightly: 700, moved: 0.002}, "//tandem:tol abs=2e-03", "comparison"},
	} {
		r := &run{kernel: Kernel{Kernel: &runtime.Kernel{Name: "K"}}, report: Report{MaxShare: undecidedShare}}
		r.checkShare("y", &test.s)
		if len(r.report.Failures) != 1 || !strings.Contains(r.report.Failures[0], test.want) || test.not != "" && strings.Contains(r.report.Failures[0], test.not) {
			t.Errorf("%q, not %q", r.report.Failures, test.want)
		}
	}
}

// TestNothingCompared: a test whose outputs are empty proves nothing.
func TestNothingCompared(t *testing.T) {
	k := scaleTest(nil)
	draw := k.Draw
	k.Draw = func(d *Draw) Case {
		d.limit = 0
		return draw(d)
	}
	if r := check(k, 5); len(r.Failures) != 1 || !strings.Contains(r.Failures[0], "nothing was compared: in all 14 cases the outputs have no elements") {
		t.Errorf("%q", r.Failures)
	}
}

// TestDifference: what a failure says of two floats is how far they lie apart, and may.
func TestDifference(t *testing.T) {
	k := scaleTest(func(c *Case, x, y *Buffer[float32]) {
		c.Want = func() { clear(y.Go()) }
		c.Emulate = func() func(dsl.Thread) { return func(t dsl.Thread) { y.Go()[t.Global.X] = 1.205 } }
		c.Launch = func(on runtime.Target) error {
			return y.device.Write(0, slices.Repeat([]float32{1.205}, int(y.Len())))
		}
	})
	k.Tolerance = Tolerance{Abs: 1e-8, Rel: 1}
	if r := check(k, 5); len(r.Failures) == 0 || !strings.Contains(r.Failures[0], "y[0] is 1.205, not 0 (off by 1.21, allowed 1e-08)") {
		t.Errorf("%q", r.Failures)
	}
}

func TestNoise(t *testing.T) {
	seen := map[float32]bool{}
	for noiseSeed = range uint32(50) {
		x := Noise(3, float32(1), 4)
		if x < 1-4*0x1p-23 || x > 1+4*0x1p-23 {
			t.Errorf("Noise(1, 3, 4) = %v, more than 4 ulp away", x)
		}
		seen[x] = true
	}
	if len(seen) < 5 {
		t.Errorf("50 seeds gave only %d values", len(seen))
	}
}

// TestNoisy: what is exact has no noise, and what is rounded has.
func TestNoisy(t *testing.T) {
	const third, large = float32(1) / 3, float32(1 << 24)
	v := dsl.Vec2{X: 3, Y: third}
	for name, test := range map[string]struct {
		f     func() float32
		exact bool
	}{
		"a sum of whole numbers":       {func() float32 { return NoisySum(1, large-2, float32(1)) }, true},
		"a half":                       {func() float32 { return NoisyProduct(1, float32(12345), 0.5) }, true},
		"a product of whole numbers":   {func() float32 { return NoisyProduct(1, float32(4095), 4097) }, true},
		"a fraction times 2":           {func() float32 { return NoisyProduct(1, third, 2) }, true},
		"a difference of near numbers": {func() float32 { return NoisyDifference(1, third+1, float32(1)) }, true},
		"a fraction":                   {func() float32 { return NoisyFract(1, float32(2.25)) }, true},
		"a component":                  {func() float32 { return NoisyScaled(1, v, 3).X }, true},
		"a sum beyond 24 bits":         {func() float32 { return NoisySum(1, large, float32(1)) }, false},
		"a sum beyond 53 bits":         {func() float32 { return NoisySum(1, float32(1), 0x1p-100) }, false},
		"a third and 3":                {func() float32 { return NoisySum(1, third, 3) }, false},
		"three thirds":                 {func() float32 { return NoisyProduct(1, third, 3) }, false},
		"another component":            {func() float32 { return NoisyScaled(1, v, 3).Y }, false},
		"a fraction below 0":           {func() float32 { return NoisyFract(1, float32(-0x1p-30)) }, false},
	} {
		seen := map[float32]bool{}
		for noiseSeed = range uint32(50) {
			seen[test.f()] = true
		}
		if exact := len(seen) == 1; exact != test.exact {
			t.Errorf("%s: 50 seeds gave %d values", name, len(seen))
		}
	}
}
