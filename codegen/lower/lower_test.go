package lower_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tandem/codegen/ir"
	"tandem/codegen/load"
	"tandem/codegen/lower"
)

var update = flag.Bool("update", false, "write the golden files anew")

// kernels lowers the kernels of a folder of testdata.
func kernels(t *testing.T, dir string) ([]*ir.Kernel, error) {
	t.Helper()
	all, err := load.Packages(".", "./testdata/"+dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 {
		t.Fatalf("%d packages, want 1", len(all))
	}
	return lower.Kernels(all[0])
}

// TestGolden compares the ir of whole packages with golden files.
func TestGolden(t *testing.T) {
	dirs, err := filepath.Glob("testdata/*/*.ir")
	if *update {
		dirs, err = filepath.Glob("testdata/*/*.go")
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range dirs {
		dir := filepath.Base(filepath.Dir(file))
		if dir == "random" {
			continue
		}
		t.Run(dir, func(t *testing.T) {
			golden := filepath.Join("testdata", dir, dir+".ir")
			list, err := kernels(t, dir)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, k := range list {
				if err := ir.Verify(k); err != nil {
					t.Errorf("%s: %v", k.Name, err)
				}
				got += ir.Text(k) + "\n"
			}
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
