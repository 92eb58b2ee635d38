package runtime

import (
	"errors"
	"fmt"
	"strings"

	"tandem/cpu"
	"tandem/dsl/fault"
)

// Kernel describes a kernel to the runtime. Generated code holds one for each
// kernel; it is never changed, and one Kernel serves every device.
type Kernel struct {
	Name    string // of the launcher
	Source  string // "softmax.go:12", where the Go function is
	Package string // import path of the Go function

	// WGSL is the shader. Binding 0 of group 0 is the uniform block if there is
	// one (Params > 0); the buffers follow in order. A one-dimensional kernel has
	// the line "const fold = 0u;", which the runtime replaces where a launch of
	// more than 65,535 workgroups is folded into two dimensions.
	WGSL  string
	Entry string // entry point in WGSL; "" means Name
	// Lines maps lines of WGSL to Go: an entry for each stretch of lines that come from one,
	// separated by commas. "14" is a line of the file that the entry before speaks of, at first
	// Source's, "group.go:30" of another, "" stands for no line; "14*3" for three lines in turn.
	Lines string

	Workgroup [3]uint32
	Threads   bool // the grid counts invocations (threads=), not workgroups
	Dims      int  // one to three

	Params  uintptr // bytes of the uniform block, a multiple of 16; 0 for none
	Fields  []Field // fields of the block that the runtime fills in
	Buffers []Arg
	InPlace []InPlace
	Vector  *Vector // the vector form; nil: there is none

	// Debug is WGSL that reports faults and prints, for devices that were opened with
	// Options.Debug; "" for none.
	Debug string

	Run func(*cpu.Launch) error // the kernel on the CPU
	// GoLines has, for each file of Go that Run runs, its name, a space and a table like Lines; a
	// file a line.
	GoLines string

	// Variants are other forms of the kernel, with other values of its constants
	// (//tandem:const). A launch runs the one that its device has found fastest.
	Variants []Variant
}

// Variant is a form of a kernel with other values of its constants. Its
// arguments are the kernel's own; its grid and its hidden fields may differ.
type Variant struct {
	Name   string // "Tile=8"
	Kernel *Kernel
}

// Access says what a kernel does with a buffer.
type Access uint8

// The accesses.
const (
	Read Access = iota
	ReadWrite
)

// Arg is a buffer argument of a kernel.
type Arg struct {
	Name   string
	Access Access
	Size   int // bytes of an element
	// MaxLen, if not 0, is the most elements that the kernel can take: it counts
	// them in an int, which has 32 bits on a GPU.
	MaxLen int64
	// Decides: an element decides whether a barrier is reached. A GPU then wants
	// a read-only binding, so that no other argument may write into the same buffer.
	Decides bool
}

// FieldKind is what a hidden field of the uniform block holds.
type FieldKind uint8

// The hidden fields, all uint32.
const (
	LenField     FieldKind = iota // number of elements of buffer Index
	ThreadsField                  // number of invocations along axis Index
	GroupsField                   // number of workgroups along axis Index
)

// Field is a field of the uniform block that no parameter names.
type Field struct {
	Kind   FieldKind
	Index  int
	Offset uintptr
}

// InPlace is the form of a kernel in which buffers Out and In are one. Its WGSL
// has no binding for In, but the same lines; the others keep their numbers.
type InPlace struct {
	Out, In int
	WGSL    string
	Vector  string // WGSL of the vector form, where the kernel has one
	Debug   string // as Kernel.Debug
}

// foldLine is the line of one-dimensional kernels that says how the grid is
// folded. A launch of more workgroups than a device takes along one side is
// dispatched as rows of driver.FoldWidth workgroups, and the kernel undoes it.
const (
	foldLine   = "const fold = 0u;"
	foldedLine = "const fold = 65535u;"
)

// entry returns the name of the entry point.
func (k *Kernel) entry() string {
	if k.Entry != "" {
		return k.Entry
	}
	return k.Name
}

// words is the length of the uniform block in 64-bit words.
func (k *Kernel) words() int { return int(k.Params+7) / 8 }

// writes reports whether k writes to buffer i.
func (k *Kernel) writes(i int) bool { return k.Buffers[i].Access == ReadWrite }

// firstBuffer is the binding of the first buffer.
func (k *Kernel) firstBuffer() int {
	if k.Params > 0 {
		return 1
	}
	return 0
}

// run runs k on the CPU.
func (k *Kernel) run(l *cpu.Launch) error {
	err := k.Run(l)
	if err == nil {
		return nil
	}
	var f *fault.Error // escapes: only where there is an error
	switch {
	case !errors.As(err, &f):
	case f.File == "": // no line is at fault, but the launch
		own := k.source()
		f.File, f.Line = own.file, own.line
	default:
		f.File, f.Line = k.Origin(f.File, f.Line)
	}
	return err
}

// specialise returns WGSL with the fold written in and with the buffers of
// mask readWrite declared read-write.
func (k *Kernel) specialise(wgsl string, fold bool, readWrite uint32) string {
	if fold {
		wgsl = strings.Replace(wgsl, foldLine, foldedLine, 1)
	}
	for i := range k.Buffers {
		if readWrite&(1<<i) != 0 {
			binding := fmt.Sprintf("@binding(%d) var<storage, read", i+k.firstBuffer())
			wgsl = strings.Replace(wgsl, binding+">", binding+"_write>", 1)
		}
	}
	return wgsl
}
