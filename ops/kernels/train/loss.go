package train

import (
	"math"
	"math/rand"

	"tandem/dsl"
	"tandem/dsl/group"
)

// CrossEntropy writes the negative log-likelihood of each row's target under the softmax of
// its logits, shape [len(targets), cols], to nll, and replaces the logits by scale times the
// gradient of that loss. A target that is not below cols gives loss 0 and gradient 0, so
// that a row can be left out.
//
//tandem:kernel workgroup=256 groups=len(targets)
//tandem:where  cols > 0
//tandem:len    logits=len(targets)*cols nll=len(targets)
//tandem:test   gen=crossEntropyCase
//tandem:want   crossEntropyReference
func CrossEntropy(t dsl.Thread, cols uint32, scale float32, logits []float32, targets []uint32, nll []float32, scratch *[256]float32) {
	row := t.Group.X * cols
	target := targets[t.Group.X]
	m := float32(-math.MaxFloat32)
	for j := t.Local.X; j < cols; j += 256 {
		m = max(m, logits[row+j])
	}
	m = group.Max(t, scratch[:], m)
	var sum float32
	for j := t.Local.X; j < cols; j += 256 {
		sum += dsl.Exp(logits[row+j] - m)
	}
	sum = group.Sum(t, scratch[:], sum)
	if t.Local.X == 0 {
		var loss float32
		if target < cols {
			loss = dsl.Log(sum) + m - logits[row+target]
		}
		nll[t.Group.X] = loss
	}
	t.Barrier()
	for j := t.Local.X; j < cols; j += 256 {
		g := dsl.Exp(logits[row+j]-m) / sum
		if j == target {
			g--
		}
		logits[row+j] = dsl.Select(target < cols, g*scale, 0)
	}
}

// GatherNLL writes the negative log-likelihood of each row's target under the softmax of its
// logits, shape [len(targets), cols], to nll, and leaves the logits as they are. A target
// that is not below cols gives 0.
//
//tandem:kernel workgroup=256 groups=len(targets)
//tandem:where  cols > 0
//tandem:len    logits=len(targets)*cols nll=len(targets)
//tandem:test   gen=gatherCase
//tandem:want   gatherReference
func GatherNLL(t dsl.Thread, cols uint32, logits []float32, targets []uint32, nll []float32, scratch *[256]float32) {
	row := t.Group.X * cols
	m := float32(-math.MaxFloat32)
	for j := t.Local.X; j < cols; j += 256 {
		m = max(m, logits[row+j])
	}
	m = group.Max(t, scratch[:], m)
	var sum float32
	for j := t.Local.X; j < cols; j += 256 {
		sum += dsl.Exp(logits[row+j] - m)
	}
	sum = group.Sum(t, scratch[:], sum)
	if t.Local.X == 0 {
		var loss float32
		if target := targets[t.Group.X]; target < cols {
			loss = dsl.Log(sum) + m - logits[row+target]
		}
		nll[t.Group.X] = loss
	}
}

func gatherCase(r *rand.Rand, size int) (cols uint32, logits []float32, targets []uint32, nll []float32) {
	cols, _, logits, targets, nll = crossEntropyCase(r, size)
	return cols, logits, targets, nll
}

func crossEntropyCase(r *rand.Rand, size int) (cols uint32, scale float32, logits []float32, targets []uint32, nll []float32) {
	cols = 1 + uint32(r.Intn(min(size, 3000)+1))
	targets = make([]uint32, r.Intn(20))
	for i := range targets {
		targets[i] = uint32(r.Intn(int(cols) + 1))
	}
	logits = uniform(r, len(targets)*int(cols))
	for i := range logits {
		logits[i] *= 8
	}
	return cols, r.Float32(), logits, targets, uniform(r, len(targets))
}

// logSoftmax returns the logarithms of the softmax of x.
func logSoftmax(x []float32) []float64 {
	m, sum := math.Inf(-1), 0.0
	for _, v := range x {
		m = math.Max(m, float64(v))
	}
	for _, v := range x {
		sum += math.Exp(float64(v) - m)
	}
	logs := make([]float64, len(x))
	for i, v := range x {
		logs[i] = float64(v) - m - math.Log(sum)
	}
	return logs
}

func gatherReference(cols uint32, logits []float32, targets []uint32, nll []float32) {
	for r, target := range targets {
		nll[r] = 0
		if target < cols {
			nll[r] = float32(-logSoftmax(logits[uint32(r)*cols:][:cols])[target])
		}
	}
}

func crossEntropyReference(cols uint32, scale float32, logits []float32, targets []uint32, nll []float32) {
	gatherReference(cols, logits, targets, nll)
	for r, target := range targets {
		row := logits[uint32(r)*cols:][:cols]
		for j, l := range logSoftmax(row) {
			g := math.Exp(l)
			if uint32(j) == target {
				g--
			}
			row[j] = float32(g * float64(scale))
			if target >= cols {
				row[j] = 0
			}
		}
	}
}
