// Package reject has programs that the compiler refuses: each kernel of these
// files. A want comment has the errors of its line, or of the line that many
// below it.
package reject

import (
	"strings"
	"unsafe"

	"tandem/dsl"
)

// The types that no GPU has.

//tandem:kernel workgroup=64 threads=len(x)
func float64Param(t dsl.Thread, a float64, x []float32) { // want "float64.*float32"
	x[t.Global.X] = float32(a)
}

//tandem:kernel workgroup=64 threads=len(x)
func float64Local(t dsl.Thread, x []float32) {
	s := float64(x[t.Global.X]) // want "float64.*float32"
	x[t.Global.X] = float32(s)
}

//tandem:kernel workgroup=64 threads=len(x)
func float64Buffer(t dsl.Thread, x []float64) { // want "float64.*float32"
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=n
func float64Workgroup(t dsl.Thread, n uint32, s *[64]float64) { // want "float64.*float32"
	s[t.Local.X] = 1
}

type withDouble struct {
	A float32
	B float64
}

//tandem:kernel workgroup=64 threads=len(x)
func float64Field(t dsl.Thread, p withDouble, x []float32) { // want "float64.*float32"
	x[t.Global.X] = p.A
}

//tandem:kernel workgroup=64 threads=len(x)
func int64Local(t dsl.Thread, x []int32) {
	s := int64(x[t.Global.X]) // want "64-bit integers: use int32"
	x[t.Global.X] = int32(s)
}

//tandem:kernel workgroup=64 threads=len(x)
func uint64Buffer(t dsl.Thread, x []uint64) { // want "64-bit integers: use uint32"
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func complexLocal(t dsl.Thread, x []float32) {
	c := complex(x[t.Global.X], 1) // want "complex"
	x[t.Global.X] = real(c)        // want "complex"
}

//tandem:kernel workgroup=64 threads=len(x)
func uintptrLocal(t dsl.Thread, x []uint32) {
	p := uintptr(x[t.Global.X]) // want "64-bit integers: use uint32"
	x[t.Global.X] = uint32(p)
}

//tandem:kernel workgroup=64 threads=len(x)
func stringParam(t dsl.Thread, s string, x []float32) { // want "string"
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func stringLocal(t dsl.Thread, x []uint32) {
	s := "abc" // want "string"
	x[t.Global.X] = uint32(len(s))
}

//tandem:kernel workgroup=64 threads=len(x)
func stringBuilder(t dsl.Thread, x []uint32) {
	var b strings.Builder // want "pointer"
	x[t.Global.X] = uint32(b.Len())
}

//tandem:kernel workgroup=64 threads=len(x)
func mapParam(t dsl.Thread, m map[uint32]uint32, x []uint32) { // want "map"
	x[t.Global.X] = m[0]
}

//tandem:kernel workgroup=64 threads=len(x)
func mapLocal(t dsl.Thread, x []uint32) {
	m := map[uint32]uint32{1: 2} // want "map"
	x[t.Global.X] = m[1]
}

//tandem:kernel workgroup=64 threads=len(x)
func chanParam(t dsl.Thread, c chan uint32, x []uint32) { // want "channel"
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func chanLocal(t dsl.Thread, x []uint32) {
	var c chan uint32 // want "channel"
	_ = c
}

//tandem:kernel workgroup=64 threads=len(x)
func interfaceParam(t dsl.Thread, v any, x []uint32) { // want "interface"
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func interfaceLocal(t dsl.Thread, x []uint32) {
	var v any = x[t.Global.X] // want "interface"
	_ = v
}

type shape interface{ area() float32 }

type square struct{ side float32 }

func (s square) area() float32 { return s.side * s.side }

//tandem:kernel workgroup=64 threads=len(x)
func interfaceMethod(t dsl.Thread, x []float32) {
	var s shape = square{x[t.Global.X]} // want "interface"
	x[t.Global.X] = s.area()
}

//tandem:kernel workgroup=64 threads=len(x)
func unsafePointer(t dsl.Thread, x []uint32) {
	p := unsafe.Pointer(&x[t.Global.X]) // want "unsafe"
	_ = p
}

//tandem:kernel workgroup=64 threads=len(x)
func boolBuffer(t dsl.Thread, x []bool) { // want "bool.*uint32"
	x[t.Global.X] = true
}

type flags struct{ On bool }

//tandem:kernel workgroup=64 threads=len(x)
func boolInBuffer(t dsl.Thread, x []flags) { // want "bool.*uint32"
	x[t.Global.X].On = true
}

//tandem:kernel workgroup=64 threads=len(x)
func intBuffer(t dsl.Thread, x []int) { // want "64 bits in memory: use int32"
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func intParam(t dsl.Thread, n int, x []int32) { // want "int may exceed 32 bits.*use int32 or uint32"
	x[t.Global.X] = int32(n)
}

//tandem:kernel workgroup=64 threads=len(x)
func pointerParam(t dsl.Thread, p *float32, x []float32) { // want "workgroup memory is an array or a struct: use .*1.float32"
	x[t.Global.X] = *p
}

//tandem:kernel workgroup=64 threads=len(x)
func slicesOfSlices(t dsl.Thread, x []float32, rows [][]float32) { // want "slice"
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func funcParam(t dsl.Thread, f func(float32) float32, x []float32) { // want "func"
	x[t.Global.X] = f(1)
}

//tandem:kernel workgroup=64 threads=len(x)
func funcBuffer(t dsl.Thread, f []func(), x []float32) { // want "func"
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func byteWritten(t dsl.Thread, x []uint8) {
	x[t.Global.X] = 1 // want "uint8.*(read|pack)|(read|pack).*uint8"
}

//tandem:kernel workgroup=64 threads=len(x)
func byteArithmetic(t dsl.Thread, b []uint8, x []uint32) {
	v := b[t.Global.X] + 1 // want "uint8"
	x[t.Global.X] = uint32(v)
}

//tandem:kernel workgroup=64 threads=len(x)
func threadCopiedToBuffer(t dsl.Thread, x []dsl.Thread) { // want "Thread"
}

//tandem:kernel workgroup=64 threads=len(x)
func atomicCopied(t dsl.Thread, c []dsl.AtomicUint32, x []uint32) {
	v := c[0]                // want "an atomic cannot be copied"
	x[t.Global.X] = v.Load() // want "atomics live in buffers"
}

//tandem:kernel workgroup=64 threads=len(x)
func atomicUniform(t dsl.Thread, c dsl.AtomicUint32, x []uint32) { // want "atomics live in buffers and workgroup memory: make it"
	x[t.Global.X] = c.Load()
}

//tandem:kernel workgroup=64 threads=len(x)
func atomicLocal(t dsl.Thread, x []uint32) {
	var c dsl.AtomicUint32 // want "atomics live in buffers"
	x[t.Global.X] = c.Load()
}
