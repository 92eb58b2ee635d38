package gocpu

import (
	"fmt"
	"go/format"
	"math/rand/v2"
	"strings"
	"testing"
)

// programs writes random kernels that have no races: workgroup memory is used
// only between a pair of barriers, and barriers stand only where control flow is
// uniform. What they compute means nothing; emulator and CPU must agree on it.
type programs struct {
	*rand.Rand
	strings.Builder
	varying, uniform []string // variables in scope
	names            int
	depth            int
}

func (p *programs) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *programs) pick(list []string) string { return list[p.IntN(len(list))] }

func (p *programs) name(prefix string) string {
	p.names++
	return fmt.Sprintf("%s%d", prefix, p.names)
}

// value returns an expression over variables.
func (p *programs) value(vars []string, depth int) string {
	if depth == 0 || p.IntN(3) == 0 {
		return p.pick(vars)
	}
	op := p.pick([]string{"+", "-", "*", "^", "|", "&"})
	right := fmt.Sprint(p.IntN(20))
	if p.IntN(3) > 0 {
		right = p.value(vars, depth-1)
	}
	return "(" + p.value(vars, depth-1) + " " + op + " " + right + ")"
}

func (p *programs) any() []string { return append(append([]string{}, p.varying...), p.uniform...) }

func (p *programs) cond(vars []string) string {
	return fmt.Sprintf("%s%%%d %s %d", p.value(vars, 1), 2+p.IntN(5), p.pick([]string{"==", "<", ">", "!="}), p.IntN(4))
}

// block writes statements in a scope of their own.
func (p *programs) block(uniform bool) {
	varying, shared := len(p.varying), len(p.uniform)
	p.depth++
	for range 1 + p.IntN(3) {
		p.statement(uniform)
	}
	p.depth--
	p.varying, p.uniform = p.varying[:varying], p.uniform[:shared]
}

// statement writes one statement; uniform: all lanes come here together.
func (p *programs) statement(uniform bool) {
	kind := p.IntN(13)
	if p.depth > 2 {
		kind = p.IntN(6)
	}
	switch {
	case kind < 2 && uniform:
		v := p.name("v")
		p.line("s[lane] = %s\nt.Barrier()\n%s := s[(lane+%d)%%16]\nt.Barrier()", p.value(p.any(), 2), v, p.IntN(16))
		p.line("%s ^= %s", p.varying[0], v)
		p.varying = append(p.varying, v)
	case kind < 3:
		v := p.name("v")
		p.line("%s := %s + lane", v, p.value(p.any(), 2))
		p.line("%s += %s", p.varying[0], v)
		p.varying = append(p.varying, v)
	case kind < 4 && uniform:
		w := p.name("w")
		p.line("%s := n + %s", w, p.value(p.uniform, 2))
		p.line("%s ^= %s", p.varying[0], w)
		p.uniform = append(p.uniform, w)
	case kind < 5 && uniform:
		p.line("w0 %s= %s", p.pick([]string{"+", "^", "*"}), p.value(p.uniform, 2))
	case kind < 7:
		p.line("%s %s= %s", p.pick(p.varying), p.pick([]string{"+", "-", "^", "|"}), p.value(p.any(), 2))
	case kind < 8:
		p.line("if %s {", p.cond(p.any()))
		p.block(false)
		p.line("} else if lane < %d {", p.IntN(18))
		p.block(false)
		p.line("}")
	case kind < 9:
		p.line("if %s {", p.cond(p.uniform))
		p.block(uniform)
		p.line("} else {")
		p.block(uniform)
		p.line("}")
	case kind < 10:
		p.line("switch (%s) %% 4 {\ncase 0, 2:", p.value(p.uniform, 1))
		p.block(uniform)
		p.line("case 1:")
		p.block(uniform)
		p.line("default:")
		p.block(uniform)
		p.line("}")
	case kind < 12:
		p.loop(p.uniform, uniform)
	default:
		p.loop(p.any(), false)
	}
}

// loop writes a loop whose length depends on vars, and that may be left early.
func (p *programs) loop(vars []string, uniform bool) {
	k := p.name("k")
	p.line("for %s := uint32(0); %s < %s%%4; %s++ {", k, k, p.pick(vars), k)
	if p.IntN(2) == 0 {
		p.line("if %s {\n%s += 3\n%s\n}", p.cond(vars), p.varying[0], p.pick([]string{"break", "continue"}))
	}
	// Statements assign w0 and varying variables only, so the counter is safe
	// among the uniform ones.
	if uniform {
		p.uniform = append(p.uniform, k)
		p.block(true)
		p.uniform = p.uniform[:len(p.uniform)-1]
	} else {
		p.block(false)
	}
	p.line("}")
}

// kernel writes a kernel and a helper that it calls.
func (p *programs) kernel(i int) {
	p.varying, p.uniform, p.depth = []string{"v", "lane2"}, []string{"n", "w0"}, 1
	p.line("func help%d(t dsl.Thread, n, x uint32, s *[16]uint32) uint32 {", i)
	p.line("lane, w0, v := t.Local.X, n*3, x\nlane2 := lane * lane")
	p.block(true)
	p.line("if %s {", p.cond(p.uniform))
	p.block(true)
	p.line("s[lane] = v\nt.Barrier()\nv += s[15-lane]\nif %s {\nreturn v\n}", p.cond(p.any()))
	p.block(false)
	p.line("}\nif %s {\nreturn v + lane2\n}", p.cond(p.any()))
	p.line("for %s {\nif %s {\nreturn v + 1\n}\nv = v/2 - v/3\n}", "v > 3", p.cond(p.varying))
	p.block(false)
	p.line("return v ^ w0\n}\n")
	p.varying, p.uniform, p.depth = []string{"v", "lane2"}, []string{"n", "w0", "g"}, 0
	p.line("// Random%d means nothing.\n//\n//tandem:kernel workgroup=16 groups=n\n//tandem:len x=16*n out=16*n", i)
	p.line("func Random%d(t dsl.Thread, n uint32, x, out []uint32, s *[16]uint32) {", i)
	p.line("lane, g, w0 := t.Local.X, t.Group.X, uint32(5)\nv := x[t.Global.X]\nlane2 := lane * 7\nout[t.Global.X] = g")
	p.block(true)
	p.line("t.Barrier()\nv += help%d(t, w0, v, s)\nt.Barrier()", i)
	p.block(true)
	p.line("if %s {\ns[lane] = v\nt.Barrier()\nv += s[15-lane]\nif %s {\nreturn\n}\nv++\n}", p.cond(p.uniform), p.cond(p.any()))
	p.line("out[t.Global.X] ^= v\nif %s {\nout[t.Global.X] += lane2\nreturn\n}", p.cond(p.any()))
	p.block(false)
	p.line("out[t.Global.X] += v*31 + w0\n}\n")
}

const randomKernels = 12

// TestRandom writes the random kernels; TestSuite emits them.
func TestRandom(t *testing.T) {
	p := &programs{Rand: rand.New(rand.NewPCG(3, 4))}
	p.line("package kernels\n\n// Code generated by random_test.go; DO NOT EDIT.\n\nimport \"tandem/dsl\"\n")
	for i := range randomKernels {
		p.kernel(i)
	}
	p.line("// Random has the kernels by number.\nvar Random = []func(t dsl.Thread, n uint32, x, out []uint32, s *[16]uint32){")
	for i := range randomKernels {
		p.line("Random%d,", i)
	}
	p.line("}")
	text, err := format.Source([]byte(p.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, p.String())
	}
	committed(t, "internal/suite/kernels/random.go", text)
}
