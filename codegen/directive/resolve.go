package directive

import (
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strconv"
	"strings"

	"tandem/codegen/ir"
	"tandem/codegen/load"
)

// Resolved is what the lines say about one instance or variant of a kernel.
type Resolved struct {
	Workgroup  [3]int
	Grid       ir.Grid
	Directives ir.Directives
}

// resolver gives the lines of one kernel their meaning.
type resolver struct {
	lines *Lines
	scope Scope
	out   Resolved
	errs  load.Errors
}

// Resolve gives the expressions of a kernel's lines a meaning.
func (l *Lines) Resolve(scope Scope) (Resolved, load.Errors) {
	r := &resolver{lines: l, scope: scope}
	if l.kernel != nil {
		r.kernel()
	}
	d := &r.out.Directives
	for _, w := range l.wheres {
		if c := r.cond(w); c != nil {
			d.Where = append(d.Where, c)
		}
	}
	for _, kv := range l.lens {
		r.length(kv)
	}
	for _, kv := range l.tests {
		r.test(kv)
	}
	for _, kv := range l.inplace {
		r.inplace(kv)
	}
	for _, kv := range l.tol {
		r.tolerance(kv)
	}
	if l.want != nil && r.function(*l.want, "reference") {
		d.Want = l.want.Text
		r.checkWant(*l.want)
	}
	return r.out, r.errs
}

// errorf appends an error of the kernel.
func (r *resolver) errorf(pos ir.Pos, format string, args ...any) {
	r.errs.Add(pos, r.lines.kernelName, format, args...)
}

func (r *resolver) cond(w Word) *ir.Size { return r.keep(r.scope.parse(w, true)) }
func (r *resolver) size(w Word) *ir.Size { return r.keep(r.scope.parse(w, false)) }

// keep returns the size, or nil after noting the error.
func (r *resolver) keep(s *ir.Size, err error) *ir.Size {
	if x, ok := err.(exprError); ok {
		r.errorf(x.pos, "%s", x.msg)
		return nil
	}
	return s
}

// kernel resolves workgroup=, and threads= or groups=.
func (r *resolver) kernel() {
	line := r.lines.kernel
	var workgroup, grid *pair
	for i := range line.pairs {
		kv := &line.pairs[i]
		switch {
		case kv.key.Text == "workgroup":
			workgroup = kv
		case grid != nil:
			r.errorf(kv.key.Pos, "give threads= or groups=, not both")
		default:
			grid = kv
		}
	}
	if workgroup == nil {
		r.errorf(line.name.Pos, "workgroup= is missing: how many invocations a workgroup has, as in workgroup=256 or workgroup=16x16")
	}
	if grid == nil {
		r.errorf(line.name.Pos, "the grid is missing: threads= for that many invocations, or groups= for that many workgroups")
	}
	if workgroup == nil || grid == nil {
		return
	}
	sides := r.workgroup(workgroup.value)
	r.grid(grid, sides)
}

// The largest workgroup that a device offers, by side and in all. WebGPU only
// promises 256 invocations: more is for variants (package validate).
var maxSide = [3]int64{1024, 1024, 64}

const maxInvocations = 1024

// workgroup resolves W[xH[xD]] and returns the number of sides, 0 on error.
func (r *resolver) workgroup(w Word) int {
	sides := r.sides(w)
	if sides == nil {
		r.errorf(w.Pos, "%q is not a workgroup size: write W, WxH or WxHxD with numbers or package constants", w.Text)
		return 0
	}
	r.out.Workgroup = [3]int{1, 1, 1}
	total := int64(1)
	for i, n := range sides {
		if n < 1 || n > maxSide[i] {
			r.errorf(w.Pos, "side %c of the workgroup is %d: it must be from 1 to %d", "XYZ"[i], n, maxSide[i])
			return 0
		}
		r.out.Workgroup[i] = int(n)
		total *= n
	}
	if total > maxInvocations {
		r.errorf(w.Pos, "a workgroup of %s has %d invocations: at most %d are possible", w.Text, total, maxInvocations)
		return 0
	}
	return len(sides)
}

// sides cuts WxHxD. An x may be a letter of a constant's name, so every cut is
// tried, fewest pieces first.
func (r *resolver) sides(w Word) []int64 {
	for n := 1; n <= 3; n++ {
		if s := r.cut(w, n); s != nil {
			return s
		}
	}
	return nil
}

// cut finds n constant expressions with an x between them; nil if there are none.
func (r *resolver) cut(w Word, n int) []int64 {
	if n == 1 {
		if v, ok := r.constantInt(w.trim()); ok {
			return []int64{v}
		}
		return nil
	}
	for i := range len(w.Text) {
		if w.Text[i] != 'x' {
			continue
		}
		first, ok := r.constantInt(w.sub(0, i).trim())
		if !ok {
			continue
		}
		if rest := r.cut(w.sub(i+1, len(w.Text)), n-1); rest != nil {
			return append([]int64{first}, rest...)
		}
	}
	return nil
}

func (r *resolver) constantInt(w Word) (int64, bool) {
	s, err := Scope{Pkg: r.scope.Pkg, Consts: r.scope.Consts}.parse(w, false)
	if err != nil || s.Op != ir.SizeConst {
		return 0, false
	}
	return s.N, true
}

// grid resolves the value of threads= or groups=.
func (r *resolver) grid(kv *pair, workgroupSides int) {
	r.out.Grid.Threads = kv.key.Text == "threads"
	dims := kv.value.split(',')
	if len(dims) > 3 {
		r.errorf(dims[3].Pos, "a grid has at most three sides")
		return
	}
	for _, w := range dims {
		if w.Text == "" {
			r.errorf(w.Pos, "a side of the grid is missing here")
			continue
		}
		if s := r.size(w); s != nil {
			r.out.Grid.Dims = append(r.out.Grid.Dims, s)
		}
	}
	if r.out.Grid.Threads && workgroupSides > len(dims) {
		r.errorf(kv.value.Pos, "threads= has %d of the %d sides of the workgroup: give one number for each, as in threads=w,h", len(dims), workgroupSides)
	}
}

// buffer finds the buffer that a word names.
func (r *resolver) buffer(w Word) *ir.Var {
	at, err := r.scope.find(strings.Split(w.Text, "."))
	if err != nil {
		r.errorf(w.Pos, "%v", err)
		return nil
	}
	if at.v.Space != ir.BufferVar || at.path != nil {
		r.errorf(w.Pos, "%s is not a buffer, a parameter of type []T", w.Text)
		return nil
	}
	return at.v
}

func (r *resolver) length(kv pair) {
	v := r.buffer(kv.key)
	least := r.size(kv.value)
	if v != nil && least != nil {
		d := &r.out.Directives
		d.Lens = append(d.Lens, ir.LenRule{Buffer: v, Least: least})
	}
}

func (r *resolver) inplace(kv pair) {
	out, in := r.buffer(kv.key), r.buffer(kv.value)
	switch {
	case out == nil || in == nil:
	case out == in:
		r.errorf(kv.value.Pos, "%s is in place of itself: name an input", kv.value.Text)
	case !ir.Same(out.Type, in.Type):
		r.errorf(kv.value.Pos, "%s is a %s and %s a %s: one buffer cannot be both", kv.key.Text, out.Type, kv.value.Text, in.Type)
	default:
		d := &r.out.Directives
		d.InPlace = append(d.InPlace, ir.InPlace{Out: out, In: in})
	}
}

// mostUndecided is the largest share of an output, in percent, that may be
// undecided: of what is mostly not compared a test says little.
const mostUndecided = 50

// undecided reads a share in percent.
func (r *resolver) undecided(w Word) {
	number, percent := strings.CutSuffix(w.Text, "%")
	share, err := strconv.ParseFloat(number, 64)
	if !percent || err != nil || !(share > 0 && share <= mostUndecided) {
		r.errorf(w.Pos, "%q is no share of an output: write a percentage up to %d%%, as in undecided=2%%", w.Text, mostUndecided)
		return
	}
	r.out.Directives.Undecided = share / 100
}

func (r *resolver) tolerance(kv pair) {
	if kv.key.Text == "undecided" {
		r.undecided(kv.value)
		return
	}
	v, ok := r.float(kv.value)
	if !ok || v < 0 || math.IsInf(v, 0) {
		r.errorf(kv.value.Pos, "%q is not a tolerance: write a number from 0 up, as in 1e-5", kv.value.Text)
		return
	}
	d := &r.out.Directives
	if d.Tolerance == nil {
		d.Tolerance = &ir.Tolerance{}
	}
	if kv.key.Text == "abs" {
		d.Tolerance.Abs = v
	} else {
		d.Tolerance.Rel = v
	}
}

// float computes a constant expression.
func (r *resolver) float(w Word) (float64, bool) {
	tree, err := parser.ParseExpr(w.Text)
	if err != nil {
		return 0, false
	}
	e := &expression{scope: Scope{Pkg: r.scope.Pkg, Consts: r.scope.Consts}, text: w, fset: token.NewFileSet()}
	v := e.constant(tree)
	if !isNumber(v) {
		return 0, false
	}
	f, _ := constant.Float64Val(v)
	return f, true
}

// test resolves one key=value of //tandem:test.
func (r *resolver) test(kv pair) {
	d := &r.out.Directives
	switch kv.key.Text {
	case "gen":
		if r.function(kv.value, "generator") {
			d.Gen = kv.value.Text
			r.checkGen(kv.value)
		}
	case "unordered":
		for _, w := range kv.value.split(',') {
			if v := r.buffer(w); v != nil {
				d.Unordered = append(d.Unordered, v)
			}
		}
	default:
		r.domain(kv)
	}
}

// domain resolves x=lo..hi and len(x)=lo..hi.
func (r *resolver) domain(kv pair) {
	dots := strings.Index(kv.value.Text, "..")
	if dots < 0 {
		r.errorf(kv.value.Pos, "%q is not a range: write lo..hi, both ends included", kv.value.Text)
		return
	}
	lo, hi := kv.value.sub(0, dots).trim(), kv.value.sub(dots+2, len(kv.value.Text)).trim()
	dom, ok := r.target(kv.key)
	if !ok {
		return
	}
	if dom.Float {
		ok = r.floatEnds(&dom, lo, hi)
	} else {
		ok = r.intEnds(&dom, lo, hi)
	}
	if ok {
		d := &r.out.Directives
		d.Domains = append(d.Domains, dom)
	}
}

// target finds what a domain is of.
func (r *resolver) target(key Word) (ir.Domain, bool) {
	if inner, ok := strings.CutPrefix(key.Text, "len("); ok && strings.HasSuffix(inner, ")") {
		v := r.buffer(key.sub(len("len("), len(key.Text)-1))
		return ir.Domain{Var: v, Len: true}, v != nil
	}
	at, err := r.scope.find(strings.Split(key.Text, "."))
	if err != nil {
		r.errorf(key.Pos, "%v", err)
		return ir.Domain{}, false
	}
	floats, ints := scalars(at.typ)
	if floats && ints {
		r.errorf(key.Pos, "%s has both floats and integers, which no one range fits: use gen= for it", key.Text)
		return ir.Domain{}, false
	}
	return ir.Domain{Var: at.v, Path: at.path, Float: floats}, true
}

// scalars reports what kinds of numbers a type holds.
func scalars(t *ir.Type) (floats, ints bool) {
	switch t.Kind {
	case ir.Float32, ir.Float16:
		return true, false
	case ir.Vector, ir.Array, ir.Slice, ir.Atomic:
		return scalars(t.Elem)
	case ir.Struct:
		for _, f := range t.Fields {
			x, y := scalars(f.Type)
			floats, ints = floats || x, ints || y
		}
		return floats, ints
	}
	return false, true
}

func (r *resolver) floatEnds(dom *ir.Domain, lo, hi Word) bool {
	var ok bool
	for _, end := range []struct {
		w  Word
		to *float64
	}{{lo, &dom.FLo}, {hi, &dom.FHi}} {
		if *end.to, ok = r.float(end.w); !ok {
			r.errorf(end.w.Pos, "%q is not a constant number", end.w.Text)
			return false
		}
	}
	if dom.FLo > dom.FHi {
		r.errorf(lo.Pos, "the range is empty: %s is more than %s", lo.Text, hi.Text)
		return false
	}
	return true
}

func (r *resolver) intEnds(dom *ir.Domain, lo, hi Word) bool {
	dom.Lo, dom.Hi = r.size(lo), r.size(hi)
	if dom.Lo == nil || dom.Hi == nil {
		return false
	}
	least, most := limits(dom)
	for _, end := range []struct {
		w Word
		s *ir.Size
	}{{lo, dom.Lo}, {hi, dom.Hi}} {
		if end.s.Op == ir.SizeConst && (end.s.N < least || end.s.N > most) {
			r.errorf(end.w.Pos, "%s is outside of what it is drawn for: %d to %d", end.w.Text, least, most)
			return false
		}
	}
	if dom.Lo.Op == ir.SizeConst && dom.Hi.Op == ir.SizeConst && dom.Lo.N > dom.Hi.N {
		r.errorf(lo.Pos, "the range is empty: %s is more than %s", lo.Text, hi.Text)
		return false
	}
	return true
}

// limits returns the least and greatest value of what a domain is of.
func limits(dom *ir.Domain) (least, most int64) {
	if dom.Len {
		return 0, math.MaxUint32
	}
	t := fieldType(dom.Var.Type, dom.Path)
	for t.Elem != nil {
		t = t.Elem
	}
	switch t.Kind {
	case ir.Bool:
		return 0, 1
	case ir.Uint8:
		return 0, math.MaxUint8
	case ir.Int8:
		return math.MinInt8, math.MaxInt8
	case ir.Uint16:
		return 0, math.MaxUint16
	case ir.Int16:
		return math.MinInt16, math.MaxInt16
	case ir.Uint32:
		return 0, math.MaxUint32
	case ir.Struct:
		return math.MinInt32, math.MaxUint32
	}
	return math.MinInt32, math.MaxInt32
}

// function reports whether w names a function of the kernel's package.
func (r *resolver) function(w Word, role string) bool {
	if r.lookup(w) != nil {
		return true
	}
	r.errorf(w.Pos, "the %s %s is not a function of this package%s", role, w.Text, suggest(w.Text, r.functions(), ""))
	return false
}

func (r *resolver) lookup(w Word) *types.Func {
	if r.scope.Pkg == nil {
		return nil
	}
	fn, _ := r.scope.Pkg.Scope().Lookup(w.Text).(*types.Func)
	return fn
}

func (r *resolver) functions() []string {
	if r.scope.Pkg == nil {
		return nil
	}
	scope := r.scope.Pkg.Scope()
	return slices.DeleteFunc(scope.Names(), func(name string) bool {
		_, ok := scope.Lookup(name).(*types.Func)
		return !ok
	})
}

// launched returns the launch parameters of the kernel.
func (r *resolver) launched() []*ir.Param {
	return slices.DeleteFunc(slices.Clone(r.scope.Params), func(p *ir.Param) bool { return p.Kind == ir.SharedParam })
}

// checkWant reports a reference whose parameters are not the kernel's.
func (r *resolver) checkWant(w Word) {
	sig := r.lookup(w).Type().(*types.Signature)
	params := r.launched()
	if sig.Params().Len() != len(params) || sig.Results().Len() != 0 {
		r.errorf(w.Pos, "the reference %s must have the kernel's launch parameters, %s, and no results", w.Text, list(params))
		return
	}
	if sig.TypeParams() != nil {
		return // the compiler of the parity test checks instances
	}
	for i, p := range params {
		if got := sig.Params().At(i).Type(); p.Go != nil && !hasTypeParam(p.Go) && !types.Identical(got, p.Go) {
			r.errorf(w.Pos, "parameter %s of the reference %s is of type %s, the kernel's %s of %s", sig.Params().At(i).Name(), w.Text, short(got), p.Name, short(p.Go))
		}
	}
}

// checkGen reports a generator that is not func(r *rand.Rand, size int) (launch
// arguments).
func (r *resolver) checkGen(w Word) {
	sig := r.lookup(w).Type().(*types.Signature)
	params := r.launched()
	form := "func " + w.Text + "(r *rand.Rand, size int) (" + list(params) + ")"
	switch in := sig.Params(); {
	case in.Len() != 2 || sig.Variadic() || sig.Results().Len() != len(params):
		r.errorf(w.Pos, "the generator %s must be %s: it returns the kernel's launch parameters, in their order", w.Text, form)
		return
	case !isRand(in.At(0).Type()):
		r.errorf(w.Pos, "the generator %s must be %s, with the Rand of math/rand, not %s", w.Text, form, types.TypeString(in.At(0).Type(), nil))
		return
	case !types.Identical(in.At(1).Type(), types.Typ[types.Int]):
		r.errorf(w.Pos, "the generator %s must be %s: the size is an int, not a %s", w.Text, form, short(in.At(1).Type()))
		return
	case sig.TypeParams() != nil:
		return // the compiler of the parity test checks instances
	}
	for i, p := range params {
		if got := sig.Results().At(i).Type(); p.Go != nil && !hasTypeParam(p.Go) && !types.Identical(got, p.Go) {
			r.errorf(w.Pos, "result %d of the generator %s is of type %s, the kernel's %s of %s", i+1, w.Text, short(got), p.Name, short(p.Go))
		}
	}
}

// isRand reports whether t is *rand.Rand, of math/rand; or of no type, which the Go compiler tells of.
func isRand(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return t == types.Typ[types.Invalid]
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && n.Obj().Name() == "Rand" && n.Obj().Pkg().Path() == "math/rand" || p.Elem() == types.Typ[types.Invalid]
}

func list(params []*ir.Param) string {
	var all []string
	for _, p := range params {
		all = append(all, p.Name)
	}
	return strings.Join(all, ", ")
}

func short(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

func hasTypeParam(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Slice:
		return hasTypeParam(t.Elem())
	case *types.Array:
		return hasTypeParam(t.Elem())
	case *types.Pointer:
		return hasTypeParam(t.Elem())
	case *types.Named:
		return t.TypeParams() != nil
	}
	return false
}
