package kernels

import "tandem/dsl"

// Histogram adds to bins, for each value 0 to 255, how often x has it; other
// values are not counted. Each workgroup counts in its own memory, then adds its
// counts to the buffer.
//
//tandem:kernel workgroup=256 groups=groups
//tandem:len    bins=256
//tandem:test   groups=0..5 len(x)=0..5000 x=-3..260
//tandem:want   histogramReference
func Histogram(t dsl.Thread, groups uint32, x []int32, bins []dsl.AtomicUint32, local *[256]dsl.AtomicUint32) {
	for i := t.Global.X; i < dsl.Len(x); i += groups * 256 {
		if v := uint32(x[i]); v < 256 {
			local[v].Add(1)
		}
	}
	t.Barrier()
	if n := local[t.Local.X].Load(); n > 0 {
		bins[t.Local.X].Add(n)
	}
}

func histogramReference(groups uint32, x []int32, bins []dsl.AtomicUint32) {
	if groups == 0 {
		return
	}
	for _, v := range x {
		if v >= 0 && v < 256 {
			bins[v].Add(1)
		}
	}
}
