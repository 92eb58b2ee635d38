package codegen

import (
	"fmt"
	"strings"

	"tandem/codegen/ir"
	"tandem/codegen/load"
)

// uniteVariants makes the variants of a kernel exchangeable: their arguments
// are the same, and what the launcher refuses for one it refuses for all.
func uniteVariants(kernels []*Kernel) (errs load.Errors) {
	byName := map[string][]*ir.Kernel{} // the default first
	shaders := map[string]string{}      // of the defaults
	for _, k := range kernels {
		byName[k.IR.Name] = append(byName[k.IR.Name], k.IR)
		if k.IR.Variant == "" {
			shaders[k.IR.Name] = withoutComments(k.Shader.Text)
		}
	}
	for _, k := range kernels {
		if k.IR.Variant == "" {
			continue
		}
		if withoutComments(k.Shader.Text) == shaders[k.IR.Name] {
			errs.Add(k.IR.Pos, k.IR.Func, "the variant %s is the same as the default, for the kernel does not use what differs: take it out of the //tandem:const line", k.IR.Variant)
			continue
		}
		if what := otherArguments(byName[k.IR.Name][0], k.IR); what != "" {
			errs.Add(k.IR.Pos, k.IR.Func, "the variant %s cannot stand for the default: %s", k.IR.Variant, what)
		}
	}
	if len(errs) == 0 {
		for _, group := range byName {
			uniteBuffers(group)
		}
	}
	return errs
}

// withoutComments returns WGSL without the lines that say where it comes from.
func withoutComments(text string) string {
	var code strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			code.WriteString(line)
		}
	}
	return code.String()
}

// otherArguments says in what the launch arguments of a variant differ from the
// default's, "" for in nothing.
func otherArguments(k, variant *ir.Kernel) string {
	for i, u := range k.Uniforms {
		if v := variant.Uniforms[i]; !ir.Same(u.Type, v.Type) || u.Type.Size() != v.Type.Size() {
			return fmt.Sprintf("%s has another type", u.Name)
		}
	}
	for i, b := range k.Buffers {
		v := variant.Buffers[i]
		if !ir.Same(b.Type, v.Type) || b.Type.Elem.Size() != v.Type.Elem.Size() {
			return fmt.Sprintf("%s has elements of another type", b.Name)
		}
		if (b.Access == ir.ReadWrite) != (v.Access == ir.ReadWrite) {
			return fmt.Sprintf("only one of the two writes %s", b.Name)
		}
	}
	return ""
}

// uniteBuffers gives the buffers of all variants what any of them needs.
func uniteBuffers(group []*ir.Kernel) {
	for i, first := range group[0].Buffers {
		for _, k := range group {
			first.IntLen = first.IntLen || k.Buffers[i].IntLen
			first.Decides = first.Decides || k.Buffers[i].Decides
		}
		for _, k := range group {
			k.Buffers[i].IntLen, k.Buffers[i].Decides = first.IntLen, first.Decides
		}
	}
}
