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
	n      uint32
	at     string // file:line
	byZero bool   // else an index is out of range
}

//go:embed kernels/faults.go helpers/faults.go
var faulty embed.FS

// sites reads the comments that say where they are.
func sites(t *testing.T) (list []site) {
	comment := regexp.MustCompile(`// site (\d+)(, by zero)?`)
	for _, file := range []string{"kernels/faults.go", "helpers/faults.go"} {
		text, err := faulty.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, m := range comment.FindAllStringSubmatch(line, -1) {
				n, _ := strconv.Atoi(m[1])
				list = append(list, site{uint32(n), fmt.Sprintf("conformance/%s:%d", file, i+1), m[2] != ""})
			}
		}
	}
	return list
}

// TestFaultLines: a fault is said to be at its line, whatever statement it is in, of the kernel or of a helper, emulated and in the
// form for the CPU, one invocation at a time or eight.
func TestFaultLines(t *testing.T) {
	dev, err := runtime.Open(runtime.Options{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	list := sites(t)
	if len(list) < 25 {
		t.Errorf("there are only %d sites", len(list))
	}
	for _, s := range list {
		at, x, y := make([]uint32, 32), make([]uint32, 128), make([]uint32, 64)
		lanes := s.n >= 20
		launch, size := gen.FaultSites, uint32(8)
		if lanes {
			launch, size = gen.FaultLanes, 64
		}
		for i := range x {
			x[i] = 1
			if lanes { // so that they take different ways
				x[i] += uint32(i % 9)
			}
		}
		message := "index out of range"
		at[s.n] = 1000
		if s.byZero {
			message, at[s.n] = "integer divide by zero", 1
		}
		emulated := dsl.Emulate(groups(size, 1), func() func(dsl.Thread) {
			shared := new([8]uint32)
			return func(t dsl.Thread) {
				if lanes {
					kernels.FaultLanes(t, at, x, y)
				} else {
					kernels.FaultSites(t, at, x, y, shared)
				}
			}
		})
		onCPU := launch(dev, runtime.Upload(dev, at), runtime.Upload(dev, x), runtime.Upload(dev, y))
		for way, err := range map[string]error{"emulated": emulated, "on the CPU": onCPU} {
			if err == nil || !strings.Contains("conformance/"+err.Error(), s.at+": ") || !strings.Contains(err.Error(), message) {
				t.Errorf("site %d, %s: %v, and not %s at %s", s.n, way, err, message, s.at)
			}
		}
	}
}
