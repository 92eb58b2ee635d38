package gen

import (
	"testing"
	"unsafe"

	"tandem/codegen/gocpu/internal/suite/kernels"
	"tandem/dsl"
)

func TestSweeps(t *testing.T) {
	const n = 3
	for _, m := range []uint32{1, 2, 15, 16, 17, 31, 32, 33, 100, 257} {
		size := int(n * m)
		launch{groups(line16, n), sweepsCPU, unsafe.Pointer(&sweepsParams{n: n, m: m}), []any{uints(size, 1000), uints(size, 1000), uints(size, 1000)}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				s := new([64]uint32)
				return func(t dsl.Thread) {
					kernels.Sweeps(t, n, m, b[0].([]uint32), b[1].([]uint32), b[2].([]uint32), s)
				}
			}
		}}.check(t)
	}
}

func TestHalo(t *testing.T) {
	const n = 3
	for _, m := range []uint32{1, 60, 64, 65, 180} {
		launch{groups(line64, n), haloCPU, unsafe.Pointer(&haloParams{n: n, m: m}), []any{uints(int(m), 1000), uints(int(m), 1000)}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				s := new([64]uint32)
				return func(t dsl.Thread) { kernels.Halo(t, n, m, b[0].([]uint32), b[1].([]uint32), s) }
			}
		}}.check(t)
	}
}

func TestFlatWindows(t *testing.T) {
	for _, n := range []int{1, 3, 4, 5, 31, 32, 33, 1000} {
		for _, start := range []uint32{0, 9} {
			launch{threads(line32, uint32(n)), shiftedCPU, unsafe.Pointer(&shiftedParams{start: start}), []any{uints(n+9, 1000), uints(n, 1000)}, func(b []any) func() func(dsl.Thread) {
				return func() func(dsl.Thread) {
					return func(t dsl.Thread) { kernels.Shifted(t, start, b[0].([]uint32), b[1].([]uint32)) }
				}
			}}.check(t)
			launch{threads(line32, uint32(n)), alongCPU, unsafe.Pointer(&alongParams{start: start}), []any{uints(n, 1000), uints(n+10, 1000), uints(n, 1000)}, func(b []any) func() func(dsl.Thread) {
				return func() func(dsl.Thread) {
					return func(t dsl.Thread) { kernels.Along(t, start, b[0].([]uint32), b[1].([]uint32), b[2].([]uint32)) }
				}
			}}.check(t)
		}
		launch{threads(line32, uint32(n)), shortCPU, nil, []any{uints(n, 1000), uints(n, 1000)}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				return func(t dsl.Thread) { kernels.Short(t, b[0].([]uint32), b[1].([]uint32)) }
			}
		}}.check(t)
	}
}

// TestWindowFaults: what a loop would find out of range is found before it, and told as the loop would.
func TestWindowFaults(t *testing.T) {
	sweeps := func(x, y, z int) error {
		return launch{grid: groups(line16, 2), run: sweepsCPU, params: unsafe.Pointer(&sweepsParams{n: 2, m: 50})}.fault("sweeps.go", sweepsLines, make([]uint32, x), make([]uint32, y), make([]uint32, z))
	}
	expect(t, sweeps(100, 100, 100), "")
	expect(t, sweeps(100, 23, 100), "kernels/sweeps.go:12: kernel K: index out of range [23] with length 23 (workgroup 0,0,0, local 7,0,0, global 7,0,0)")
	expect(t, sweeps(100, 73, 100), "kernels/sweeps.go:12: kernel K: index out of range [73] with length 73 (workgroup 1,0,0, local 7,0,0, global 23,0,0)")
	expect(t, sweeps(100, 100, 7), "kernels/sweeps.go:27: kernel K: index out of range [7] with length 7 (workgroup 0,0,0, local 7,0,0, global 7,0,0)")
	shifted := func(start uint32, x, n int) error {
		return launch{grid: threads(line32, uint32(n)), run: shiftedCPU, params: unsafe.Pointer(&shiftedParams{start: start})}.fault("sweeps.go", shiftedLines, make([]uint32, x), make([]uint32, n))
	}
	expect(t, shifted(5, 105, 100), "")
	expect(t, shifted(6, 105, 100), "kernels/sweeps.go:96: kernel K: index out of range [105] with length 105 (workgroup 3,0,0, local 3,0,0, global 99,0,0)")
	expect(t, shifted(200, 105, 100), "kernels/sweeps.go:96: kernel K: index out of range [200] with length 105 (workgroup 0,0,0, local 0,0,0, global 0,0,0)")
	expect(t, shifted(1<<32-1, 1, 1), "kernels/sweeps.go:96: kernel K: index out of range [4294967295] with length 1 (workgroup 0,0,0, local 0,0,0, global 0,0,0)")
}
