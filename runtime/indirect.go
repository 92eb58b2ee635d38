package runtime

import (
	_ "embed"
	"math"
	"unsafe"

	"tandem/cpu"
	"tandem/runtime/internal/driver"
)

// An indirect launch finds its grid on the device: a kernel of the runtime's own, launched just before
// it, works out what to dispatch.

//go:embed grid.wgsl
var gridWGSL string

// gridKernel works out what an indirect launch dispatches from the grid that it
// finds in a buffer, and completes the launch's uniform block.
var gridKernel = Kernel{
	Name: "grid", Source: "grid.wgsl:1", Package: "tandem/runtime",
	WGSL: gridWGSL, Workgroup: [3]uint32{1, 1, 1}, Dims: 1,
	Params: unsafe.Sizeof(gridParams{}),
	Buffers: []Arg{
		{Name: "grid", Access: Read, Size: 4},
		{Name: "dispatch", Access: ReadWrite, Size: 4},
		{Name: "block", Access: ReadWrite, Size: 4},
	},
	Run: gridCPU,
}

// gridParams is the uniform block of gridKernel. Places are in words, 0 for none
// and otherwise one more than the place.
type gridParams struct {
	size    [3]uint32 // of a workgroup where the grid counts invocations, else 1
	dims    uint32
	limit   uint32    // workgroups along a side
	threads uint32    // 1 if the grid counts invocations
	slot    uint32    // place of the result in dispatch
	groups  uint32    // place of groups_x in block
	places  [3]uint32 // places of the numbers of invocations in block
	_       uint32
	most    [3]uint32 // that the grid may be
	_       uint32
}

// gridCPU is grid.wgsl in Go.
func gridCPU(l *cpu.Launch) error {
	p := cpu.Params[gridParams](l)
	grid, dispatch, block := cpu.Slice[uint32](l, 0), cpu.Slice[uint32](l, 1), cpu.Slice[uint32](l, 2)
	n, groups := [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}
	for i := range p.dims {
		n[i] = min(grid[i], p.most[i])
		groups[i] = n[i]/p.size[i] + min(n[i]%p.size[i], 1)
	}
	out := dispatch[p.slot:][:8]
	copy(out, groups[:])
	out[3] = groups[0]
	if p.dims == 1 {
		out[0] = min(groups[0], driver.FoldWidth)
		out[1] = groups[0]/driver.FoldWidth + min(groups[0]%driver.FoldWidth, 1)
	}
	if out[0] > p.limit || out[1] > p.limit || out[2] > p.limit {
		out[0], out[1], out[2], out[3] = 0, 0, 0, 0
	}
	for i := range 3 {
		if out[4+i] = 0; p.threads != 0 {
			out[4+i] = n[i]
		}
		if p.places[i] != 0 {
			block[p.places[i]-1] = n[i]
		}
	}
	if p.groups != 0 {
		block[p.groups-1] = groups[0]
	}
	return nil
}

// dispatch is where an indirect launch finds what to dispatch.
type dispatch struct {
	buf driver.Buffer // nil: the launch is not indirect
	at  int64
}

// addGrid puts the launch that reads l's grid before l, whose uniform block is at uniform. The
// caller holds d.mu.
func (l *Launch) addGrid(b *batch, uniform uint32) (to dispatch, err error) {
	d := l.dev
	f, err := d.form(&gridKernel, formKey{inPlace: -1})
	if err != nil {
		return to, err
	}
	at := int64(b.grids) * gridBytes
	chunk, err := d.chunk(&d.arenas.grids, int(at/arenaChunk), driver.Indirect)
	if err != nil {
		return to, l.errorf(err, "memory for the grid: %v", err)
	}
	b.grids++
	to.buf, to.at = chunk.buf, at%arenaChunk

	block, err := d.filler(2, 256) // of a kernel without parameters
	if err != nil {
		return to, err
	}
	if len(l.bindings) > 0 {
		block = l.bindings[0].st
	}
	var words [(unsafe.Sizeof(gridParams{}) + 7) / 8]uint64
	l.gridParams((*gridParams)(unsafe.Pointer(&words)), uint32(to.at), uniform)
	i, offset := b.params.add(words[:], int(d.limits.UniformAlign))
	params, err := d.chunk(&d.arenas.params, i, driver.Uniform)
	if err != nil {
		return to, l.errorf(err, "memory for the grid: %v", err)
	}
	grid := &l.indirect
	g, err := d.group(f.layout, []binding{
		{st: params, size: int64(gridKernel.Params)},
		{st: grid.st, index: 1, offset: grid.offset, size: min(16, grid.st.size-grid.offset), n: 3},
		{st: chunk, index: 2, size: chunk.size, n: chunk.size / 4},
		{st: block, index: 3, size: block.size, n: block.size / 4},
	})
	if err != nil {
		return to, l.errorf(err, "%v", err)
	}
	b.use(grid.st, false)
	b.Launches = append(b.Launches, driver.Launch{
		Pipeline: f.pipeline, Group: g.group, Uniform: offset, Groups: [3]uint32{1, 1, 1}, Name: gridKernel.Name,
	})
	b.groups = append(b.groups, g)
	if d.profile != nil {
		b.costs = append(b.costs, cost{kernel: &gridKernel})
	}
	return to, nil
}

// gridParams fills p for a result at byte slot and a uniform block at byte uniform.
func (l *Launch) gridParams(p *gridParams, slot, uniform uint32) {
	k := l.kernel
	p.size, p.dims, p.limit = [3]uint32{1, 1, 1}, uint32(k.Dims), l.dev.limits.Groups
	if k.Threads {
		p.size, p.threads = k.Workgroup, 1
	}
	p.slot = slot / 4
	for i, n := range l.dims {
		p.most[i] = uint32(min(n, math.MaxUint32))
	}
	for _, f := range k.Fields {
		place := (uniform+uint32(f.Offset))/4 + 1
		switch {
		case f.Kind == GroupsField && f.Index == 0:
			p.groups = place
		case f.Kind == ThreadsField:
			p.places[f.Index] = place
		}
	}
}
