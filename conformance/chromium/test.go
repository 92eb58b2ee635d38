//go:build !js

package chromium

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// page runs a test binary; what it writes is in output, how it ended in code.
const page = `<!doctype html>
<meta charset="utf-8">
<script src="wasm_exec.js"></script>
<script>
var output = "", code = null;
const decoder = new TextDecoder();
fs.writeSync = (fd, bytes) => { output += decoder.decode(bytes, {stream: true}); return bytes.length; };
const go = new Go();
go.argv = ARGV;
go.exit = (c) => { code = c; };
WebAssembly.instantiateStreaming(fetch("main.wasm"), go.importObject)
	.then((made) => go.run(made.instance))
	.catch((e) => { output += e; code = -1; });
</script>
`

// Test runs the tests of a package in the browser, each as a subtest of t. args
// are flags of the test binary.
func Test(t *testing.T, pkg string, args ...string) {
	ctx := Open(t)
	file := Build(t, "test", "-c", pkg)
	argv, err := json.Marshal(append([]string{"main.wasm", "-test.v", "-test.timeout=10m"}, args...))
	if err != nil {
		t.Fatal(err)
	}
	url := Serve(t, map[string]string{"/": strings.Replace(page, "ARGV", string(argv), 1), "/main.wasm": file})
	code, err := run(ctx, url)
	output, outputErr := chromedp.Run(context.WithoutCancel(ctx), chromedp.Evaluate[string]("output"))
	if err = errors.Join(err, outputErr); err != nil {
		t.Fatalf("%v; until then the tests wrote\n%s", err, output)
	}
	report(t, output, code)
}

// run opens the page at url and returns how the program there ended.
func run(ctx context.Context, url string) (int, error) {
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		return 0, err
	}
	wait := chromedp.Poll[chromedp.Void]("code !== null", chromedp.WithPollingTimeout(11*time.Minute), chromedp.WithPollingInterval(200*time.Millisecond))
	if err := chromedp.Do(ctx, wait); err != nil {
		return 0, err
	}
	return chromedp.Run(ctx, chromedp.Evaluate[int]("code"))
}

// result is what became of a test.
type result struct{ name, verdict, text string }

// report makes each test of a run of go test -v a subtest of t.
func report(t *testing.T, output string, code int) {
	results := parse(output)
	failed := false
	for _, r := range results {
		failed = failed || r.verdict == "FAIL"
		t.Run(r.name, func(t *testing.T) {
			switch r.verdict {
			case "FAIL":
				t.Error("\n" + r.text)
			case "SKIP":
				t.Skip(strings.TrimSpace(position.ReplaceAllString(r.text, "")))
			}
		})
	}
	if len(results) == 0 || code != 0 && !failed {
		t.Errorf("the tests ended with code %d and wrote\n%s", code, output)
	}
}

var (
	begins   = regexp.MustCompile(`^=== (?:RUN|NAME|CONT|PAUSE) +(\S+)$`)
	ends     = regexp.MustCompile(`^ *--- (PASS|FAIL|SKIP): (\S+) `)
	position = regexp.MustCompile(`(?m)^ *\S+\.go:\d+: `)
)

// parse returns the tests of a run of go test -v, those with subtests too, with
// what each wrote.
func parse(output string) []result {
	var list []result
	text := map[string]string{}
	current := ""
	for line := range strings.Lines(output) {
		line = strings.TrimSuffix(line, "\n")
		if m := begins.FindStringSubmatch(line); m != nil {
			current = m[1]
		} else if m := ends.FindStringSubmatch(line); m != nil {
			list = append(list, result{name: m[2], verdict: m[1]})
			current = m[2] // a panic follows the verdict
		} else if current != "" && line != "PASS" && line != "FAIL" {
			text[current] += line + "\n"
		}
	}
	for i := range list {
		list[i].text = text[list[i].name]
	}
	return list
}
