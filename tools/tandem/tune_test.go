package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tandem/runtime/parity"
)

// TestReadTuned tells what was tuned from the rest of the output of go test.
func TestReadTuned(t *testing.T) {
	tuned, other := readTuned("=== RUN   TestParityTiles\n" + parity.TunePrefix + `{"Kernel":"Tiles","Device":"CPU","Variant":"Tile=16","Classes":3}` + "\n" + parity.TunePrefix + "{\nok\n")
	if d := cmp.Diff([]parity.Tuned{{Kernel: "Tiles", Device: "CPU", Variant: "Tile=16", Classes: 3}}, tuned); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"=== RUN   TestParityTiles", parity.TunePrefix + "{", "ok"}, other); d != "" {
		t.Error(d)
	}
}
