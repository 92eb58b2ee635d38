package codegen_test

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"

	"tandem/codegen/codegentest"
)

// TestBuiltins calls every function of package dsl, with every type that it takes, alone in a kernel: where it decides about the form.
func TestBuiltins(t *testing.T) {
	names := []string{"float32", "int32", "uint32", "Vec2", "Vec3", "Vec4", "IVec2", "IVec3", "IVec4", "UVec2", "UVec3", "UVec4"}
	p, err := codegentest.Source("k.go", scale)
	if err != nil {
		t.Fatal(err)
	}
	dsl := p.Types.Imports()[0].Scope()
	host := []string{"Emulate", "Float16FromBits", "ToFloat16", "Len", "Unroll", "Assert", "Print", "UniformLoad", "AtomicAddFloat32"} // not of values alone
	var text strings.Builder
	text.WriteString("package kernels\n\nimport \"tandem/dsl\"\n")
	kernels := 0
	for _, name := range dsl.Names() {
		f, ok := dsl.Lookup(name).(*types.Func)
		if !ok || !f.Exported() || slices.Contains(host, name) {
			continue
		}
		made := 0
		for _, of := range names {
			s := f.Signature()
			if n := s.TypeParams().Len(); n > 0 {
				arg := types.Universe.Lookup(of)
				if arg == nil {
					arg = dsl.Lookup(of)
				}
				with := []types.Type{arg.Type()}
				if n == 2 { // a vector and its components
					with = append(with, types.Typ[map[byte]types.BasicKind{'V': types.Float32, 'I': types.Int32, 'U': types.Uint32}[of[0]]])
				}
				instance, err := types.Instantiate(nil, s, with, true)
				if err != nil {
					continue
				}
				s = instance.(*types.Signature)
			} else if made > 0 {
				continue
			}
			if kernel, ok := callOf(name, s, kernels); ok {
				text.WriteString(kernel)
				kernels++
				made++
			}
		}
		if made == 0 {
			t.Errorf("no kernel calls dsl.%s: list it as one for the host, or of other than values", name)
		}
	}
	if kernels < 200 {
		t.Errorf("only %d kernels", kernels)
	}
	check(t, text.String(), "m/gen", generate(t, text.String(), "m/gen"))
}

// callOf returns kernel n, which calls a function of dsl with elements of buffers; not ok: the function is not one of values.
func callOf(name string, s *types.Signature, n int) (text string, ok bool) {
	if s.Results().Len() != 1 {
		return "", false
	}
	var params, args []string
	for i := range s.Params().Len() {
		of := types.TypeString(s.Params().At(i).Type(), (*types.Package).Name)
		arg := fmt.Sprintf("x%d[i]", i)
		if of == "bool" {
			of, arg = "uint32", "1 < "+arg
		}
		if strings.ContainsAny(of, "*[") || of == "dsl.Thread" {
			return "", false
		}
		params, args = append(params, fmt.Sprintf("x%d []%s", i, of)), append(args, arg)
	}
	result := types.TypeString(s.Results().At(0).Type(), (*types.Package).Name)
	store := "y[i] = %s"
	if result == "bool" {
		result, store = "uint32", "if %s { y[i] = 1 }"
	}
	if !strings.Contains(params[0], "dsl.") { // so much work that eight at a time pays
		args[0] += strings.Repeat("*x0[i]", 12)
	}
	body := fmt.Sprintf(store, "dsl."+name+"("+strings.Join(args, ", ")+")")
	return fmt.Sprintf("\n//tandem:kernel workgroup=64 threads=len(y)\n//tandem:tol abs=1\nfunc K%d(t dsl.Thread, %s, y []%s) {\n\ti := t.Global.X\n\t%s\n}\n", n, strings.Join(params, ", "), result, body), true
}
