package runtime

import (
	"unsafe"

	"tandem/runtime/internal/driver"
)

// maxLaunches is how many launches a scope gathers at most before they go out
// early, so that a scope in an endless loop does not gather without bound.
const maxLaunches = 1 << 16

// shape is the grid of a launch: what runs and how it is dispatched.
type shape struct {
	groups, threads [3]uint32
	empty           bool
}

// record puts l on its scope, or runs it if it has none.
func (l *Launch) record() error {
	if err := l.choose(); err != nil {
		return err
	}
	key, err := l.form()
	if err != nil {
		return err
	}
	grid, err := l.shape()
	if err != nil {
		return err
	}
	key.debug = l.debugs()
	if v := l.vector(); v != nil && !key.debug {
		key.vector, grid.groups[0] = true, v.groups(l.dims[0], l.kernel.Workgroup[0])
	}
	key.fold = l.kernel.Dims == 1 && (grid.groups[0] > l.dev.limits.Groups || l.indirect.own != nil)
	d := l.dev
	if key.debug {
		return l.recordDebug(key, grid)
	}
	d.mu.Lock()
	if err := l.ready(); err != nil || grid.empty {
		d.mu.Unlock()
		return err
	}
	var room [4]*batch
	b, enqueued := l.batch(room[:0])
	err = l.add(b, key, grid)
	alone := l.scope == nil
	if alone || len(b.Launches) >= maxLaunches {
		d.enqueue(b)
		enqueued = append(enqueued, b)
	}
	d.mu.Unlock()
	for _, b := range enqueued {
		if e := d.complete(b); alone && err == nil {
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
			return failf(ErrNil, "%s: %s was not bound", l.kernel.Name, l.kernel.Buffers[i].Name)
		}
		if a.st = a.own.st; a.st == nil {
			return failf(ErrReleased, "%s: %s was released", l.kernel.Name, l.kernel.Buffers[i].Name)
		}
	}
	if a := &l.indirect; a.own != nil {
		if a.st = a.own.st; a.st == nil {
			return failf(ErrReleased, "%s: the grid was released", l.kernel.Name)
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
		enqueued = d.settle(l.args[i].st, b, l.kernel.Buffers[i].Access == ReadWrite, enqueued)
	}
	if l.indirect.st != nil {
		enqueued = d.settle(l.indirect.st, b, false, enqueued)
	}
	return b, enqueued
}

// add appends l to b. The caller holds d.mu.
func (l *Launch) add(b *batch, key formKey, grid shape) error {
	d := l.dev
	f, err := d.form(l.kernel, key)
	if err != nil {
		return err
	}
	launch := driver.Launch{Pipeline: f.pipeline, Groups: grid.groups, Threads: grid.threads, Folded: key.fold, Name: l.kernel.Name}
	l.fill(grid)
	l.bindings = l.bindings[:0]
	if l.kernel.Params > 0 {
		if err := l.addParams(b, &launch); err != nil {
			return err
		}
	}
	if l.indirect.st != nil {
		if err := l.addGrid(b, &launch); err != nil {
			return err
		}
	}
	for i := range l.args {
		if err := l.addBuffer(i, key.vector && l.kernel.Vector.Wide&(1<<i) != 0); err != nil {
			return err
		}
	}
	if key.debug {
		if err := l.addDebug(b); err != nil {
			return err
		}
	}
	g, err := d.group(f.layout, l.bindings)
	if err != nil {
		return failf(err, "%s: %v", l.kernel.Name, err)
	}
	launch.Group = g.group
	for i := range l.args {
		b.use(l.args[i].st, l.kernel.Buffers[i].Access == ReadWrite)
	}
	b.Launches = append(b.Launches, launch)
	b.groups = append(b.groups, g)
	if d.profile != nil {
		b.costs = append(b.costs, l.cost())
	}
	return nil
}

// fill writes the hidden fields of the uniform block.
func (l *Launch) fill(grid shape) {
	for _, f := range l.kernel.Fields {
		var v uint32
		switch f.Kind {
		case LenField:
			v = uint32(l.args[f.Index].n)
		case ThreadsField:
			v = grid.threads[f.Index]
		case GroupsField:
			v = grid.groups[f.Index]
		}
		*(*uint32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(l.block)), f.Offset)) = v
	}
}

// addParams puts the uniform block into b's arena and binds it.
func (l *Launch) addParams(b *batch, launch *driver.Launch) error {
	a, chunks := &b.params, &l.dev.arenas.params
	if l.indirect.st != nil {
		a, chunks = &b.device, &l.dev.arenas.device
	}
	chunk, offset := a.add(l.block, int(l.dev.limits.UniformAlign))
	st, err := l.dev.chunk(chunks, chunk, driver.Uniform)
	if err != nil {
		return failf(err, "%s: memory for parameters: %v", l.kernel.Name, err)
	}
	launch.Uniform = offset
	l.bindings = append(l.bindings, binding{st: st, size: int64(l.kernel.Params)})
	return nil
}

// addBuffer binds argument i. A view of nothing is bound to memory of the
// runtime's own, since a binding must not be empty; one of vectors is rounded up
// to whole ones.
func (l *Launch) addBuffer(i int, wide bool) error {
	a := &l.args[i]
	element := int64(l.kernel.Buffers[i].Size)
	bound := binding{st: a.st, index: i + l.kernel.firstBuffer(), offset: a.offset, n: a.n}
	if a.n == 0 {
		st, err := l.dev.filler(i, element)
		if err != nil {
			return failf(err, "%s: %v", l.kernel.Name, err)
		}
		bound.st, bound.offset = st, 0
	}
	bytes := (a.bytes + 3) / 4 * 4
	if wide {
		bytes = wholeQuads(a.bytes)
	}
	bound.size = min(max(bytes, storageRound, element), bound.st.size-bound.offset)
	l.bindings = append(l.bindings, bound)
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

// shape checks the grid and works out what to dispatch.
func (l *Launch) shape() (shape, error) {
	var g shape
	if l.indirect.own != nil {
		return g, nil
	}
	total := uint64(1)
	for i, n := range l.dims {
		groups := n
		if l.kernel.Threads {
			w := int64(l.kernel.Workgroup[i])
			groups = n/w + min(n%w, 1)
		}
		limit := int64(l.dev.limits.Groups)
		if l.kernel.Dims == 1 && i == 0 {
			limit *= driver.FoldWidth
		}
		if groups > limit || n > 1<<32-1 {
			return g, l.tooLarge(i, n, groups, limit)
		}
		total = min(total*uint64(groups), 1<<40)
		g.groups[i] = uint32(groups)
		if l.kernel.Threads {
			g.threads[i] = uint32(n)
		}
	}
	if total > 1<<32-1 {
		return g, failf(ErrGrid, "%s: the grid has %d × %d × %d workgroups, more than 4294967295", l.kernel.Name, g.groups[0], g.groups[1], g.groups[2])
	}
	g.empty = total == 0
	return g, nil
}

// tooLarge is the error for side i of the grid.
func (l *Launch) tooLarge(i int, n, groups, limit int64) error {
	if n > 1<<32-1 {
		return failf(ErrGrid, "%s: side %s of the grid is %d; the most is 4294967295", l.kernel.Name, axes[i], n)
	}
	return failf(ErrGrid, "%s: side %s of the grid is %d workgroups; %s takes up to %d", l.kernel.Name, axes[i], groups, l.dev, limit)
}

// form works out which form of the kernel the arguments need, and checks how
// they lie in memory.
func (l *Launch) form() (formKey, error) {
	key := formKey{inPlace: -1}
	if g := &l.indirect; g.own != nil && g.offset%l.dev.limits.StorageAlign != 0 {
		return key, l.misaligned("the grid", g.offset)
	}
	for i := range l.args {
		a := &l.args[i]
		if a.own == nil || a.n == 0 {
			continue // ready reports the one, and the other is not bound
		}
		if a.offset%l.dev.limits.StorageAlign != 0 {
			return key, l.misaligned(l.kernel.Buffers[i].Name, a.offset)
		}
		if a.bytes > l.dev.limits.BindingBytes {
			return key, failf(ErrLimit, "%s: %s has %s; a kernel on %s can take %s", l.kernel.Name, l.kernel.Buffers[i].Name, byteCount(a.bytes), l.dev, byteCount(l.dev.limits.BindingBytes))
		}
		for j := range i {
			if b := &l.args[j]; b.own == a.own && b.n > 0 {
				if err := l.share(j, i, &key); err != nil {
					return key, err
				}
			}
		}
	}
	return key, nil
}

// misaligned is the error for a view that the device cannot bind.
func (l *Launch) misaligned(name string, offset int64) error {
	return failf(ErrMisaligned, "%s: %s starts at byte %d of its buffer; %s needs a multiple of %d bytes: slice at such an element, or pass the whole buffer and where to begin", l.kernel.Name, name, offset, l.dev, l.dev.limits.StorageAlign)
}

// share decides on the form for arguments i and j, which are views of one
// buffer. A buffer must not be both a read-only and a written binding of a
// launch, even in disjoint parts.
func (l *Launch) share(i, j int, key *formKey) error {
	a, b := &l.args[i], &l.args[j]
	writeA, writeB := l.kernel.Buffers[i].Access == ReadWrite, l.kernel.Buffers[j].Access == ReadWrite
	if !writeA && !writeB {
		return nil
	}
	if a.offset < b.offset+b.bytes && b.offset < a.offset+a.bytes {
		if p := l.inPlaceForm(i, j); p >= 0 && key.inPlace < 0 && a.offset == b.offset && a.bytes == b.bytes {
			key.inPlace = p
			return nil
		}
		return failf(ErrAliased, "%s: %s and %s overlap in memory, and %s is written", l.kernel.Name, l.kernel.Buffers[i].Name, l.kernel.Buffers[j].Name, l.written(i, j))
	}
	for _, read := range []int{i, j} {
		arg := &l.kernel.Buffers[read]
		if arg.Access == ReadWrite {
			continue
		}
		if arg.Decides {
			return failf(ErrAliased, "%s: %s and %s are views of one buffer, and %s is written; elements of %s decide where invocations wait for each other, so it needs a buffer that the launch does not write: copy it",
				l.kernel.Name, l.kernel.Buffers[i].Name, l.kernel.Buffers[j].Name, l.written(i, j), arg.Name)
		}
		key.readWrite |= 1 << read
	}
	return nil
}

// written names the argument among i and j that is written.
func (l *Launch) written(i, j int) string {
	if l.kernel.Buffers[i].Access == ReadWrite {
		return l.kernel.Buffers[i].Name
	}
	return l.kernel.Buffers[j].Name
}

// inPlaceForm returns the index of the form in which arguments i and j are one,
// or -1.
func (l *Launch) inPlaceForm(i, j int) int {
	for p, f := range l.kernel.InPlace {
		if (f.Out == i && f.In == j) || (f.Out == j && f.In == i) {
			return p
		}
	}
	return -1
}
