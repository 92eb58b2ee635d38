package tint

import (
	"errors"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"valid", "@compute @workgroup_size(1)\nfn main() { }\n", ""},
		{"type", "@compute @workgroup_size(1)\nfn main() { let x: u32 = 1.5; }\n", "2:26: error: "},
		{"uniformity", "@compute @workgroup_size(2)\nfn main(@builtin(local_invocation_index) i: u32) {\n  if (i == 0u) { workgroupBarrier(); }\n}\n", "3:18: error: "},
	} {
		messages, err := Check(c.text)
		if errors.Is(err, ErrAbsent) {
			t.Skipf("not run: %v", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		errs := Errors(messages)
		switch {
		case c.want == "" && len(errs) > 0:
			t.Errorf("%s: %v", c.name, errs)
		case c.want != "" && (len(errs) == 0 || !strings.HasPrefix(errs[0].String(), c.want)):
			t.Errorf("%s: got %v, want %s…", c.name, errs, c.want)
		}
	}
}
