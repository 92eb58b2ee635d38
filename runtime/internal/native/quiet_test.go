//go:build cgo && !js

package native

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestQuiet: looking for devices and opening one prints nothing, also where
// XDG_RUNTIME_DIR is not set, and the environment of children stays as it was.
func TestQuiet(t *testing.T) {
	if os.Getenv("TEST_QUIET_CHILD") != "" {
		for _, a := range Adapters() {
			d, err := a.Open()
			if err != nil {
				t.Fatal(err)
			}
			d.Close()
		}
		if dir, set := os.LookupEnv("XDG_RUNTIME_DIR"); set {
			t.Errorf("XDG_RUNTIME_DIR is now %q", dir)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestQuiet$")
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "XDG_RUNTIME_DIR=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "TEST_QUIET_CHILD=1")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "XDG") {
		t.Errorf("%v: it printed\n%s", err, out)
	}
}
