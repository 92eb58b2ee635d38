//go:build !(goexperiment.simd && amd64)

package cpu

func hasSIMD() bool { return false }
