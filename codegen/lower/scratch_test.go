package lower_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"tandem/codegen/ir"
	"tandem/codegen/load"
	"tandem/codegen/lower"
	"tandem/codegen/pass"
)

func TestScratch(t *testing.T) {
	pats := os.Getenv("PATS")
	if pats == "" {
		t.Skip()
	}
	all, err := load.Packages("../..", strings.Fields(pats)...)
	if err != nil {
		fmt.Println("LOAD", err)
	}
	for _, p := range all {
		ks, err := lower.Kernels(p)
		if err != nil {
			fmt.Println(err)
		}
		for _, k := range ks {
			if err := ir.Verify(k); err != nil {
				fmt.Println("VERIFY", k.Name, err)
			}
			if err := pass.Run(k, nil); err != nil {
				fmt.Println("PASS", k.Name, err)
			}
			if os.Getenv("SHOW") != "" {
				fmt.Println(ir.Text(k))
			}
		}
		fmt.Println(p.Path, len(ks), "kernels of", len(p.Kernels))
	}
}
