package bench

import "fmt"

// sizes are what the groups that measure one device run on: as much as keeps it busy, and no more.
type sizes struct {
	vector     int      // elements of bandwidth's vectors, a power of 2
	transposed int      // side of the transposed matrix
	products   []int    // sides of square products; the other shapes are as large as the last
	gemv       int      // side of the matrix
	rows       [][2]int // rows and columns
	attention  attend
	tokens     int      // generated after a prompt
	trained    [][2]int // batches and lengths of training steps
}

// attend is a size of attention.
type attend struct{ batch, heads, length, dim int }

// String writes it as figures are named.
func (a attend) String() string { return fmt.Sprintf("%dx%dx%dx%d", a.batch, a.heads, a.length, a.dim) }

var (
	forGPU = sizes{
		vector: 1 << 27, transposed: 8192, products: []int{1024, 2048, 4096}, gemv: 8192, rows: [][2]int{{8192, 4096}, {8192, 50257}},
		attention: attend{8, 12, 2048, 64}, tokens: 128, trained: [][2]int{{4, 256}, {8, 1024}},
	}
	// forCores are for the CPU device and for software that stands in for a GPU.
	forCores = sizes{
		vector: 1 << 24, transposed: 2048, products: []int{256, 512}, gemv: 2048, rows: [][2]int{{1024, 4096}, {64, 50257}},
		attention: attend{1, 4, 512, 64}, tokens: 8, trained: [][2]int{{1, 16}},
	}
	forTests = sizes{
		vector: 1 << 16, transposed: 256, products: []int{128}, gemv: 128, rows: [][2]int{{16, 512}, {4, 5025}},
		attention: attend{1, 2, 64, 64}, tokens: 8, trained: [][2]int{{2, 32}},
	}
)

// sizes returns those for the device.
func (s *suite) sizes() sizes {
	switch {
	case s.Small:
		return forTests
	case s.onCores():
		return forCores
	}
	return forGPU
}

// onCores reports whether the device is the CPU, or a GPU driver that runs on it.
func (s *suite) onCores() bool {
	kind := s.dev.Info().Kind
	return kind == "cpu" || kind == "software"
}
