package ir

// Uniforms are packed by the launcher into one block that the GPU and the CPU
// both read. The block is a Go struct: each field has Go's own layout, and lies
// at an offset that WGSL's uniform address space accepts.

// HiddenKind is what a field of the uniform block is that no parameter names.
type HiddenKind uint8

// The hidden fields.
const (
	NotHidden     HiddenKind = iota
	HiddenLen                // len(Buffer) in elements
	HiddenThreads            // invocations along Axis, for threads=
	HiddenGroups             // logical workgroups along X, for folded launches
)

// Repr is how WGSL declares a field of the uniform block.
type Repr uint8

// The representations.
const (
	Natural Repr = iota // WGSL's own type has Go's layout
	Words               // array<vec4<u32>, n>: Go's layout, read word by word
)

// UniformField is a field of the uniform block.
type UniformField struct {
	Name   string // unique in the block; the parameter's name, or len_x, threads_x, groups_x
	Type   *Type  // Uint32 for hidden fields; Bool is stored as a uint32
	Offset int
	Size   int // bytes it takes in the block; Words: a multiple of 16
	Repr   Repr
	Var    *Var // the parameter, or the buffer of HiddenLen
	Hidden HiddenKind
	Axis   int
}

// UniformBlock lays out k's uniforms in order, then a length for each buffer
// in lens, then the grid. Size is a multiple of 16, or 0 if there is nothing.
func UniformBlock(k *Kernel, lens []*Var) (fields []UniformField, size int) {
	used := map[string]bool{}
	add := func(f UniformField) {
		for used[f.Name] {
			f.Name += "_"
		}
		used[f.Name] = true
		align := 4
		switch {
		case f.Repr == Words || f.Type.Kind == Struct:
			align = 16
		case f.Type.Kind == Vector:
			align = map[int]int{2: 8, 3: 16, 4: 16}[f.Type.Len]
		}
		f.Offset = (size + align - 1) / align * align
		f.Size = f.Type.Size()
		if f.Type.Kind == Bool {
			f.Size = 4
		}
		if align == 16 && f.Type.Kind != Vector {
			f.Size = (f.Size + 15) / 16 * 16
		}
		size = f.Offset + f.Size
		fields = append(fields, f)
	}
	for _, v := range k.Uniforms {
		add(UniformField{Name: v.Name, Type: v.Type, Repr: uniformRepr(v.Type), Var: v})
	}
	hidden := func(name string, kind HiddenKind, v *Var, axis int) {
		add(UniformField{Name: name, Type: Uint32Type, Var: v, Hidden: kind, Axis: axis})
	}
	for _, v := range lens {
		hidden("len_"+v.Name, HiddenLen, v, 0)
	}
	axes := [3]string{"x", "y", "z"}
	if k.Grid.Threads {
		for i := range k.Grid.Dims {
			hidden("threads_"+axes[i], HiddenThreads, nil, i)
		}
	}
	if len(k.Grid.Dims) == 1 {
		hidden("groups_x", HiddenGroups, nil, 0)
	}
	return fields, (size + 15) / 16 * 16
}

// uniformRepr is Natural where WGSL gives a uniform of type t Go's offsets:
// scalars, vectors, and structs of 32-bit scalars and nothing else.
func uniformRepr(t *Type) Repr {
	switch t.Kind {
	case Bool, Int32, Uint32, Float32, Vector:
		return Natural
	case Struct:
		for _, f := range t.Fields {
			switch f.Type.Kind {
			case Int32, Uint32, Float32:
			default:
				return Words
			}
		}
		return Natural
	}
	return Words
}
