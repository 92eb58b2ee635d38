package runtime

// Vector is the form of a kernel in which an invocation makes several
// neighbouring elements, with loads and stores of 16 bytes. Its bindings and
// its uniform block are the kernel's own, but the buffers of Wide are arrays of
// vectors of four elements.
type Vector struct {
	WGSL  string
	Lines string // as Kernel.Lines
	Lanes int    // elements an invocation
	Wide  uint32 // the buffers that are arrays of vectors, a bit each
}

// quadBytes is the size of a vector of four elements.
const quadBytes = 16

// vector returns the vector form that l can take, or nil.
//
// The form stores whole vectors: at the end of a view, what the memory behind
// it holds is stored again. All views start at a multiple of a vector's size, so
// that no other argument of the launch begins in there; and other launches run
// before or after. The stores have no guard, so that all elements that the grid
// speaks of must be there.
func (l *Launch) vector() *Vector {
	v := l.kernel.Vector
	if v == nil || l.dev.scalar || l.indirect.own != nil {
		return nil
	}
	for i := range l.args {
		a := &l.args[i]
		switch wide := v.Wide&(1<<i) != 0; {
		case !aligned(a.offset, quadBytes):
			return nil
		case wide && wholeQuads(a.bytes) > l.dev.limits.BindingBytes:
			return nil
		case wide && l.kernel.Buffers[i].Access == ReadWrite && a.n < l.dims[0]:
			return nil
		}
	}
	return v
}

// wholeQuads returns bytes rounded up to vectors.
func wholeQuads(bytes int64) int64 { return roundUp(bytes, quadBytes) }

// groups returns how many workgroups of width invocations make n elements.
func (v *Vector) groups(n int64, width uint32) uint32 {
	each := int64(v.Lanes) * int64(width)
	return uint32((n + each - 1) / each)
}
