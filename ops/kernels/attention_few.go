package kernels

import (
	"math"
	"math/rand"

	"tandem/dsl"
)

// AttentionFew is Attention for few queries and heads of whole quads. The keys are divided
// into parts of span, a workgroup for each, and y and lse get the result over each part's keys alone, of shapes
// [parts, Heads, Queries, Dim] and [parts, Heads, Queries], for AttentionMerge; with
// one part they are the results. Four invocations together compute four scores, so that loads are of 64 bytes
// in a row and many are under way; then each adds up a quad of the result over some of the 256 keys.
//
//tandem:kernel workgroup=256 groups=parts,s.Queries,s.Heads
//tandem:where  s.Dim > 0 && s.Dim <= 128 && s.Dim%4 == 0 && s.Queries <= s.Keys && s.Keys <= s.Capacity
//tandem:len    q=s.Heads*s.Queries*s.Dim/4 k=s.Heads*s.Capacity*s.Dim/4 v=s.Heads*s.Capacity*s.Dim/4
//tandem:len    y=parts*s.Heads*s.Queries*s.Dim/4 lse=parts*s.Heads*s.Queries
//tandem:test   gen=attentionFewCase
//tandem:want   attentionFewReference
func AttentionFew(t dsl.Thread, s Attend, parts, span uint32, q, k, v, y []dsl.Vec4, lse []float32,
	products *[1024]float32, weights, totals *[256]float32, scratch *[256 + 16]float32, sums *[256]dsl.Vec4) {
	lane, quads := t.Local.X, s.Dim/4
	row := t.Group.Z*s.Queries + t.Group.Y
	start := t.Group.X * span
	end := min(start+span, s.Keys-s.Queries+t.Group.Y+1)
	sum, total, largest := attend(t, s, row, start, end, q, k, v, products, weights, totals, scratch, sums)
	if lane < quads {
		if end <= start { // the query sees no key of this part
			total = 1
		}
		to := t.Group.X*s.Heads*s.Queries + row
		y[to*quads+lane] = sum.Scale(1 / total)
		if lane == 0 {
			lse[to] = largest + dsl.Log(total)
		}
	}
}

// attend returns, to each of the first s.Dim/4 invocations, the sum of its quad of the values of the keys from start to end,
// each with the exponential of its score less the largest; and to all the sum of these and the largest.
func attend(t dsl.Thread, s Attend, row, start, end uint32, q, k, v []dsl.Vec4,
	products *[1024]float32, weights, totals *[256]float32, scratch *[256 + 16]float32, sums *[256]dsl.Vec4) (sum dsl.Vec4, total, largest float32) {
	lane, quads := t.Local.X, s.Dim/4
	base := t.Group.Z * s.Capacity
	across := dsl.Select(quads > 16, uint32(32), 16) // invocations for a row of v, which take
	step := 256 / across                             // every so many-th
	quad, first := min(lane%across, quads-1), lane/across

	largest = -math.MaxFloat32
	for at := start; at < end; at += 256 {
		var early [valuesEarly]dsl.Vec4 // what the scores are not needed for
		for j := range dsl.Unroll(valuesEarly) {
			early[j] = v[(base+min(at+first+uint32(j)*step, end-1))*quads+quad]
		}
		var parts [4]float32
		for i := lane % 4; i < quads; i += 16 {
			for d := range dsl.Unroll(4) {
				quad := i + uint32(d)*4
				query := q[row*quads+min(quad, quads-1)].Scale(dsl.Select(quad < quads, s.Scale, 0))
				for j := range dsl.Unroll(4) {
					parts[j] += query.Dot(k[(base+min(at+lane/4+uint32(j)*64, end-1))*quads+min(quad, quads-1)])
				}
			}
		}
		for j := range dsl.Unroll(4) {
			products[lane+uint32(j)*256] = parts[j]
		}
		t.Barrier()
		score := products[lane*4] + products[lane*4+1] + products[lane*4+2] + products[lane*4+3]
		score = dsl.Select(at+lane < end, score, -math.MaxFloat32)
		next := max(largest, combined(t, scratch, score, larger))
		weights[lane] = dsl.Select(at+lane < end, dsl.Exp(score-next), 0)
		shrink := dsl.Exp(largest - next)
		total *= shrink
		sum = sum.Scale(shrink)
		largest = next
		t.Barrier()
		for j := range dsl.Unroll(valuesEarly) {
			w := weights[first+uint32(j)*step]
			total += w
			sum = sum.Add(early[j].Scale(w))
		}
		for i := first + valuesEarly*step; i < 256; i += step { // of wide heads the other half
			total += weights[i]
			sum = sum.Add(v[(base+min(at+i, end-1))*quads+quad].Scale(weights[i]))
		}
		t.Barrier()
	}

	sums[lane], totals[lane] = sum, total
	t.Barrier()
	if lane < quads {
		for i := lane + across; i < 256; i += across {
			sum = sum.Add(sums[i])
			total += totals[i]
		}
	}
	return sum, total, largest
}

// valuesEarly is how many quads of values an invocation loads before it knows their weights.
const valuesEarly = 16

const (
	joinQuads = 16              // quads of columns of a workgroup of AttentionTerms
	joinLines = 256 / joinQuads // invocations that share a quad of columns
	joinMost  = 64              // elements of its heads
	joinKept  = joinMost / joinLines
)

// AttentionTerms writes what each head adds to the product of the heads side by side, of a single query's attention, and the
// matrix w: the attention of a head times the s.Dim lines of w that are its own, shape [Heads, cols]. Their sum is the product; the
// first has the bias. Every workgroup computes the attention again, while its part of w is on its way.
//
//tandem:kernel workgroup=256 groups=ceil(cols,4*joinQuads),1,s.Heads
//tandem:where  s.Dim > 0 && s.Dim <= 64 && s.Dim%4 == 0 && s.Queries == 1 && s.Keys > 0 && s.Keys <= s.Capacity && cols%4 == 0
//tandem:len    q=s.Heads*s.Dim/4 k=s.Heads*s.Capacity*s.Dim/4 v=s.Heads*s.Capacity*s.Dim/4
//tandem:len    w=s.Heads*s.Dim*(cols/4) bias=cols/4 terms=s.Heads*(cols/4)
//tandem:test   gen=attentionTermsCase
//tandem:want   attentionTermsReference
func AttentionTerms(t dsl.Thread, s Attend, cols uint32, q, k, v, w, bias, terms []dsl.Vec4,
	products *[1024]float32, weights, totals *[256]float32, scratch *[256 + 16]float32, sums *[256]dsl.Vec4, mixed *[joinMost]float32) {
	lane, line, head := t.Local.X, t.Local.X/joinQuads, t.Group.Z
	column := t.Group.X*joinQuads + lane%joinQuads
	at := min(column, cols/4-1)
	var lines [joinKept]dsl.Vec4
	for i := range dsl.Unroll(joinKept) {
		lines[i] = w[(head*s.Dim+min(line+uint32(i)*joinLines, s.Dim-1))*(cols/4)+at]
	}
	sum, total, _ := attend(t, s, head, 0, s.Keys, q, k, v, products, weights, totals, scratch, sums)
	if lane < s.Dim/4 {
		y := sum.Scale(1 / total)
		mixed[lane*4], mixed[lane*4+1], mixed[lane*4+2], mixed[lane*4+3] = y.X, y.Y, y.Z, y.W
	}
	t.Barrier()
	var product dsl.Vec4
	for i := range dsl.Unroll(joinKept) {
		if row := line + uint32(i)*joinLines; row < s.Dim {
			product = product.Add(lines[i].Scale(mixed[row]))
		}
	}
	sums[lane] = product
	t.Barrier()
	if lane < joinQuads && column < cols/4 {
		for i := lane + joinQuads; i < 256; i += joinQuads {
			product = product.Add(sums[i])
		}
		if head == 0 {
			product = product.Add(bias[column])
		}
		terms[head*(cols/4)+column] = product
	}
}

func attentionTermsCase(r *rand.Rand, size int) (s Attend, cols uint32, q, k, v, w, bias, terms []dsl.Vec4) {
	s = Attend{Heads: uint32(r.Intn(4)), Queries: 1, Keys: 1 + uint32(r.Intn(min(size, 600)+1)), Dim: 4 + 4*uint32(r.Intn(16))}
	s.Capacity = s.Keys + uint32(r.Intn(3))
	s.Scale = 1 / float32(math.Sqrt(float64(s.Dim)))
	cols = 4 * uint32(r.Intn(min(size, 400)/4+1))
	rows, kept := int(s.Heads*s.Dim), int(s.Heads*s.Capacity*s.Dim)
	quads := func(n int) []dsl.Vec4 { return Quads(uniform(r, n)) }
	return s, cols, quads(rows), quads(kept), quads(kept), quads(rows * int(cols)), quads(int(cols)), quads(int(s.Heads * cols))
}

func attentionTermsReference(s Attend, cols uint32, q, k, v, w, bias, terms []dsl.Vec4) {
	mixed := make([]dsl.Vec4, len(q))
	attentionFewReference(s, 1, s.Keys, q, k, v, mixed, make([]float32, s.Heads))
	for head := range s.Heads {
		to, from := terms[head*(cols/4):(head+1)*(cols/4)], mixed[head*(s.Dim/4):(head+1)*(s.Dim/4)]
		g := GemvWide{Rows: s.Dim, Cols: cols, Alpha: 1}
		all := make([]float32, cols)
		if head == 0 {
			g.Bias = 1
		}
		gemvSumsReference(g, w[head*s.Dim*(cols/4):(head+1)*s.Dim*(cols/4)], Flat(from), Flat(bias), all)
		copy(to, Quads(all))
	}
}

// AttentionMerge merges what AttentionFew has written for each part of the keys: xs, shape
// [parts, rows, 4*quads], and their lses, shape [parts, rows].
//
//tandem:kernel workgroup=64 threads=rows*quads
//tandem:where  parts > 0 && quads > 0
//tandem:len    xs=parts*rows*quads lses=parts*rows y=rows*quads lse=rows
//tandem:test   gen=attentionMergeCase
//tandem:want   attentionMergeReference
func AttentionMerge(t dsl.Thread, parts, rows, quads uint32, xs []dsl.Vec4, lses []float32, y []dsl.Vec4, lse []float32) {
	row := t.Global.X / quads
	largest := lses[row]
	for p := uint32(1); p < parts; p++ {
		largest = max(largest, lses[p*rows+row])
	}
	var total float32
	var sum dsl.Vec4
	for p := range parts {
		w := dsl.Exp(lses[p*rows+row] - largest)
		total += w
		sum = sum.Add(xs[p*rows*quads+t.Global.X].Scale(w))
	}
	y[t.Global.X] = sum.Scale(1 / total)
	if t.Global.X%quads == 0 {
		lse[row] = largest + dsl.Log(total)
	}
}

func attentionFewCase(r *rand.Rand, size int) (s Attend, parts, span uint32, q, k, v, y []dsl.Vec4, lse []float32) {
	s = Attend{Heads: uint32(r.Intn(3)), Queries: uint32(r.Intn(min(size, 5) + 1)), Dim: 4 + 4*uint32(r.Intn(32))}
	s.Keys = s.Queries + uint32(r.Intn(min(size, 600)+1))
	s.Capacity = s.Keys + uint32(r.Intn(3))
	s.Scale = 1 / float32(math.Sqrt(float64(s.Dim)))
	parts = 1 + uint32(r.Intn(3))
	span = (s.Keys + parts - 1) / parts
	rows, kept := int(s.Heads*s.Queries), int(s.Heads*s.Capacity*s.Dim)
	written := int(parts) * rows
	quads := func(n int) []dsl.Vec4 { return Quads(uniform(r, n)) }
	return s, parts, span, quads(rows * int(s.Dim)), quads(kept), quads(kept), quads(written * int(s.Dim)), uniform(r, written)
}

// attentionFewReference computes each part as attention over a copy of its keys, for one query at a time.
func attentionFewReference(s Attend, parts, span uint32, q, k, v, y []dsl.Vec4, lse []float32) {
	quads, rows := s.Dim/4, s.Heads*s.Queries
	for to := range parts * rows {
		part, row := to/rows, to%rows
		start := part * span
		end := min(start+span, s.Keys-s.Queries+row%s.Queries+1)
		if end <= start {
			lse[to] = -math.MaxFloat32
			clear(y[to*quads : (to+1)*quads])
			continue
		}
		one := s
		one.Heads, one.Queries, one.Keys, one.Capacity = 1, 1, end-start, end-start
		from, past := (row/s.Queries*s.Capacity+start)*quads, (row/s.Queries*s.Capacity+end)*quads
		attentionTiledReference(one, q[row*quads:(row+1)*quads], k[from:past], v[from:past], y[to*quads:(to+1)*quads], lse[to:to+1])
	}
}

func attentionMergeCase(r *rand.Rand, size int) (parts, rows, quads uint32, xs []dsl.Vec4, lses []float32, y []dsl.Vec4, lse []float32) {
	parts, rows, quads = 1+uint32(r.Intn(9)), uint32(r.Intn(min(size, 50)+1)), 1+uint32(r.Intn(32))
	n := int(rows * quads)
	lses = uniform(r, int(parts*rows))
	for i := range lses {
		if i >= int(rows) && r.Intn(3) == 0 {
			lses[i] = -math.MaxFloat32 // a part without keys; the first has some
		}
	}
	return parts, rows, quads, Quads(uniform(r, 4*int(parts)*n)), lses, Quads(uniform(r, 4*n)), uniform(r, int(rows))
}

func attentionMergeReference(parts, rows, quads uint32, xs []dsl.Vec4, lses []float32, y []dsl.Vec4, lse []float32) {
	from, to := Flat(xs), Flat(y)
	width := 4 * quads
	for row := range rows {
		total := 0.0
		sums := make([]float64, width)
		for p := range parts {
			w := math.Exp(float64(lses[p*rows+row]))
			total += w
			for d := range width {
				sums[d] += w * float64(from[(p*rows+row)*width+d])
			}
		}
		for d := range width {
			to[row*width+d] = float32(sums[d] / total)
		}
		lse[row] = float32(math.Log(total))
	}
	copy(y, Quads(to))
}
