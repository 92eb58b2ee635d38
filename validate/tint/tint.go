// Package tint checks WGSL with Tint, the compiler inside Dawn and Chromium,
// through the npm package webgpu. It is for tests: where Node.js or the package
// is missing, Find says what to install.
package tint

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

//go:embed check.mjs
var script string

// Message is one message of Tint's.
type Message struct {
	Type      string // "error", "warning" or "info"
	Line, Col int    // from 1; 0 where unknown
	Text      string
}

// String returns line:col: type: text.
func (m Message) String() string {
	return fmt.Sprintf("%d:%d: %s: %s", m.Line, m.Col, m.Type, m.Text)
}

// ErrAbsent says that Tint cannot run here; the error that wraps it says why.
var ErrAbsent = errors.New("tint is not here")

// Find returns the node_modules folder that has webgpu: the one that
// TANDEM_TINT_NODE_MODULES names, or node_modules or .tools/node_modules at
// the root of the module that the working directory is in.
func Find() (string, error) {
	if _, err := exec.LookPath("node"); err != nil {
		return "", fmt.Errorf("%w: no node in PATH; install Node.js 20 or later", ErrAbsent)
	}
	if dir := os.Getenv(folderVariable); dir != "" {
		if !has(dir) {
			return "", fmt.Errorf("%s=%q: there is no webgpu/index.js in that folder; say where npm installed the package webgpu, or leave it out", folderVariable, dir)
		}
		return filepath.Abs(dir)
	}
	for _, dir := range candidates() {
		if has(dir) {
			return filepath.Abs(dir)
		}
	}
	return "", fmt.Errorf("%w: no npm package webgpu; run `npm install --prefix .tools webgpu@0.6.2` at the repository's root or set %s", ErrAbsent, folderVariable)
}

// folderVariable is the environment variable that names the folder with the package.
const folderVariable = "TANDEM_TINT_NODE_MODULES"

// has reports whether the package is installed in dir.
func has(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "webgpu", "index.js"))
	return err == nil
}

// candidates returns the folders of the module around that may have the package.
func candidates() []string {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return []string{filepath.Join(dir, "node_modules"), filepath.Join(dir, ".tools", "node_modules")}
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return nil
}

// Checker is a Tint that waits in a process of its own. Its methods may be
// called from several goroutines.
type Checker struct {
	mu     sync.Mutex
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr strings.Builder
}

// Start starts Tint.
func Start() (*Checker, error) {
	modules, err := Find()
	if err != nil {
		return nil, err
	}
	c := &Checker{cmd: exec.Command("node", "--input-type=module", "-e", script, modules)}
	c.cmd.Stderr = &c.stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("tint: %w", err)
	}
	answers, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("tint: %w", err)
	}
	c.cmd.ExtraFiles = []*os.File{w} // file 3 of the script
	c.out = bufio.NewReader(answers)
	err = c.cmd.Start()
	w.Close()
	if err != nil {
		return nil, fmt.Errorf("%w: node does not start: %v", ErrAbsent, err)
	}
	if line, err := c.out.ReadString('\n'); err != nil || line != "ready\n" {
		c.Close()
		return nil, fmt.Errorf("%w: the npm package webgpu does not load: %s", ErrAbsent, strings.TrimSpace(c.stderr.String()))
	}
	return c, nil
}

// Check returns what Tint says about a shader: nothing, if it has no complaint.
func (c *Checker) Check(text string) ([]Message, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	line, err := json.Marshal(text)
	if err != nil {
		return nil, fmt.Errorf("tint: %w", err)
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("tint: %w: %s", err, c.stderr.String())
	}
	answer, err := c.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("tint stopped: %w: %s", err, c.stderr.String())
	}
	var messages []Message
	if err := json.Unmarshal(answer, &messages); err != nil {
		return nil, fmt.Errorf("tint answered %q: %w", answer, err)
	}
	return messages, nil
}

// Errors returns the messages of type error.
func Errors(messages []Message) []Message {
	var errs []Message
	for _, m := range messages {
		if m.Type == "error" {
			errs = append(errs, m)
		}
	}
	return errs
}

// Close ends the process.
func (c *Checker) Close() error {
	c.in.Close()
	return c.cmd.Wait()
}

var shared = sync.OnceValues(Start)

// Check checks a shader with a Tint that the whole program shares.
func Check(text string) ([]Message, error) {
	c, err := shared()
	if err != nil {
		return nil, err
	}
	return c.Check(text)
}
