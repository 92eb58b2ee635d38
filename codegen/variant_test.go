package codegen_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tandem/codegen"
	"tandem/codegen/codegentest"
)

const tiles = `package kernels

import "tandem/dsl"

const Tile = 8

//tandem:kernel workgroup=Tile groups=ceil(len(x),Tile)
//tandem:const  Tile=8,16
//tandem:where  len(x) >= Tile
func Tiles(t dsl.Thread, x []float32) {
	if t.Global.X < dsl.Len(x) {
		x[t.Global.X] *= Tile
	}
}
`

// TestVariantFiles: a variant has files of its own, which the launcher and the
// parity test of its kernel name.
func TestVariantFiles(t *testing.T) {
	files, err := compile(t, tiles, codegen.Options{Path: "m/gen"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	text := map[string]string{}
	for _, f := range files {
		names = append(names, f.Name)
		text[f.Name] = string(f.Content)
	}
	if d := cmp.Diff([]string{"tiles.wgsl", "tiles_debug.wgsl", "tiles.go", "tiles_simd.go", "tiles_test.go", "tilestile16.wgsl", "tilestile16_debug.wgsl", "tilestile16.go", "tilestile16_simd.go"}, names); d != "" {
		t.Fatal(d)
	}
	for name, part := range map[string]string{
		"tiles.go":         "{Name: \"Tile=16\", Kernel: &tilesTile16Kernel}",
		"tilestile16.go":   "func tilesTile16CPU(",
		"tilestile16.wgsl": "@workgroup_size(16)",
	} {
		if !strings.Contains(text[name], part) {
			t.Errorf("%s has no %s:\n%s", name, part, text[name])
		}
	}
	grid := "l.Variant(0, l.Len(0).Ceil(runtime.Int(16)))\n\tl.VariantWhere(0, l.Len(0).Ge(runtime.Int(16)))"
	if !strings.Contains(text["tiles.go"], grid) {
		t.Errorf("tiles.go has no %s:\n%s", grid, text["tiles.go"])
	}
	if strings.Contains(text["tilestile16.go"], "func TilesTile16") {
		t.Error("the variant has a launcher")
	}
}

// TestVariantArguments: a variant that takes other arguments is an error.
func TestVariantArguments(t *testing.T) {
	for change, want := range map[string]string{
		"x []float32|x [][Tile]float32":                               "variant Tile=16 cannot stand for the default: x has elements of another type",
		"x []float32|n [Tile]uint32, x []float32":                     "variant Tile=16 cannot stand for the default: n has another type",
		"x[t.Global.X] *= Tile|if Tile > 8 { x[t.Global.X] *= Tile }": "variant Tile=16 cannot stand for the default: only one of the two writes x",
	} {
		from, to, _ := strings.Cut(change, "|")
		text := strings.Replace(tiles, from, to, 1)
		if strings.Contains(to, "[][Tile]") {
			text = strings.Replace(text, "x[t.Global.X] *= Tile", "x[t.Global.X][0] *= 2", 1)
		}
		_, err := compile(t, text, codegen.Options{Path: "m/gen"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", to, err)
		}
	}
}

// TestVariantWorkgroup: the default runs on every device; a variant may have a workgroup that
// only some devices run, but none that no device does.
func TestVariantWorkgroup(t *testing.T) {
	for values, message := range map[string]string{
		"8,1024": "",
		"512":    "workgroup of 512 invocations; a device need not run more than 256",
		"8,2048": "side X of the workgroup is 2048: it must be from 1 to 1024",
	} {
		source := strings.ReplaceAll(tiles, "Tile=8,16", "Tile="+values)
		source = strings.ReplaceAll(source, "const Tile = 8", "const Tile = "+strings.Split(values, ",")[0])
		_, err := compile(t, source, codegen.Options{Path: "m/gen"})
		if message == "" && err != nil || message != "" && (err == nil || !strings.Contains(err.Error(), message)) {
			t.Errorf("Tile=%s: %v, want %q", values, err, message)
		}
	}
}

// TestVariantErrors: a variant is impossible where its kernel, or what that uses, cannot be with its value: told at the value, with the place
// of the cause. What is wrong elsewhere in the package, with the value or without, is told as what it is, or does not matter.
func TestVariantErrors(t *testing.T) {
	const (
		element = "\nfunc element() float32 { var a [Tile]float32; return a[7] }\n"
		double  = "\nfunc want(x []float32) { x[0] = 2.5 * element() }\n"
		small   = "\nconst small uint8 = Tile * 20\n"
		index   = "m/kernels/k.go:8:24: kernel Tiles: the variant Tile=4 is not possible: invalid argument: index 7 out of bounds [0:4] (at m/kernels/k.go:%s)"
	)
	for _, c := range []struct{ name, values, change, more, want string }{
		{"the kernel", "8,4", "*= Tile|*= [Tile]float32{}[7]", "", strings.ReplaceAll(index, "%s", "12:36")},
		{"a helper", "8,4", "*= Tile|*= element()", element, strings.ReplaceAll(index, "%s", "16:56")},
		{"a helper of nobody", "8,4", "", element, ""},
		{"the reference", "8,4", "where  len|want   want\n//tandem:where  len", double + element, ""},
		{"a constant", "8,16", "*= Tile|*= float32(small)", small, "m/kernels/k.go:8:24: kernel Tiles: the variant Tile=16 is not possible: cannot use Tile * 20 (untyped int constant 320) as uint8 value in constant declaration (overflows) (at m/kernels/k.go:16:21)"},
		{"a constant of nobody", "8,16", "", small, ""},
		{"the value", "8,300", "const Tile =|const Tile uint8 =|*= Tile|*= float32(Tile)", "", "m/kernels/k.go:8:24: kernel Tiles: the variant Tile=300 is not possible: cannot use 300 (untyped int constant) as uint8 value in constant declaration (overflows) (at m/kernels/k.go:5:20)"},
		{"an expression", "8,2+2", "*= Tile|*= [Tile]float32{}[7]", "", strings.ReplaceAll(index, "%s", "12:36")},
		{"no value", "8,16", "const Tile = 8|const (\nother = 8\nTile\n)", "", "m/kernels/k.go:11:24: kernel Tiles: the variant Tile=16 is not possible: the constant Tile has no value of its own in its declaration: write it as const Tile = …"},
		{"another kernel", "8,4", "", element + "\n//tandem:kernel workgroup=64 threads=len(x)\nfunc Other(t dsl.Thread, x []float32) { x[t.Global.X] = element() }\n", ""},
		{"a wrong reference", "8,16", "where  len|want   want\n//tandem:where  len", "\nfunc want(x []float32) { x[0] = \"\" }\n", "m/kernels/k.go:17:33: cannot use \"\" (untyped string constant) as float32 value in assignment"},
		{"no reference", "8,16", "where  len|want   want\n//tandem:where  len", "", "m/kernels/k.go:9:17: kernel Tiles: the reference want is not a function of this package"},
		{"a wrong function", "8,16", "", "\nfunc wrong() { missing() }\n", "m/kernels/k.go:16:16: undefined: missing"},
		{"something unused", "8,16", "*= Tile|*= Tile; unused := 1", "", "m/kernels/k.go:12:26: kernel Tiles: declared and not used: unused"},
	} {
		text := strings.Replace(tiles, "Tile=8,16", "Tile="+c.values, 1)
		if c.change != "" {
			text = strings.NewReplacer(strings.Split(c.change, "|")...).Replace(text)
		}
		text += c.more
		said := ""
		if p, err := codegentest.Source("k.go", text); err != nil {
			said = err.Error()
		} else if _, err := codegen.Compile(p, codegen.Options{Path: "m/gen"}); err != nil {
			said = err.Error()
		}
		if said != c.want {
			t.Errorf("%s: it says %q, want %q", c.name, said, c.want)
		}
	}
}
