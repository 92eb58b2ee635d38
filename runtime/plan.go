package runtime

import "tandem/runtime/internal/driver"

// shape is the grid of a launch: what runs and how it is dispatched.
type shape struct {
	groups, threads [3]uint32
	empty           bool
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
		return l.errorf(ErrGrid, "the grid has %d × %d × %d workgroups, more than 4294967295", g.groups[0], g.groups[1], g.groups[2])
	}
	g.empty = total == 0
	return nil
}

// tooLarge is the error for side i of the grid.
func (l *Launch) tooLarge(i int, n, groups, limit int64) error {
	if n > 1<<32-1 {
		return l.errorf(ErrGrid, "side %s of the grid is %d; the most is 4294967295", axes[i], n)
	}
	return l.errorf(ErrGrid, "side %s of the grid is %d workgroups; %s takes up to %d", axes[i], groups, l.dev, limit)
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
			return l.misaligned(l.argName(i), a.offset)
		}
		if a.bytes > limits.BindingBytes {
			return l.errorf(ErrLimit, "%s has %s; a kernel on %s can take %s",
				l.argName(i), byteCount(a.bytes), l.dev, byteCount(limits.BindingBytes))
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
	return l.errorf(ErrMisaligned, "%s starts at byte %d of its buffer; %s needs a multiple of %d bytes: "+
		"slice at such an element, or pass the whole buffer and where to begin", name, offset, l.dev, l.dev.limits.StorageAlign)
}

// share decides on the form for arguments i and j, which are views of one
// buffer. A buffer must not be both a read-only and a written binding of a
// launch, even in disjoint parts.
func (l *Launch) share(i, j int) error {
	a, b := &l.args[i], &l.args[j]
	if !l.kernel.writes(i) && !l.kernel.writes(j) {
		return nil
	}
	if a.span.meets(b.span) {
		if p := l.inPlaceForm(i, j); p >= 0 && l.key.inPlace < 0 && a.span == b.span && a.offset == b.offset && a.bytes == b.bytes {
			l.key.inPlace = p
			return nil
		}
		return l.errorf(ErrAliased, "%s and %s overlap in memory, and %s is written", l.argName(i), l.argName(j), l.written(i, j))
	}
	for _, read := range []int{i, j} {
		if l.kernel.writes(read) {
			continue
		}
		if arg := &l.kernel.Buffers[read]; arg.Decides {
			return l.errorf(ErrAliased, "%s and %s are views of one buffer, and %s is written; elements of %s decide "+
				"where invocations wait for each other, so it needs a buffer that the launch does not write: copy it",
				l.argName(i), l.argName(j), l.written(i, j), arg.Name)
		}
		l.key.readWrite |= 1 << read
	}
	return nil
}

// written names the argument among i and j that is written.
func (l *Launch) written(i, j int) string {
	if l.kernel.writes(i) {
		return l.argName(i)
	}
	return l.argName(j)
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
