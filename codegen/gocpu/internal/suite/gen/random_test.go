package gen

import (
	"fmt"
	"testing"
	"unsafe"

	"tandem/codegen/gocpu/internal/suite/kernels"
	"tandem/cpu"
	"tandem/dsl"
)

func TestRandom(t *testing.T) {
	runs := []func(*cpu.Launch) error{
		random0CPU, random1CPU, random2CPU, random3CPU, random4CPU, random5CPU, random6CPU, random7CPU,
		random8CPU, random9CPU, random10CPU, random11CPU,
	}
	for i, run := range runs {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			n := uint32(7)
			params := struct{ n uint32 }{n}
			launch{groups(line16, n), run, unsafe.Pointer(&params), []any{uints(16*int(n), 50), make([]uint32, 16*n)}, func(b []any) func() func(dsl.Thread) {
				return func() func(dsl.Thread) {
					var s [16]uint32
					return func(t dsl.Thread) { kernels.Random[i](t, n, b[0].([]uint32), b[1].([]uint32), &s) }
				}
			}}.check(t)
		})
	}
}
