package runtime

import (
	"slices"
	"unsafe"

	"tandem/runtime/internal/driver"
)

// Uniform blocks of a batch are gathered in an arena and written to the device
// in one go when the batch is enqueued. The memory on the device is shared by
// all batches: such a write takes effect after the batches before it and before
// its own.

// arenaChunk is how many bytes of an arena lie in one buffer of the device. A
// launch's bind group names the buffer and a dynamic offset in it, so that
// launches of a kernel share bind groups.
const arenaChunk = 256 << 10

// arena is the uniform blocks of a batch, a block to each aligned place.
type arena []byte

// add puts block at the end, at a multiple of align and within one chunk, and
// returns where.
func (a *arena) add(block []uint64, align int) (chunk int, offset uint32) {
	data := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(block))), 8*len(block))
	at := roundUp(len(*a), align)
	if at/arenaChunk != (at+len(data)-1)/arenaChunk {
		at = roundUp(at, arenaChunk)
	}
	end := at + len(data)
	if end > cap(*a) {
		*a = slices.Grow(*a, end-len(*a))
	}
	*a = (*a)[:end] // what lies between blocks does not matter
	copy((*a)[at:], data)
	return at / arenaChunk, uint32(at % arenaChunk)
}

// arenas is the device's memory behind the arenas of batches.
type arenas struct {
	params, device, grids []*storage // grids: where indirect launches find theirs
}

// gridBytes is how much of the memory for grids one indirect launch takes.
const gridBytes = 32

// chunk returns chunk i of list, made if it is new. The caller holds d.mu.
func (d *Device) chunk(list *[]*storage, i int, usage driver.Usage) (*storage, error) {
	for len(*list) <= i {
		st, err := d.createStorage(arenaChunk, usage)
		if err != nil {
			return nil, err
		}
		*list = append(*list, st)
	}
	return (*list)[i], nil
}

// write adds b's arenas to what b writes. The caller holds d.mu.
func (a *arenas) write(d *Device, b *batch) error {
	if err := a.writeOne(d, b, b.params, &a.params); err != nil {
		return err
	}
	return a.writeOne(d, b, b.device, &a.device)
}

func (a *arenas) writeOne(d *Device, b *batch, data arena, chunks *[]*storage) error {
	for i := 0; len(data) > 0; i++ {
		st, err := d.chunk(chunks, i, driver.Uniform)
		if err != nil {
			return err
		}
		n := min(len(data), arenaChunk)
		b.Writes = append(b.Writes, driver.Write{Buffer: st.buf, Data: data[:n]})
		data = data[n:]
	}
	return nil
}

// fillerKey names memory that stands in for an empty view.
type fillerKey struct {
	arg  int
	size int64
}

// filler returns memory to bind where argument arg, of elements of size bytes,
// is empty. The caller holds d.mu.
func (d *Device) filler(arg int, size int64) (*storage, error) {
	key := fillerKey{arg, max(size, 256)}
	if st := d.fillers[key]; st != nil {
		return st, nil
	}
	st, err := d.createStorage(roundUp(key.size, storageRound), driver.Storage)
	if err != nil {
		return nil, err
	}
	if d.fillers == nil {
		d.fillers = map[fillerKey]*storage{}
	}
	d.fillers[key] = st
	return st, nil
}
