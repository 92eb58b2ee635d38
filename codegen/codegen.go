// Package codegen compiles the kernels of a Go package: to WGSL for the GPU, to
// Go for the CPU, and to the typed launchers and parity tests around them.
//
// A kernel goes through load (types, exact positions), lower (to the ir), the
// passes (analyses and rewrites), the back ends wgsl, gocpu and launch, and
// validate. [Compile] drives them; it touches no file system and starts no
// process, so that it also runs in a browser and in tests.
package codegen

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"tandem/codegen/ir"
	"tandem/codegen/load"
	"tandem/codegen/lower"
	"tandem/codegen/pass"
	"tandem/codegen/wgsl"
	"tandem/validate"
)

// Kernel is a compiled kernel: an instance of a generic one, a variant.
type Kernel struct {
	IR     *ir.Kernel
	Shader *wgsl.Shader
	Steps  []Step // what each pass left, where a trace was asked for
}

// Step is the kernel's text form after a pass.
type Step struct{ Pass, Text string }

// Kernels compiles the kernels of p as far as WGSL. The error is a
// [load.Errors] with everything that is wrong in the package.
func Kernels(p *load.Package) ([]*Kernel, error) { return compile(p, nil) }

// Trace is Kernels for the kernels that want reports true for, with the Steps;
// the ir is verified after each pass.
func Trace(p *load.Package, want func(*ir.Kernel) bool) ([]*Kernel, error) { return compile(p, want) }

func compile(p *load.Package, traced func(*ir.Kernel) bool) ([]*Kernel, error) {
	errs := slices.Clone(p.Errs)
	lowered, err := lowerAll(p)
	errs.Join(err)
	if traced != nil {
		lowered = slices.DeleteFunc(lowered, func(k *ir.Kernel) bool { return !traced(k) })
	}
	out := make([]*Kernel, len(lowered))
	fails := make([]error, len(lowered))
	parallel(len(lowered), func(i int) {
		out[i] = &Kernel{IR: lowered[i]}
		fails[i] = out[i].finish(traced != nil)
	})
	for _, err := range fails {
		errs.Join(err)
	}
	errs = append(errs, checkEffects(lowered, fails)...)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

// lowerAll returns the kernels that could be lowered, with the errors of the
// others.
func lowerAll(p *load.Package) (kernels []*ir.Kernel, err error) {
	var first ir.Pos
	if len(p.Kernels) > 0 {
		first = p.Kernels[0].Pos
	}
	failure := guard("", first, "lower", func() error {
		kernels, err = lower.Kernels(p)
		return nil
	})
	return kernels, cmp.Or(failure, err)
}

// finish runs the passes, emits WGSL and validates it.
func (k *Kernel) finish(traced bool) error {
	name, pos := k.IR.Func, k.IR.Pos
	var trace func(name, text string)
	if traced {
		trace = func(name, text string) { k.Steps = append(k.Steps, Step{name, text}) }
	}
	if err := guard(name, pos, "a pass", func() error { return pass.Run(k.IR, trace) }); err != nil {
		return err
	}
	err := guard(name, pos, "the WGSL back end", func() (err error) {
		k.Shader, err = wgsl.Emit(k.IR)
		return err
	})
	if err != nil {
		return err
	}
	return guard(name, pos, "validation", func() error {
		return rejected(validate.Kernel(k.IR, k.Shader), name)
	})
}

// rejected returns what validation found. A limit that the kernel exceeds is
// its author's to mend; WGSL that is wrong is our own fault.
func rejected(err error, kernel string) error {
	var out load.Errors
	for _, e := range parts(err) {
		var found *validate.Error
		switch {
		case !errors.As(e, &found):
			return err
		case found.By == "limits":
			out.Add(found.Pos, kernel, "%s", found.Msg)
		default:
			out.Join(internal(kernel, found.Pos, fmt.Sprintf("%s rejects line %d of the WGSL (%s)", found.By, found.Line, found.Msg)))
		}
	}
	return out.Err()
}

// parts returns the errors that were joined.
func parts(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// guard runs a stage of the compiler on a kernel. Errors of the kernel's author
// pass; everything else, a panic too, is the compiler's own fault and becomes
// an error that says so.
func guard(kernel string, pos ir.Pos, stage string, do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = internal(kernel, pos, fmt.Sprintf("%s failed (%v, %s)", stage, r, panicked()))
		}
	}()
	return authors(do(), kernel, pos, stage)
}

// authors returns err as errors of the kernel's author, if it is such, else as
// one of ours.
func authors(err error, kernel string, pos ir.Pos, stage string) error {
	var loaded load.Errors
	var several pass.Errors
	var one pass.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &loaded):
		return loaded
	case errors.As(err, &several):
	case errors.As(err, &one):
		several = pass.Errors{one}
	default:
		return internal(kernel, pos, stage+" failed ("+err.Error()+")")
	}
	var out load.Errors
	for _, e := range several {
		out.Add(e.Pos, kernel, "%s", e.Msg)
	}
	return out
}

func internal(kernel string, pos ir.Pos, what string) error {
	return load.Error{Pos: pos, Kernel: kernel, Msg: "internal error: " + what + "; this is a fault of tandem's: please report it with the source of this kernel"}
}

// panicked returns the function and line that panicked.
func panicked() string {
	pc := make([]uintptr, 32)
	frames := runtime.CallersFrames(pc[:runtime.Callers(0, pc)])
	for after := false; ; {
		f, more := frames.Next()
		if after && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s line %d", f.Function, f.Line)
		}
		after = after || f.Function == "runtime.gopanic"
		if !more {
			return "at an unknown place"
		}
	}
}

// parallel calls do with 0 to n-1 on all cores.
func parallel(n int, do func(i int)) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			do(i)
		})
	}
	wg.Wait()
}
