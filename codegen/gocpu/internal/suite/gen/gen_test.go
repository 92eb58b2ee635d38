package gen

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"tandem/codegen/gocpu/internal/suite/kernels"
	"tandem/cpu"
	"tandem/dsl"
)

// launch runs a kernel twice on equal buffers, emulated and on the CPU, and
// compares all of them bit by bit.
type launch struct {
	grid    dsl.Grid
	run     func(*cpu.Launch) error
	params  unsafe.Pointer
	buffers []any // slices
	// emulate binds the kernel to buffers for each workgroup.
	emulate func(b []any) func() func(dsl.Thread)
}

func (l launch) check(t *testing.T) {
	t.Helper()
	mine, theirs := copied(l.buffers), copied(l.buffers)
	if err := dsl.Emulate(l.grid, l.emulate(theirs)); err != nil {
		t.Fatal("emulate:", err)
	}
	if err := l.cpu(mine); err != nil {
		t.Fatal("cpu:", err)
	}
	for i := range mine {
		if !bytes.Equal(memory(mine[i]), memory(theirs[i])) {
			t.Errorf("buffer %d differs at %s", i, difference(mine[i], theirs[i]))
		}
		if reflect.ValueOf(mine[i]).Len() == 0 {
			t.Errorf("buffer %d is empty", i)
		}
	}
}

// cpu runs the generated code on buffers.
func (l launch) cpu(buffers []any) error {
	c := &cpu.Launch{Kernel: "K", Groups: l.grid.Groups, Threads: l.grid.Threads, Params: l.params}
	if l.grid.Threads != [3]uint32{} {
		for i, n := range l.grid.Threads {
			c.Groups[i] = (n + l.grid.Workgroup[i] - 1) / l.grid.Workgroup[i]
		}
	}
	for _, b := range buffers {
		v := reflect.ValueOf(b)
		c.Buffers = append(c.Buffers, cpu.Memory{Ptr: v.UnsafePointer(), Len: v.Len()})
	}
	return l.run(c)
}

func copied(list []any) []any {
	var out []any
	for _, b := range list {
		v := reflect.ValueOf(b)
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(c, v)
		out = append(out, c.Interface())
	}
	return out
}

func memory(b any) []byte {
	v := reflect.ValueOf(b)
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*int(v.Type().Elem().Size()))
}

// difference describes the first element that differs.
func difference(mine, theirs any) string {
	a, b := reflect.ValueOf(mine), reflect.ValueOf(theirs)
	for i := range a.Len() {
		if !reflect.DeepEqual(a.Index(i).Interface(), b.Index(i).Interface()) {
			return fmt.Sprintf("%d: cpu %v, emulate %v", i, a.Index(i), b.Index(i))
		}
	}
	return "NaN or padding"
}

// as returns a buffer with elements of another type of the same size.
func as[U, T any](x []T) []U { return unsafe.Slice((*U)(unsafe.Pointer(&x[0])), len(x)) }

func groups(w [3]uint32, n ...uint32) dsl.Grid {
	return dsl.Grid{Workgroup: w, Groups: sides(n)}
}

func threads(w [3]uint32, n ...uint32) dsl.Grid {
	return dsl.Grid{Workgroup: w, Threads: sides(n)}
}

func sides(n []uint32) [3]uint32 {
	s := [3]uint32{1, 1, 1}
	copy(s[:], n)
	return s
}

var random = rand.New(rand.NewPCG(1, 2))

func floats(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = random.Float32()*20 - 10
	}
	return x
}

func uints(n int, below uint32) []uint32 {
	x := make([]uint32, n)
	for i := range x {
		x[i] = random.Uint32N(below)
	}
	return x
}

// ints returns small and large integers, and those at the ends.
func ints(n int) []int32 {
	x := []int32{0, 1, -1, math.MinInt32, math.MaxInt32, -7, 7, 31, 32, 33}
	for len(x) < n {
		x = append(x, int32(random.Uint32())>>random.UintN(32))
	}
	return x[:n]
}

var line64, line32, line16, line8 = [3]uint32{64, 1, 1}, [3]uint32{32, 1, 1}, [3]uint32{16, 1, 1}, [3]uint32{8, 1, 1}

func TestSaxpy(t *testing.T) {
	for _, n := range []int{1, 255, 256, 257, 5000} {
		launch{threads([3]uint32{256, 1, 1}, uint32(n)), saxpyCPU, unsafe.Pointer(&saxpyParams{a: 1.7}), []any{floats(n), floats(n)}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				return func(t dsl.Thread) { kernels.Saxpy(t, 1.7, b[0].([]float32), b[1].([]float32)) }
			}
		}}.check(t)
	}
}

func TestGuarded(t *testing.T) {
	n := 300
	launch{threads(line64, uint32(n)), guardedCPU, unsafe.Pointer(&guardedParams{n: uint32(n)}), []any{ints(n), ints(n)}, func(b []any) func() func(dsl.Thread) {
		return func() func(dsl.Thread) {
			return func(t dsl.Thread) { kernels.Guarded(t, uint32(n), b[0].([]int32), b[1].([]int32)) }
		}
	}}.check(t)
}

func TestCoordinates(t *testing.T) {
	for _, n := range [][3]uint32{{1, 1, 1}, {3, 2, 5}, {1, 4, 1}} {
		out := make([]dsl.UVec4, n[0]*n[1]*n[2]*16*4)
		launch{groups([3]uint32{4, 2, 2}, n[:]...), coordinatesCPU, unsafe.Pointer(&coordinatesParams{n[0], n[1], n[2]}), []any{out}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				return func(t dsl.Thread) { kernels.Coordinates(t, n[0], n[1], n[2], b[0].([]dsl.UVec4)) }
			}
		}}.check(t)
	}
}

func TestRagged(t *testing.T) {
	for _, n := range [][3]uint32{{1, 1, 1}, {5, 3, 2}, {6, 4, 3}, {17, 10, 1}, {4, 1, 7}} {
		launch{threads([3]uint32{5, 3, 2}, n[:]...), raggedCPU, unsafe.Pointer(&raggedParams{n[0], n[1], n[2]}), []any{make([]uint32, n[0]*n[1]*n[2])}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				return func(t dsl.Thread) { kernels.Ragged(t, n[0], n[1], n[2], b[0].([]uint32)) }
			}
		}}.check(t)
	}
}

func TestFlatGroups(t *testing.T) {
	launch{threads(line32, 100), flatGroupsCPU, unsafe.Pointer(&flatGroupsParams{100}), []any{make([]uint32, 100)}, func(b []any) func() func(dsl.Thread) {
		return func() func(dsl.Thread) {
			return func(t dsl.Thread) { kernels.FlatGroups(t, 100, b[0].([]uint32)) }
		}
	}}.check(t)
}

func TestIntegers(t *testing.T) {
	n := 500
	launch{threads(line64, uint32(n)), integersCPU, nil, []any{ints(n), append(ints(n - 10)[10:], ints(20)...), make([]int32, 16*n)}, func(b []any) func() func(dsl.Thread) {
		return func() func(dsl.Thread) {
			return func(t dsl.Thread) { kernels.Integers(t, b[0].([]int32), b[1].([]int32), b[2].([]int32)) }
		}
	}}.check(t)
}

func TestFloats(t *testing.T) {
	n := 500
	x := append([]float32{float32(math.Inf(1)), float32(math.Inf(-1)), 2147483648, -2147483648, 2147483520, 4294967296, 1e30, 0}, floats(n-8)...)
	launch{threads(line64, uint32(n)), floatsCPU, nil, []any{x, floats(n), make([]float32, 12*n), make([]int32, 3*n)}, func(b []any) func() func(dsl.Thread) {
		return func() func(dsl.Thread) {
			return func(t dsl.Thread) {
				kernels.Floats(t, b[0].([]float32), b[1].([]float32), b[2].([]float32), b[3].([]int32))
			}
		}
	}}.check(t)
}

func TestControl(t *testing.T) {
	n := 300
	launch{threads(line32, uint32(n)), controlCPU, nil, []any{ints(n), make([]int32, 8*n)}, func(b []any) func() func(dsl.Thread) {
		return func() func(dsl.Thread) {
			return func(t dsl.Thread) { kernels.Control(t, b[0].([]int32), b[1].([]int32)) }
		}
	}}.check(t)
}

func TestParticles(t *testing.T) {
	n := 200
	p := make([]kernels.Particle, n)
	for i := range p {
		v := floats(7)
		p[i] = kernels.Particle{Position: dsl.Vec3{X: v[0], Y: v[1], Z: v[2]}, Velocity: dsl.Vec3{X: v[3], Y: v[4], Z: v[5]}, Mass: v[6]}
	}
	s := kernels.Settings{Step: 0.1, Centre: dsl.Vec3{X: 1, Y: 2, Z: 3}, Flip: 1, Steps: 5}
	for _, flip := range []bool{false, true} {
		params := &particlesParams{s: s}
		if flip {
			params.flip = 1
		}
		launch{threads(line64, uint32(n)), particlesCPU, unsafe.Pointer(params), []any{p, make([]dsl.Vec3, n)}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				return func(t dsl.Thread) { kernels.Particles(t, s, flip, b[0].([]kernels.Particle), b[1].([]dsl.Vec3)) }
			}
		}}.check(t)
	}
}

func TestNames(t *testing.T) {
	launch{groups(line16, 3), namesCPU, unsafe.Pointer(&namesParams{3, 9}), []any{uints(16, 100), make([]uint32, 48)}, func(b []any) func() func(dsl.Thread) {
		return func() func(dsl.Thread) {
			var lanes [16]uint32
			return func(t dsl.Thread) { kernels.Names(t, 3, 9, b[0].([]uint32), b[1].([]uint32), &lanes) }
		}
	}}.check(t)
}

func TestTable(t *testing.T) {
	n := 130
	launch{threads(line64, uint32(n)), tableCPU, nil, []any{floats(n), floats(n)}, func(b []any) func() func(dsl.Thread) {
		return func() func(dsl.Thread) {
			return func(t dsl.Thread) { kernels.Table(t, b[0].([]float32), b[1].([]float32)) }
		}
	}}.check(t)
}

func TestPacked(t *testing.T) {
	n := 130
	raw := uints(2*n, math.MaxUint32)
	bytes := unsafe.Slice((*uint8)(unsafe.Pointer(&raw[0])), n)
	shorts := unsafe.Slice((*uint16)(unsafe.Pointer(&raw[0])), n)
	halves := make([]dsl.Float16, n)
	for i, v := range floats(n) {
		halves[i] = dsl.ToFloat16(v)
	}
	launch{threads(line64, uint32(n)), packedCPU, nil, []any{bytes, as[int8](bytes), shorts, as[int16](shorts), halves, make([]float32, n)}, func(b []any) func() func(dsl.Thread) {
		return func() func(dsl.Thread) {
			return func(t dsl.Thread) {
				kernels.Packed(t, b[0].([]uint8), b[1].([]int8), b[2].([]uint16), b[3].([]int16), b[4].([]dsl.Float16), b[5].([]float32))
			}
		}
	}}.check(t)
}

func TestRowSum(t *testing.T) {
	for _, cols := range []uint32{0, 1, 63, 64, 65, 1000} {
		launch{groups(line64, 7), rowSumCPU, unsafe.Pointer(&rowSumParams{7, cols}), []any{floats(7*int(cols) + 1), floats(7)}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				var part [64]float32
				return func(t dsl.Thread) { kernels.RowSum(t, 7, cols, b[0].([]float32), b[1].([]float32), &part) }
			}
		}}.check(t)
	}
}

func TestNamedAgain(t *testing.T) {
	for _, n := range []uint32{1, 3} {
		launch{groups([3]uint32{16, 1, 1}, 1), namedAgainCPU, unsafe.Pointer(&namedAgainParams{n}), []any{floats(16 * int(n)), floats(16)}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				var part [16]float32
				return func(t dsl.Thread) { kernels.NamedAgain(t, n, b[0].([]float32), b[1].([]float32), &part) }
			}
		}}.check(t)
	}
}

func TestSoftmax(t *testing.T) {
	for _, cols := range []uint32{1, 64, 65, 300} {
		launch{groups(line64, 5), softmaxCPU, unsafe.Pointer(&softmaxParams{5, cols}), []any{floats(5 * int(cols)), floats(5 * int(cols))}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				var scratch [64]float32
				return func(t dsl.Thread) { kernels.Softmax(t, 5, cols, b[0].([]float32), b[1].([]float32), &scratch) }
			}
		}}.check(t)
	}
}

func TestTranspose(t *testing.T) {
	for _, n := range [][2]uint32{{8, 8}, {1, 20}, {13, 7}, {33, 16}} {
		size := int(n[0] * n[1])
		launch{groups([3]uint32{8, 8, 1}, (n[0]+7)/8, (n[1]+7)/8), transposeCPU, unsafe.Pointer(&transposeParams{n[0], n[1]}), []any{floats(size), floats(size)}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				var tile [8][9]float32
				return func(t dsl.Thread) { kernels.Transpose(t, n[0], n[1], b[0].([]float32), b[1].([]float32), &tile) }
			}
		}}.check(t)
	}
}

func TestHistogram(t *testing.T) {
	n := 20000
	launch{groups(line64, uint32(n+255)/256), histogramCPU, nil, []any{uints(n, 1000), make([]uint32, 16)}, func(b []any) func() func(dsl.Thread) {
		return func() func(dsl.Thread) {
			var local [16]dsl.AtomicUint32
			return func(t dsl.Thread) {
				kernels.Histogram(t, b[0].([]uint32), as[dsl.AtomicUint32](b[1].([]uint32)), &local)
			}
		}
	}}.check(t)
}

func TestAtomics(t *testing.T) {
	launch{groups([3]uint32{1, 1, 1}, 1), atomicsCPU, unsafe.Pointer(&atomicsParams{1}), []any{append([]int32{3, 10, 5, 5, 7, 6, 12, 4, 8, 9}, make([]int32, 30)...), make([]int32, 40)}, func(b []any) func() func(dsl.Thread) {
		return func() func(dsl.Thread) {
			var local [2]dsl.AtomicInt32
			return func(t dsl.Thread) { kernels.Atomics(t, 1, as[dsl.AtomicInt32](b[0].([]int32)), b[1].([]int32), &local) }
		}
	}}.check(t)
}

func TestCells(t *testing.T) {
	launch{groups(line32, 1), cellsCPU, nil, []any{make([][2]uint32, 4)}, func(b []any) func() func(dsl.Thread) {
		return func() func(dsl.Thread) {
			var mine [4]kernels.Cell
			return func(t dsl.Thread) { kernels.Cells(t, as[kernels.Cell](b[0].([][2]uint32)), &mine) }
		}
	}}.check(t)
}

func TestStale(t *testing.T) {
	launch{groups(line16, 50), staleCPU, unsafe.Pointer(&staleParams{50}), []any{make([]uint32, 800)}, func(b []any) func() func(dsl.Thread) {
		return func() func(dsl.Thread) {
			var s [16]uint32
			return func(t dsl.Thread) { kernels.Stale(t, 50, b[0].([]uint32), &s) }
		}
	}}.check(t)
}

func TestReturns(t *testing.T) {
	for _, n := range []uint32{1, 2, 3, 9} {
		for _, limit := range []uint32{0, 2, 100} {
			launch{groups(line16, n), returnsCPU, unsafe.Pointer(&returnsParams{n, limit}), []any{make([]uint32, 16*n)}, func(b []any) func() func(dsl.Thread) {
				return func() func(dsl.Thread) {
					var s [16]uint32
					return func(t dsl.Thread) { kernels.Returns(t, n, limit, b[0].([]uint32), &s) }
				}
			}}.check(t)
		}
	}
}

func TestNested(t *testing.T) {
	for _, limit := range []uint32{0, 1, 2, 4, 100} {
		launch{groups(line16, 3), nestedCPU, unsafe.Pointer(&nestedParams{3, limit}), []any{make([]uint32, 48)}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				var s [16]uint32
				return func(t dsl.Thread) { kernels.Nested(t, 3, limit, b[0].([]uint32), &s) }
			}
		}}.check(t)
	}
}

func TestKept(t *testing.T) {
	launch{groups(line8, 3), keptCPU, unsafe.Pointer(&keptParams{3}), []any{make([]float32, 24)}, func(b []any) func() func(dsl.Thread) {
		return func() func(dsl.Thread) {
			var s [8]float32
			return func(t dsl.Thread) { kernels.Kept(t, 3, b[0].([]float32), &s) }
		}
	}}.check(t)
}

func TestUniform(t *testing.T) {
	n := uint32(20)
	launch{groups(line16, n), uniformCPU, unsafe.Pointer(&uniformParams{n}), []any{uints(16*int(n), 1000), make([]uint32, 16*n)}, func(b []any) func() func(dsl.Thread) {
		return func() func(dsl.Thread) {
			var top [1]uint32
			var s [16]uint32
			return func(t dsl.Thread) { kernels.Uniform(t, n, b[0].([]uint32), b[1].([]uint32), &top, &s) }
		}
	}}.check(t)
}

func TestInlined(t *testing.T) {
	n := uint32(5)
	launch{groups(line16, n), inlinedCPU, unsafe.Pointer(&inlinedParams{n}), []any{uints(16*int(n), 10), make([]uint32, 16*n)}, func(b []any) func() func(dsl.Thread) {
		return func() func(dsl.Thread) {
			var s [16]uint32
			return func(t dsl.Thread) { kernels.Inlined(t, n, b[0].([]uint32), b[1].([]uint32), &s) }
		}
	}}.check(t)
}

func TestTile(t *testing.T) {
	for _, d := range [][3]uint32{{8, 8, 8}, {1, 1, 1}, {13, 20, 9}, {30, 7, 40}} {
		m, n, k := d[0], d[1], d[2]
		launch{groups([3]uint32{8, 8, 1}, (n+7)/8, (m+7)/8), tileCPU, unsafe.Pointer(&tileParams{m, n, k}), []any{floats(int(m * k)), floats(int(k * n)), floats(int(m * n))}, func(b []any) func() func(dsl.Thread) {
			return func() func(dsl.Thread) {
				var as, bs [8][8]float32
				return func(t dsl.Thread) {
					kernels.Tile(t, m, n, k, b[0].([]float32), b[1].([]float32), b[2].([]float32), &as, &bs)
				}
			}
		}}.check(t)
	}
}
