//go:build !js

package chromium

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParse: a report says of each test what it was and what it wrote.
func TestParse(t *testing.T) {
	got := parse(`=== RUN   TestA
=== RUN   TestA/x_y
    a_test.go:7: wrong
=== NAME  TestA
    a_test.go:9: after
=== RUN   TestA/skipped
    a_test.go:3: not run: no GPU
--- FAIL: TestA (0.00s)
    --- FAIL: TestA/x_y (0.00s)
    --- SKIP: TestA/skipped (0.00s)
=== RUN   TestB
--- PASS: TestB (1.25s)
FAIL
`)
	want := []result{
		{"TestA", "FAIL", "    a_test.go:9: after\n"},
		{"TestA/x_y", "FAIL", "    a_test.go:7: wrong\n"},
		{"TestA/skipped", "SKIP", "    a_test.go:3: not run: no GPU\n"},
		{"TestB", "PASS", ""},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(result{})); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}
