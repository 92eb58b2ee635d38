package parity

import (
	"fmt"
	"regexp"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tandem/dsl"
)

// wayLimit is how long a case may take in one way. A loop that never ends is told
// then, well before go test gives up without a name.
var wayLimit = 2 * time.Minute

// stuck ends the process with what is to be said: nothing stops a goroutine or a
// launch that goes on. Tests replace it.
var stuck = func(text string) { panic(text) }

// watched calls f, which runs the case in a way, and tells when it does not end.
func (c *testCase) watched(way string, f func()) {
	alarm := time.AfterFunc(wayLimit, func() {
		text := fmt.Sprintf("%s: %s has not ended after %v", c.kernel.Name, way, wayLimit)
		if at := c.kernel.goingOn(); at != "" {
			text += ", it is at " + at
		}
		if i := c.underWay.String(); i != "" {
			text += " in invocation " + i
		}
		stuck(fmt.Sprintf("%s: is there a loop without an end?\n\targuments: %s\n\tagain with TANDEM_SEED=%d", text, c.draw.describe(), c.report.Seed))
	})
	defer alarm.Stop()
	f()
}

// frame is a function in a trace, and its line.
var frame = regexp.MustCompile(`(?m)^(\S+)\(.*\)\n\t(\S+:\d+)`)

// ours begin the names of functions that kernels do not contain.
var ours = regexp.MustCompile(`^(runtime|sync|internal|tandem/dsl|tandem/cpu)\b`)

// goingOn returns the lines at which goroutines run that are not the caller's.
func (k Kernel) goingOn() string {
	buf := make([]byte, 1<<20)
	var lines []string
	for _, g := range strings.Split(string(buf[:goruntime.Stack(buf, true)]), "\n\n")[1:] {
		if head, _, _ := strings.Cut(g, "\n"); !strings.Contains(head, "[running") && !strings.Contains(head, "[runnable") {
			continue
		}
		for _, at := range frame.FindAllStringSubmatch(g, -1) {
			if !ours.MatchString(at[1]) {
				lines = append(lines, k.origin(at[2]))
				break
			}
		}
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	return strings.Join(lines[:min(len(lines), 3)], ", ")
}

// origin returns the line of the kernel's source behind one of its generated code; others as they are.
func (k Kernel) origin(at string) string {
	colon := strings.LastIndexByte(at, ':')
	file := at[:colon]
	line, _ := strconv.Atoi(at[colon+1:])
	file, line = k.Origin(file, line)
	for _, v := range k.Variants {
		file, line = v.Kernel.Origin(file, line)
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// underWay is the invocations that emulate runs now.
type underWay struct {
	mutex  sync.Mutex
	groups [][]running // of a workgroup, by local index
}

// running is whether an invocation runs, and which. Each has its own: a lock that they
// share would order them, and so hide the kernel's races from the race detector.
type running struct {
	now atomic.Bool
	at  dsl.UVec3
}

// noted returns a workgroup's kernel, which notes the invocations that it runs.
func (u *underWay) noted(size uint32, kernel func(dsl.Thread)) func(dsl.Thread) {
	group := make([]running, size)
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.groups = append(u.groups, group)
	return func(t dsl.Thread) {
		r := &group[t.LocalIndex()]
		r.at = t.Global
		r.now.Store(true)
		defer r.now.Store(false)
		kernel(t)
	}
}

// String returns the first invocation under way, "" if there is none.
func (u *underWay) String() string {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	text := ""
	for _, group := range u.groups {
		for i := range group {
			if r := &group[i]; r.now.Load() {
				if s := fmt.Sprintf("%d,%d,%d", r.at.X, r.at.Y, r.at.Z); text == "" || s < text {
					text = s
				}
			}
		}
	}
	return text
}
