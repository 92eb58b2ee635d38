package kernels

import (
	"math/rand"

	"tandem/dsl"
)

// A radix sort: keys that order as unsigned integers, from the least
// significant digit of 4 bits to the most, each pass stable. A pass counts the
// digits of each block of 256 keys (SortCount), scans the counts, and moves
// every key to its place (SortMove).

// SortBlock is the number of keys that a workgroup takes.
const SortBlock = 256

// SortKeys writes keys that order as unsigned integers the way x orders: all
// negatives first, −0 before 0, NaN with its sign at the ends.
//
//tandem:kernel workgroup=256 threads=len(x)
//tandem:len    keys=len(x)
//tandem:test   len(x)=0..2000
//tandem:want   sortKeysReference
func SortKeys(t dsl.Thread, x []float32, keys []uint32) {
	i := t.Global.X
	bits := dsl.Float32Bits(x[i])
	if bits>>31 != 0 {
		keys[i] = ^bits
	} else {
		keys[i] = bits | 1<<31
	}
}

// SortValues is the inverse of SortKeys.
//
//tandem:kernel workgroup=256 threads=len(keys)
//tandem:len    x=len(keys)
//tandem:test   gen=sortValuesCase
//tandem:want   sortValuesReference
func SortValues(t dsl.Thread, keys []uint32, x []float32) {
	i := t.Global.X
	bits := keys[i]
	if bits>>31 != 0 {
		bits &^= 1 << 31
	} else {
		bits = ^bits
	}
	x[i] = dsl.Float32FromBits(bits)
}

// SortCount counts the digits keys>>shift&15 of each block of keys: counts[d*blocks + b],
// so that a scan of counts gives each block's first place for each digit.
//
//tandem:kernel workgroup=256 groups=blocks
//tandem:where  shift < 32
//tandem:len    counts=16*blocks
//tandem:test   gen=sortCountCase
//tandem:want   sortCountReference
func SortCount(t dsl.Thread, blocks, shift uint32, keys, counts []uint32, bins *[16]dsl.AtomicUint32) {
	i := t.Global.X
	if i < dsl.Len(keys) {
		bins[keys[i]>>shift&15].Add(1)
	}
	t.Barrier()
	if t.Local.X < 16 {
		counts[t.Local.X*blocks+t.Group.X] = bins[t.Local.X].Load()
	}
}

// SortMove writes each key to its place: places[d*blocks + b], the exclusive scan
// of SortCount's counts, plus the number of keys before it in its block with the same digit.
//
//tandem:kernel workgroup=256 groups=blocks
//tandem:where  shift < 32
//tandem:len    places=16*blocks sorted=len(keys)
//tandem:test   gen=sortMoveCase
//tandem:want   sortMoveReference
func SortMove(t dsl.Thread, blocks, shift uint32, keys, places, sorted []uint32, digits *[256]uint32) {
	i := t.Global.X
	digit := uint32(16)
	if i < dsl.Len(keys) {
		digit = keys[i] >> shift & 15
	}
	digits[t.Local.X] = digit
	t.Barrier()
	if digit < 16 {
		var rank uint32
		for j := range t.Local.X {
			if digits[j] == digit {
				rank++
			}
		}
		sorted[places[digit*blocks+t.Group.X]+rank] = keys[i]
	}
}

func sortKeysReference(x []float32, keys []uint32) {
	for i, v := range x {
		bits := dsl.Float32Bits(v)
		keys[i] = bits ^ (uint32(int32(bits)>>31) | 1<<31)
	}
}

func sortValuesCase(r *rand.Rand, size int) (keys []uint32, x []float32) {
	x = uniform(r, size)
	keys = make([]uint32, size)
	sortKeysReference(x, keys)
	return keys, uniform(r, size)
}

func sortValuesReference(keys []uint32, x []float32) {
	for i, k := range keys {
		x[i] = dsl.Float32FromBits(k ^ (^uint32(int32(k)>>31) | 1<<31))
	}
}

func sortCountCase(r *rand.Rand, size int) (blocks, shift uint32, keys, counts []uint32) {
	keys = make([]uint32, size)
	for i := range keys {
		keys[i] = r.Uint32()
	}
	blocks = uint32(size+SortBlock-1) / SortBlock
	return blocks, 4 * uint32(r.Intn(8)), keys, make([]uint32, 16*blocks)
}

func sortCountReference(blocks, shift uint32, keys, counts []uint32) {
	clear(counts)
	for i, k := range keys {
		counts[k>>shift&15*blocks+uint32(i)/SortBlock]++
	}
}

func sortMoveCase(r *rand.Rand, size int) (blocks, shift uint32, keys, places, sorted []uint32) {
	blocks, shift, keys, places = sortCountCase(r, size)
	sortCountReference(blocks, shift, keys, places)
	var sum uint32
	for i, n := range places {
		places[i] = sum
		sum += n
	}
	return blocks, shift, keys, places, make([]uint32, size)
}

func sortMoveReference(blocks, shift uint32, keys, places, sorted []uint32) {
	at := 0
	for digit := range uint32(16) {
		for _, k := range keys {
			if k>>shift&15 == digit {
				sorted[at] = k
				at++
			}
		}
	}
}
