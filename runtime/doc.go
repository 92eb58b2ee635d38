// Package runtime runs kernels: it opens devices, holds typed buffers, records
// launches and brings results back.
//
//	dev, err := runtime.Open(runtime.Options{}) // the best GPU, else the CPU device
//	x := runtime.Upload(dev, []float32{1, 2, 3})
//	y := runtime.New[float32](dev, 3)
//	s := dev.Scope()               // everything recorded on s goes out in one submit
//	gen.Scale(s, 2, x, y)          // errors stick to the scope; each launch also returns its own
//	err = s.Submit()
//	out, err := y.Read(ctx)
//
// # Order
//
// A device behaves as if everything had run at the moment it was recorded, in
// that order: a read sees every launch recorded before it, in whichever scope;
// a host write never overtakes a launch recorded before it. Nobody has to
// remember to flush. To keep that promise the runtime submits what is recorded
// early when it has to, and only then.
//
// # Errors
//
// Every failure is a Go error that names kernel, argument and numbers, and can
// be told apart with errors.Is and the Err values of this package.
//
// Buffers, scopes and devices may be used from several goroutines at once.
package runtime
