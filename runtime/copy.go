package runtime

import (
	_ "embed"
	"strings"
	"unsafe"

	"tandem/cpu"
)

// Buffers are copied by a kernel, so that a copy need not end a compute pass.

// CopyTo copies all of b to the start of dst, on the device, recorded on on.
func (b *Buffer[T]) CopyTo(on Target, dst View[T]) error {
	var to *Buffer[T]
	if dst != nil {
		to = dst.View()
	}
	if b == nil || to == nil {
		return failf(ErrNil, "copy: source or destination is nil")
	}
	if b.bad() == nil && to.bad() == nil && b.n > to.n {
		return failf(ErrTooShort, "copy of %d elements to a buffer of %d", b.n, to.n)
	}
	return copyView(on, &b.view, &to.view)
}

//go:embed copy.wgsl
var copyWGSL string

// copyKernel copies bytes. Each invocation makes one word of dst.
var copyKernel = Kernel{
	Name: "copy", Source: "copy.wgsl:1", Package: "tandem/runtime",
	WGSL: copyWGSL, Workgroup: [3]uint32{256, 1, 1}, Dims: 1,
	Params: unsafe.Sizeof(copyParams{}),
	Fields: []Field{{Kind: GroupsField, Offset: unsafe.Offsetof(copyParams{}.groups)}},
	Buffers: []Arg{
		{Name: "source", Access: Read, Size: 4},
		{Name: "destination", Access: ReadWrite, Size: 4},
	},
	InPlace: []InPlace{{Out: 1, In: 0, WGSL: copyWithin(copyWGSL)}},
	Run:     copyCPU,
}

// copyWithin returns the form of the copy kernel that copies within one binding.
func copyWithin(wgsl string) string {
	wgsl = strings.Replace(wgsl, "@group(0) @binding(1) var<storage, read> source: array<u32>;\n", "", 1)
	return strings.ReplaceAll(wgsl, "source[", "destination[")
}

// copyParams says what to copy: bytes from byte from of the source to byte to of
// the destination.
type copyParams struct{ from, to, bytes, groups uint32 }

// copyCPU is copy.wgsl in Go.
func copyCPU(l *cpu.Launch) error {
	p := cpu.Params[copyParams](l)
	src, dst := bytesOf(cpu.Slice[uint32](l, 0)), bytesOf(cpu.Slice[uint32](l, 1))
	copy(dst[p.to:][:p.bytes], src[p.from:])
	return nil
}

// copyPiece is how much one launch copies at most: twice that must fit a binding
// on every device.
const copyPiece = 32 << 20

// copyView records a copy of all of src to the start of dst.
func copyView(on Target, src, dst *view) error {
	for done := int64(0); ; done += copyPiece {
		l := Begin(on, &copyKernel)
		l.copy(src, dst, done, min(src.bytes-done, copyPiece))
		if err := l.End(); err != nil || done+copyPiece >= src.bytes {
			return err
		}
	}
}

// copy makes l the copy of n bytes from byte at of src to byte at of dst. What
// it binds are windows around the bytes that start where the device can bind
// them; where the two would overlap, one window around both.
func (l *Launch) copy(src, dst *view, at, n int64) {
	for i, v := range []*view{src, dst} {
		if l.err != nil {
			return
		}
		l.bind(l.kernel.Buffers[i].Name, v, &l.args[i])
	}
	if l.err != nil {
		return
	}
	if src.own == dst.own && src.bytes > 0 && src.span().meets(dst.span()) {
		l.fail(ErrAliased, "source and destination overlap in memory")
		return
	}
	from, to := src.off+at, dst.off+at
	a, b := l.window(0, from, from+n), l.window(1, to, to+n)
	if src.own == dst.own && a.span.meets(b.span) {
		start, end := min(from, to), max(from, to)+n
		a, b = l.window(0, start, end), l.window(1, start, end)
	}
	p := Params[copyParams](l)
	p.from, p.to, p.bytes = uint32(from-a.offset), uint32(to-b.offset), uint32(n)
	l.Grid("words", Int(n).Add(Int(p.to%4)).Ceil(Int(4)).Ceil(Int(256)))
}

// window makes argument i the whole words around the bytes from start to end-1,
// from where the device can bind.
func (l *Launch) window(i int, start, end int64) *argument {
	a := &l.args[i]
	a.offset = start / l.dev.limits.StorageAlign * l.dev.limits.StorageAlign
	a.bytes = (end - a.offset + 3) / 4 * 4
	a.n, a.span = a.bytes/4, span{a.offset, a.offset + a.bytes}
	return a
}
