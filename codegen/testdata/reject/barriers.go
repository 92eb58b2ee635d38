package reject

import "tandem/dsl"

// Barriers that some invocations of a workgroup do not reach.

//tandem:kernel workgroup=64 groups=1
func barrierInIf(t dsl.Thread, x []float32) {
	if t.Local.X < 32 {
		t.Barrier() // want "barrier.*varies|varies"
	}
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 groups=1
func barrierAfterReturn(t dsl.Thread, x []float32) {
	if t.Local.X >= 32 {
		return
	}
	t.Barrier() // want "barrier"
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 groups=1
func barrierInLoop(t dsl.Thread, x []float32) {
	for i := uint32(0); i < t.Local.X; i++ {
		t.Barrier() // want "barrier"
	}
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 groups=1
func barrierAfterBreak(t dsl.Thread, x []float32) {
	for i := uint32(0); i < 8; i++ {
		if x[t.Global.X] > 5 {
			break
		}
		t.Barrier() // want "barrier"
	}
}

//tandem:kernel workgroup=64 groups=1
func barrierAfterContinue(t dsl.Thread, x []float32) {
	for i := uint32(0); i < 8; i++ {
		if x[t.Global.X] > 5 {
			continue
		}
		t.Barrier() // want "barrier"
	}
}

//tandem:kernel workgroup=64 groups=1
func barrierInSwitch(t dsl.Thread, x []uint32) {
	switch x[t.Global.X] {
	case 1:
		t.Barrier() // want "barrier"
	}
}

//tandem:kernel workgroup=64 groups=1
func barrierByWorkgroupMemory(t dsl.Thread, x []uint32, s *[1]uint32) {
	if t.Local.X == 0 {
		s[0] = x[0]
	}
	t.Barrier()
	if s[0] > 1 {
		t.Barrier() // want "barrier"
	}
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 groups=1
func barrierByWrittenBuffer(t dsl.Thread, x []uint32) {
	if x[0] > 1 {
		t.Barrier() // want "barrier"
	}
	x[t.Global.X] = 1
}

func sync(t dsl.Thread, on bool) {
	if on {
		t.Barrier() // want "barrier"
	}
}

//tandem:kernel workgroup=64 groups=1
func barrierInHelper(t dsl.Thread, x []uint32) {
	sync(t, t.Local.X > 3)
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 threads=len(x)
func barrierWithThreads(t dsl.Thread, x []uint32) {
	t.Barrier() // want "threads=.*groups="
	x[t.Global.X] = 1
}

//tandem:kernel workgroup=64 groups=1
func barrierRightOfAnd(t dsl.Thread, x []uint32) {
	if x[t.Global.X] > 1 && waits(t) {
		x[t.Global.X] = 1
	}
}

func waits(t dsl.Thread) bool {
	t.Barrier() // want "barrier"
	return true
}
