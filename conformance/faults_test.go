package conformance

import (
	"embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tandem/conformance/gen"
	"tandem/conformance/kernels"
	"tandem/dsl"
	"tandem/runtime"
)

// site is a place in the kernels of faults.go, or in a helper, that can fail.
type site struct {
	n    uint32
	at   string // file:line
	what string // that fails: "zero", "shift", or "" for an index that is out of range
}

//go:embed kernels/faults.go helpers/faults.go
var faulty embed.FS

// sites reads the comments that say where they are.
func sites(t *testing.T) (list []site) {
	comment := regexp.MustCompile(`// site (\d+)(?:, by (zero|shift))?`)
	for _, file := range []string{"kernels/faults.go", "helpers/faults.go"} {
		text, err := faulty.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, m := range comment.FindAllStringSubmatch(line, -1) {
				n, _ := strconv.Atoi(m[1])
				list = append(list, site{uint32(n), fmt.Sprintf("conformance/%s:%d", file, i+1), m[2]})
			}
		}
	}
	return list
}

// faultsBy says, by what fails at a site, what its element of at is then, and the message.
var faultsBy = map[string]struct {
	at      uint32
	message string
}{
	"":      {1000, "index out of range"},
	"zero":  {1, "integer divide by zero"},
	"shift": {1000, "negative shift amount"},
}

// faultKernel is a kernel of faults.go, with the first of its sites.
type faultKernel struct {
	first  uint32
	lanes  bool // it is for what eight invocations do at a time
	launch func(on runtime.Target, at, x, y runtime.View[uint32]) error
	kernel func(t dsl.Thread, at, x, y []uint32, s *[8]uint32)
}

func withoutShared(kernel func(t dsl.Thread, at, x, y []uint32)) func(dsl.Thread, []uint32, []uint32, []uint32, *[8]uint32) {
	return func(t dsl.Thread, at, x, y []uint32, _ *[8]uint32) { kernel(t, at, x, y) }
}

var faultKernels = []faultKernel{
	{0, false, gen.FaultSites, kernels.FaultSites},
	{20, true, gen.FaultLanes, withoutShared(kernels.FaultLanes)},
	{32, false, gen.FaultSpread, kernels.FaultSpread},
	{80, true, gen.FaultSpreadLanes, withoutShared(kernels.FaultSpreadLanes)},
}

// of returns the kernel of a site.
func (s site) of() (k faultKernel) {
	for _, other := range faultKernels {
		if s.n >= other.first {
			k = other
		}
	}
	return k
}

// args returns the arguments with which a kernel fails at s.
func (s site) args() (at, x, y []uint32) {
	at, x, y = make([]uint32, 96), make([]uint32, 128), make([]uint32, 64)
	for i := range x {
		x[i] = 1
		if s.of().lanes { // so that they take different ways
			x[i] += uint32(i % 9)
		}
	}
	at[s.n] = faultsBy[s.what].at
	return at, x, y
}

// TestFaultLines: a fault is said to be at its line, whatever statement it is in, of the kernel or of a helper, emulated, in the
// form for the CPU, one invocation at a time or eight, and in a debug launch on a GPU.
func TestFaultLines(t *testing.T) {
	list := sites(t)
	if len(list) < 71 {
		t.Errorf("there are only %d sites", len(list))
	}
	for _, s := range list {
		k, size := s.of(), uint32(8)
		if k.lanes {
			size = 64
		}
		at, x, y := s.args()
		s.check(t, "emulated", dsl.Emulate(groups(size, 1), func() func(dsl.Thread) {
			shared := new([8]uint32)
			return func(t dsl.Thread) { k.kernel(t, at, x, y, shared) }
		}))
		for _, dev := range debuggers() {
			at, x, y := s.args()
			s.check(t, "on the "+way(dev), k.launch(dev, runtime.Upload(dev, at), runtime.Upload(dev, x), runtime.Upload(dev, y)))
		}
	}
}

// check reports an error that is not what fails at s.
func (s site) check(t *testing.T, way string, err error) {
	t.Helper()
	if message := faultsBy[s.what].message; err == nil || !strings.Contains("conformance/"+err.Error(), s.at+": ") || !strings.Contains(err.Error(), message) {
		t.Errorf("site %d, %s: %v, and not %s at %s", s.n, way, err, message, s.at)
	}
}
