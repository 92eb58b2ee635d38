package kernels

import "tandem/dsl"

// Registers keeps an 8×8 tile of a product in registers: no local array is left.
//
//tandem:kernel workgroup=64 groups=1
func Registers(t dsl.Thread, k uint32, a, b, c []float32, as, bs *[8][64]float32) {
	var acc [8][8]float32
	row, col := t.Local.X/8*8, t.Local.X%8*8
	for first := uint32(0); first < k; first += 8 {
		for i := range uint32(8) {
			as[i][t.Local.X] = a[(first+i)*64+t.Local.X]
			bs[i][t.Local.X] = b[(first+i)*64+t.Local.X]
		}
		t.Barrier()
		for d := range dsl.Unroll(8) {
			var u, v [8]float32
			for i := range uint32(8) {
				u[i], v[i] = as[d][row+i], bs[d][col+i]
			}
			for i := range u {
				for j := range v {
					acc[i][j] = dsl.Fma(u[i], v[j], acc[i][j])
				}
			}
		}
		t.Barrier()
	}
	for i, line := range acc {
		for j, x := range line {
			c[(row+uint32(i))*64+col+uint32(j)] = x
		}
	}
}
