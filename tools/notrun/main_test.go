package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestSummary(t *testing.T) {
	in := `{"Action":"output","Package":"p","Test":"A","Output":"=== RUN A\n"}
{"Action":"pass","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Test":"B","Output":"=== RUN B\n"}
{"Action":"output","Package":"p","Test":"B","Output":"    b_test.go:3: no GPU here\n"}
{"Action":"skip","Package":"p","Test":"B"}
{"Action":"output","Package":"p","Output":"ok  \tp\n"}
{"Action":"pass","Package":"p"}
`
	for _, test := range []struct {
		more, want string
		ok         bool
	}{
		{"", "1 passed, 0 failed, 1 skipped", true},
		{`{"Action":"output","Package":"p","Test":"C","Output":"boom\n"}` + "\n" + `{"Action":"fail","Package":"p","Test":"C"}`, "1 passed, 1 failed, 1 skipped", false},
		{`{"Action":"build-fail","ImportPath":"q"}`, "1 passed, 0 failed, 1 skipped", false},
	} {
		var out bytes.Buffer
		r := newResults(&out)
		if err := r.read(strings.NewReader(in + test.more)); err != nil {
			t.Fatal(err)
		}
		if ok := r.summary(); ok != test.ok {
			t.Errorf("%q: summary reports %v, want %v", test.more, ok, test.ok)
		}
		for _, want := range []string{test.want, "ok  \tp\n", "p.B: b_test.go:3: no GPU here"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q: the output lacks %q:\n%s", test.more, want, out.String())
			}
		}
	}
}
