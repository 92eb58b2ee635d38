package validate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// verdict is one shader of the shared fixtures, with what Tint says (Valid) and
// what gogpu/naga alone says.
type verdict struct {
	Name, Category, Code string
	Valid                bool
	NagaGo               string `json:"naga_go"`
}

func verdicts(t *testing.T) []verdict {
	t.Helper()
	file := filepath.Join("..", "..", "shared", "fixtures", "wgsl", "verdicts.json")
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		t.Skip("not run: no shared fixtures beside the repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	var list []verdict
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// unseen are the invalid shaders that validate does not see are invalid. The
// compiler rules each kind out earlier, or never writes the like.
var unseen = strings.Fields(`
	barrier_nonuniform_if barrier_nonuniform_storage barrier_early_return barrier_nonuniform_loop barrier_nonuniform_call
	arg_mismatch let_decl_mismatch vec3_to_vec4_init u32_to_i32 struct_ctor_type switch_type_mismatch atomic_arg_type
	literal_i32_range neg_to_u32 u32_ctor_neg abstract_f32_range shl_abstract_40 shl_u32_32 shl_overflow_sign
	div_f32_zero_const sqrt_neg_const extractbits_const_range const_from_runtime
	builtin_argc_many builtin_wrong_type unused_must_use mat_vec_dim assign_whole_runtime wg_size_negative
	wg_to_private_ptr wg_local ptr_in_struct ptr_to_let
`)

// TestVerdicts holds validate against Tint: it refuses no valid shader that naga
// can read and native drivers run, and of the invalid ones it misses no more
// than are listed.
func TestVerdicts(t *testing.T) {
	missed := map[string]bool{}
	for _, name := range unseen {
		missed[name] = true
	}
	seen, naga, invalid := 0, 0, 0
	for _, v := range verdicts(t) {
		err := Shader(v.Code, nil)
		extension := strings.Contains(v.Code, "enable ")
		switch {
		case v.Valid && v.NagaGo == "accepts" && !extension && err != nil:
			t.Errorf("%s (%s) is valid: %v\n%s", v.Name, v.Category, err, v.Code)
		case v.Valid && extension && err == nil:
			t.Errorf("%s needs an extension that native drivers refuse, and is accepted", v.Name)
		case v.Valid:
		case err == nil && !missed[v.Name]:
			t.Errorf("%s (%s) is invalid, and is accepted\n%s", v.Name, v.Category, v.Code)
		case err != nil && missed[v.Name]:
			t.Errorf("%s is refused now: take it from the list", v.Name)
		}
		if !v.Valid {
			invalid++
			if err != nil {
				seen++
			}
			if v.NagaGo == "rejects" {
				naga++
			}
		}
	}
	t.Logf("%d of %d invalid shaders refused; naga alone refuses %d", seen, invalid, naga)
}
