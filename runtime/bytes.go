package runtime

import (
	"fmt"
	"unsafe"
)

// bytesOf returns the memory of data.
func bytesOf[T any](data []T) []byte {
	size := int(unsafe.Sizeof(*new(T)))
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*size)
}

// roundUp returns n rounded up to a multiple of to, a power of two.
func roundUp[T int | int64](n, to T) T { return (n + to - 1) &^ (to - 1) }

// aligned reports whether n is a multiple of to, a power of two as all alignments are.
func aligned(n, to int64) bool { return n&(to-1) == 0 }

// byteCount prints n for people.
func byteCount(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.4g GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.4g MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}
