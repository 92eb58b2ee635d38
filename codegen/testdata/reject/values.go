package reject

import "tandem/dsl"

// Values, constants, statements that Go takes and a kernel cannot.

func double(v float32) float32 { return v * 2 }

type counters struct {
	n dsl.AtomicUint32
	m uint32
}

//tandem:kernel workgroup=64 threads=len(x)
func structWithAtomicCopied(t dsl.Thread, c []counters, x []uint32) {
	v := c[0] // want "an atomic cannot be copied: use its methods Load and Store, or pass a pointer to it"
	x[t.Global.X] = v.m
}

//tandem:kernel workgroup=64 threads=len(x)
func atomicAssigned(t dsl.Thread, c []dsl.AtomicUint32, x []uint32) {
	c[0] = dsl.AtomicUint32{} // want "an atomic cannot be assigned: use its method Store"
}

//tandem:kernel workgroup=64 threads=len(x)
func atomicRanged(t dsl.Thread, c []dsl.AtomicUint32, x []uint32) {
	for _, v := range c { // want "an atomic cannot be copied: use its methods Load and Store, or pass a pointer to it"
		x[0] = v.Load() // want "atomics live in buffers and workgroup memory: v is neither"
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func arraysOfBoolBuffer(t dsl.Thread, x [][4]bool) { // want "a buffer cannot hold bools, which have no size on the GPU: use uint32"
	x[0][1] = true
}

//tandem:kernel workgroup=64 threads=len(x)
func stringsBuffer(t dsl.Thread, x []string) { // want "kernels have no strings: use numbers, and constants for their names"
}

//tandem:kernel workgroup=64 threads=len(x)
func structWithString(t dsl.Thread, p struct{ name string }, x []float32) { // want "field name: kernels have no strings: use numbers, and constants for their names"
}

//tandem:kernel workgroup=64 threads=len(x)
func structWithInt(t dsl.Thread, p struct{ N int }, x []float32) { // want "int may exceed 32 bits here and the GPU has no 64-bit integers: use int32 or uint32"
	x[0] = float32(p.N)
}

//tandem:kernel workgroup=64 threads=len(x)
func workgroupSlice(t dsl.Thread, x []float32, s *[]float32) { // want "a slice cannot be stored: use an array .N.float32, or make it a parameter"
	(*s)[0] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func workgroupTooLarge(t dsl.Thread, x []float32, s *[100000]float32) { // want "workgroup memory"
	s[t.Local.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func uniformTooLarge(t dsl.Thread, x []float32, p [100000]float32) { // want "uniform"
	x[t.Global.X] = p[t.Local.X]
}

//tandem:kernel workgroup=64 threads=len(x)
func localTooLarge(t dsl.Thread, x []float32) {
	var s [1000000]float32 // want "local"
	s[t.Local.X] = 1
	x[t.Global.X] = s[3]
}

//tandem:kernel workgroup=64 threads=len(x)
func typeAssertion(t dsl.Thread, x []float32) {
	x[0] = any(x[1]).(float32) // want "kernels have no interface values: use a type parameter"
}

//tandem:kernel workgroup=64 threads=len(x)
func rangeChannel(t dsl.Thread, x []float32) {
	for v := range chan float32(nil) { // want "kernels have no channels: invocations share workgroup memory and t.Barrier.."
		x[0] = v
	}
}

//tandem:kernel workgroup=64 threads=len(x)
func sends(t dsl.Thread, x []float32) {
	var c chan float32 // want "kernels have no channels: invocations share workgroup memory and t.Barrier.."
	c <- x[0]          // want "kernels have no channels: invocations share workgroup memory and t.Barrier.."
}

//tandem:kernel workgroup=64 threads=len(x)
func receives(t dsl.Thread, x []float32) {
	x[0] = <-make(chan float32) // want "kernels have no channels: invocations share workgroup memory and t.Barrier.."
}

//tandem:kernel workgroup=64 threads=len(x)
func runes(t dsl.Thread, x []int32) {
	x[0] = []rune("ab")[0] // want "kernels have no strings: use numbers, and constants for their names"
}

//tandem:kernel workgroup=64 threads=len(x)
func stringIndex(t dsl.Thread, x []uint32) {
	x[0] = uint32("abc"[t.Global.X]) // want "kernels have no strings: use numbers, and constants for their names"
}

//tandem:kernel workgroup=64 threads=len(x)
func bigConstant(t dsl.Thread, x []uint32) {
	const big = 1 << 40
	n := big // want "the constant 1099511627776 does not fit 32 bits, and the GPU has no 64-bit integers: use u"
	x[0] = uint32(n >> 30)
}

var table2 = [4]float32{1, 2, 3, 4}

//tandem:kernel workgroup=64 threads=len(x)
func tableWritten(t dsl.Thread, x []float32) {
	table2[0] = 2    // want "the package variable table2 is changed somewhere, or a pointer or slice leads to it; a kernel sees only those that never change"
	x[0] = table2[1] // want "the package variable table2 is changed somewhere, or a pointer or slice leads to it; a kernel sees only those that never change"
}

var pointed = uint32(3)

//tandem:kernel workgroup=64 threads=len(x)
func globalPointer(t dsl.Thread, x []uint32) {
	p := &pointed // want "the package variable pointed is changed somewhere, or a pointer or slice leads to it; a kernel sees only those that never change"
	x[0] = *p
}

var (
	sliced  = [4]float32{1, 2, 3, 4}
	copied  = [4]float32{1, 2, 3, 4}
	ranged  = [4]float32{1, 2, 3, 4}
	partial = [2][2]float32{{1, 2}, {3, 4}}
)

// Functions of the host change arrays through slices of them.
func changeThroughSlices() {
	s := sliced[:]
	s[1] = 5
	copy(copied[1:], []float32{5})
	for i := range ranged[:] {
		_ = i
	}
	changeAll(partial[1][:])
}

func changeAll(x []float32) { clear(x) }

//tandem:kernel workgroup=64 threads=len(x)
func tableSliced(t dsl.Thread, x []float32) {
	x[0] = sliced[1]     // want "the package variable sliced is changed somewhere, or a pointer or slice leads to it"
	x[1] = copied[1]     // want "the package variable copied is changed somewhere, or a pointer or slice leads to it"
	x[2] = ranged[1]     // want "the package variable ranged is changed somewhere, or a pointer or slice leads to it"
	x[3] = partial[1][0] // want "the package variable partial is changed somewhere, or a pointer or slice leads to it"
}

var computed = double(3)

//tandem:kernel workgroup=64 threads=len(x)
func globalComputed(t dsl.Thread, x []float32) {
	x[0] = computed // want "the value of the package variable computed is not constant: pass it as a parameter"
}

//tandem:kernel workgroup=64 threads=len(x)
func threadReassigned(t dsl.Thread, x []float32) {
	t = dsl.Thread{} // want "pointers, slices and functions are bound once and cannot be assigned in a kernel: declare" "a dsl.Thread cannot be stored: pass it to helpers as a parameter"
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func coordinateAssigned(t dsl.Thread, x []float32) {
	t.Global.X = 0 // want "this is no variable: assign to a variable instead"
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func fieldPointerKept(t dsl.Thread, x []float32) {
	ps := [2]*float32{&x[0], &x[1]} // want "a pointer cannot be stored: keep the index, or pass the pointer to a helper"
	*ps[0] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func narrowStored(t dsl.Thread, b []uint8, x []uint32) {
	var a [4]uint8 // want "uint8"
	a[0] = b[0]
	x[0] = uint32(a[0])
}

//tandem:kernel workgroup=64 threads=len(x)
func structsOfSlicesNested(t dsl.Thread, p struct{ Inner struct{ A [][]float32 } }, x []float32) { // want "a slice cannot be stored: use an array .N.float32, or make it a parameter"
	x[0] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func indexNotInteger(t dsl.Thread, x []float32) {
	x[0] = x[int64(t.Global.X)] // want "the GPU has no 64-bit integers: use int32 or uint32"
}
