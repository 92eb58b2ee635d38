//go:build !js

// Command browser serves a page whose program is this package too, compiled for
// the browser.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed index.html
var index []byte

func main() {
	address := flag.String("address", "localhost:8080", "where to serve")
	flag.Parse()
	if err := serve(*address); err != nil {
		log.Fatal(err)
	}
}

// serve compiles the program and serves the page.
func serve(address string) error {
	dir, err := os.MkdirTemp("", "tandem")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	handler, err := page(dir)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", address)
	return http.ListenAndServe(address, handler)
}

// page compiles the program into dir and returns what serves the page.
func page(dir string) (http.Handler, error) {
	program := filepath.Join(dir, "main.wasm")
	build := exec.Command("go", "build", "-o", program, "tandem/examples/browser")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the page's program does not compile; run this within the module: %w\n%s", err, out)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	glue := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js")
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) { w.Write(index) })
	mux.HandleFunc("/main.wasm", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, program) })
	mux.HandleFunc("/wasm_exec.js", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, glue) })
	return mux, nil
}
