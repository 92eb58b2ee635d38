package parity

import (
	"fmt"
	"regexp"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
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
		if at := goingOn(); at != "" {
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
func goingOn() string {
	buf := make([]byte, 1<<20)
	var lines []string
	for _, g := range strings.Split(string(buf[:goruntime.Stack(buf, true)]), "\n\n")[1:] {
		if head, _, _ := strings.Cut(g, "\n"); !strings.Contains(head, "[running") && !strings.Contains(head, "[runnable") {
			continue
		}
		for _, at := range frame.FindAllStringSubmatch(g, -1) {
			if !ours.MatchString(at[1]) {
				lines = append(lines, at[2])
				break
			}
		}
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	return strings.Join(lines[:min(len(lines), 3)], ", ")
}

// underWay is the invocations that emulate runs now.
type underWay struct {
	mutex sync.Mutex
	now   map[dsl.UVec3]bool
}

// noted returns kernel, which notes the invocations that it runs.
func (i *underWay) noted(kernel func(dsl.Thread)) func(dsl.Thread) {
	set := func(at dsl.UVec3, on bool) {
		i.mutex.Lock()
		defer i.mutex.Unlock()
		if i.now == nil {
			i.now = map[dsl.UVec3]bool{}
		}
		if on {
			i.now[at] = true
		} else {
			delete(i.now, at)
		}
	}
	return func(t dsl.Thread) {
		set(t.Global, true)
		defer set(t.Global, false)
		kernel(t)
	}
}

// String returns the first invocation under way, "" if there is none.
func (i *underWay) String() string {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	text := ""
	for at := range i.now {
		if s := fmt.Sprintf("%d,%d,%d", at.X, at.Y, at.Z); text == "" || s < text {
			text = s
		}
	}
	return text
}
