package wgsl

import (
	"fmt"
	"strings"

	"tandem/codegen/ir"
)

// inputs are the texts of the invocation's coordinates.
type inputs struct {
	threads [3]string // the launch's invocations along each axis, for threads=
	groups  string    // the launch's workgroups along X, one-dimensional kernels
	text    [ir.Threads + 1]string
	parts   [ir.Threads + 1][3]string // of those that no variable holds
}

// spell says what the components of a coordinate are.
func (in *inputs) spell(kind ir.InputKind, x, y, z string) {
	in.parts[kind] = [3]string{x, y, z}
	in.text[kind] = fmt.Sprintf("vec3<u32>(%s, %s, %s)", x, y, z)
}

// folds reports whether the kernel can be launched folded.
func (e *emitter) folds() bool { return len(e.k.Grid.Dims) == 1 }

func (e *emitter) usedInputs() map[ir.InputKind]bool {
	used := map[ir.InputKind]bool{}
	if e.debug != nil {
		used[ir.Group], used[ir.Local] = true, true
	}
	ir.Walk(e.k.Body, nil, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.Input:
			used[x.Kind] = true
		case *ir.Builtin:
			if atomicLoadOfAll(x) {
				used[ir.LocalIndex] = true
			}
		}
		return true
	})
	return used
}

// entry writes the entry point.
func (e *emitter) entry(name string) {
	e.pos = e.k.Pos
	e.names.push()
	defer e.names.pop()
	var params []string
	prologue := e.capture(func() {
		e.indent++
		params = e.prologue(e.usedInputs())
		e.indent--
	})
	e.pos = e.k.Pos
	e.add("@compute @workgroup_size(%s)", workgroupSize(e.k.Workgroup))
	e.block(fmt.Sprintf("fn %s(%s)", name, strings.Join(params, ", ")), func() {
		e.splice(prologue, e.indent)
		if d := e.debug; d != nil {
			e.add("%s = %s;", d.group, e.inputs.text[ir.Group])
			e.add("%s = %s;", d.local, e.inputs.text[ir.Local])
		}
		e.stmts(e.k.Body)
	})
}

func workgroupSize(w [3]int) string {
	switch {
	case w[2] > 1:
		return fmt.Sprintf("%d, %d, %d", w[0], w[1], w[2])
	case w[1] > 1:
		return fmt.Sprintf("%d, %d", w[0], w[1])
	}
	return fmt.Sprint(w[0])
}

// prologue writes what makes the coordinates of the builtin values, and the
// guards, and returns the parameters of the entry point.
func (e *emitter) prologue(used map[ir.InputKind]bool) (params []string) {
	in := &e.inputs
	need := func(kind ir.InputKind, builtin, name, t string) string {
		name = e.names.pick(name)
		params = append(params, fmt.Sprintf("@builtin(%s) %s: %s", builtin, name, t))
		in.text[kind] = name
		return name
	}
	vec := "vec3<u32>"
	w := e.k.Workgroup
	in.spell(ir.WorkgroupSize, unsigned(uint32(w[0])).text, unsigned(uint32(w[1])).text, unsigned(uint32(w[2])).text)
	if e.folds() {
		e.foldedInputs(used, need)
	} else {
		e.plainInputs(used, need)
	}
	if used[ir.Local] && in.text[ir.Local] == "" {
		need(ir.Local, "local_invocation_id", "local", vec)
	}
	if used[ir.LocalIndex] {
		need(ir.LocalIndex, "local_invocation_index", "local_index", "u32")
	}
	return params
}

type needFunc func(kind ir.InputKind, builtin, name, t string) string

// foldedInputs undoes the fold of a long one-dimensional launch, and stops the
// invocations past its end. Without a fold all of it folds away but the guard
// of threads=.
func (e *emitter) foldedInputs(used map[ir.InputKind]bool, need needFunc) {
	in := &e.inputs
	flat := e.k.Workgroup[1] == 1 && e.k.Workgroup[2] == 1
	global := e.k.Grid.Threads || used[ir.Global] || used[ir.GlobalIndex]
	in.spell(ir.Groups, in.groups, "1u", "1u")
	in.text[ir.Threads] = in.threads[0]
	if !e.k.Grid.Threads || !flat || used[ir.Group] || used[ir.GroupIndex] {
		e.foldedGroup(need)
	}
	switch {
	case global && flat:
		e.foldedLine(need)
	case global:
		e.foldedBox(used, need)
	}
}

func (e *emitter) foldedGroup(need needFunc) {
	in := &e.inputs
	id := need(ir.Group, "workgroup_id", "group_id", "vec3<u32>")
	name := e.names.pick("group")
	e.add("let %s = vec3<u32>(%s.x + fold * %s.y, 0u, 0u);", name, id, id)
	in.text[ir.Group], in.text[ir.GroupIndex] = name, name+".x"
	if !e.k.Grid.Threads {
		e.guard(fmt.Sprintf("fold != 0u && %s.x >= %s", name, in.groups))
	}
}

// foldedLine makes Global of a workgroup of one dimension.
func (e *emitter) foldedLine(need needFunc) {
	in := &e.inputs
	id := need(ir.Global, "global_invocation_id", "global_id", "vec3<u32>")
	name := e.names.pick("global")
	e.add("let %s = vec3<u32>(%s.x + fold * %du * %s.y, 0u, 0u);", name, id, e.k.Workgroup[0], id)
	in.text[ir.Global], in.text[ir.GlobalIndex] = name, name+".x"
	if e.k.Grid.Threads && e.k.Lanes == 0 { // a vector form guards itself
		// The sum wraps only past the end of the longest launch.
		e.guard(fmt.Sprintf("%s.x >= %s || %s.x < %s.x", name, in.threads[0], name, id))
	}
}

// foldedBox makes Global of a workgroup of more dimensions than the grid, which
// only groups= has.
func (e *emitter) foldedBox(used map[ir.InputKind]bool, need needFunc) {
	in := &e.inputs
	local := need(ir.Local, "local_invocation_id", "local", "vec3<u32>")
	group, w := in.text[ir.Group], e.k.Workgroup
	name := e.names.pick("global")
	e.add("let %s = vec3<u32>(%s.x * %du + %s.x, %s.y, %s.z);", name, group, w[0], local, local, local)
	in.text[ir.Global] = name
	if used[ir.GlobalIndex] {
		in.text[ir.GlobalIndex] = e.index("global_index", name, fmt.Sprintf("%du * %s", w[0], in.groups), fmt.Sprintf("%du", w[1]))
	}
}

func (e *emitter) plainInputs(used map[ir.InputKind]bool, need needFunc) {
	in := &e.inputs
	vec := "vec3<u32>"
	group := used[ir.Group] || used[ir.GroupIndex]
	if group {
		need(ir.Group, "workgroup_id", "group", vec)
	}
	if used[ir.Global] || used[ir.GlobalIndex] || e.k.Grid.Threads {
		need(ir.Global, "global_invocation_id", "global", vec)
	}
	if used[ir.Groups] || used[ir.GroupIndex] || used[ir.GlobalIndex] {
		need(ir.Groups, "num_workgroups", "groups", vec)
	}
	if e.k.Grid.Threads {
		var past []string
		for i := range e.k.Grid.Dims {
			past = append(past, fmt.Sprintf("%s.%c >= %s", in.text[ir.Global], "xyz"[i], in.threads[i]))
		}
		e.guard(strings.Join(past, " || "))
	}
	if used[ir.GroupIndex] {
		in.text[ir.GroupIndex] = e.index("group_index", in.text[ir.Group], in.text[ir.Groups]+".x", in.text[ir.Groups]+".y")
	}
	if used[ir.GlobalIndex] {
		w := e.k.Workgroup
		in.text[ir.GlobalIndex] = e.index("global_index", in.text[ir.Global],
			fmt.Sprintf("%du * %s.x", w[0], in.text[ir.Groups]), fmt.Sprintf("%du * %s.y", w[1], in.text[ir.Groups]))
	}
}

// index writes the number of a place in a grid, X first.
func (e *emitter) index(name, at, width, height string) string {
	name = e.names.pick(name)
	e.add("let %s = %s.x + %s * (%s.y + %s * %s.z);", name, at, width, at, height, at)
	return name
}

func (e *emitter) guard(past string) {
	e.block("if ("+past+")", func() { e.add("return;") })
}
