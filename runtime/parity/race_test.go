package parity

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"tandem/dsl"
)

// TestMissingBarrier runs itself under the race detector, on a kernel whose results
// are right but which lacks a barrier: what the test does around the kernel must not hide that.
func TestMissingBarrier(t *testing.T) {
	const inside = "PARITY_MISSING_BARRIER"
	if os.Getenv(inside) != "" {
		Test(t, scaleTest(func(c *Case, x, y *Buffer[float32]) {
			right := c.Emulate
			c.Emulate = func() func(dsl.Thread) {
				kernel, shared := right(), [64]float32{}
				return func(t dsl.Thread) {
					shared[t.Local.X] = 1
					if shared[63-t.Local.X] <= 1 {
						kernel(t)
					}
				}
			}
		}))
		return
	}
	if testing.Short() {
		t.Skip("builds itself with -race")
	}
	if cgo, err := exec.Command("go", "env", "CGO_ENABLED").Output(); err != nil || strings.TrimSpace(string(cgo)) != "1" {
		t.Skip("the race detector needs cgo")
	}
	cmd := exec.Command("go", "test", "-race", "-count=1", "-run", "^"+t.Name()+"$", ".")
	cmd.Env = append(os.Environ(), inside+"=1", "GORACE=halt_on_error=1 atexit_sleep_ms=0")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "DATA RACE") {
		t.Errorf("%v, and no DATA RACE:\n%s", err, out)
	}
}
