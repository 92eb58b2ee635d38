//go:build goexperiment.simd && amd64

package cpu_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestNoOldInstructionBetweenVectors reads the code that Go makes of kernels eight at a time and of what they call. While
// the upper halves of registers are in use, an instruction from before AVX that writes a register takes 57 ns on some
// machines, with which a loop becomes many times slower, and no other test notices (docs/how-it-works.md). One that is
// met once for a whole loop passes.
func TestNoOldInstructionBetweenVectors(t *testing.T) {
	folders := []string{".", "../dsl/elementary", "../gen", "../gen/train", "../codegen/gocpu/internal/suite/gen",
		"../conformance/language/gen"}
	p := parse(listing(t, folders))
	for _, name := range vectorForms(t, folders) {
		if f := p[name]; f == nil || !slices.ContainsFunc(f.code, instruction.isWide) {
			t.Errorf("in what go build -gcflags=-S prints, this test finds no instruction of %s on 256 bits", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if found := p[name].oldInLoops(p); len(found) > 0 {
			t.Errorf("%s has %d instructions from before AVX in loops with vectors, each of which takes 57 ns there on some machines: "+
				"make the operand a vector, compute it before the loop, or put vectors away first (archsimd.ClearAVXUpperBits)\n%s",
				name, len(found), strings.Join(found[:min(len(found), 4)], "\n"))
		}
	}
}

// TestOldInLoops looks for old instructions in a few loops.
func TestOldInLoops(t *testing.T) {
	const helpers = "old STEXT\n\t0x0 0 (a.go:1)\tMOVSS\tX0, X1\n\t0x4 4 (a.go:1)\tRET\n" +
		"clears STEXT\n\t0x0 0 (a.go:1)\tVZEROUPPER\n\t0x1 1 (a.go:1)\tMOVSS\tX0, X1\n\t0x4 4 (a.go:1)\tRET\n"
	for _, c := range []struct {
		name, body string // of a loop
		found      bool
	}{
		{"between vectors", "VADDPS\tY0, Y1, Y0|MOVSS\t(AX), X1", true},
		{"by a call", "VADDPS\tY0, Y1, Y0|CALL\told(SB)", true},
		{"by a call that puts vectors away", "VADDPS\tY0, Y1, Y0|CALL\tclears(SB)", false},
		{"vectors put away", "VADDPS\tY0, Y1, Y0|VZEROUPPER|MOVSS\t(AX), X1", false},
		{"a store", "VADDPS\tY0, Y1, Y0|MOVSS\tX1, (AX)", false},
		{"a comparison", "VADDPS\tY0, Y1, Y0|UCOMISS\tX0, X1", false},
		{"one of AVX", "VADDPS\tY0, Y1, Y0|VMOVSS\t(AX), X1", false},
		{"no vectors", "VADDPS\tX0, X1, X0|MOVSS\t(AX), X1", false},
		{"before a panic", "VADDPS\tY0, Y1, Y0|JLS\t4|MOVSS\t(AX), X1|CALL\truntime.gopanic(SB)", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := helpers + "f STEXT\n"
			body := append(strings.Split(c.body, "|"), "JMP\t0")
			for i, x := range append(body[:len(body):len(body)], "MOVSS\t(AX), X2", "RET") {
				text += fmt.Sprintf("\t0x%x %d (f.go:1)\t%s\n", i, i, x)
			}
			p := parse([]byte(text))
			if found := p["f"].oldInLoops(p); len(found) > 0 != c.found {
				t.Errorf("found %v in\n%s", found, text)
			}
		})
	}
}

// vectorForms returns the names of the functions in generated files that run eight at a time. (That it reads these files
// makes go test run this test again when one has changed.)
func vectorForms(t *testing.T, folders []string) []string {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func (\w+SIMD)\(args `)
	var names []string
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*_simd.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range declared.FindAllSubmatch(text, -1) {
				names = append(names, "tandem/"+strings.TrimPrefix(folder, "../")+"."+string(m[1]))
			}
		}
	}
	if len(names) == 0 {
		t.Fatal("there are no functions eight at a time")
	}
	return names
}

// listing returns what Go's compiler makes of packages. (go tool objdump does not know instructions of AVX.)
func listing(t *testing.T, folders []string) []byte {
	t.Helper()
	build := exec.Command("go", "build", "-gcflags=-S")
	for _, folder := range folders {
		build.Args = append(build.Args, "./"+folder)
	}
	build.Env = append(os.Environ(), "GOEXPERIMENT=simd")
	out, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%.2000s", build, err, out)
	}
	return out
}

// program is functions by their names.
type program map[string]*function

// function is what Go's compiler made of one.
type function struct {
	code         []instruction
	next, before [][]int // of each instruction those that can follow it, and that it can follow
	asked, meets bool    // whether and what meetsOld has found
}

// instruction is as Go writes it: the operand that is written comes last.
type instruction struct {
	pc              int
	op, args, place string
}

// parse reads a listing.
func parse(listing []byte) program {
	p := program{}
	f := &function{}
	for line := range bytes.Lines(listing) {
		if name, _, ok := strings.Cut(string(line), " STEXT"); ok && line[0] != '\t' {
			f = &function{}
			p[name] = f
		} else if m := printed.FindSubmatch(line); m != nil {
			pc, _ := strconv.Atoi(string(m[1]))
			f.code = append(f.code, instruction{pc, string(m[3]), string(m[4]), filepath.Base(string(m[2]))})
		}
	}
	for _, f := range p {
		f.link()
	}
	return p
}

var (
	printed = regexp.MustCompile(`^\t0x\w+ (\d+) \((.*?)\)\t([A-Z]\w*)\t?(.*)\n`)
	wide    = regexp.MustCompile(`\bY\d+$`)
	narrow  = regexp.MustCompile(`\bX\d+$`)
	// These only compare.
	compares = regexp.MustCompile(`^U?COMIS[SD]$`)
	// These do not return, or are called where eight lanes are not all within a buffer: neither is what takes the time.
	rare = regexp.MustCompile(`^(runtime\.(gopanic|panic\w*)|tandem/cpu\.(missed|beyond|loadSome|storeSome))\(SB\)$`)
)

// isWide reports whether x writes a whole register, after which the upper half is in use.
func (x instruction) isWide() bool { return x.op[0] == 'V' && wide.MatchString(x.args) }

// isOld reports whether x is from before AVX, whose instructions begin with V, and writes a register, or calls what does.
func (p program) isOld(x instruction) bool {
	if x.op == "CALL" {
		callee := p[strings.TrimSuffix(x.args, "(SB)")]
		return callee != nil && !rare.MatchString(x.args) && callee.meetsOld(p)
	}
	return x.op[0] != 'V' && narrow.MatchString(x.args) && !compares.MatchString(x.op)
}

// meetsOld reports whether f, called while upper halves are in use, comes to an old instruction before it puts vectors away.
func (f *function) meetsOld(p program) bool {
	if !f.asked {
		f.asked = true
		for i, reached := range reach(f.next, 0) {
			f.meets = f.meets || reached && p.isOld(f.code[i])
		}
	}
	return f.meets
}

// oldInLoops returns the old instructions that are in a loop with wide ones and without VZEROUPPER.
func (f *function) oldInLoops(p program) []string {
	if !slices.ContainsFunc(f.code, instruction.isWide) {
		return nil
	}
	var found []string
	for i, x := range f.code {
		if !p.isOld(x) {
			continue
		}
		before := reach(f.before, i)
		for n, reached := range reach(f.next, i) {
			if reached && before[n] && f.code[n].isWide() {
				found = append(found, x.place+": "+x.op+" "+x.args)
				break
			}
		}
	}
	return found
}

// link finds what follows each instruction: nothing follows VZEROUPPER, after which upper halves are no longer in use.
func (f *function) link() {
	at := map[int]int{} // the first instruction at an address
	for i, x := range slices.Backward(f.code) {
		at[x.pc] = i
	}
	f.next, f.before = make([][]int, len(f.code)), make([][]int, len(f.code))
	follows := func(n, i int) {
		f.next[i], f.before[n] = append(f.next[i], n), append(f.before[n], i)
	}
	for i, x := range f.code {
		if pc, err := strconv.Atoi(x.args); err == nil && x.op[0] == 'J' {
			follows(at[pc], i)
		}
		ends := x.op == "JMP" || x.op == "RET" || x.op == "VZEROUPPER" || x.op == "CALL" && rare.MatchString(x.args)
		if !ends && i+1 < len(f.code) {
			follows(i+1, i)
		}
	}
}

// reach reports where steps lead from i.
func reach(steps [][]int, i int) []bool {
	reached := make([]bool, len(steps))
	for from := []int{i}; len(from) > 0; {
		i, from = from[len(from)-1], from[:len(from)-1]
		if !reached[i] {
			reached[i] = true
			from = append(from, steps[i]...)
		}
	}
	return reached
}
