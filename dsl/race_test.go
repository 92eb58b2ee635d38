package dsl_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Each program is a kernel that is run in 50 workgroups of 64. The race detector
// must report those with a race, and no others.
var racePrograms = []struct {
	name   string
	memory string // workgroup memory
	kernel string // lane, i: its indices; buffers x (float32) and bits (AtomicUint32)
	racy   bool
}{
	{"right reduction", "var s [64]float32", `
		s[lane] = x[i]
		t.Barrier()
		for w := uint32(32); w > 0; w /= 2 {
			if lane < w {
				s[lane] += s[lane+w]
			}
			t.Barrier()
		}
		x[i] = s[0]`, false},
	{"barrier missing before the tree", "var s [64]float32", `
		s[lane] = x[i]
		for w := uint32(32); w > 0; w /= 2 {
			if lane < w {
				s[lane] += s[lane+w]
			}
			t.Barrier()
		}
		x[i] = s[0]`, true},
	{"barrier missing in the tree", "var s [64]float32", `
		s[lane] = x[i]
		t.Barrier()
		for w := uint32(32); w > 0; w /= 2 {
			if lane < w {
				s[lane] += s[lane+w]
			}
		}
		t.Barrier()
		x[i] = s[0]`, true},
	{"barrier missing before reuse", "var s [64]float32", `
		for range 3 {
			s[lane] = x[i]
			t.Barrier()
			x[i] += s[63-lane]
		}`, true},
	{"reuse with barriers", "var s [64]float32", `
		for range 3 {
			s[lane] = x[i]
			t.Barrier()
			x[i] += s[63-lane]
			t.Barrier()
		}`, false},
	{"same value from all", "var s [1]float32", `s[0] = 1; t.Barrier(); x[i] = s[0]`, true},
	{"uniform load", "var s [1]float32", `
		if lane == 5 { s[0] = 1 }
		x[i] = dsl.UniformLoad(&s[0])
		if lane == 7 { s[0] = 2 }`, false},
	{"read without uniform load", "var s [1]float32", `
		if lane == 5 { s[0] = 1 }
		x[i] = s[0]`, true},
	{"two workgroups write one element", "", `if lane == 0 { x[0] = 1 }`, true},
	{"a workgroup reads what another writes", "", `
		if lane == 0 { x[t.Group.X*64] = 1 }
		t.Barrier()
		if lane == 0 && t.Group.X > 0 { x[i+1] = x[(t.Group.X-1)*64] }`, true},
	{"atomics", "var n dsl.AtomicUint32", `
		n.Add(1)
		bits[0].Max(i)
		bits[1].Xor(i)
		dsl.AtomicAddFloat32(&bits[2], 1)
		t.Barrier()
		x[i] = float32(n.Load())`, false},
	{"atomics order nothing", "var n dsl.AtomicUint32; var s float32", `
		if lane == 0 { s = 1; n.Store(1) }
		if lane == 1 && n.Load() == 1 { x[i] = s }
		if lane == 2 && n.Add(1) == 1 { x[i] = s }
		if lane == 3 { for n.Load() == 0 { runtime.Gosched() }; x[i] = s }`, true},
	{"atomics order no workgroups", "", `
		if lane == 0 { bits[0].Add(1); x[0]++; bits[0].Add(1) }`, true},
}

// raceProgramText returns one program that runs the kernel its first argument
// names, on as many cores as its second says.
func raceProgramText() string {
	var b strings.Builder
	b.WriteString(`package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"

	"tandem/dsl"
)

func main() {
	procs, _ := strconv.Atoi(os.Args[2])
	runtime.GOMAXPROCS(procs)
	x, bits := make([]float32, 50*64), make([]dsl.AtomicUint32, 4)
	grid := dsl.Grid{Workgroup: [3]uint32{64, 1, 1}, Groups: [3]uint32{50, 1, 1}}
	err := dsl.Emulate(grid, func() func(dsl.Thread) {
		switch os.Args[1] {
`)
	for _, p := range racePrograms {
		fmt.Fprintf(&b, `		case %q:
			%s
			return func(t dsl.Thread) {
				lane, i := t.Local.X, t.Global.X
				_, _ = lane, i
				%s
			}
`, p.name, p.memory, p.kernel)
	}
	b.WriteString(`		}
		return nil
	})
	for i := range x { // must come after all that the kernel wrote
		x[i]++
	}
	fmt.Println(err)
}
`)
	return b.String()
}

// requireRace skips the test where programs cannot be built with -race.
func requireRace(t *testing.T) {
	t.Helper()
	out, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	if err != nil || strings.TrimSpace(string(out)) != "1" {
		t.Skip("the race detector needs cgo")
	}
}

// TestRaceDetector builds the programs with -race and runs them.
func TestRaceDetector(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs with -race")
	}
	requireRace(t)
	program := raceProgramText()
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "races")
	if out, err := exec.Command("go", "build", "-race", "-o", binary, file).CombinedOutput(); err != nil {
		t.Fatalf("go build -race: %v\n%s", err, out)
	}
	for _, p := range racePrograms {
		for _, procs := range []string{"1", "2"} {
			t.Run(p.name+" on "+procs, func(t *testing.T) {
				cmd := exec.Command(binary, p.name, procs)
				cmd.Env = append(os.Environ(), "GORACE=halt_on_error=1 atexit_sleep_ms=0")
				out, err := cmd.CombinedOutput()
				want := "<nil>" // the program's end
				if p.racy {
					want = "DATA RACE"
				}
				if !strings.Contains(string(out), want) {
					t.Errorf("%v, and no %s:\n%s", err, want, out)
				}
			})
		}
	}
}
