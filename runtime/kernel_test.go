package runtime

import "testing"

// TestSourceFile names files as the //line comments of generated code have them.
func TestSourceFile(t *testing.T) {
	for _, c := range []struct{ pkg, source, file, function, want string }{
		{"m.org/user/k", "k/k.go:12", "../k/k.go", "m.org/user/gen.badGroups", "k/k.go"},
		{"m.org/user/k", "k/k.go:12", "../k/other.go", "m.org/user/gen.badGroups.func1", "k/other.go"},
		{"m.org/user/a/b", "a/b/k.go:12", "../../lib/h.go", "m.org/user/a/gen.badGroups", "lib/h.go"},
		{"m.org/user/k", "k/k.go:12", "bad.go", "m.org/user/gen.badGroups", "gen/bad.go"},
		{"m.org/user", "k.go:12", "../k.go", "m.org/user/gen.badGroups", "k.go"},
		{"m.org/user/k", "k/k.go:12", "k.go", "m.org/user/k.badGroups", "k/k.go"}, // in place
		{"m.org/user", "main.go:12", "main.go", "main.badGroups", "main.go"},
		{"m.org/user/cmd/x", "cmd/x/main.go:12", "main.go", "main.badGroups", "cmd/x/main.go"},
		{"m.org/user/k", "k/k.go:12", "dsl/group/group.go", "m.org/user/gen.badGroups", "dsl/group/group.go"}, // of tandem
		{"m.org/user/k", "k/k.go:12", "/src/k/k.go", "m.org/user/gen.badGroups", "/src/k/k.go"},
		{"", "broken.go:1", "other.go", "m.org/user/gen.badGroups", "m.org/user/gen/other.go"},
		{"m.org/user/k", "k/k.go:12", "other.go", "n.org/x.f", "other.go"},
	} {
		k := Kernel{Package: c.pkg, Source: c.source}
		if got := k.sourceFile(c.file, c.function); got != c.want {
			t.Errorf("%s, %s, %s in %s: %s, want %s", c.pkg, c.source, c.file, c.function, got, c.want)
		}
	}
}
