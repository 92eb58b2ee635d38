package gocpu

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"tandem/codegen/ir"
)

const (
	simdPath = "simd/archsimd"
	// SIMDTag is the build constraint of the files that EmitSIMD is for.
	SIMDTag = "goexperiment.simd && amd64"
)

// SIMD says what became of a kernel's form for vectors.
type SIMD struct {
	Regions, Vectors int    // loops over lanes, and those of them that run lanes together
	Copies           int    // others that are Go's copy
	Why              string // what the first of the others has that no vector form is known of
	At               ir.Pos // where
}

// String says it in words.
func (s SIMD) String() string {
	text := fmt.Sprintf("%d of %d loops run eight invocations at a time", s.Vectors, s.Regions)
	if s.Vectors < s.Regions {
		text += fmt.Sprintf("; of the others, the first has %s (%s)", s.Why, s.At)
	}
	if s.Copies > 0 {
		text += fmt.Sprintf("; %d more only move elements, by Go's copy", s.Copies)
	}
	return text
}

// EmitSIMD adds to f the form of k that runs eight invocations at a time: a
// second groups function, which Emit's stays beside, for a file that is only
// compiled where Go has vectors. Where no loop over lanes can run them
// together it adds nothing.
//
// The lanes of a loop are eight neighbours along X. What they have in common, or
// what only counts them, stays as it is in one lane's code; what differs between
// them becomes a vector, and a condition that differs a mask. Lanes that are left at the
// end of a loop, and regions that have no vector form, run one by one.
func EmitSIMD(f *jen.File, k *ir.Kernel, fields []ir.UniformField) (SIMD, error) {
	e, err := newEmitter(k, fields)
	if err != nil {
		return SIMD{}, err
	}
	e.simd, e.constants = &simd{}, &constantVectors{map[string]string{}, jen.Null()}
	e.groupsName = e.base + "SIMD"
	groups := e.groupsFunc()
	var helpers []*jen.Statement
	for i := 0; i < len(e.simd.twins); i++ {
		if t := e.simd.twins[i]; t.why == "" {
			helpers = append(helpers, t.code)
		}
	}
	if e.err != nil || e.simd.Vectors == 0 {
		return e.simd.SIMD, e.err
	}
	f.ImportName(simdPath, "archsimd")
	f.ImportName(cpuPath, "cpu")
	f.ImportName(dslPath, "dsl")
	f.ImportName(elementaryPath, "elementary")
	f.Func().Id("init").Params().Block(jen.Qual(cpuPath, "AddSIMD").Call(jen.Id(e.groupsName)))
	f.Line()
	f.Add(e.constants.declared)
	f.Commentf("%s runs workgroups first to last-1 of %s, eight invocations at a time.", e.groupsName, k.Name)
	f.Add(groups)
	f.Line()
	for _, helper := range helpers {
		f.Add(helper)
		f.Line()
	}
	Import(f, e.structs.imports...)
	return e.simd.SIMD, e.err
}

// simd is the state of an emitter of vectors.
type simd struct {
	SIMD
	twins []*twin // helper functions in vector form

	// Of the region being emitted:
	*shapes
	refusal string // why it has no vector form; "": none found yet
	at      ir.Pos
	running bool                // the code being emitted is that of vectors
	mask    string              // variable that has the lanes that run it; "": all
	masks   map[*ir.Var]string  // … and in which they were defined
	exits   map[*ir.Label]*away // statements that lanes leave at different times
	kept    map[string]string   // vectors that are made once before the loop
	keeps   *jen.Statement      // … where
	// Of a run:
	elements func(*ir.Index) (window string) // what an element is one of, the lanes' own
	element  string                          // … where that of the first lane is
	work
}

// work counts what a region does.
type work struct {
	wide   int // operations on vectors
	single int // … that do one lane after the other
}

// maxSingle is how many operations on vectors must come with one that is none, for vectors to be faster. (Of the kernels
// of ops those with more ran 1.2 to 3 times as fast, those with 7 0.5 to 2.3 times, as memory has it, those with 3 to 6.6
// 0.6 to 1.1 times.)
const maxSingle = 8

// pays reports whether vectors are faster than one lane after the other.
func (w work) pays() bool { return w.wide >= maxSingle*w.single }

// better returns what suits vectors better.
func (w work) better(than work) work {
	if w.single > than.single {
		return than
	}
	return w
}

// away is what is kept of lanes that have left a statement before others.
type away struct {
	left    string // mask variable of those that left it
	skipped string // of those that went on to the next iteration
	result  string // variable of what those that left a helper return
}

// refuse notes why the region has no vector form.
func (e *emitter) refuse(at ir.Pos, format string, args ...any) *jen.Statement {
	if e.simd.refusal == "" {
		e.simd.refusal, e.simd.at = fmt.Sprintf(format, args...), at
	}
	return jen.Null()
}

// together returns the loop that runs the lanes of a region eight at a time, as
// long as as many are left, or nil if the region has none.
func (e *emitter) together(n *step, stmts []ir.Stmt, loop laneLoop) *jen.Statement {
	return e.attempt(n.start(), loop.aligned, func() *jen.Statement { return e.vectorLoop(n, stmts, loop) })
}

// attempt returns the loop over lanes that emit returns, or nil if it turned out that they cannot run together, or are
// slower. The first lane is a multiple of eight if it is aligned.
func (e *emitter) attempt(at ir.Pos, aligned bool, emit func() *jen.Statement) *jen.Statement {
	if e.simd == nil {
		return nil
	}
	v := e.simd
	v.Regions++
	v.shapes = &shapes{s: e.split, aligned: aligned && e.k.Workgroup[0]%lanesAtOnce == 0, canFail: e.canFail, of: map[*ir.Var]shape{}}
	v.refusal, v.mask, v.masks, v.exits, v.kept = "", "", map[*ir.Var]string{}, map[*ir.Label]*away{}, map[string]string{}
	v.work, v.keeps = work{}, jen.Null()
	failed := e.err
	var code *jen.Statement
	if width := e.k.Workgroup[0]; width%lanesAtOnce != 0 {
		e.refuse(at, "a workgroup %d wide, which is no multiple of %d", width, lanesAtOnce)
	} else {
		code = emit()
	}
	if v.refusal != "" {
		e.err = failed // what follows a refusal means nothing
	}
	switch {
	case v.refusal == "" && !v.pays():
		e.refuse(at, "mostly work that is done one lane after the other, such as memory reached out of their order")
	case v.refusal == "":
		v.Vectors++
		return code
	}
	if v.Why == "" {
		v.Why, v.At = v.refusal, v.at
	}
	return nil
}

func (e *emitter) vectorLoop(n *step, stmts []ir.Stmt, loop laneLoop) *jen.Statement {
	v := e.simd
	if len(n.guards) > 0 || len(n.marks) > 0 {
		return e.refuse(n.start(), "invocations that left before others")
	}
	for _, x := range e.plan.arrays {
		v.of[x] = apart
	}
	v.study(append(e.recomputed(stmts), stmts...))
	defer v.run()()
	lane := jen.Id(e.lane[0])
	outer := e.invocation
	t := e.enter(nil, "vectors", true)
	e.invocation, e.lanes = t, n
	body := jen.CustomFunc(jen.Options{Separator: "\n"}, func(g *jen.Group) { e.vectorBody(g, n, stmts) })
	e.exit()
	e.invocation, e.lanes = outer, nil
	init, end := loop.init, loop.end
	code := jen.Add(v.keeps)
	if !loop.whole {
		code.Add(init).Line()
		whole := e.names.everywhere("whole")
		init, end = jen.Id(whole).Op(":=").Qual(cpuPath, "Whole").Call(lane.Clone(), end), jen.Id(whole)
	}
	if t.name != "" {
		code.Id(t.name).Op(":").Line()
	}
	code.For(init, lane.Clone().Op("<").Add(end), lane.Clone().Op("+=").Lit(lanesAtOnce)).Block(body)
	return code.Line().Qual(simdPath, "ClearAVXUpperBits").Call()
}

// run says that the code that follows is that of vectors, until what it returns is called.
func (v *simd) run() (end func()) {
	v.running = true
	return func() { v.running = false }
}

// recomputed returns the definitions that a region repeats.
func (e *emitter) recomputed(stmts []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	done := map[*ir.Var]bool{}
	var need func(x ir.Expr) bool
	need = func(x ir.Expr) bool {
		r, ok := x.(*ir.Ref)
		if !ok || !e.plan.again[r.Var] || done[r.Var] {
			return true
		}
		done[r.Var] = true
		d := e.split.vars[r.Var].define
		ir.WalkExpr(d.Init, need)
		out = append(out, d)
		return true
	}
	ir.Walk(stmts, nil, need)
	return out
}

// vectorBody emits what eight lanes do in a region.
func (e *emitter) vectorBody(g *jen.Group, n *step, stmts []ir.Stmt) {
	e.names.push()
	defer e.names.pop()
	e.noteLane(g, stmts, 0)
	if e.simd.parts {
		e.simd.exits[nil] = &away{left: e.mask(g, "returned")}
	}
	for _, s := range e.recomputed(stmts) {
		e.vectorStmt(g, s)
	}
	done := e.vectorCopies(g, n, stmts)
	e.vectorStmts(g, stmts)
	done(g)
}

// vectorCopies brings what lanes keep between regions into vectors, and returns
// what puts it back.
func (e *emitter) vectorCopies(g *jen.Group, n *step, stmts []ir.Stmt) func(*jen.Group) {
	usage := usageOf(stmts)
	here := map[*ir.Var]bool{}
	for _, s := range stmts {
		if d, ok := s.(*ir.Define); ok {
			here[d.Var] = true
		}
	}
	var back []*ir.Var
	for _, x := range e.plan.arrays {
		u := usage[x]
		if !here[x] && !u.read && !u.written {
			continue
		}
		if vectorType(x.Type) == "" || x.Type.Kind == ir.Bool || x.Type.Kind == ir.Int {
			e.refuse(x.Pos, "%s, a %s that each invocation keeps over barriers", x.Name, x.Type)
			continue
		}
		e.copied[x] = true
		wanted := e.plan.wanted(x, n)
		if !here[x] {
			array := e.laneArray(x)
			g.Id(e.names.declare(x)).Op(":=").Qual(simdPath, "Load"+vectorType(x.Type)+"x8").Call(array)
			if !u.read && !wanted {
				g.Id("_").Op("=").Id(e.names.of[x])
			}
		}
		if (here[x] || u.written) && wanted {
			back = append(back, x)
		}
	}
	if len(back) > 0 && len(exitsOf(stmts)) > 0 && !e.simd.parts {
		e.refuse(n.start(), "a jump of all lanes past its end") // past what puts variables back
	}
	return func(g *jen.Group) {
		for _, x := range back {
			g.Id(e.names.of[x]).Dot("Store").Call(e.laneArray(x))
		}
		e.copied = map[*ir.Var]bool{}
	}
}

// laneArray returns the eight elements that the lanes have of a variable that all lanes keep.
func (e *emitter) laneArray(x *ir.Var) *jen.Statement {
	e.laneUsed = true
	array := jen.Id(e.arrays[x])
	axes := e.form.axes()
	for _, axis := range axes[:len(axes)-1] {
		array.Index(jen.Id(e.lane[axis]))
	}
	return jen.Parens(jen.Op("*").Index(jen.Lit(lanesAtOnce)).Add(e.structs.typ(x.Type))).Parens(array.Index(jen.Id(e.lane[0]).Op(":")))
}

// vectorType returns the name that vectors of t have in archsimd, less their
// length, or "" for a type that has none. A Go int fits 32 bits.
func vectorType(t *ir.Type) string {
	switch t.Kind {
	case ir.Float32:
		return "Float32"
	case ir.Int, ir.Int32:
		return "Int32"
	case ir.Uint32:
		return "Uint32"
	case ir.Bool:
		return "Mask32"
	}
	return ""
}

// vectorOf returns the Go type of a vector of t.
func vectorOf(t *ir.Type) *jen.Statement {
	return jen.Qual(simdPath, vectorType(t)+"x8")
}

// mask declares a mask variable with no lane set, and returns its name.
func (e *emitter) mask(g *jen.Group, name string) string {
	name = e.names.fresh(name)
	g.Var().Id(name).Qual(simdPath, "Mask32x8")
	return name
}

// fresh gives a value a name.
func (e *emitter) fresh(g *jen.Group, name string, value *jen.Statement) string {
	name = e.names.fresh(name)
	g.Id(name).Op(":=").Add(value)
	return name
}
