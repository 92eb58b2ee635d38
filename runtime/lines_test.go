package runtime

import (
	"strings"
	"testing"

	"tandem/cpu"
)

// TestLookUp reads the tables that codegen/ir/lines_test.go writes.
func TestLookUp(t *testing.T) {
	for table, want := range map[string]string{
		"":                       "- -",
		"3":                      "- a.go:3 -",
		",3":                     "- - a.go:3 - -",
		"*2,3*2,,3,4":            "- - - a.go:3 a.go:3 - a.go:3 a.go:4 -",
		"3,b___.go:3*2,7,a.go:7": "- a.go:3 b___.go:3 b___.go:3 b___.go:7 a.go:7 -",
		"b___.go:3,,4":           "- b___.go:3 - b___.go:4 -",
	} {
		var got []string
		for line := range strings.Fields(want) {
			if o := lookUp(table, "a.go", line); o.line > 0 {
				got = append(got, o.String())
			} else {
				got = append(got, "-")
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %s, not %s", table, got, want)
		}
	}
}

// TestOrigin: only lines of the files that were generated from a kernel lead to it.
func TestOrigin(t *testing.T) {
	k := Kernel{Source: "k/k.go:12", Run: func(*cpu.Launch) error { return nil }, GoLines: "lines_test.go *3,15,m/h.go:7\nlines_test_simd.go 21"}
	folder := k.folder()
	for _, c := range []struct {
		file string
		line int
		want string
	}{
		{folder + "lines_test.go", 4, "k/k.go:15"},
		{folder + "lines_test.go", 5, "m/h.go:7"},
		{folder + "lines_test.go", 2, "k/k.go:12"}, // of no statement
		{folder + "lines_test.go", 6, "k/k.go:12"},
		{folder + "lines_test_simd.go", 1, "k/k.go:21"},
		{folder + "test.go", 4, folder + "test.go:4"},
		{folder + "k/lines_test.go", 4, folder + "k/lines_test.go:4"}, // the author's may have the same name
		{"lines_test.go", 4, "lines_test.go:4"},
	} {
		if file, line := k.Origin(c.file, c.line); (origin{file, line}).String() != c.want {
			t.Errorf("%s:%d comes from %s:%d, not %s", c.file, c.line, file, line, c.want)
		}
	}
}
