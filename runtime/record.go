package runtime

import (
	"slices"
	"unsafe"

	"tandem/runtime/internal/driver"
)

// maxLaunches is how many launches a scope gathers at most before they go out
// early, so that a scope in an endless loop does not gather without bound.
const maxLaunches = 1 << 16

// record puts l on its scope, or runs it if it has none.
func (l *Launch) record() error {
	if err := l.plan(); err != nil {
		return err
	}
	if l.key.debug {
		return l.recordDebug()
	}
	return l.put(l.scope == nil)
}

// put puts l on a batch. With now set it runs that, too, and returns its error, or that of what had to
// run before.
func (l *Launch) put(now bool) error {
	d := l.dev
	d.mu.Lock()
	if err := l.ready(); err != nil || l.grid.empty {
		d.mu.Unlock()
		return err
	}
	var room [4]*batch
	b, enqueued := l.batch(room[:0])
	err := l.add(b)
	if now || len(b.Launches) >= maxLaunches {
		d.enqueue(b)
		enqueued = append(enqueued, b)
	}
	d.mu.Unlock()
	for _, b := range enqueued {
		if e := d.complete(b); now && err == nil {
			err = e
		}
	}
	return err
}

// ready checks what only the device's lock makes certain, and looks up the
// memory of the arguments. The caller holds d.mu.
func (l *Launch) ready() error {
	if l.dev.err != nil {
		return l.dev.err
	}
	if l.scope != nil {
		if err := l.scope.open(); err != nil {
			return err
		}
	}
	for i := range l.args {
		a := &l.args[i]
		if a.own == nil {
			return l.errorf(ErrNil, "%s was not bound", l.argName(i))
		}
		if a.st = a.own.st; a.st == nil {
			return l.errorf(ErrReleased, "%s was released", l.argName(i))
		}
	}
	if a := &l.indirect; a.own != nil {
		if a.st = a.own.st; a.st == nil {
			return l.errorf(ErrReleased, "the grid was released")
		}
	}
	return nil
}

// batch returns the batch to record l on, after enqueuing the batches that must
// run before. The caller holds d.mu.
func (l *Launch) batch(enqueued []*batch) (*batch, []*batch) {
	d := l.dev
	var b *batch
	if l.scope == nil {
		b = d.newBatch(nil)
	} else if b = l.scope.root.batch; b == nil {
		b = d.newBatch(l.scope.root)
		l.scope.root.batch = b
	}
	for i := range l.args {
		enqueued = d.settle(l.args[i].st, b, l.kernel.writes(i), enqueued)
	}
	if l.indirect.st != nil {
		enqueued = d.settle(l.indirect.st, b, false, enqueued)
	}
	return b, enqueued
}

// add appends l to b. The caller holds d.mu.
func (l *Launch) add(b *batch) error {
	d, k := l.dev, l.kernel
	f, err := d.form(k, l.key)
	if err != nil {
		return err
	}
	l.bindings = l.bindings[:0]
	var uniform uint32
	if k.Params > 0 {
		if uniform, err = l.addParams(b); err != nil {
			return err
		}
	}
	var indirect dispatch
	if l.indirect.st != nil {
		if indirect, err = l.addGrid(b, uniform); err != nil {
			return err
		}
	}
	for i := range l.args {
		if err := l.addBuffer(i); err != nil {
			return err
		}
	}
	if l.key.debug {
		if err := l.addDebug(b); err != nil {
			return err
		}
	}
	g, err := d.group(f.layout, l.bindings)
	if err != nil {
		return failf(err, "%s: %v", k.Name, err)
	}
	for i := range l.args {
		b.use(l.args[i].st, k.writes(i))
	}
	b.groups = append(b.groups, g)
	to := extend(&b.Launches)
	to.Pipeline, to.Group, to.Uniform, to.Name = f.pipeline, g.group, uniform, k.Name
	to.Groups, to.Threads, to.Folded = l.grid.groups, l.grid.threads, l.key.fold
	to.Indirect, to.IndirectAt = indirect.buf, indirect.at
	if d.profile != nil {
		b.costs = append(b.costs, l.cost())
	}
	return nil
}

// addParams completes the uniform block, puts it into b's arena, binds it, and returns where
// it is.
func (l *Launch) addParams(b *batch) (uint32, error) {
	a, chunks := &b.params, &l.dev.arenas.params
	if l.indirect.st != nil {
		a, chunks = &b.device, &l.dev.arenas.device
	}
	l.fill()
	chunk, offset := a.add(l.block, int(l.dev.limits.UniformAlign))
	st, err := l.dev.chunk(chunks, chunk, driver.Uniform)
	if err != nil {
		return 0, l.errorf(err, "memory for parameters: %v", err)
	}
	to := extend(&l.bindings)
	to.st, to.index, to.offset, to.size, to.n = st, 0, 0, int64(l.kernel.Params), 0
	return offset, nil
}

// fill writes the hidden fields of the uniform block.
func (l *Launch) fill() {
	block := unsafe.Pointer(unsafe.SliceData(l.block))
	for i := range l.kernel.Fields {
		f := &l.kernel.Fields[i]
		var v uint32
		switch f.Kind {
		case LenField:
			v = uint32(l.args[f.Index].n)
		case ThreadsField:
			v = l.grid.threads[f.Index]
		case GroupsField:
			v = l.grid.groups[f.Index]
		}
		*(*uint32)(unsafe.Add(block, f.Offset)) = v
	}
}

// addBuffer binds argument i. A view of nothing is bound to memory of the
// runtime's own, since a binding must not be empty; one of vectors is rounded up
// to whole ones.
func (l *Launch) addBuffer(i int) error {
	a := &l.args[i]
	st, offset, element := a.st, a.offset, int64(l.kernel.Buffers[i].Size)
	if a.n == 0 {
		var err error
		if st, err = l.dev.filler(i, element); err != nil {
			return l.errorf(err, "%v", err)
		}
		offset = 0
	}
	bytes := roundUp(a.bytes, 4)
	if l.key.vector && l.kernel.Vector.Wide&(1<<i) != 0 {
		bytes = wholeQuads(a.bytes)
	}
	to := extend(&l.bindings)
	to.st, to.index, to.offset, to.n = st, i+l.kernel.firstBuffer(), offset, a.n
	to.size = min(max(bytes, storageRound, element), st.size-offset)
	return nil
}

// cost is what l moves and computes.
func (l *Launch) cost() cost {
	c := cost{l.kernel, l.bytes, l.flops}
	if c.bytes == 0 {
		for i := range l.args {
			c.bytes += float64(l.args[i].bytes)
		}
	}
	return c
}

// extend appends an element to list and returns it, to have every field set: it may be an old
// one. It is faster than append, for which the element is put together elsewhere first.
func extend[T any](list *[]T) *T {
	n := len(*list)
	if n == cap(*list) {
		*list = slices.Grow(*list, 1)
	}
	*list = (*list)[:n+1]
	return &(*list)[n]
}
