package validate

import (
	"errors"
	"strings"
	"testing"

	"tandem/codegen/ir"
)

const head = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"

// TestFaults has one shader for each thing that naga does not report.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"workgroup size", head + "@compute @workgroup_size(512)\nfn main() { o[0] = 1u; }\n", "512 invocations"},
		{"workgroup depth", head + "@compute @workgroup_size(1, 1, 128)\nfn main() { o[0] = 1u; }\n", "1 by 1 by 128"},
		{"workgroup memory", head + "var<workgroup> w: array<u32, 5000>;\n@compute @workgroup_size(1)\nfn main() { o[0] = w[1]; }\n", "20000 bytes of workgroup memory"},
		{"buffers", manyBuffers(9), "9 buffers"},
		{"bool", "@group(0) @binding(0) var<storage, read_write> o: array<bool>;\n@compute @workgroup_size(1)\nfn main() { o[0] = true; }\n", "bool"},
		{"atomic store", "@group(0) @binding(0) var<storage, read_write> o: array<atomic<u32>>;\n@compute @workgroup_size(1)\nfn main() {\n  o[0] = 1u;\n}\n", "o is atomic"},
		{"atomic load", head + "var<workgroup> n: atomic<u32>;\n@compute @workgroup_size(1)\nfn main() { let a = atomicLoad(&n); o[0] = n; }\n", "n is atomic"},
		{"half", head + "@compute @workgroup_size(1)\nfn main() { o[0] = u32(1.5h); }\n", "1.5h needs an extension"},
		{"subgroup", head + "@compute @workgroup_size(1)\nfn main() { o[0] = subgroupAdd(1u); }\n", "subgroupAdd needs an extension"},
		{"underscores", head + "fn __f(x: u32) -> u32 { return x; }\n@compute @workgroup_size(1)\nfn main() { o[0] = __f(1u); }\n", "__f begins with two"},
		{"reserved member", head + "struct S { common: u32 }\n@compute @workgroup_size(1)\nfn main() { o[0] = 1u; }\n", "common is reserved"},
		{"operand types", head + "@compute @workgroup_size(1)\nfn main() { let a = o[0]; o[0] = a + 1i; }\n", "u32 and i32"},
		{"stored type", head + "@compute @workgroup_size(1)\nfn main() { o[0] = f32(o[1]); }\n", "f32, not u32"},
		{"read-only", "@group(0) @binding(0) var<storage, read> o: array<u32>;\n@compute @workgroup_size(1)\nfn main() { o[0] = 1u; }\n", "only read"},
		{"division by zero", head + "@compute @workgroup_size(1)\nfn main() { o[0] = o[1] / 0u; }\n", "division by 0"},
		{"shift", head + "@compute @workgroup_size(1)\nfn main() { o[0] = o[1] << 33u; }\n", "shift by 33"},
		{"reserved", head + "@compute @workgroup_size(1)\nfn main() { let target = 1u; o[0] = target; }\n", "target is reserved"},
		{"twice", head + "@compute @workgroup_size(1)\nfn main() { let a = 1u; let a = 2u; o[0] = a; }\n", "declared twice"},
		{"mixed", head + "@compute @workgroup_size(1)\nfn main() { o[0] = o[1] << 1u + 2u; }\n", "without parentheses"},
		{"endless", head + "@compute @workgroup_size(1)\nfn main() { for (;;) { o[0]++; } }\n", "nothing ends a loop"},
		{"no return", head + "fn f(x: u32) -> u32 { if (x > 1u) { return 1u; } }\n@compute @workgroup_size(1)\nfn main() { o[0] = f(1u); }\n", "returns"},
	} {
		err := Shader(c.text, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want … %s …", c.name, err, c.want)
		}
	}
}

func manyBuffers(n int) string {
	var b strings.Builder
	for i := range n {
		name := string(rune('a' + i))
		b.WriteString("@group(0) @binding(" + string(rune('0'+i)) + ") var<storage, read_write> " + name + ": array<u32>;\n")
	}
	b.WriteString("@compute @workgroup_size(1)\nfn main() { a[0] = 1u; }\n")
	return b.String()
}

// TestPosition maps a fault to the Go line that its WGSL line came from.
func TestPosition(t *testing.T) {
	text := head + "@compute @workgroup_size(1)\nfn main() {\n  o[0] = 1u + ;\n}\n"
	lines := []ir.Pos{{}, {File: "k.go", Line: 7, Col: 1}, {}, {File: "k.go", Line: 9, Col: 2}, {}}
	err := Shader(text, lines)
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an *Error", err)
	}
	if e.Pos != lines[3] || e.Line != 4 || e.By != "naga" {
		t.Errorf("got %+v, want WGSL line 4, k.go:9:2, by naga", e)
	}
}

// TestGarbage: whatever the text, there is an answer.
func TestGarbage(t *testing.T) {
	for _, text := range []string{"", "{", "}", "fn", "fn f(", "struct S {", "/*", "var<", "@", "((((", "let", "\x00", "fn f() { for (", "1e", "0x"} {
		_ = Shader(text, nil)
	}
}
