package runtime

import (
	"errors"
	"fmt"
	"slices"

	"tandem/runtime/internal/driver"
)

// kernelState is what a device holds for a kernel.
type kernelState struct {
	kernel *Kernel
	forms  []*form
}

// formKey says which form of a kernel a launch needs.
type formKey struct {
	inPlace   int    // index in Kernel.InPlace, or -1
	readWrite uint32 // read buffers to declare read-write, a bit each
	fold      bool
	vector    bool
	debug     bool
}

// form is a compiled form of a kernel, or the error that compiling it gave.
type form struct {
	key      formKey
	layout   *layout
	pipeline driver.Pipeline
	err      error
}

// form returns k compiled for key. The caller holds d.mu.
func (d *Device) form(k *Kernel, key formKey) (*form, error) {
	state := d.kernels[k]
	if state == nil {
		state = &kernelState{kernel: k}
		d.kernels[k] = state
	}
	for _, f := range state.forms {
		if f.key == key {
			return f, f.err
		}
	}
	f := d.compile(k, key)
	state.forms = append(state.forms, f)
	return f, f.err
}

// compile makes a form of k.
func (d *Device) compile(k *Kernel, key formKey) *form {
	f := &form{key: key}
	wgsl, lines := k.text(key)
	if f.layout, f.err = d.layout(k.bindings(key)); f.err != nil {
		return f
	}
	d.stats.PipelinesCreated++
	shader := driver.Shader{
		Name:   k.Name,
		WGSL:   k.specialise(wgsl, key.fold, key.readWrite),
		Entry:  k.entry(),
		Layout: f.layout.layout,
	}
	if k.Run != nil {
		shader.Run = k.run
	}
	f.pipeline, f.err = d.drv.NewPipeline(shader)
	if f.err != nil {
		d.note(f.err)
		f.err = k.rejected(f.err, lines)
	}
	return f
}

// text returns the WGSL of a form and its table of lines.
func (k *Kernel) text(key formKey) (wgsl, lines string) {
	switch {
	case key.debug:
		return k.debugText(key), noLines
	case key.vector && key.inPlace >= 0:
		return k.InPlace[key.inPlace].Vector, k.Vector.Lines
	case key.vector:
		return k.Vector.WGSL, k.Vector.Lines
	case key.inPlace >= 0:
		return k.InPlace[key.inPlace].WGSL, k.InPlace[key.inPlace].Lines
	}
	return k.WGSL, k.Lines
}

// rejected explains that a driver rejected k.
func (k *Kernel) rejected(err error, lines string) error {
	var shader *driver.ShaderError
	if !errors.As(err, &shader) {
		return failf(err, "%s: kernel %s: %v", k.Source, k.Name, err)
	}
	at := k.Source
	if shader.Line > 0 && lines != noLines {
		at = k.position(lines, shader.Line)
	}
	return failf(ErrShader, "%s: kernel %s: the driver rejected the WGSL (line %d): %s", at, k.Name, shader.Line, shader.Msg)
}

// bindings returns what a form of k binds.
func (k *Kernel) bindings(key formKey) []driver.Binding {
	var list []driver.Binding
	if k.Params > 0 {
		list = append(list, driver.Binding{Uniform: int64(k.Params)})
	}
	for i, a := range k.Buffers {
		if key.inPlace >= 0 && k.InPlace[key.inPlace].In == i {
			continue
		}
		list = append(list, driver.Binding{
			Index: i + k.firstBuffer(),
			Write: a.Access == ReadWrite || key.readWrite&(1<<i) != 0,
		})
	}
	if key.debug {
		list = append(list, driver.Binding{Index: len(k.Buffers) + k.firstBuffer(), Write: true})
	}
	return list
}

// release gives the forms back to the driver.
func (s *kernelState) release() {
	for _, f := range s.forms {
		if f.pipeline != nil {
			f.pipeline.Release()
		}
	}
}

// layout is a layout of the driver, shared by the kernels that bind alike.
type layout struct {
	id     uint64
	layout driver.Layout
}

// layout returns the layout for bindings. The caller holds d.mu.
func (d *Device) layout(bindings []driver.Binding) (*layout, error) {
	key := fmt.Sprint(bindings)
	if l := d.layouts[key]; l != nil {
		return l, nil
	}
	drv, err := d.drv.NewLayout(bindings)
	if err != nil {
		d.note(err)
		return nil, err
	}
	l := &layout{id: uint64(len(d.layouts)), layout: drv}
	d.layouts[key] = l
	return l, nil
}

// binding is a bound part of a storage.
type binding struct {
	st           *storage
	index        int
	offset, size int64
	n            int64 // elements
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

// group is a bind group: buffers bound for a layout. It is guarded by the
// device's lock.
type group struct {
	group    driver.Group
	layout   *layout
	bindings []binding
	hash     uint64
	in       *generation // nil: not in the cache any more
	next     *group      // in its list there
	refs     int         // the cache and the launches that use it
}

// binds reports whether g binds bindings.
func (g *group) binds(bindings []binding) bool {
	if len(g.bindings) != len(bindings) {
		return false
	}
	for i := range bindings { // copies nothing, as slices.Equal does
		a, b := &g.bindings[i], &bindings[i]
		if a.st != b.st || a.index != b.index || a.offset != b.offset || a.size != b.size || a.n != b.n {
			return false
		}
	}
	return true
}

// unref gives up a use of g.
func (g *group) unref() {
	if g.refs--; g.refs == 0 && g.group != nil {
		g.group.Release()
		g.group = nil
	}
}

// groupCache holds bind groups by what they bind: those used lately, and those
// used before that, which are dropped once there are maxGroups later ones.
type groupCache struct{ young, old *generation }

// maxGroups is how many bind groups make a generation.
const maxGroups = 4096

// generation is a set of bind groups.
type generation struct {
	lists [maxGroups]*group // by hash
	count int
}

// list returns the list that a group of hash is in.
func (g *generation) list(hash uint64) **group { return &g.lists[hash%maxGroups] }

// find returns the group of hash that binds bindings for l, if g has it.
func (g *generation) find(l *layout, bindings []binding, hash uint64) *group {
	if g == nil {
		return nil
	}
	for e := *g.list(hash); e != nil; e = e.next {
		if e.hash == hash && e.layout == l && e.binds(bindings) {
			return e
		}
	}
	return nil
}

// add puts e in.
func (g *generation) add(e *group) {
	list := g.list(e.hash)
	e.in, e.next = g, *list
	*list = e
	g.count++
}

// remove takes e out.
func (g *generation) remove(e *group) {
	at := g.list(e.hash)
	for *at != e {
		at = &(*at).next
	}
	*at = e.next
	g.count--
	e.in, e.next = nil, nil
}

// find returns the group of hash that binds bindings for l, or nil.
func (c *groupCache) find(l *layout, bindings []binding, hash uint64) *group {
	if e := c.young.find(l, bindings, hash); e != nil {
		return e
	}
	e := c.old.find(l, bindings, hash)
	if e != nil {
		c.old.remove(e)
		c.room().add(e)
	}
	return e
}

// room returns the young generation, a new one if it is full.
func (c *groupCache) room() *generation {
	if c.young == nil || c.young.count >= maxGroups {
		c.old.drop()
		c.old, c.young = c.young, &generation{}
	}
	return c.young
}

// group returns the bind group of bindings for l, with a use for the caller,
// who holds d.mu.
func (d *Device) group(l *layout, bindings []binding) (*group, error) {
	hash := hashBindings(l, bindings)
	if g := d.groups.find(l, bindings, hash); g != nil {
		g.refs++
		return g, nil
	}
	entries := make([]driver.Entry, len(bindings))
	for i, b := range bindings {
		entries[i] = driver.Entry{Index: b.index, Buffer: b.st.buf, Offset: b.offset, Size: b.size, Len: b.n}
	}
	drv, err := d.drv.NewGroup(l.layout, entries)
	if err != nil {
		d.note(err)
		return nil, err
	}
	d.stats.BindGroupsCreated++
	g := &group{group: drv, layout: l, bindings: slices.Clone(bindings), hash: hash, refs: 2}
	d.groups.add(g)
	return g, nil
}

// hashBindings mixes what identifies a bind group (FNV-1a, a binding at a time).
func hashBindings(l *layout, bindings []binding) uint64 {
	const prime = 1099511628211
	h := (14695981039346656037 ^ l.id) * prime
	for i := range bindings {
		b := &bindings[i]
		h = (h ^ (b.st.id + uint64(b.offset)*prime + uint64(b.n)*(prime<<1|1))) * prime
	}
	return h ^ h>>32 // lists go by the low bits
}

// add puts a new group in the cache.
func (c *groupCache) add(g *group) {
	c.room().add(g)
	for _, b := range g.bindings {
		b.st.addGroup(g)
	}
}

// addGroup notes that g binds st, and now and then forgets dropped groups.
func (st *storage) addGroup(g *group) {
	if len(st.groups) >= max(st.pruneAt, 16) {
		st.groups = slices.DeleteFunc(st.groups, func(g *group) bool { return g.in == nil })
		st.pruneAt = 2 * len(st.groups)
	}
	st.groups = append(st.groups, g)
}

// dropStorage forgets the bind groups with st.
func (c *groupCache) dropStorage(st *storage) {
	for _, g := range st.groups {
		if g.in != nil {
			g.in.remove(g)
			g.unref()
		}
	}
	st.groups = nil
}

// drop forgets all of g's groups.
func (g *generation) drop() {
	if g == nil {
		return
	}
	for _, e := range g.lists {
		for e != nil {
			next := e.next
			e.in, e.next = nil, nil
			e.unref()
			e = next
		}
	}
	*g = generation{}
}

// dropAll empties the cache.
func (c *groupCache) dropAll() {
	c.young.drop()
	c.old.drop()
	c.young, c.old = nil, nil
}
