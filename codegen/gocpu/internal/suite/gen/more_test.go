package gen

import (
	"testing"
	"unsafe"

	"tandem/codegen/gocpu/internal/suite/kernels"
	"tandem/dsl"
)

func TestSearch(t *testing.T) {
	for _, n := range []uint32{1, 2, 3, 8} {
		launch{groups(line16, n), searchCPU, unsafe.Pointer(&searchParams{n}), []any{uints(16*int(n), 100), make([]uint32, 16*n)}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				var s [16]uint32
				return func(t dsl.Thread) { kernels.Search(t, n, b[0].([]uint32), b[1].([]uint32), &s) }
			}
		}}.check(t)
	}
}

func TestHeads(t *testing.T) {
	for _, n := range []uint32{1, 2, 3, 8} {
		launch{groups(line16, n), headsCPU, unsafe.Pointer(&headsParams{n}), []any{uints(16*int(n), 100), make([]uint32, 16*n)}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				var s [16]uint32
				return func(t dsl.Thread) { kernels.Heads(t, n, b[0].([]uint32), b[1].([]uint32), &s) }
			}
		}}.check(t)
	}
}

func TestUnguarded(t *testing.T) {
	launch{threads(line16, 50), unguardedCPU, unsafe.Pointer(&unguardedParams{50}), []any{uints(30, 100), make([]uint32, 30)}, func(b []any) func() func(dsl.Thread) {
		return func() func(dsl.Thread) {
			return func(t dsl.Thread) { kernels.Unguarded(t, 50, b[0].([]uint32), b[1].([]uint32)) }
		}
	}}.check(t)
}

func TestWide(t *testing.T) {
	launch{groups([3]uint32{4, 4, 1}, 5), wideCPU, unsafe.Pointer(&wideParams{5}), []any{make([]float32, 80)}, func(b []any) func() func(dsl.Thread) {
		return func() func(dsl.Thread) {
			var s [16]float32
			return func(t dsl.Thread) { kernels.Wide(t, 5, b[0].([]float32), &s) }
		}
	}}.check(t)
}

func TestDefined(t *testing.T) {
	n := uint32(3)
	x := as[kernels.Celsius](floats(48))
	scales := kernels.MakeScales(1.5, [3]float32{1, 2, 3}, 1, 3)
	weights := [2][2]float32{{1, 2}, {3, 4}}
	params := &definedParams{n, *(*definedScales)(unsafe.Pointer(&scales)), -3, weights}
	launch{groups(line16, n), definedCPU, unsafe.Pointer(params), []any{x, make([][2]kernels.Celsius, 48)}, func(b []any) func() func(dsl.Thread) {
		return kernels.DefinedHere(n, scales, -3, weights, b[0].([]kernels.Celsius), b[1].([][2]kernels.Celsius))
	}}.check(t)
}

// TestLeft: where no lane gets to a division it is not done, by 0 as it may be.
func TestLeft(t *testing.T) {
	n := uint32(20)
	for _, c := range []struct{ below, d uint32 }{{100, 3}, {40, 0}} {
		launch{threads(line16, n), leftCPU, unsafe.Pointer(&leftParams{n, c.d}), []any{uints(int(n), c.below), make([]uint32, n)}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				return func(t dsl.Thread) { kernels.Left(t, n, c.d, b[0].([]uint32), b[1].([]uint32)) }
			}
		}}.check(t)
		launch{threads([3]uint32{4, 4, 1}, n, n), leftTileCPU, unsafe.Pointer(&leftTileParams{n, c.d}), []any{uints(int(n*n), c.below), make([]uint32, n*n)}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				return func(t dsl.Thread) { kernels.LeftTile(t, n, c.d, b[0].([]uint32), b[1].([]uint32)) }
			}
		}}.check(t)
		launch{groups(line16, n), leftGroupCPU, unsafe.Pointer(&leftGroupParams{n, c.d}), []any{uints(int(16*n), c.below), make([]uint32, 16*n)}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				var s [16]uint32
				return func(t dsl.Thread) { kernels.LeftGroup(t, n, c.d, b[0].([]uint32), b[1].([]uint32), &s) }
			}
		}}.check(t)
	}
}

func TestStrided(t *testing.T) {
	for _, cols := range []uint32{1, 3, 10, 11, 63, 64, 65, 66, 67, 200, 1000} {
		n := uint32(3)
		buffers := []any{uints(int(n*cols), 1000), make([]uint32, n*cols), make([]uint32, n*64)}
		launch{groups(line64, n), stridedCPU, unsafe.Pointer(&stridedParams{n, cols}), buffers, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				var bins [16]dsl.AtomicUint32
				var s [64]uint32
				return func(t dsl.Thread) {
					kernels.Strided(t, n, cols, b[0].([]uint32), b[1].([]uint32), b[2].([]uint32), &bins, &s)
				}
			}
		}}.check(t)
	}
}

func TestElementary(t *testing.T) {
	for _, n := range []int{1, 63, 200} {
		launch{threads(line64, uint32(n)), elementaryCPU, unsafe.Pointer(&elementaryParams{}), []any{floats(n), floats(n), floats(n), make([]float32, 32*n)}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				return func(t dsl.Thread) {
					kernels.Elementary(t, b[0].([]float32), b[1].([]float32), b[2].([]float32), b[3].([]float32))
				}
			}
		}}.check(t)
	}
}
