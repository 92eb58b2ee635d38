package lower_test

import (
	"fmt"
	"math/rand"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tandem/codegen/ir"
	"tandem/codegen/lower/testdata/calls"
	"tandem/codegen/lower/testdata/generic"
	"tandem/codegen/lower/testdata/order"
	"tandem/codegen/lower/testdata/programs"
	"tandem/codegen/lower/testdata/random"
	"tandem/codegen/lower/testdata/stmts"
	"tandem/codegen/lower/testdata/values"
	"tandem/dsl"
)

// meanings are the kernels that TestMeaning runs.
var meanings = map[string]map[string]any{
	"order": {
		"ShortCircuit": order.ShortCircuit, "OpAssign": order.OpAssign, "Swaps": order.Swaps, "Calls": order.Calls, "Pointers": order.Pointers,
		"Parts": order.Parts, "Arguments": order.Arguments,
	},
	"stmts": {
		"Loops": stmts.Loops, "Jumps": stmts.Jumps, "Switches": stmts.Switches, "Shadows": stmts.Shadows, "Returns": stmts.Returns, "Vars": stmts.Vars,
	},
	"calls": {
		"Methods": calls.Methods, "Returns": calls.Returns, "Windows": calls.Windows, "Functions": calls.Functions, "More": calls.More,
	},
	"values": {
		"Structs": values.Structs, "Constants": values.Constants, "Tables": values.Tables, "Parts": values.Parts,
	},
	"programs": {
		"ZeroSize": programs.ZeroSize, "NamedSlice": programs.NamedSlice, "Enum": programs.Enum, "MatMulT": programs.MatMulT,
		"MonteCarlo": programs.MonteCarlo, "Mandel": programs.Mandel, "BubbleLocal": programs.BubbleLocal,
	},
	"random": random.Kernels,
	"generic": {
		"AxpyFloat32": generic.Axpy[float32], "AxpyInt32": generic.Axpy[int32], "Tiled": generic.Tiled,
	},
}

// TestMeaning runs kernels as the Go functions that they are, and their ir, on
// the same random values, for one invocation that is alone.
func TestMeaning(t *testing.T) {
	for dir, funcs := range meanings {
		list, err := kernels(t, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range list {
			fn := funcs[k.Name]
			if fn == nil || k.Variant != "" {
				continue
			}
			t.Run(dir+"/"+k.Name, func(t *testing.T) { compareRuns(t, k, fn) })
		}
	}
}

func compareRuns(t *testing.T, k *ir.Kernel, fn any) {
	const runs = 40
	compared := 0
	for seed := range int64(runs) {
		r := rand.New(rand.NewSource(seed))
		id := uint32(r.Intn(8))
		args := randomArgs(r, reflect.TypeOf(fn))
		again := rand.New(rand.NewSource(seed))
		again.Intn(8)
		same := randomArgs(again, reflect.TypeOf(fn))
		fault := runGo(fn, id, args)
		got, irFault := runIR(k, id, same)
		if fault != "" || irFault != "" {
			if irFault != "" && fault == "" {
				t.Fatalf("seed %d: the ir fails: %s", seed, irFault)
			}
			continue // a kernel bug: what then happens is open
		}
		compared++
		var want []any
		for _, a := range args {
			want = append(want, plain(a))
		}
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("seed %d: -go +ir\n%s\n%s", seed, cmp.Diff(want, got), ir.Text(k))
		}
	}
	if compared < runs/20 {
		t.Errorf("only %d of %d runs could be compared", compared, runs)
	}
}

// randomArgs makes the arguments of a kernel after its Thread.
func randomArgs(r *rand.Rand, t reflect.Type) []reflect.Value {
	var args []reflect.Value
	for i := 1; i < t.NumIn(); i++ {
		v := reflect.New(t.In(i)).Elem()
		randomize(r, v)
		args = append(args, v)
	}
	return args
}

func randomize(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 24, 24))
		for i := range v.Len() {
			randomize(r, v.Index(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem())) // workgroup memory is zero
	case reflect.Array:
		for i := range v.Len() {
			randomize(r, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				randomize(r, f)
			}
		}
	case reflect.Float32:
		v.SetFloat(float64(r.Intn(9) - 2))
	case reflect.Int32:
		v.SetInt(int64(r.Intn(9) - 2))
	case reflect.Uint32:
		v.SetUint(uint64(r.Intn(6)))
	case reflect.Bool:
		v.SetBool(r.Intn(2) == 1)
	}
}

// thread is the invocation that runs.
func thread(id uint32) dsl.Thread {
	one := dsl.UVec3{X: 1, Y: 1, Z: 1}
	return dsl.Thread{Global: dsl.UVec3{X: id}, Local: dsl.UVec3{X: id}, Group: dsl.UVec3{X: id}, Groups: one, Size: one}
}

func runGo(fn any, id uint32, args []reflect.Value) (fault string) {
	defer func() {
		if r := recover(); r != nil {
			fault = fmt.Sprint(r)
		}
	}()
	reflect.ValueOf(fn).Call(append([]reflect.Value{reflect.ValueOf(thread(id))}, args...))
	return ""
}

// runIR runs the ir of a kernel and returns its arguments as they are then.
func runIR(k *ir.Kernel, id uint32, args []reflect.Value) (out []any, fault string) {
	defer func() {
		if r := recover(); r != nil {
			fault = fmt.Sprint(r)
		}
	}()
	x := int64(id)
	in := &interp{vars: map[*ir.Var]*cell{}, inputs: map[ir.InputKind][]int64{
		ir.Global: {x, 0, 0}, ir.Local: {x, 0, 0}, ir.Group: {x, 0, 0}, ir.Groups: {1, 1, 1}, ir.WorkgroupSize: {1, 1, 1},
		ir.GlobalIndex: {x}, ir.LocalIndex: {x}, ir.GroupIndex: {x},
	}}
	var cells []func() any
	for i, p := range k.Params {
		cells = append(cells, in.bind(p, args[i]))
	}
	for _, v := range k.Tables {
		in.vars[v] = &cell{in.eval(v.Init)}
	}
	in.stmts(k.Body)
	for _, c := range cells {
		out = append(out, c())
	}
	return out, ""
}

// bind declares a parameter and returns what reads it at the end.
func (in *interp) bind(p *ir.Param, v reflect.Value) func() any {
	if p.Kind == ir.PartsParam {
		var parts []func() any
		for i, part := range p.Parts {
			parts = append(parts, in.bind(part, v.Field(i)))
		}
		return func() any {
			var all []any
			for _, f := range parts {
				all = append(all, f())
			}
			return all
		}
	}
	c := &cell{toCells(v)}
	in.vars[p.Var] = c
	return func() any { return plainCells(c.v) }
}

func toCells(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		return toCells(v.Elem())
	case reflect.Slice, reflect.Array:
		a := make(aggregate, v.Len())
		for i := range a {
			a[i] = &cell{toCells(v.Index(i))}
		}
		return a
	case reflect.Struct:
		if isAtomic(v.Type()) {
			return v.Field(v.NumField() - 1).Convert(reflect.TypeFor[int64]()).Int()
		}
		a := make(aggregate, v.NumField())
		for i := range a {
			a[i] = &cell{toCells(v.Field(i))}
		}
		return a
	case reflect.Float32:
		return float32(v.Float())
	case reflect.Int32:
		return v.Int()
	case reflect.Uint32:
		return int64(v.Uint())
	case reflect.Bool:
		return v.Bool()
	}
	panic("the tests have no values of type " + v.Type().String())
}

func isAtomic(t reflect.Type) bool {
	return t == reflect.TypeFor[dsl.AtomicUint32]() || t == reflect.TypeFor[dsl.AtomicInt32]()
}

// plain returns a Go value as nested lists.
func plain(v reflect.Value) any { return plainCells(toCells(v)) }

func plainCells(v any) any {
	a, ok := v.(aggregate)
	if !ok {
		return v
	}
	all := make([]any, len(a))
	for i := range a {
		all[i] = plainCells(a[i].v)
	}
	return all
}
