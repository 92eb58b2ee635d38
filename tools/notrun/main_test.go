package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"tandem/runtime/parity"
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

// TestParts: a parity test that passed but could not run in some way is named, with the way and the reason.
func TestParts(t *testing.T) {
	var out bytes.Buffer
	r := newResults(&out)
	in := ""
	for _, c := range []struct{ test, report string }{
		{"TestParityA", `{"kernel":"A","verdict":"pass","not_run":{"gpu":"no adapter"}}`},
		{"TestParityB", `{"kernel":"B","verdict":"pass"}`},
		{"TestParityC", `{"kernel":"C","verdict":"pass","not_run":{"gpu":"no adapter","variant N=2":"too large"}}`},
	} {
		begin, end := c.report[:9], c.report[9:] // long lines come in pieces
		for _, piece := range []string{parity.Prefix + begin, end + "\n"} {
			line, err := json.Marshal(event{Action: "output", Package: "p", Test: c.test, Output: piece})
			if err != nil {
				t.Fatal(err)
			}
			in += string(line) + "\n"
		}
		in += `{"Action":"pass","Package":"p","Test":"` + c.test + `"}` + "\n"
	}
	if err := r.read(strings.NewReader(in)); err != nil || !r.summary() {
		t.Fatalf("%v\n%s", err, &out)
	}
	want := "not run in part:\n  p: gpu: no adapter: TestParityA TestParityC\n  p: variant N=2: too large: TestParityC\n\n3 passed, 0 failed, 0 skipped\n"
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("got:\n%s\nwant at the end:\n%s", &out, want)
	}
}
