package runtime

import (
	"slices"

	"tandem/runtime/internal/driver"
)

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

// The numbers of FNV-1a, of 64 bits.
const (
	fnvStart = 14695981039346656037
	fnvPrime = 1099511628211
)

// hashBindings mixes what identifies a bind group (FNV-1a, a binding at a time).
func hashBindings(l *layout, bindings []binding) uint64 {
	h := (fnvStart ^ l.id) * fnvPrime
	for i := range bindings {
		b := &bindings[i]
		h = (h ^ (b.st.id + uint64(b.offset)*fnvPrime + uint64(b.n)*(fnvPrime<<1|1))) * fnvPrime
	}
	return h ^ h>>32 // lists go by the low bits
}

// add puts a new group in the cache.
func (c *groupCache) add(g *group) {
	c.room().add(g)
	for _, b := range g.bindings {
		if b.st.groups == nil {
			b.st.groups = map[*group]struct{}{}
		}
		b.st.groups[g] = struct{}{}
	}
}

// drop ends the cache's use of g, which is in no generation any more. No storage
// keeps it either: memory for parameters, which nearly every group binds, would
// gather groups for as long as its device is open.
func (g *group) drop() {
	for _, b := range g.bindings {
		delete(b.st.groups, g)
	}
	g.unref()
}

// dropStorage forgets the bind groups with st.
func (c *groupCache) dropStorage(st *storage) {
	for g := range st.groups {
		g.in.remove(g)
		g.drop()
	}
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
			e.drop()
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
