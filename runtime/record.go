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
	if err := l.plan(); err != nil {
		return err
	}
	if l.key.debug {
		return l.recordDebug()
	}
	d := l.dev
	d.mu.Lock()
	if err := l.ready(); err != nil || l.grid.empty {
		d.mu.Unlock()
		return err
	}
	var room [4]*batch
	b, enqueued := l.batch(room[:0])
	err := l.add(b)
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

// plan works out what needs no lock: the variant, the form and the grid.
func (l *Launch) plan() error {
	if err := l.choose(); err != nil {
		return err
	}
	if err := l.form(); err != nil {
		return err
	}
	if err := l.shape(); err != nil {
		return err
	}
	l.key.debug = l.debugs()
	if v := l.vector(); v != nil && !l.key.debug {
		l.key.vector, l.grid.groups[0] = true, v.groups(l.dims[0], l.kernel.Workgroup[0])
	}
	l.key.fold = l.kernel.Dims == 1 && (l.grid.groups[0] > l.dev.limits.Groups || l.indirect.own != nil)
	return nil
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
		return 0, failf(err, "%s: memory for parameters: %v", l.kernel.Name, err)
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
			return failf(err, "%s: %v", l.kernel.Name, err)
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

// shape checks the grid and works out what to dispatch.
func (l *Launch) shape() error {
	g, k := &l.grid, l.kernel
	*g = shape{}
	if l.indirect.own != nil {
		return nil
	}
	g.groups = [3]uint32{1, 1, 1}
	if k.Threads {
		g.threads = [3]uint32{1, 1, 1}
	}
	total := uint64(1)
	limit := int64(l.dev.limits.Groups)
	if k.Dims == 1 {
		limit *= driver.FoldWidth
	}
	for i, n := range l.dims[:k.Dims] {
		groups := n
		if k.Threads {
			w := int64(k.Workgroup[i])
			groups = (n + w - 1) / w
		}
		if groups > limit || n > 1<<32-1 {
			return l.tooLarge(i, n, groups, limit)
		}
		total = min(total*uint64(groups), 1<<40)
		g.groups[i] = uint32(groups)
		if k.Threads {
			g.threads[i] = uint32(n)
		}
	}
	if total > 1<<32-1 {
		return failf(ErrGrid, "%s: the grid has %d × %d × %d workgroups, more than 4294967295", l.kernel.Name, g.groups[0], g.groups[1], g.groups[2])
	}
	g.empty = total == 0
	return nil
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
func (l *Launch) form() error {
	l.key = formKey{inPlace: -1}
	limits := &l.dev.limits
	if g := &l.indirect; g.own != nil && !aligned(g.offset, limits.StorageAlign) {
		return l.misaligned("the grid", g.offset)
	}
	for i := range l.args {
		a := &l.args[i]
		if a.own == nil || a.n == 0 {
			continue // ready reports the one, and the other is not bound
		}
		if !aligned(a.offset, limits.StorageAlign) {
			return l.misaligned(l.kernel.Buffers[i].Name, a.offset)
		}
		if a.bytes > limits.BindingBytes {
			return failf(ErrLimit, "%s: %s has %s; a kernel on %s can take %s", l.kernel.Name, l.kernel.Buffers[i].Name, byteCount(a.bytes), l.dev, byteCount(limits.BindingBytes))
		}
		for j := range i {
			if b := &l.args[j]; b.own == a.own && b.n > 0 {
				if err := l.share(j, i); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// misaligned is the error for a view that the device cannot bind.
func (l *Launch) misaligned(name string, offset int64) error {
	return failf(ErrMisaligned, "%s: %s starts at byte %d of its buffer; %s needs a multiple of %d bytes: slice at such an element, or pass the whole buffer and where to begin", l.kernel.Name, name, offset, l.dev, l.dev.limits.StorageAlign)
}

// share decides on the form for arguments i and j, which are views of one
// buffer. A buffer must not be both a read-only and a written binding of a
// launch, even in disjoint parts.
func (l *Launch) share(i, j int) error {
	a, b := &l.args[i], &l.args[j]
	if !l.kernel.writes(i) && !l.kernel.writes(j) {
		return nil
	}
	if a.offset < b.offset+b.bytes && b.offset < a.offset+a.bytes {
		if p := l.inPlaceForm(i, j); p >= 0 && l.key.inPlace < 0 && a.offset == b.offset && a.bytes == b.bytes {
			l.key.inPlace = p
			return nil
		}
		return failf(ErrAliased, "%s: %s and %s overlap in memory, and %s is written", l.kernel.Name, l.kernel.Buffers[i].Name, l.kernel.Buffers[j].Name, l.written(i, j))
	}
	for _, read := range []int{i, j} {
		if l.kernel.writes(read) {
			continue
		}
		if arg := &l.kernel.Buffers[read]; arg.Decides {
			return failf(ErrAliased, "%s: %s and %s are views of one buffer, and %s is written; elements of %s decide where invocations wait for each other, so it needs a buffer that the launch does not write: copy it",
				l.kernel.Name, l.kernel.Buffers[i].Name, l.kernel.Buffers[j].Name, l.written(i, j), arg.Name)
		}
		l.key.readWrite |= 1 << read
	}
	return nil
}

// written names the argument among i and j that is written.
func (l *Launch) written(i, j int) string {
	if l.kernel.writes(i) {
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
