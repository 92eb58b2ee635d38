package bench

import (
	"strings"
	"testing"
)

// TestSmall runs groups in their small sizes on the CPU: each checks what it measures, and each
// says something.
func TestSmall(t *testing.T) {
	for _, group := range Groups() {
		if group == "cpu" && testing.Short() {
			continue // 30 operators with all they are compared with
		}
		t.Run(group, func(t *testing.T) {
			var said strings.Builder
			results, err := Run(Options{Groups: []string{group}, Device: "cpu", Small: true}, &said)
			if err != nil {
				t.Fatal(err)
			}
			if len(results) == 0 {
				t.Errorf("no figure: %s", &said)
			}
		})
	}
}
