package codegen

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/gocpu"
	"tandem/codegen/ir"
	"tandem/codegen/launch/accuracy"
)

// CPU returns the Go code that runs k on the CPU.
func CPU(k *Kernel) (string, error) {
	f := jen.NewFilePathName("gen", "gen")
	if err := gocpu.Emit(f, k.IR, k.Shader.Fields); err != nil {
		return "", err
	}
	file, err := gocpu.Render(f, "gen.go")
	return string(file.Code), err
}

// SIMD returns the Go code that runs eight invocations of k at a time, where Go has vectors, or
// "" and why there is none.
func SIMD(k *Kernel) (string, gocpu.SIMD, error) {
	f := jen.NewFilePathName("gen", "gen")
	found, err := gocpu.EmitSIMD(f, k.IR, k.Shader.Fields)
	if err != nil || found.Vectors == 0 {
		return "", found, err
	}
	file, err := gocpu.Render(f, "gen.go")
	return string(file.Code), found, err
}

// Describe lists k's place, grid, bindings, workgroup memory and tolerance.
func Describe(k *Kernel) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s   %s", k.IR.Name, k.IR.Pos)
	if k.IR.Variant != "" {
		fmt.Fprintf(&b, "   %s", k.IR.Variant)
	}
	w := k.IR.Workgroup
	fmt.Fprintf(&b, "\nworkgroup  %d × %d × %d\ngrid       %s\n", w[0], w[1], w[2], gridText(k.IR))
	binding := 0
	if len(k.Shader.Fields) > 0 {
		var names []string
		for _, f := range k.Shader.Fields {
			names = append(names, fmt.Sprintf("%s %s @%d", f.Name, f.Type, f.Offset))
		}
		fmt.Fprintf(&b, "binding 0  uniform: %s\n", strings.Join(names, ", "))
		binding = 1
	}
	for i, v := range k.IR.Buffers {
		access := "read"
		if v.Access == ir.ReadWrite {
			access = "read-write"
		}
		fmt.Fprintf(&b, "binding %d  %s %s, %s\n", binding+i, v.Name, v.Type, access)
	}
	if f := k.IR.Vector; f != nil {
		fmt.Fprintf(&b, "vectorised  %d elements an invocation\n", f.Lanes)
	} else {
		fmt.Fprintf(&b, "not vectorised  %s\n", k.IR.Scalar)
	}
	total := 0
	for _, v := range k.IR.Shared {
		fmt.Fprintf(&b, "workgroup memory  %s %s, %d bytes\n", v.Name, v.Type, v.Type.Size())
		total += v.Type.Size()
	}
	fmt.Fprintf(&b, "workgroup memory in all  %d bytes\ntolerance  %s\n", total, accuracy.Of(k.IR))
	return b.String()
}

func gridText(k *ir.Kernel) string {
	unit := "workgroups"
	if k.Grid.Threads {
		unit = "invocations"
	}
	var sides []string
	for _, d := range k.Grid.Dims {
		sides = append(sides, d.Text)
	}
	return strings.Join(sides, " × ") + " " + unit
}
