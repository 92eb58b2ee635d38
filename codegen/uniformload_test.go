package codegen_test

import (
	"fmt"
	"strings"
	"testing"

	"tandem/codegen"
)

// TestUniformLoads: what is loaded for a workgroup may be of any type, computed with in any way, at any depth.
func TestUniformLoads(t *testing.T) {
	nestings := []string{"{@}", "if n > 1 {@}", "if n > 1 { } else {@}", "for j := range n { x[j] = 1; @}", "switch n { case 1: @; default: x[0]++ }", "for n > 2 { if n > 3 { switch n { case 5: @ } }; n-- }"}
	uses := map[string][]string{
		"uint32":      {"a := m * 3; for a > 9 { a -= 7 }; x[i] = a", "ok := m == 3; ok = ok && n > 1; if ok { x[i] = 1 }", "a := max(m, n) % 5 << 1; a++; x[i] = a", "a := [2]uint32{m, n}[i%2]; x[i] = a"},
		"int32":       {"a := -m; a++; x[i] = uint32(a)", "a := dsl.Abs(m) / 3; a *= 2; x[i] = uint32(a)"},
		"float32":     {"a := m*m + 1; a *= a; x[i] = uint32(a)", "a := dsl.Sqrt(m); a++; x[i] = uint32(a)", "a := int32(m); a++; x[i] = uint32(a)", "a := dsl.Float32Bits(m) + 1; a++; x[i] = a"},
		"bool":        {"ok := !m; ok = !ok && n > 1; if ok { x[i] = 1 }", "a := dsl.Select(m, n, 3); a++; x[i] = a"},
		"dsl.Vec3":    {"a := m.Scale(2); a.X++; x[i] = uint32(a.X)", "a := m.Y + 1; a++; x[i] = uint32(a)", "a := dsl.Length(m); a++; x[i] = uint32(a)"},
		"[4]uint32":   {"a := m; a[n%4]++; x[i] = a[1]", "a := m[n%4] + m[2]; a++; x[i] = a"},
		"S":           {"a := m; a.N++; x[i] = a.N", "a := m.In.V.X + m.In.A[1]; a++; x[i] = uint32(a)", "a := m.In; a.V.X++; x[i] = uint32(a.V.X)"},
		"[2]dsl.Vec2": {"a := m[1].Y * 2; a++; x[i] = uint32(a)", "ok := m == [2]dsl.Vec2{}; ok = ok && n > 1; if ok { x[i] = 1 }"},
	}
	loads := map[string][]string{"uint32": {"group.Max(t, s[:], n)", "group.Broadcast(t, s[:], i, 3)"}, "bool": {"group.Any(t, votes[:], i > n)"}}
	var text strings.Builder
	text.WriteString("package kernels\n\nimport (\n\"tandem/dsl\"\n\"tandem/dsl/group\"\n)\n\nvar _ = group.Sum[uint32]\n\ntype S struct { N uint32; In struct { V dsl.Vec2; A [2]float32 } }\n")
	kernel := 0
	for of, bodies := range uses {
		for _, load := range append(loads[of], "dsl.UniformLoad(&s[0])") {
			for _, body := range bodies {
				for _, nesting := range nestings {
					body := strings.Replace(nesting, "@", "m := "+load+"; "+body, 1)
					fmt.Fprintf(&text, "\n//tandem:kernel workgroup=64 groups=n\nfunc K%d(t dsl.Thread, n uint32, x []uint32, s *[64]%s, votes *[64]uint32) {\n\ti := t.Global.X\n\t%s\n}\n", kernel, of, body)
					kernel++
				}
			}
		}
	}
	if _, err := compile(t, text.String(), codegen.Options{Path: "m/gen"}); err != nil {
		t.Error(err)
	}
}
