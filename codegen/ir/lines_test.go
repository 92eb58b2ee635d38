package ir

import "testing"

// TestLines: the text of a table. That the runtime reads it, runtime/lines_test.go shows.
func TestLines(t *testing.T) {
	a := func(line int) Pos { return Pos{File: "a.go", Line: line, Col: line} }
	b := func(line int) Pos { return Pos{File: "b,*\n.go", Line: line} }
	for _, c := range []struct {
		want string
		from []Pos
	}{
		{"", nil},
		{"", []Pos{{}, {}}},
		{"3", []Pos{a(3)}},
		{",3", []Pos{{}, a(3), {}, {}}},
		{"*2,3*2,,3,4", []Pos{{}, {}, a(3), a(3), {}, a(3), a(4)}},
		{"3,b___.go:3*2,7,a.go:7", []Pos{a(3), b(3), b(3), b(7), a(7)}},
		{"b___.go:3,,4", []Pos{b(3), {}, b(4)}},
	} {
		if got := Lines("a.go", c.from); got != c.want {
			t.Errorf("%v: %q, not %q", c.from, got, c.want)
		}
	}
}
