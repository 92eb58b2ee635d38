package ops

import (
	"tandem/ops/internal/device"
	"tandem/ops/internal/pieces"
	"tandem/ops/kernels"
	"tandem/runtime"
)

// way is how a product that fits the device is computed.
type way int

const (
	// For a C that is a single row:
	rowLanes   way = iota // on a CPU, a lane a column, down B's lines
	rowQuads              // by quads of B, whose lines are whole ones
	rowLines              // by lines of B along K, of any length
	rowColumns            // down B's lines, of any length

	lanes // on a CPU, a lane a column

	// In several launches, the fastest kernels among them:
	turnedFirst   // with a copy of B that is transposed before
	paddedFirst   // between copies of B and C whose lines are whole quads
	finishedAfter // the product alone, then bias and Gelu
	inParts       // parts of the sums, then their sum

	largeTiles // by quads, tiles of 128×128
	smallTiles // by quads, tiles of 64×64
	anyStrides // element by element, wherever they lie
)

// String returns the way's name.
func (w way) String() string {
	return [...]string{"rowLanes", "rowQuads", "rowLines", "rowColumns", "lanes", "turnedFirst", "paddedFirst", "finishedAfter",
		"inParts", "largeTiles", "smallTiles", "anyStrides"}[w]
}

// way chooses how to compute a product; the first that fits is the fastest.
func (p Product) way(on runtime.Target, g kernels.Gemm, batch int) way {
	cpu, row := device.IsCPU(on), g.M == 1 && batch == 1
	switch {
	case row && cpu && !p.TransposeB && !p.Gelu:
		return rowLanes
	case row && g.StartC == 0 && p.lineOfB(g)%4 == 0:
		return rowQuads
	case row && p.TransposeB && g.StartC%64 == 0 && !p.Gelu: // where a view of c can begin
		return rowLines
	case row && !p.TransposeB && !p.Gelu:
		return rowColumns
	case cpu:
		return lanes
	case packs(on, g, batch) && turned(g):
		return turnedFirst
	case packs(on, g, batch) && ragged(g):
		return paddedFirst
	case !wide(g):
		return anyStrides
	case fills(g, batch) && g.Bias|g.Gelu != 0 && g.Add == 0:
		return finishedAfter
	case partsOf(on, g, batch) > 1:
		return inParts
	case fills(g, batch):
		return largeTiles
	}
	return smallTiles
}

// lineOfB is the length of a line of B, in memory.
func (p Product) lineOfB(g kernels.Gemm) uint32 {
	if p.TransposeB {
		return g.K
	}
	return g.N
}

// manyTiles is how many tiles of 128×128 a large device needs to be at work everywhere: with fewer,
// tiles of 64×64 are faster.
const manyTiles = 224

// fills reports whether a product keeps a large device at work with large tiles, which take K by 8.
func fills(g kernels.Gemm, batch int) bool {
	return g.K%8 == 0 && int(tilesOf(g))*batch >= manyTiles
}

// tilesOf returns how many large tiles C has.
func tilesOf(g kernels.Gemm) uint32 { return (g.M + 127) / 128 * ((g.N + 127) / 128) }

// wide reports whether a product is for the kernels on quads: one operand at most is transposed, and
// the lines that are to be read or written by quads are whole ones.
func wide(g kernels.Gemm) bool {
	lines := g.N | g.RowC | g.BatchC | g.StartC
	if g.ColA != 1 {
		lines |= g.ColA | g.BatchA
	}
	if g.ColB == 1 {
		lines |= g.RowB | g.BatchB
	}
	return lines%4 == 0 && (g.ColA == 1 || g.ColB == 1)
}

// The fastest kernels want lines of B along C's rows, and rows of whole quads. What has others is
// copied first, where there are so many rows that the copies, which grow with two sides, are little
// beside the product, which grows with three.
const packedRows = 512

// packs reports whether a product is large enough to copy its operands first, and the device can see
// the copies.
func packs(on runtime.Target, g kernels.Gemm, batch int) bool {
	row := int(g.N) + 3 // and what fills its last quad
	return g.M >= packedRows && fills(g, batch) &&
		pieces.Fits(on, batch*int(g.M)*row) && pieces.Fits(on, int(matrices(g, batch))*int(g.K)*row)
}

// turned reports whether B lies as whole matrices of lines along K.
func turned(g kernels.Gemm) bool {
	return g.ColA == 1 && g.RowB == 1 && g.ColB == g.K && (g.BatchB == 0 || g.BatchB == g.N*g.K)
}

// ragged reports whether all that keeps a product from quads is how long C's rows are, and B's.
func ragged(g kernels.Gemm) bool {
	return g.ColB == 1 && !wide(g) && (g.ColA == 1 || (g.ColA|g.BatchA)%4 == 0)
}

// matrices returns how many matrices B has.
func matrices(g kernels.Gemm, batch int) uint32 {
	if g.BatchB == 0 {
		return 1
	}
	return uint32(batch)
}

// Where C has few tiles and the sums are long, they are taken in parts: then there are enough
// workgroups for large tiles. There should be several times as many as run at once (264 on an NVIDIA
// H200), or in the last round much of the device has nothing to do.
const (
	longSums   = 4096 // that are worth a second launch
	shortPart  = 512  // as short as a part of K may be
	manyGroups = 580
	fewGroups  = 128 // with large tiles, that make a large device worth its while
)

// partsOf returns in how many parts a product takes its sums: a power of 2.
func partsOf(on runtime.Target, g kernels.Gemm, batch int) uint32 {
	tiles := tilesOf(g)
	if batch > 1 || tiles >= manyTiles || g.K < longSums {
		return 1
	}
	parts := uint32(1)
	for parts*tiles < manyGroups && g.K%(16*parts) == 0 && g.K/(2*parts) >= shortPart &&
		pieces.Fits(on, 2*int(parts)*int(g.M)*int(g.N)) {
		parts *= 2
	}
	if parts*tiles < fewGroups {
		return 1
	}
	return parts
}
