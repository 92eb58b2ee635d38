package main

import (
	"io"
	"os"
	"strings"
	"testing"
)

// TestBenchElsewhere runs tandem bench where there is no module, and in one that does not know tandem.
func TestBenchElsewhere(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Chdir(t.TempDir())
	for _, mod := range []string{"", "module example.com/user\n\ngo 1.26\n"} {
		if mod != "" {
			if err := os.WriteFile("go.mod", []byte(mod), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		err := benchRun(t.Context(), io.Discard, nil)
		if err == nil || !strings.Contains(err.Error(), "run it in tandem's folder, or in a module that requires tandem") {
			t.Errorf("with go.mod %q: %v", mod, err)
		}
	}
}
