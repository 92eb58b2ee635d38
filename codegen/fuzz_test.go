package codegen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tandem/codegen"
	"tandem/codegen/codegentest"
)

// FuzzCompile compiles mutated Go source. Whatever it is, it compiles or is
// refused: the compiler does not fail and does not hang.
func FuzzCompile(f *testing.F) {
	for _, pattern := range []string{"testdata/reject/*.go", "../ops/kernels/*.go", "../conformance/kernels/*.go"} {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		slow := time.AfterFunc(time.Minute, func() { panic("the compiler hangs on:\n" + text) })
		defer slow.Stop()
		p, err := codegentest.Source("fuzz.go", text)
		if err == nil {
			_, err = codegen.Compile(p, codegen.Options{Path: p.Path})
		}
		if err != nil && strings.Contains(err.Error(), "internal ") {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}
