package pass

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tandem/codegen/codegentest"
	"tandem/codegen/ir"
	"tandem/codegen/load"
	"tandem/codegen/lower"
)

// TestMeaning runs kernels before and after the passes on random arguments: the
// buffers must end up bit for bit the same, and everything the analyses say must
// hold on the way.
func TestMeaning(t *testing.T) {
	ops, err := load.Packages("../..", "./ops/kernels")
	if err != nil {
		t.Fatal(err)
	}
	// Lowered twice: the passes change a tree in place.
	before, _ := lower.Kernels(ops[0])
	after, _ := lower.Kernels(ops[0])
	before, after = append(kernels(t), before...), append(kernels(t), after...)
	for i, k := range after {
		t.Run(k.Name, func(t *testing.T) {
			if err := Run(k, nil); err != nil {
				t.Fatal(err)
			}
			whole, steps, last := 0, 0, error(nil)
			for seed := uint64(0); seed < 6 && steps < 1<<15; seed++ {
				n, trapped := compare(t, before[i], k, seed)
				steps += n
				if last = trapped; last == nil {
					whole++
				}
			}
			if whole == 0 {
				t.Logf("not once without a trap: %v", last)
			}
		})
	}
}

// TestMutants does the same with kernels of which a few words were changed.
func TestMutants(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	names := codegentest.Good()
	ran := 0
	for range 150 {
		text, all := codegentest.InPackage(t, names[r.IntN(len(names))])
		all["mutant.go"] = codegentest.Mutant(text, r)
		p, err := codegentest.Files(all)
		if err != nil || len(p.Errs) > 0 {
			continue
		}
		before, err := lower.Kernels(p)
		after, _ := lower.Kernels(p)
		if err != nil {
			continue
		}
		for i, k := range after {
			if Run(k, nil) != nil {
				continue
			}
			ran++
			if _, _ = compare(t, before[i], k, r.Uint64()); t.Failed() {
				t.Fatalf("kernel %s, seed %d:\n%s", k.Name, seed, all["mutant.go"])
			}
		}
	}
	t.Logf("%d kernels of mutants", ran)
	if ran == 0 {
		t.Error("no mutant compiled")
	}
}

// compare runs both forms on the arguments that seed gives. It returns how much
// work that was, and the trap that ended the run, if one did.
func compare(t *testing.T, raw, done *ir.Kernel, seed uint64) (steps int, trapped error) {
	a, b := arguments(raw, seed), arguments(done, seed)
	if a == nil {
		return 0, fmt.Errorf("no arguments")
	}
	a.most, b.most, b.check = 1<<17, 1<<19, true
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("seed %d: %v", seed, r)
		}
	}()
	first, second := a.run(), b.run()
	for i, v := range raw.Buffers {
		if first == nil && second == nil && !a.global[v].equal(b.global[done.Buffers[i]]) {
			t.Errorf("seed %d: %s is\n%v, want\n%v", seed, v.Name, b.global[done.Buffers[i]], a.global[v])
		}
	}
	if first == nil && second != nil {
		t.Errorf("seed %d: traps after the passes only: %v", seed, second)
	}
	return b.steps, first
}

// arguments returns a machine with random arguments for k; nil if the where
// lines refuse what was drawn again and again.
func arguments(k *ir.Kernel, seed uint64) *machine {
	rng := rand.New(rand.NewPCG(seed, 7))
	for range 200 {
		m := &machine{k: k, global: map[*ir.Var]*cell{}, groups: [3]int64{1, 1, 1}}
		for _, v := range k.Uniforms {
			m.global[v] = newCell(v.Type, 0)
			fill(rng, m.global[v], 9)
		}
		for _, v := range k.Buffers {
			m.global[v] = newCell(v.Type, 200+rng.IntN(200))
			fill(rng, m.global[v], 40)
		}
		if m.accepts() {
			return m
		}
	}
	return nil
}

func fill(rng *rand.Rand, c *cell, most int64) {
	switch c.scalar.(type) {
	case int64:
		c.scalar = rng.Int64N(most)
	case float32:
		c.scalar = float32(rng.IntN(64)-16) / 8
	case bool:
		c.scalar = rng.IntN(2) == 0
	}
	for _, p := range c.parts {
		fill(rng, p, most)
	}
}

// accepts reports whether where and len hold, and sets the grid.
func (m *machine) accepts() bool {
	for _, w := range m.k.Directives.Where {
		if m.size(w) == 0 {
			return false
		}
	}
	for _, l := range m.k.Directives.Lens {
		if m.size(l.Least) > int64(len(m.global[l.Buffer].parts)) {
			return false
		}
	}
	for d, s := range m.k.Grid.Dims {
		n := m.size(s)
		if m.k.Grid.Threads { // whole workgroups only: the edge is the launcher's
			n /= int64(m.k.Workgroup[d])
		}
		if n < 0 {
			return false
		}
		m.groups[d] = n
	}
	return true
}

func (m *machine) size(s *ir.Size) int64 {
	bit := func(b bool) int64 {
		if b {
			return 1
		}
		return 0
	}
	switch s.Op {
	case ir.SizeConst:
		return s.N
	case ir.SizeLen:
		return int64(len(m.global[s.Var].parts))
	case ir.SizeVar:
		c := m.global[s.Var]
		for _, n := range s.Path {
			c = c.parts[n]
		}
		n, _ := c.scalar.(int64)
		return n
	case ir.SizeNeg:
		return -m.size(s.X)
	case ir.SizeNot:
		return 1 - m.size(s.X)
	}
	x, y := m.size(s.X), m.size(s.Y)
	switch s.Op {
	case ir.SizeAdd:
		return x + y
	case ir.SizeSub:
		return x - y
	case ir.SizeMul:
		return x * y
	case ir.SizeDiv, ir.SizeRem, ir.SizeCeil:
		switch {
		case y == 0:
			return -1
		case s.Op == ir.SizeDiv:
			return x / y
		case s.Op == ir.SizeRem:
			return x % y
		}
		return (x + y - 1) / y
	case ir.SizeEq:
		return bit(x == y)
	case ir.SizeNe:
		return bit(x != y)
	case ir.SizeLt:
		return bit(x < y)
	case ir.SizeLe:
		return bit(x <= y)
	case ir.SizeGt:
		return bit(x > y)
	case ir.SizeGe:
		return bit(x >= y)
	case ir.SizeAnd:
		return x & y
	}
	return x | y
}
