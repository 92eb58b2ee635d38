package runtime

import (
	"context"
	"unsafe"

	"tandem/runtime/internal/driver"
)

// Write copies data to b, from element at on. It takes effect after everything
// that was recorded before it, and data may be changed once it returns.
func (b *Buffer[T]) Write(at int, data []T) error {
	if err := b.whole().bad(); err != nil {
		return err
	}
	if at < 0 || len(data) > b.n-at {
		return failf(ErrRange, "write of %d elements at %d to a buffer of %d", len(data), at, b.n)
	}
	return b.own.dev.write(b.own, b.off+int64(at)*int64(unsafe.Sizeof(*new(T))), bytesOf(data))
}

// write puts data at byte at of own's memory, after everything recorded before.
func (d *Device) write(own *owner, at int64, data []byte) error {
	if len(data) == 0 {
		return (&view{own: own}).check()
	}
	aligned, err := d.wholeWords(own, at, data)
	if err != nil {
		return err
	}
	d.mu.Lock()
	if err := own.usable(); err != nil {
		d.mu.Unlock()
		return err
	}
	st := own.st
	b := d.newBatch(nil)
	before := d.settle(st, b, true, nil)
	if st.clear { // this write comes after the clear
		c := d.newBatch(nil)
		d.enqueue(c)
		before = append(before, c)
	}
	b.use(st, true)
	for _, w := range aligned {
		b.Writes = append(b.Writes, driver.Write{Buffer: st.buf, Offset: w.at, Data: w.data})
	}
	d.enqueue(b)
	d.stats.Writes++
	d.mu.Unlock()
	for _, c := range before {
		d.complete(c) // an error sticks to its scope
	}
	return d.complete(b)
}

// piece is bytes to be written at a place.
type piece struct {
	at   int64
	data []byte
}

// wholeWords returns writes of whole words that put data at at. The bytes around
// it in the first and last word are read back, except those after the end of a
// buffer.
func (d *Device) wholeWords(own *owner, at int64, data []byte) ([]piece, error) {
	if at%4 == 0 && len(data)%4 == 0 {
		return []piece{{at, data}}, nil
	}
	start, end := at/4*4, (at+int64(len(data))+3)/4*4
	words := make([]byte, end-start)
	for _, word := range []int64{start, end - 4} {
		r := Region{view{own: own, off: word, bytes: 4}, words[word-start:][:4]}
		if err := d.read(context.Background(), []Region{r}); err != nil {
			return nil, err
		}
	}
	copy(words[at-start:], data)
	return []piece{{start, words}}, nil
}
