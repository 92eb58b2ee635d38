package pass

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tandem/codegen/ir"
	"tandem/codegen/load"
	"tandem/codegen/lower"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var loaded = sync.OnceValues(func() (*load.Package, error) {
	p, err := load.Packages(".", "./testdata/kernels")
	if err != nil {
		return nil, err
	}
	return p[0], nil
})

// kernels lowers every kernel of testdata/kernels anew.
func kernels(t testing.TB) []*ir.Kernel {
	t.Helper()
	p, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	list, err := lower.Kernels(p)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (run with -update to accept):\n%s", name, diff)
	}
}

// TestPasses runs the pipeline on every kernel and verifies the tree after each
// pass. What the pass has made of the kernels in the file that is named after it
// is compared.
func TestPasses(t *testing.T) {
	for _, k := range kernels(t) {
		t.Run(k.Name, func(t *testing.T) {
			if err := ir.Verify(k); err != nil {
				t.Fatal(err)
			}
			subject := strings.TrimSuffix(filepath.Base(k.Pos.File), ".go")
			err := Run(k, func(name, text string) {
				if name == subject {
					golden(t, filepath.Join(name, k.Name+".txt"), text)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
