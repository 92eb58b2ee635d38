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
	wgsl, lines := k.WGSL, k.Lines
	if key.inPlace >= 0 {
		wgsl, lines = k.InPlace[key.inPlace].WGSL, k.InPlace[key.inPlace].Lines
	}
	if f.layout, f.err = d.layout(k.bindings(key)); f.err != nil {
		return f
	}
	d.stats.PipelinesCreated++
	f.pipeline, f.err = d.drv.NewPipeline(driver.Shader{
		Name:   k.Name,
		WGSL:   k.specialise(wgsl, key.fold, key.readWrite),
		Entry:  k.entry(),
		Layout: f.layout.layout,
		Run:    k.Run,
	})
	if f.err != nil {
		d.note(f.err)
		f.err = k.rejected(f.err, lines)
	}
	return f
}

// rejected explains that a driver rejected k.
func (k *Kernel) rejected(err error, lines string) error {
	var shader *driver.ShaderError
	if !errors.As(err, &shader) {
		return failf(err, "%s: kernel %s: %v", k.Source, k.Name, err)
	}
	at := k.Source
	if shader.Line > 0 {
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

// group is a bind group: buffers bound for a layout. It is guarded by the
// device's lock.
type group struct {
	group    driver.Group
	layout   *layout
	bindings []binding
	hash     uint64
	next     *group // of the same hash
	refs     int    // the cache and the launches that use it
	dead     bool   // not in the cache any more
}

// unref gives up a use of g.
func (g *group) unref() {
	if g.refs--; g.refs == 0 && g.group != nil {
		g.group.Release()
		g.group = nil
	}
}

// groupCache holds bind groups by what they bind.
type groupCache struct {
	byHash map[uint64]*group
	count  int
}

// maxGroups is how many bind groups a device keeps.
const maxGroups = 1 << 14

// group returns the bind group of bindings for l, with a use for the caller,
// who holds d.mu.
func (d *Device) group(l *layout, bindings []binding) (*group, error) {
	hash := hashBindings(l, bindings)
	for g := d.groups.byHash[hash]; g != nil; g = g.next {
		if g.layout == l && slices.Equal(g.bindings, bindings) {
			g.refs++
			return g, nil
		}
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

// hashBindings mixes what identifies a bind group (FNV-1a, a word at a time).
func hashBindings(l *layout, bindings []binding) uint64 {
	const prime = 1099511628211
	h := (14695981039346656037 ^ l.id) * prime
	for i := range bindings {
		b := &bindings[i]
		h = (h ^ b.st.id) * prime
		h = (h ^ uint64(b.offset)) * prime
		h = (h ^ uint64(b.n)) * prime
	}
	return h
}

// add puts g in the cache.
func (c *groupCache) add(g *group) {
	if c.count >= maxGroups {
		c.dropAll()
	}
	if c.byHash == nil {
		c.byHash = map[uint64]*group{}
	}
	g.next = c.byHash[g.hash]
	c.byHash[g.hash] = g
	c.count++
	for _, b := range g.bindings {
		b.st.addGroup(g)
	}
}

// addGroup notes that g binds st, and now and then forgets dead groups.
func (st *storage) addGroup(g *group) {
	if len(st.groups) >= max(st.pruneAt, 16) {
		st.groups = slices.DeleteFunc(st.groups, func(g *group) bool { return g.dead })
		st.pruneAt = 2 * len(st.groups)
	}
	st.groups = append(st.groups, g)
}

// dropStorage forgets the bind groups with st.
func (c *groupCache) dropStorage(st *storage) {
	for _, g := range st.groups {
		if !g.dead {
			c.drop(g)
		}
	}
	st.groups = nil
}

// drop takes g out of the cache.
func (c *groupCache) drop(g *group) {
	if first := c.byHash[g.hash]; first == g {
		if g.next == nil {
			delete(c.byHash, g.hash)
		} else {
			c.byHash[g.hash] = g.next
		}
	} else {
		for first.next != g {
			first = first.next
		}
		first.next = g.next
	}
	c.count--
	g.dead = true
	g.unref()
}

// dropAll empties the cache.
func (c *groupCache) dropAll() {
	for _, g := range c.byHash {
		for ; g != nil; g = g.next {
			g.dead = true
			g.unref()
		}
	}
	c.byHash, c.count = nil, 0
}
