package codegen

import (
	"errors"
	"testing"

	"tandem/codegen/ir"
	"tandem/codegen/pass"
)

// TestGuard turns whatever goes wrong in the compiler into an error with a place.
func TestGuard(t *testing.T) {
	pos := ir.Pos{File: "k.go", Line: 3, Col: 6}
	const report = "; this is a fault of tandem's: please report it with the source of this kernel"
	var missing []int
	for _, test := range []struct {
		do   func() error
		want string
	}{
		{func() error { return nil }, ""},
		{func() error { return pass.Error{Pos: ir.Pos{File: "k.go", Line: 9, Col: 1}, Msg: "wrong"} }, "k.go:9:1: kernel K: wrong"},
		{func() error { return errors.New("odd") }, "k.go:3:6: kernel K: internal error: a pass failed (odd)" + report},
	} {
		err := guard("K", pos, "a pass", test.do)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf(" got %s\nwant %s", got, test.want)
		}
	}
	err := guard("K", pos, "a pass", func() error { missing[3]++; return nil })
	if err == nil {
		t.Error("a panic is lost")
	}
}
