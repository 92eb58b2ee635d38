package codegen_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"tandem/codegen"
	"tandem/codegen/codegentest"
)

// survive compiles text. Whatever it is, it compiles or is refused: the
// compiler does not fail and does not hang, and the Go that it writes compiles.
func survive(t testing.TB, text string, others map[string]string) (compiled bool) {
	slow := time.AfterFunc(time.Minute, func() { panic("the compiler hangs on:\n" + text) })
	defer slow.Stop()
	all := map[string]string{"fuzz.go": text}
	maps.Copy(all, others)
	p, err := codegentest.Files(all)
	var files []codegen.File
	if err == nil {
		files, err = codegen.Compile(p, codegen.Options{Path: "m/gen"})
	}
	if err != nil && strings.Contains(err.Error(), "internal ") {
		t.Errorf("%v\n%s", err, text)
	}
	if err != nil {
		return false
	}
	byName := map[string][]byte{}
	for _, f := range files {
		byName[f.Name] = f.Content
	}
	if err := codegentest.Check(p, "m/gen", byName); err != nil {
		t.Errorf("the generated Go does not compile: %v\n%s", err, text)
	}
	return true
}

// FuzzCompile compiles whatever the fuzzer makes of files, and mutants of it,
// beside the others of the package that a file is from.
func FuzzCompile(f *testing.F) {
	names := append(codegentest.Good(), codegentest.Bad()...)
	for i, name := range names {
		text, _ := codegentest.InPackage(f, name)
		f.Add(text, uint64(0), uint16(i))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64, file uint16) {
		if seed != 0 {
			text = codegentest.Mutant(text, rand.New(rand.NewPCG(seed, 0)))
		}
		_, others := codegentest.InPackage(t, names[int(file)%len(names)])
		survive(t, text, others)
	})
}

// TestGood compiles the files unchanged: what mutants are made of is right.
func TestGood(t *testing.T) {
	for _, name := range codegentest.Good() {
		text, others := codegentest.InPackage(t, name)
		if !survive(t, text, others) {
			t.Errorf("%s does not compile", name)
		}
	}
}

// TestMutants compiles programs with a few words changed. Most are still Go,
// and wrong in ways that nobody thought of. TANDEM_MUTANTS says how many, TANDEM_SEED which.
func TestMutants(t *testing.T) {
	n := 60
	if text := os.Getenv("TANDEM_MUTANTS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n <= 0 {
			t.Fatalf("TANDEM_MUTANTS=%q is not a number of programs, 1 or more", text)
		}
	}
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("TANDEM_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("TANDEM_SEED=%q is not a whole number", text)
		}
	}
	r := rand.New(rand.NewPCG(seed, 1))
	names := codegentest.Good()
	compiled := 0
	for range n {
		text, others := codegentest.InPackage(t, names[r.IntN(len(names))])
		if survive(t, codegentest.Mutant(text, r), others) {
			compiled++
		}
	}
	t.Logf("%d of %d mutants compiled; again with TANDEM_SEED=%d", compiled, n, seed)
}
