//go:build !js

// Package chromium runs programs and tests of this module in a browser: a
// headless Chromium, with WebGPU on the software driver that it brings.
package chromium

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// names are what Chromium is called where.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"}

// flags make it a fresh browser with WebGPU that talks to nobody.
var flags = map[string]any{
	"headless":                      "new",
	"no-sandbox":                    true, // containers give it none
	"disable-gpu-sandbox":           true,
	"enable-unsafe-webgpu":          true, // the software driver counts as unsafe
	"use-webgpu-adapter":            "swiftshader",
	"enable-features":               "Vulkan",
	"no-first-run":                  true,
	"disable-quic":                  true,
	"disable-sync":                  true,
	"disable-component-update":      true,
	"disable-background-networking": true,
}

// Open starts Chromium for a test, which is skipped where there is none, and
// returns the context for actions of chromedp on its page.
func Open(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skipf("not run: no Chromium here (%s)", strings.Join(names, ", "))
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path))
	for name, value := range flags {
		options = append(options, chromedp.Flag(name, value))
	}
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, closePage := chromedp.NewContext(allocator)
	t.Cleanup(closePage)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	return ctx
}

// Build compiles for the browser: args are those of the go command, such as
// "build" or "test", "-c", and what to compile. It returns the file.
func Build(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.wasm")
	what := args[len(args)-1]
	args = append(args[:len(args)-1:len(args)-1], "-o", file, what)
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("GOOS=js GOARCH=wasm go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return file
}

// Serve serves files by name, and Go's wasm_exec.js, until the test ends, and
// returns the address. Content is a path, or with a line break in it the file
// itself.
func Serve(t *testing.T, files map[string]string) string {
	t.Helper()
	files["/wasm_exec.js"] = filepath.Join(goroot(t), "lib", "wasm", "wasm_exec.js")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, ok := files[r.URL.Path]
		switch {
		case !ok:
			http.NotFound(w, r)
		case strings.Contains(content, "\n"):
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, content)
		default:
			http.ServeFile(w, r, content)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("go env GOROOT: %v", err)
	}
	return strings.TrimSpace(string(out))
}
