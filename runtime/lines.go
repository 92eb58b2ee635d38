package runtime

import (
	"path/filepath"
	"reflect"
	goruntime "runtime"
	"strconv"
	"strings"
)

// origin is a line of Go that generated text was made from; the zero value stands for none.
type origin struct {
	file string
	line int
}

func (o origin) String() string { return o.file + ":" + strconv.Itoa(o.line) }

// lookUp returns the origin of a line (from 1) in a table of lines, of a kernel that stands in file own.
func lookUp(table, own string, line int) origin {
	o := origin{file: own}
	if line < 1 {
		return origin{}
	}
	for run := range strings.SplitSeq(table, ",") {
		run, times, _ := strings.Cut(run, "*")
		if colon := strings.LastIndexByte(run, ':'); colon >= 0 {
			o.file, run = run[:colon], run[colon+1:]
		}
		o.line, _ = strconv.Atoi(run)
		n, err := strconv.Atoi(times)
		if err != nil {
			n = 1
		}
		if line -= n; line > 0 {
			continue
		}
		if o.line == 0 {
			break
		}
		return o
	}
	return origin{}
}

// source is where the kernel's Go function is.
func (k *Kernel) source() origin {
	file, line, _ := strings.Cut(k.Source, ":")
	n, _ := strconv.Atoi(line)
	return origin{file, n}
}

// position returns the line of Go behind a line of WGSL that a table has, or that of the kernel
// where there is none.
func (k *Kernel) position(table string, line int) origin {
	own := k.source()
	if o := lookUp(table, own.file, line); o.line > 0 {
		return o
	}
	return own
}

// Origin returns the line of the kernel's source behind a line of the Go that was generated from
// it, that of the kernel itself where there is none. Lines of other files it returns as they are.
// file is as a stack trace has it.
func (k *Kernel) Origin(file string, line int) (string, int) {
	folder, base := filepath.Split(file)
	table, found := "", false
	for of := range strings.SplitSeq(k.GoLines, "\n") {
		name, runs, _ := strings.Cut(of, " ")
		if name == base {
			table, found = runs, true
		}
	}
	if !found || folder != k.folder() {
		return file, line
	}
	o := k.position(table, line)
	return o.file, o.line
}

// folder is where the Go that was generated from k is.
func (k *Kernel) folder() string {
	f := goruntime.FuncForPC(reflect.ValueOf(k.Run).Pointer())
	file, _ := f.FileLine(f.Entry())
	folder, _ := filepath.Split(file)
	return folder
}
