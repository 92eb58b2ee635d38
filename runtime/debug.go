package runtime

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"

	kernelfault "tandem/dsl/fault"
	"tandem/runtime/internal/driver"
)

// A debug launch runs the debug form of its kernel (codegen/wgsl/debug.go) with
// one more buffer, in which it leaves what went wrong first and what it printed.
// It is submitted and looked at before the next launch is recorded.

// debugging is what a device needs for debug launches.
type debugging struct {
	on     bool
	mu     sync.Mutex // held from the recording of a launch until its report is read
	report *storage
}

// The words of the buffer of reports.
const (
	failedWord  = 0
	faultWord   = 1 // site, two numbers, workgroup, invocation in it
	lensWord    = faultWord + 9
	maxLens     = 7 // with the report, what every device takes
	printedWord = lensWord + maxLens
	printsWord  = printedWord + 1
	reportWords = 1 << 14
)

// sitesLine stands before the numbered sites at the end of a debug form.
const sitesLine = "\n// What can be reported:\n"

// debugs reports whether l is a debug launch. The CPU device reports of itself.
func (l *Launch) debugs() bool {
	return l.dev.debug.on && (l.kernel.Debug != "" || len(l.kernel.Buffers) > maxLens) && l.dev.info.Kind != driver.CPU.String()
}

// debugText returns the debug form of k for key.
func (k *Kernel) debugText(key formKey) string {
	if key.inPlace >= 0 {
		return k.InPlace[key.inPlace].Debug
	}
	return k.Debug
}

// recordDebug runs l alone and returns what it reports.
func (l *Launch) recordDebug() error {
	d, k := l.dev, l.kernel
	if n := len(k.Buffers); n > maxLens {
		return failf(ErrLimit, "%s has %d buffers; a debug launch needs one more, and not every device takes more than %d: launch it without Debug", k.Name, n, maxLens+1)
	}
	d.debug.mu.Lock()
	defer d.debug.mu.Unlock()
	if err := l.put(true); err != nil || l.grid.empty {
		return err
	}
	words, err := d.readReport()
	if err != nil {
		return failf(err, "%s: the report of a debug launch: %v", k.Name, err)
	}
	sites := debugSites(k.debugText(l.key))
	printReport(words, sites)
	return k.fault(words, sites)
}

// addDebug binds the buffer of reports, cleared and with the lengths of the
// arguments. The caller holds d.mu.
func (l *Launch) addDebug(b *batch) error {
	d := l.dev
	if d.debug.report == nil {
		st, err := d.createStorage(4*reportWords, driver.Storage)
		if err != nil {
			return l.errorf(err, "memory for the report of a debug launch: %v", err)
		}
		d.debug.report = st
	}
	st := d.debug.report
	head := make([]byte, 4*printsWord)
	for i, a := range l.args {
		binary.LittleEndian.PutUint32(head[4*(lensWord+i):], uint32(a.n))
	}
	b.Writes = append(b.Writes, driver.Write{Buffer: st.buf, Data: head})
	l.bindings = append(l.bindings, binding{st: st, index: len(l.args) + l.kernel.firstBuffer(), size: st.size, n: reportWords})
	b.use(st, true)
	return nil
}

// readReport reads what a debug launch left.
func (d *Device) readReport() ([]uint32, error) {
	data := make([]byte, 4*reportWords)
	own := &owner{dev: d, st: d.debug.report}
	if err := d.read(context.Background(), []Region{{view{own: own, bytes: int64(len(data))}, data}}); err != nil {
		return nil, err
	}
	words := make([]uint32, reportWords)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words, nil
}

// site is something that a debug form can report.
type site struct {
	file   string
	line   int
	what   string   // "index", "signed index", "divide", "shift", "assert", "print"
	quoted []string // of an assert its message; of a print a string or a type each
}

// debugSites reads the sites at the end of a debug form, numbered from 1.
func debugSites(text string) []site {
	at := strings.LastIndex(text, sitesLine)
	if at < 0 {
		return nil
	}
	var list []site
	for line := range strings.Lines(text[at+len(sitesLine):]) {
		s, err := parseSite(strings.TrimSpace(strings.TrimPrefix(line, "// ")))
		if err != nil {
			s.what = err.Error()
		}
		list = append(list, s)
	}
	return list
}

// parseSite reads "file.go:12" assert "message".
func parseSite(text string) (s site, err error) {
	words, err := splitQuoted(text)
	if err != nil || len(words) < 2 {
		return s, errors.Join(err, fmt.Errorf("not a site: %s", text))
	}
	position, _ := strconv.Unquote(words[0])
	colon := strings.LastIndexByte(position, ':')
	if colon < 0 {
		return s, fmt.Errorf("not a position: %s", position)
	}
	s.file = position[:colon]
	if s.line, err = strconv.Atoi(position[colon+1:]); err != nil {
		return s, err
	}
	s.what, s.quoted = words[1], words[2:]
	if s.what == "signed" {
		s.what, s.quoted = "signed index", nil
	}
	return s, nil
}

// splitQuoted splits text at spaces outside quotes.
func splitQuoted(text string) (words []string, err error) {
	for text != "" {
		word, _, _ := strings.Cut(text, " ")
		if text[0] == '"' {
			if word, err = strconv.QuotedPrefix(text); err != nil {
				return nil, err
			}
		}
		words = append(words, word)
		text = strings.TrimPrefix(text[len(word):], " ")
	}
	return words, nil
}

// fault returns the fault in a report, as the CPU device reports it, or nil.
func (k *Kernel) fault(words []uint32, sites []site) error {
	if words[failedWord] == 0 {
		return nil
	}
	w := words[faultWord:lensWord]
	e := &kernelfault.Error{Kernel: k.Name, Lane: true, Group: [3]uint32(w[3:6]), Local: [3]uint32(w[6:9])}
	for i := range e.Global {
		e.Global[i] = e.Group[i]*k.Workgroup[i] + e.Local[i]
	}
	if i := int(w[0]) - 1; i >= 0 && i < len(sites) {
		e.File, e.Line, e.Msg = sites[i].file, sites[i].line, sites[i].message(w[1], w[2])
	} else {
		e.File, e.Msg = k.Source, fmt.Sprintf("an unknown fault, number %d", w[0])
	}
	return &driver.KernelError{Err: e}
}

// message says what went wrong, in Go's words; i and n are the numbers that were
// reported.
func (s *site) message(i, n uint32) string {
	switch {
	case s.what == "index":
		return fmt.Sprintf("index out of range [%d] with length %d", i, n)
	case s.what == "signed index" && int32(i) < 0:
		return fmt.Sprintf("index out of range [%d]", int32(i))
	case s.what == "signed index":
		return fmt.Sprintf("index out of range [%d] with length %d", i, n)
	case s.what == "divide":
		return "integer divide by zero"
	case s.what == "shift":
		return "negative shift amount"
	case s.what == "assert" && len(s.quoted) == 1:
		message, _ := strconv.Unquote(s.quoted[0])
		return "assertion failed: " + message
	}
	return s.what
}

// printReport writes to standard error what dsl.Print was called with.
func printReport(words []uint32, sites []site) {
	used, prints := words[printedWord], words[printsWord:]
	for at := 0; at < min(int(used), len(prints)); {
		i := int(prints[at]) - 1
		if i < 0 || i >= len(sites) {
			break
		}
		text, n := sites[i].print(prints[at+1:])
		if n < 0 {
			break
		}
		fmt.Fprintln(os.Stderr, text)
		at += 1 + n
	}
	if int(used) > len(prints) {
		fmt.Fprintln(os.Stderr, "tandem: a launch printed more than there is room for; the rest is left out")
	}
}

// print returns what s prints of words, and how many it takes: -1 if they are
// cut off.
func (s *site) print(words []uint32) (string, int) {
	var parts []any
	taken := 0
	for _, q := range s.quoted {
		if q[0] == '"' {
			text, _ := strconv.Unquote(q)
			parts = append(parts, text)
			continue
		}
		kind, lanes, vector := strings.Cut(q, "x") // float32x3
		n := 1
		if vector {
			n, _ = strconv.Atoi(lanes)
		}
		if taken+n > len(words) {
			return "", -1
		}
		parts = append(parts, printed(kind, vector, words[taken:taken+n]))
		taken += n
	}
	return strings.TrimSuffix(fmt.Sprintln(parts...), "\n"), taken
}

// printed returns a number, or the components of a vector as fmt prints a
// struct.
func printed(kind string, vector bool, words []uint32) any {
	list := make([]string, len(words))
	for i, w := range words {
		switch kind {
		case "float32":
			list[i] = fmt.Sprint(math.Float32frombits(w))
		case "int32":
			list[i] = fmt.Sprint(int32(w))
		case "bool":
			list[i] = fmt.Sprint(w != 0)
		default:
			list[i] = fmt.Sprint(w)
		}
	}
	if vector {
		return "{" + strings.Join(list, " ") + "}"
	}
	return list[0]
}
