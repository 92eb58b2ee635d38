package cpu

import "tandem/dsl/fault"

// An At is where a generated function stands: the invocation that it runs. It is
// kept up to date by plain stores, which cost nothing that could be measured,
// and read only when the kernel panics.
type At struct {
	Group     uint32 // the workgroup, counted X first
	X, Y, Z   uint32 // the invocation in it, or, with Global, in the grid
	Workgroup [3]uint32
	Groups    [3]uint32
	Global    bool
}

// Report adds the invocation to the panic of a kernel. It is to be deferred.
func (at *At) Report() {
	v := recover()
	if v == nil {
		return
	}
	f := fault.Recovered(v)
	if among, ok := v.(interface{ after() uint32 }); ok {
		at.X += among.after()
	}
	l := Launch{Groups: at.Groups}
	f.Group, f.Lane = l.position(at.Group), true
	for i, x := range [3]uint32{at.X, at.Y, at.Z} {
		w := at.Workgroup[i]
		if at.Global {
			f.Group[i], f.Local[i], f.Global[i] = x/w, x%w, x
		} else {
			f.Local[i], f.Global[i] = x, f.Group[i]*w+x
		}
	}
	panic(f)
}
