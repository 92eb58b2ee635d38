// Package cpu is what the code that tandem generates for the CPU runs on: the
// scheduler that spreads workgroups over all cores, and the operations that Go
// has no expression for.
//
// Generated code computes exactly what package dsl computes, bit for bit. It
// calls dsl's functions where they cost no more than what they do, and otherwise
// writes
//
//	builtin       operand                  Go
//	Min, Max      scalar                   min(x, y), max(x, y)
//	Clamp         scalar                   min(max(x, low), high)
//	Abs           float32                  cpu.Abs(x)
//	Abs           int32, int               cpu.AbsInt(x)
//	Abs           uint32                   x
//	Sign          float32, int32, int      cpu.Sign(x)
//	Select        any                      cpu.Select(cond, x, y)
//	Dot           vector                   v.Dot(w)
//	Float32Bits   float32                  math.Float32bits(x)
//	Float32FromBits                        math.Float32frombits(x)
//	Int32, Uint32                          cpu.Int32(x), cpu.Uint32(x)
//	all others    scalar, vector           dsl.Name(…)
//
// and, for what is no builtin,
//
//	float32 → integer                      cpu.Int32(x), cpu.Uint32(x)
//	float32 product that is added          float32(x*y)
//	vector[i], i not constant              *cpu.Component[float32](&v, i)
//	scalar beside a vector                 cpu.Splat4[dsl.Vec4](x)
//	vector + - * / % & | ^                 v.Add(w) … v.Xor(w)
//	vector * scalar                        v.Scale(s)
//	half float                             h.Float32()
//	atomic in a buffer                     cpu.AtomicAdd(&x[i], v) …
//	atomic in workgroup memory             cpu.PlainAdd(&s[i], v) …
//
// where atomics are held as int32 and uint32.
//
// Integer division by zero, an index out of range and a failed dsl.Assert are
// panics, which Run turns into errors. A generated function that may panic keeps
// an At, so that the error names the invocation.
package cpu
