package train

import (
	"math"
	"math/rand"

	"tandem/dsl"
	"tandem/dsl/group"
)

const (
	lossGroup = 128 // invocations of a workgroup, which takes a row: so few, that one's sums hide behind another's loads
	lossAhead = 8   // elements that an invocation loads before it uses them
)

// CrossEntropy writes the negative log-likelihood of each row's target under the softmax of
// its logits, rows of cols elements that start pitch apart, to nll, and replaces the logits by scale times
// the gradient of that loss; what is between the rows becomes 0. A target that is not below cols gives loss 0 and
// gradient 0, so that a row can be left out.
//
//tandem:kernel workgroup=lossGroup groups=len(targets)
//tandem:where  cols > 0 && cols <= pitch
//tandem:len    logits=len(targets)*pitch nll=len(targets)
//tandem:test   gen=crossEntropyCase logits=-8..8
//tandem:want   crossEntropyReference
func CrossEntropy(t dsl.Thread, cols, pitch uint32, scale float32, logits []float32, targets []uint32, nll []float32, scratch *[lossGroup]float32) {
	row := t.Group.X * pitch
	target := targets[t.Group.X]
	largest, sum := denominator(t, cols, row, logits, scratch)
	if t.Local.X == 0 {
		var loss float32
		if target < cols {
			loss = dsl.Log(sum) + largest - logits[row+target]
		}
		nll[t.Group.X] = loss
	}
	t.Barrier()
	for j := t.Local.X; j < pitch; j += lossAhead * lossGroup {
		for i := range dsl.Unroll(lossAhead) {
			if at := j + uint32(i)*lossGroup; at < pitch {
				g := dsl.Select(at < cols, dsl.Exp(logits[row+at]-largest)/sum, 0)
				if at == target {
					g--
				}
				logits[row+at] = dsl.Select(target < cols, g*scale, 0)
			}
		}
	}
}

// denominator returns the largest of the logits of a row and the sum of exponentials relative to
// it, which it reads once: each invocation keeps a running maximum and the sum relative to that.
func denominator(t dsl.Thread, cols, row uint32, logits []float32, scratch *[lossGroup]float32) (largest, sum float32) {
	largest = -math.MaxFloat32
	lane := t.Local.X
	end := lane
	for ; end < cols; end += lossAhead * lossGroup {
		var v [lossAhead]float32
		next := largest
		for i := range dsl.Unroll(lossAhead) {
			at := end + uint32(i)*lossGroup
			v[i] = logits[row+min(at, cols-1)]
			v[i] = dsl.Select(at < cols, v[i], -math.MaxFloat32)
			next = max(next, v[i])
		}
		sum *= dsl.Exp(largest - next)
		for i := range dsl.Unroll(lossAhead) {
			sum += dsl.Exp(v[i] - next)
		}
		largest = next
	}
	if largest == -math.MaxFloat32 { // what is beyond the row's end was counted as its elements are
		sum -= float32((end-lane)/lossGroup - (cols+lossGroup-1-lane)/lossGroup)
	}
	all := group.Max(t, scratch[:], largest)
	return all, group.Sum(t, scratch[:], sum*dsl.Exp(largest-all))
}

// GatherNLL writes the negative log-likelihood of each row's target under the softmax of its
// logits, rows of cols elements that start pitch apart, to nll, and leaves the logits as they are. A target
// that is not below cols gives 0.
//
//tandem:kernel workgroup=lossGroup groups=len(targets)
//tandem:where  cols > 0 && cols <= pitch
//tandem:len    logits=len(targets)*pitch nll=len(targets)
//tandem:test   gen=gatherCase logits=-8..8
//tandem:want   gatherReference
func GatherNLL(t dsl.Thread, cols, pitch uint32, logits []float32, targets []uint32, nll []float32, scratch *[lossGroup]float32) {
	row, target := t.Group.X*pitch, targets[t.Group.X]
	var there float32
	if t.Local.X == 0 && target < cols {
		there = logits[row+target] // now, so that it comes with the others
	}
	largest, sum := denominator(t, cols, row, logits, scratch)
	if t.Local.X == 0 {
		var loss float32
		if target < cols {
			loss = dsl.Log(sum) + largest - there
		}
		nll[t.Group.X] = loss
	}
}

// GatherNLLLanes is GatherNLL for a CPU, where eight invocations run at a time if the program is built so: eight share a row.
//
//tandem:kernel workgroup=8 groups=len(targets)
//tandem:where  cols > 0 && cols <= pitch
//tandem:len    logits=len(targets)*pitch nll=len(targets)
//tandem:test   gen=gatherCase logits=-8..8
//tandem:want   gatherReference
func GatherNLLLanes(t dsl.Thread, cols, pitch uint32, logits []float32, targets []uint32, nll []float32, part *[8]float32) {
	row := t.Group.X * pitch
	own := float32(-math.MaxFloat32)
	for first := uint32(0); first < cols; first += 8 {
		if j := first + t.Local.X; j < cols {
			own = max(own, logits[row+j])
		}
	}
	largest := group.Max(t, part[:], own)
	var sum float32
	for first := uint32(0); first < cols; first += 8 {
		if j := first + t.Local.X; j < cols {
			sum += dsl.Exp(logits[row+j] - largest)
		}
	}
	all := group.Sum(t, part[:], sum)
	if t.Local.X == 0 {
		var loss float32
		if target := targets[t.Group.X]; target < cols {
			loss = dsl.Log(all) + largest - logits[row+target]
		}
		nll[t.Group.X] = loss
	}
}

func gatherCase(r *rand.Rand, size int) (cols, pitch uint32, logits []float32, targets []uint32, nll []float32) {
	cols, pitch, _, logits, targets, nll = crossEntropyCase(r, size)
	return cols, pitch, logits, targets, nll
}

func crossEntropyCase(r *rand.Rand, size int) (cols, pitch uint32, scale float32, logits []float32, targets []uint32, nll []float32) {
	cols = 1 + uint32(r.Intn(min(size, 3000)+1))
	pitch = cols + uint32(r.Intn(4))
	targets = make([]uint32, r.Intn(20))
	for i := range targets {
		targets[i] = uint32(r.Intn(int(cols) + 1))
	}
	logits = uniform(r, len(targets)*int(pitch))
	for i := range logits {
		logits[i] *= 8
	}
	return cols, pitch, r.Float32(), logits, targets, uniform(r, len(targets))
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

func gatherReference(cols, pitch uint32, logits []float32, targets []uint32, nll []float32) {
	for r, target := range targets {
		nll[r] = 0
		if target < cols {
			nll[r] = float32(-logSoftmax(logits[uint32(r)*pitch:][:cols])[target])
		}
	}
}

func crossEntropyReference(cols, pitch uint32, scale float32, logits []float32, targets []uint32, nll []float32) {
	gatherReference(cols, pitch, logits, targets, nll)
	for r, target := range targets {
		row := logits[uint32(r)*pitch:][:cols]
		clear(logits[uint32(r)*pitch+cols:][:pitch-cols])
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
