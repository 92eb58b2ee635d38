// Package ops is the operator library: functions over tensors that check
// shapes, choose kernels and grids, and launch. All kernels are written in
// tandem's own language, in package kernels; none of them is here. Operators
// that only training needs are in package train.
//
//	x, err := ops.Of(dev, data, rows, cols)
//	y := ops.New[float32](dev, rows, cols)
//	err = ops.Softmax(dev, x, y)
//
// The first argument is where the work goes: a *runtime.Device, or a *runtime.Scope, which sends
// everything recorded on it at once. Inputs come before outputs. An operator may not write to what
// it reads, except where its comment says so. Errors name the operator, or its kernel where a
// launch fails, the argument and the shapes.
//
// An operator that refuses its arguments launches nothing, and its error sticks to the scope, as
// that of a launch does: nothing that is recorded afterwards runs, and Submit returns it.
//
// NaN in what an operator reads gives NaN, some other number or none, as the device has it (WGSL
// lets one assume that there is none), unless the operator's comment says what becomes of it.
package ops
