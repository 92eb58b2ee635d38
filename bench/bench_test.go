package bench

import (
	"io"
	"testing"
)

// TestSmall runs groups in their small sizes: each checks what it measures.
func TestSmall(t *testing.T) {
	groups := []string{"launch", "attention", "compile"}
	results, err := Run(Options{Groups: groups, Device: "cpu", Small: true}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) < 2*len(groups) {
		t.Errorf("%d results: %v", len(results), results)
	}
}
