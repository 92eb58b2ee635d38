package validate

import (
	nagair "github.com/gogpu/naga/ir"
)

// variantInvocations is what a workgroup may have in a variant (//tandem:const): a device
// that runs no workgroups so large does without that variant.
const variantInvocations = 1024

// What every WebGPU device has.
const (
	maxInvocations  = 256
	maxSizeXY       = 256
	maxSizeZ        = 64
	maxWorkgroup    = 16384 // bytes of workgroup memory
	maxStorage      = 8     // storage buffers of a stage
	maxUniforms     = 12
	maxUniformBytes = 65536
)

// limits checks the module's variables and entry points.
func (c *checker) limits(m *nagair.Module) {
	var memory, storage, uniforms uint32
	for _, v := range m.GlobalVariables {
		size := nagair.TypeSize(m, v.Type)
		line := c.lineWith("> " + v.Name)
		switch v.Space {
		case nagair.SpaceWorkGroup:
			memory += (size + 15) / 16 * 16
		case nagair.SpaceStorage:
			storage++
		case nagair.SpaceUniform:
			uniforms++
			if size > maxUniformBytes {
				c.report("limits", line, "uniforms of %d bytes; a device need not take more than %d", size, maxUniformBytes)
			}
		}
		c.variable(m, v, line)
	}
	if memory > maxWorkgroup {
		c.report("limits", c.lineWith("var<workgroup>"), "%d bytes of workgroup memory; a device need not have more than %d", memory, maxWorkgroup)
	}
	if storage > maxStorage {
		c.report("limits", c.lineWith("var<storage"), "%d buffers; a device need not take more than %d in one kernel", storage, maxStorage)
	}
	if uniforms > maxUniforms {
		c.report("limits", c.lineWith("var<uniform>"), "%d uniform buffers; a device need not take more than %d", uniforms, maxUniforms)
	}
	for _, p := range m.EntryPoints {
		c.workgroupSize(p)
	}
}

func (c *checker) workgroupSize(p nagair.EntryPoint) {
	w := p.Workgroup
	line := c.lineWith("fn " + p.Name + "(")
	n := uint64(w[0]) * uint64(w[1]) * uint64(w[2])
	sizeXY := max(maxSizeXY, c.invocations)
	switch {
	case n == 0:
		c.report("limits", line, "workgroup of no invocations")
	case n > uint64(c.invocations):
		c.report("limits", line, "workgroup of %d invocations; a device need not run more than %d", n, c.invocations)
	case w[0] > sizeXY || w[1] > sizeXY || w[2] > maxSizeZ:
		c.report("limits", line, "workgroup of %d by %d by %d; a device need not run more than %d by %d by %d", w[0], w[1], w[2], sizeXY, sizeXY, maxSizeZ)
	}
}

// variable checks what type a module variable may have in its address space.
func (c *checker) variable(m *nagair.Module, v nagair.GlobalVariable, line int) {
	shared := v.Space == nagair.SpaceStorage || v.Space == nagair.SpaceUniform
	switch {
	case v.Space == nagair.SpaceFunction:
		c.report("tandem", line, "variable %s of the module has no address space", v.Name)
	case shared && v.Binding == nil:
		c.report("tandem", line, "%s has no binding", v.Name)
	case !shared && v.Binding != nil && v.Space != nagair.SpaceHandle:
		c.report("tandem", line, "%s has a binding, but is in no buffer", v.Name)
	case v.Space == nagair.SpaceWorkGroup && (v.Init != nil || v.InitExpr != nil):
		c.report("tandem", line, "%s is in workgroup memory and has an initial value", v.Name)
	}
	walkType(m, v.Type, true, func(t nagair.TypeInner, last bool) {
		switch t := t.(type) {
		case nagair.ScalarType:
			if t.Kind == nagair.ScalarBool && shared {
				c.report("tandem", line, "%s has a bool, which buffers cannot hold", v.Name)
			}
		case nagair.VectorType:
			if t.Scalar.Kind == nagair.ScalarBool && shared {
				c.report("tandem", line, "%s has a bool, which buffers cannot hold", v.Name)
			}
		case nagair.AtomicType:
			if v.Space != nagair.SpaceWorkGroup && (v.Space != nagair.SpaceStorage || v.Access == nagair.StorageRead) {
				c.report("tandem", line, "%s has an atomic, which only workgroup memory and written buffers may", v.Name)
			}
			if t.Scalar.Kind != nagair.ScalarSint && t.Scalar.Kind != nagair.ScalarUint {
				c.report("tandem", line, "%s has an atomic of a type that is not i32 or u32", v.Name)
			}
		case nagair.ArrayType:
			if t.Size.Constant == nil && len(m.Overrides) == 0 && (v.Space != nagair.SpaceStorage || !last) {
				c.report("tandem", line, "%s has an array without a length where one is needed", v.Name)
			}
		case nagair.PointerType, nagair.ValuePointerType:
			c.report("tandem", line, "%s holds a pointer", v.Name)
		}
	})
}

// walkType calls f for t and the types in it. last: nothing lies after it.
func walkType(m *nagair.Module, t nagair.TypeHandle, last bool, f func(t nagair.TypeInner, last bool)) {
	if int(t) >= len(m.Types) {
		return
	}
	inner := m.Types[t].Inner
	f(inner, last)
	switch inner := inner.(type) {
	case nagair.ArrayType:
		walkType(m, inner.Base, false, f)
	case nagair.StructType:
		for i, x := range inner.Members {
			walkType(m, x.Type, last && i == len(inner.Members)-1, f)
		}
	}
}
