// Package parity is the engine of the generated parity tests: it runs a kernel
// in each of the three ways and holds the results against each other and
// against the kernel's independent reference (//tandem:want).
//
// A test draws its arguments from the kernel's domain: sizes 0, 1, around the
// workgroup's size, primes, the largest, and random ones. Outputs start as
// random data, the same for every way, so that an element nobody wrote shows.
//
//   - emulate against cpu: bit for bit. Emulate runs on a capped number of cases.
//   - each variant (//tandem:const), on every device, against the default on the CPU:
//     floats within the tolerance, everything else exactly.
//   - gpu (every GPU there is) against cpu, and each way against the reference:
//     floats within the kernel's tolerance, everything else exactly.
//
// # Undecided elements
//
// Where a kernel compares floats or converts them to integers, two correct devices may decide
// differently for operands close to the edge, and then their results differ by any amount. To tell
// such an element from a wrong one, the test contains a second form of the kernel's CPU code in
// which every float operation has Noise: an error of random sign, as large as the WGSL
// specification allows that operation, but none where a sum or product is exact. It runs a few
// times with different noise. An element that moves by more than twice the tolerance (an integer:
// at all) depends on a decision that rounding errors can turn: it is undecided. Undecided elements
// are left out of the comparison, counted, shown, and may be at most 1% of an output, or what the
// author says (//tandem:tol undecided=2%); of one with few elements a quarter of the cases may have
// some. Only kernels in which a float decides something have this form.
//
// # Uneven sums
//
// A sum in which few terms may be far larger than the others, as what they are divided
// by comes near 0, is as far off as those terms are, also where they cancel. No bound
// for all elements says anything there: such a kernel has the form with noise too, and
// each of its elements may be off by twice what noise moves it, beside the tolerance.
// Undecided are those that noise moves by over 1% of a typical result.
//
// Noise samples the possible roundings; it does not enumerate them. Where elements
// differ that it has not moved, it runs many times more. An undecided
// element that no sample moved even then counts as wrong: the test can fail where an
// exhaustive one would not, never pass where it would fail by more than the 1%.
package parity

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"tandem/dsl"
	"tandem/runtime"
)

// Kernel is what a parity test knows about a kernel.
type Kernel struct {
	*runtime.Kernel // its variants are compared with the default
	Tolerance       Tolerance
	Draw            func(*Draw) Case // draws arguments
}

// lanes is how many elements an invocation of the vector form makes; 0: there is no such form.
func (k Kernel) lanes() int {
	if k.Vector == nil {
		return 0
	}
	return k.Vector.Lanes
}

// sizes are those of the cases that are not random.
func (k Kernel) sizes() []int {
	return sizesFor(int(k.Workgroup[0]*k.Workgroup[1]*k.Workgroup[2]), k.lanes())
}

// Case is a kernel with arguments.
type Case struct {
	Grid      dsl.Grid
	Outputs   []Memory // buffers that the kernel writes
	Unordered []Memory // outputs whose elements have no defined order
	InPlace   []Pair   // arguments that may be one buffer

	Emulate func() func(dsl.Thread)       // of a workgroup, the invocation; for dsl.Emulate
	Launch  func(on runtime.Target) error // the launcher on the buffers' views
	Want    func()                        // the reference; nil for none
	Noisy   func() error                  // the CPU form with noise, on the Go slices; nil if no float decides anything
}

// Pair is an output and an input that the kernel's in-place form takes as one buffer.
type Pair struct{ Out, In Memory }

// The caps of a test.
const (
	randomCases    = 6       // beyond those of sizesFor
	maxEmulated    = 10      // cases
	maxInvocations = 1 << 17 // of a case, for emulate
	emulateTime    = 3 * time.Second
	undecidedShare = 0.01 // where the kernel says no other
	noiseRuns      = 6
	closerRuns     = 100 // more, where elements differ
)

// Test runs k's parity test. Failures name the seed; with TANDEM_SEED set to it
// the same cases are drawn again.
func Test(t *testing.T, k Kernel) {
	t.Helper()
	seed, err := seedFromEnv()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv(tuneVariable) == "ahead" {
		tuneAhead(t, k, seed)
		return
	}
	report := check(k, seed)
	if testing.Verbose() {
		fmt.Println(report.line())
	}
	for _, f := range report.Failures {
		t.Error(f)
	}
}

// check runs the test.
func check(k Kernel, seed int64) *Report {
	tol := k.Tolerance
	r := &run{kernel: k, shares: map[string]*share{}, sizes: map[string][]float64{}, variants: map[string]int{}, report: Report{
		Kernel: k.Name, Package: k.Package, Ways: []string{}, Devices: []string{}, NotRun: map[string]string{}, Seed: seed,
		Abs: Number(tol.Abs), Rel: Number(tol.Rel), Tolerance: Number(tol.Number()), Uneven: tol.Uneven,
		MaxShare: Number(cmp.Or(tol.Undecided, undecidedShare)),
	}}
	r.openDevices()
	for i := 0; i < len(k.sizes())+randomCases && len(r.report.Failures) == 0; i++ {
		if err := safely(func() { r.testCase(i) }); err != nil { // in the author's generator, or a fault of ours
			r.failf("%s: drawing a case: %v\n\tagain with TANDEM_SEED=%d", k.Name, err, seed)
		}
	}
	r.finish()
	return &r.report
}

// seedFromEnv returns TANDEM_SEED, or a new seed.
func seedFromEnv() (int64, error) {
	text := os.Getenv("TANDEM_SEED")
	if text == "" {
		return time.Now().UnixNano() % 1e9, nil
	}
	seed, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("TANDEM_SEED=%q is not a whole number: set it to the seed of a failed test, or not at all", text)
	}
	return seed, nil
}

// run is a parity test under way.
type run struct {
	kernel     Kernel
	report     Report
	cpu        *runtime.Device
	gpus       []*runtime.Device // twice, if the kernel has a vector form: as they are, and scalar
	emulating  time.Duration
	notDrawn   string // why the last case that was not drawn was not
	shares     map[string]*share
	variants   map[string]int       // how often each variant ran
	sizes      map[string][]float64 // by output, sizes of elements it had
	hasOutputs bool                 // there are some
	elements   int                  // of outputs
	compared   int                  // that were held against another way's
}

// testCase draws case number index and compares the ways on it.
func (r *run) testCase(index int) {
	d, c, why := drawCase(index, r.report.Seed+int64(index), &r.kernel)
	if why != "" {
		r.notDrawn = why
		return
	}
	r.report.Cases++
	tc := &testCase{run: r, draw: d, Case: c}
	tc.compareAll()
	for _, p := range c.InPlace {
		tc.compareInPlace(p)
	}
}

// finish settles the verdict.
func (r *run) finish() {
	if r.report.Cases == 0 && len(r.report.Failures) == 0 {
		r.failf("%s: no test case could be drawn: in the last of %d attempts %s; check //tandem:test and //tandem:where", r.kernel.Name, attempts, r.notDrawn)
	}
	for _, name := range slices.Sorted(maps.Keys(r.shares)) {
		s := r.shares[name]
		r.report.Undecided += s.undecided
		r.report.Share = max(r.report.Share, Number(s.of()))
		r.checkShare(name, s)
	}
	r.checkCompared()
	r.checkTolerance()
	for _, v := range r.kernel.Variants {
		if r.variants[v.Name] == 0 && len(r.report.Failures) == 0 {
			r.report.NotRun["variant "+v.Name] = "its conditions hold in no case, or its workgroup is too large for the devices"
		}
	}
	order := []string{"emulate", "cpu", "gpu"}
	slices.SortFunc(r.report.Ways, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	r.report.Verdict = "pass"
	if len(r.report.Failures) > 0 {
		r.report.Verdict = "fail"
	}
}

func (r *run) failf(format string, args ...any) {
	r.report.Failures = append(r.report.Failures, fmt.Sprintf(format, args...))
}

// ran adds a way to the list of those that ran.
func (r *run) ran(way string) {
	if !slices.Contains(r.report.Ways, way) {
		r.report.Ways = append(r.report.Ways, way)
	}
}
