package parity

import (
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"unsafe"

	"tandem/dsl"
)

// leaf is a scalar within an element of a buffer.
type leaf struct {
	offset uintptr
	kind   reflect.Kind
	half   bool   // a dsl.Float16
	loose  bool   // the bits of a float32, summed in no defined order: never compared bit for bit
	path   string // ".X", "[3]", "" for a scalar element
}

// element is how the elements of a buffer lie in memory. Fill and compare work
// on leaves, so that they need no code per type and pass over padding and
// unexported fields (an atomic's) alike.
type element struct {
	size   uintptr
	leaves []leaf
}

// elementOf returns the layout of t.
func elementOf(t reflect.Type) *element {
	e := &element{size: t.Size()}
	e.add(t, 0, "")
	return e
}

// add appends the leaves of a t at offset.
func (e *element) add(t reflect.Type, offset uintptr, path string) {
	if t == reflect.TypeFor[dsl.Float16]() {
		e.leaves = append(e.leaves, leaf{offset: offset, kind: reflect.Uint16, half: true, path: path})
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			e.add(f.Type, offset+f.Offset, path+"."+f.Name)
		}
	case reflect.Array:
		for i := range t.Len() {
			e.add(t.Elem(), offset+uintptr(i)*t.Elem().Size(), fmt.Sprintf("%s[%d]", path, i))
		}
	default:
		e.leaves = append(e.leaves, leaf{offset: offset, kind: t.Kind(), path: path})
	}
}

// asFloats returns the layout with its 32-bit integers taken for the bits of floats.
func (e *element) asFloats() *element {
	f := &element{size: e.size}
	for _, l := range e.leaves {
		if l.kind == reflect.Uint32 || l.kind == reflect.Int32 {
			l.kind, l.loose = reflect.Float32, true
		}
		f.leaves = append(f.leaves, l)
	}
	return f
}

// memory is n elements at base.
type memory struct {
	base unsafe.Pointer
	n    int
	*element
}

// memoryOf returns the memory of s.
func memoryOf[T any](s []T, e *element) memory {
	return memory{unsafe.Pointer(unsafe.SliceData(s)), len(s), e}
}

// at returns the address of leaf l of element i.
func (m memory) at(i int, l leaf) unsafe.Pointer {
	return unsafe.Add(m.base, uintptr(i)*m.size+l.offset)
}

// float returns the value of a leaf, and whether it is a float.
func (l leaf) float(p unsafe.Pointer) (float64, bool) {
	switch l.kind {
	case reflect.Float32:
		return float64(*(*float32)(p)), true
	case reflect.Float64:
		return *(*float64)(p), true
	}
	return 0, false
}

// bits returns the value of a leaf as it is stored; signed integers are
// extended, so that they order as numbers do when taken as an int64.
func (l leaf) bits(p unsafe.Pointer) int64 {
	switch l.kind {
	case reflect.Int8:
		return int64(*(*int8)(p))
	case reflect.Bool, reflect.Uint8:
		return int64(*(*uint8)(p))
	case reflect.Int16:
		return int64(*(*int16)(p))
	case reflect.Uint16:
		return int64(*(*uint16)(p))
	case reflect.Int32:
		return int64(*(*int32)(p))
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64, reflect.Float64:
		return *(*int64)(p)
	}
	return int64(*(*uint32)(p))
}

// set stores v, rounded to what the leaf can hold.
func (l leaf) set(p unsafe.Pointer, v float64) {
	clamp := func(lo, hi float64) float64 { return math.Max(lo, math.Min(hi, v)) }
	switch {
	case l.half:
		*(*dsl.Float16)(p) = dsl.ToFloat16(float32(v))
		return
	case l.kind == reflect.Float32:
		*(*float32)(p) = float32(v)
		return
	}
	switch l.kind {
	case reflect.Bool:
		*(*bool)(p) = v >= 1
	case reflect.Int8:
		*(*int8)(p) = int8(clamp(math.MinInt8, math.MaxInt8))
	case reflect.Uint8:
		*(*uint8)(p) = uint8(clamp(0, math.MaxUint8))
	case reflect.Int16:
		*(*int16)(p) = int16(clamp(math.MinInt16, math.MaxInt16))
	case reflect.Uint16:
		*(*uint16)(p) = uint16(clamp(0, math.MaxUint16))
	case reflect.Int32:
		*(*int32)(p) = int32(clamp(math.MinInt32, math.MaxInt32))
	case reflect.Uint32:
		*(*uint32)(p) = uint32(clamp(0, math.MaxUint32))
	case reflect.Int, reflect.Int64:
		*(*int64)(p) = int64(v)
	}
}

// isFloat reports whether random values of the leaf have fractions.
func (l leaf) isFloat() bool { return l.half || l.kind == reflect.Float32 || l.kind == reflect.Float64 }

// fill draws every leaf of m from bounds, the smallest and largest value, or
// without them from the default domain: floats -10..10, integers 0..100.
func (m memory) fill(r *rand.Rand, bounds []float64) {
	for i := range m.n {
		for _, l := range m.leaves {
			l.set(m.at(i, l), l.draw(r, bounds))
		}
	}
}

// within rejects the case if a number in m is not within lo..hi.
func (m memory) within(name string, lo, hi float64) {
	for i := range m.n {
		for _, l := range m.leaves {
			v, low, high := float64(l.bits(m.at(i, l))), lo, hi
			if f, ok := l.float(m.at(i, l)); ok {
				v, low, high = f, float64(float32(lo)), float64(float32(hi))
			}
			if !(v >= low && v <= high) {
				panic(rejected{fmt.Sprintf("the generator made %v in %s%s, outside of its domain %v..%v", v, name, l.path, lo, hi)})
			}
		}
	}
}

// draw returns a random value within bounds.
func (l leaf) draw(r *rand.Rand, bounds []float64) float64 {
	lo, hi := 0.0, 100.0
	switch {
	case len(bounds) == 2:
		lo, hi = bounds[0], bounds[1]
	case l.isFloat():
		lo, hi = -10, 10
	case l.kind == reflect.Bool:
		lo, hi = 0, 1
	}
	if l.isFloat() {
		return math.Min(lo+r.Float64()*(hi-lo), hi)
	}
	edge := r.Intn(8) // the ends of a domain are where integers go wrong: n/0, an index one too far
	switch {
	case hi < lo || edge == 0:
		return lo
	case edge == 1:
		return hi
	}
	return lo + float64(r.Int63n(int64(hi-lo)+1))
}

// text returns element i in words.
func (m memory) text(i int, l leaf) string {
	if f, ok := l.float(m.at(i, l)); ok {
		return fmt.Sprintf("%v", float32(f))
	}
	return fmt.Sprint(l.bits(m.at(i, l)))
}
