package lower

import (
	"go/token"
	"go/types"

	"tandem/codegen/ir"
)

// The most bytes that a variable has where it is known before the device is.
const (
	maxUniform = 1 << 16
	maxShared  = 1 << 16
	maxLocal   = 1<<16 - 1 // WGSL: arrays in function space
)

// checkLocal reports types that a local variable cannot have.
func (f *frame) checkLocal(obj types.Object, t *ir.Type) {
	if n := t.Size(); n > maxLocal {
		f.errorf(obj.Pos(), "a local variable has at most %d bytes, and %s has %d: use workgroup memory or a buffer", maxLocal, obj.Name(), n)
	}
	eachScalar(t, true, func(s *ir.Type, whole bool) {
		if s.IsNarrow() && !whole {
			f.errorf(obj.Pos(), "%s can be a variable of its own, and not part of one: use a 32-bit type", s)
		}
	})
}

// kernelParams declares the parameters of the kernel and binds them; false
// after an error.
func (f *frame) kernelParams(sig *types.Signature) bool {
	before := len(*f.errs)
	if sig.Variadic() {
		f.errorf(sig.Params().At(sig.Params().Len()-1).Pos(), "a kernel cannot have a parameter ...T: make it []T")
		return false
	}
	for i := range sig.Params().Len() {
		v := sig.Params().At(i)
		t := f.subst.typ(v.Type())
		if isDSL(t, "Thread") {
			if i > 0 {
				f.errorf(v.Pos(), "a kernel has one dsl.Thread, its first parameter")
			}
			f.bind(v, thread{})
			continue
		}
		if v.Name() == "" || v.Name() == "_" {
			f.errorf(v.Pos(), "a parameter of a kernel needs a name: its launcher has it too")
			continue
		}
		p, b := f.kernelParam(v.Name(), v.Name(), t, v.Pos())
		if p == nil {
			continue
		}
		f.k.Params = append(f.k.Params, p)
		f.bindKernelParam(v, b)
	}
	return len(*f.errs) == before
}

// bindKernelParam binds a parameter. A uniform one that the kernel assigns is
// copied first.
func (f *frame) bindKernelParam(v *types.Var, b binding) {
	x, ok := b.(ir.Expr)
	if ok && (f.written[v] || f.addressed[v]) {
		f.local(v, x.Val().Type, x)
		return
	}
	f.bind(v, b)
}

// kernelParam declares a parameter, or part of one, called name in Go, and
// returns what it stands for; nil after an error.
func (f *frame) kernelParam(name, varName string, t types.Type, pos token.Pos) (*ir.Param, binding) {
	p := &ir.Param{Name: name, Go: t}
	v := &ir.Var{Name: varName, Pos: f.pos(pos)}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		elem := f.typ(u.Elem(), pos)
		if elem == ir.VoidType || !f.checkMemory(elem, pos, true) {
			return nil, nil
		}
		p.Kind, p.Var = ir.BufferParam, v
		v.Type, v.Space = ir.SliceOf(elem), ir.BufferVar
		f.k.Buffers = append(f.k.Buffers, v)
		return p, &slice{root: ref(v, v.Pos), elem: elem}
	case *types.Pointer:
		return f.sharedParam(p, v, u.Elem(), pos)
	}
	if isParts(t) {
		return f.partsParam(p, varName, t, pos)
	}
	v.Type, v.Space = f.typ(t, pos), ir.UniformVar
	if v.Type == ir.VoidType || !f.checkUniform(v.Type, pos) {
		return nil, nil
	}
	if n := v.Type.Size(); n > maxUniform {
		f.errorf(pos, "a uniform parameter has at most %d bytes, and %s has %d: make it a buffer, []T", maxUniform, name, n)
		return nil, nil
	}
	if isEmpty(v.Type) {
		f.errorf(pos, "the parameter %s takes no space: leave it out", name)
		return nil, nil
	}
	p.Kind, p.Var = ir.UniformParam, v
	f.k.Uniforms = append(f.k.Uniforms, v)
	return p, ref(v, v.Pos)
}

// sharedParam declares workgroup memory.
func (f *frame) sharedParam(p *ir.Param, v *ir.Var, elem types.Type, pos token.Pos) (*ir.Param, binding) {
	v.Type, v.Space = f.typ(elem, pos), ir.WorkgroupVar
	switch v.Type.Kind {
	case ir.Void:
		return nil, nil
	case ir.Array, ir.Struct, ir.Atomic, ir.Vector:
	default:
		f.errorf(pos, "workgroup memory is an array or a struct: use *[1]%s", v.Type)
		return nil, nil
	}
	if !f.checkMemory(v.Type, pos, false) {
		return nil, nil
	}
	if n := v.Type.Size(); n > maxShared {
		f.errorf(pos, "no device has more than %d bytes of workgroup memory, and %s has %d: use a smaller array, or a buffer", maxShared, p.Name, n)
		return nil, nil
	}
	p.Kind, p.Var = ir.SharedParam, v
	f.k.Shared = append(f.k.Shared, v)
	return p, pointer{ref(v, v.Pos)}
}

// partsParam declares a struct with slices, part by part.
func (f *frame) partsParam(p *ir.Param, varName string, t types.Type, pos token.Pos) (*ir.Param, binding) {
	p.Kind = ir.PartsParam
	s := f.subst.typ(t.Underlying()).(*types.Struct)
	b := &parts{typ: t}
	ok := true
	for i := range s.NumFields() {
		fv := s.Field(i)
		if _, isPtr := fv.Type().Underlying().(*types.Pointer); isPtr {
			f.errorf(pos, "field %s: workgroup memory cannot be part of a struct: make it a parameter of its own", fv.Name())
			ok = false
			continue
		}
		part, pb := f.kernelParam(fv.Name(), varName+upperFirst(fv.Name()), fv.Type(), pos)
		ok = ok && part != nil
		p.Parts = append(p.Parts, part)
		b.fields = append(b.fields, pb)
	}
	if !ok {
		return nil, nil
	}
	return p, b
}

// checkMemory reports types that have another form in a buffer or in workgroup
// memory than on the GPU.
func (f *frame) checkMemory(t *ir.Type, pos token.Pos, buffer bool) bool {
	ok := true
	eachScalar(t, true, func(s *ir.Type, whole bool) {
		switch {
		case !ok:
		case s.Kind == ir.Bool && buffer:
			f.errorf(pos, "a buffer cannot hold bools, which have no size on the GPU: use uint32")
			ok = false
		case s.Kind == ir.Int && buffer:
			f.errorf(pos, "a buffer cannot hold ints, which have 64 bits in memory: use int32 or uint32")
			ok = false
		case s.IsNarrow() && !(buffer && whole):
			f.errorf(pos, "%s can only be the element of a buffer, []%[1]s: use a 32-bit type", s)
			ok = false
		}
	})
	if ok && isEmpty(t) {
		f.errorf(pos, "the elements of this memory take no space: leave the parameter out")
		return false
	}
	return ok
}

// checkUniform reports types that a uniform parameter cannot have.
func (f *frame) checkUniform(t *ir.Type, pos token.Pos) bool {
	ok := true
	eachScalar(t, true, func(s *ir.Type, whole bool) {
		switch {
		case !ok:
		case s.Kind == ir.Int:
			f.errorf(pos, "int may exceed 32 bits here and the GPU has no 64-bit integers: use int32 or uint32")
			ok = false
		case s.IsNarrow():
			f.errorf(pos, "%s can only be the element of a buffer, []%[1]s: use a 32-bit type", s)
			ok = false
		case s.Kind == ir.Atomic:
			f.errorf(pos, "atomics live in buffers and workgroup memory: make it []dsl.AtomicUint32 or *[N]dsl.AtomicUint32")
			ok = false
		}
	})
	return ok
}

// eachScalar calls do for each scalar and atomic in t. whole: it is t itself.
func eachScalar(t *ir.Type, whole bool, do func(t *ir.Type, whole bool)) {
	switch t.Kind {
	case ir.Array, ir.Vector:
		eachScalar(t.Elem, false, do)
	case ir.Struct:
		for _, fd := range t.Fields {
			eachScalar(fd.Type, false, do)
		}
	default:
		do(t, whole)
	}
}
