package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestOutside uses tandem from another module, by the very steps and code of
// the README: on the best device there is, and on the CPU without cgo.
func TestOutside(t *testing.T) {
	m := newModule(t)
	blocks := readmeBlocks(t, m.root)
	m.shell(t, blocks.setup)
	m.file(t, "kernels/kernels.go", blocks.kernel)
	m.shell(t, blocks.generate)
	m.file(t, "main.go", "package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"log\"\n\n\t\"tandem/runtime\"\n\n\t\"example.com/user/gen\"\n)\n\nfunc main() {\n"+
		blocks.use+"\nif err != nil {\n\tlog.Fatal(err)\n}\nfmt.Println(out)\n}\n")
	for _, env := range []string{"TANDEM_DEVICE=", "CGO_ENABLED=0"} {
		if out := m.run(t, env, "go", "run", "."); strings.TrimSpace(out) != "[10 20 30]" {
			t.Errorf("with %s the program prints %s", env, out)
		}
		m.run(t, env, "go", "test", "./...")
	}
	if out := m.run(t, "CGO_ENABLED=0", "sh", "-c", "! TANDEM_DEVICE=gpu go run . 2>&1"); !strings.Contains(out, `no device matches "gpu"; there are: 0 CPU (cpu) (built with CGO_ENABLED=0`) {
		t.Errorf("without cgo, a GPU that is asked for is: %s", out)
	}
	before := m.state(t)
	m.shell(t, "go generate ./...")
	if m.state(t) != before {
		t.Error("generating again changed files")
	}
}

// TestOutsideInPlace generates into package main, which uses the launcher
// before it exists.
func TestOutsideInPlace(t *testing.T) {
	m := newModule(t)
	m.shell(t, readmeBlocks(t, m.root).setup)
	m.file(t, "main.go", `package main

import (
	"context"
	"fmt"
	"log"

	"tandem/dsl"
	"tandem/runtime"
)

`+"//go:generate go tool tandem generate -out ."+`

// scale multiplies each element of x by s.
//
//tandem:kernel workgroup=256 threads=len(x)
//tandem:want   scaled
func scale(t dsl.Thread, s float32, x []float32) { x[t.Global.X] *= s }

func scaled(s float32, x []float32) {
	for i := range x {
		x[i] *= s
	}
}

func main() {
	dev, err := runtime.Open(runtime.Options{})
	if err != nil {
		log.Fatal(err)
	}
	x := runtime.Upload(dev, []float32{1, 2, 3})
	if err := Scale(dev, 10, x); err != nil {
		log.Fatal(err)
	}
	out, err := x.Read(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
}
`)
	m.shell(t, "go generate ./...")
	for _, env := range []string{"TANDEM_DEVICE=", "TANDEM_DEVICE=cpu"} {
		if out := m.run(t, env, "go", "run", "."); strings.TrimSpace(out) != "[10 20 30]" {
			t.Errorf("with %s the program prints %s", env, out)
		}
		m.run(t, env, "go", "test", "./...")
	}
	m.shell(t, "go generate ./...") // now the launcher exists already
}

// TestOutsideRenamed: go generate succeeds also where a kernel got another name, be the folder of
// the generated files the package's own, one that it has read already, or one that it has still to
// read. What it cannot remove goes with the next run.
func TestOutsideRenamed(t *testing.T) {
	m := newModule(t)
	m.shell(t, readmeBlocks(t, m.root).setup)
	packages := []struct{ dir, out, kernel string }{
		{"place", ".", "scale"}, {"nested", "gen", "Scale"}, {"early", "../unread", "Scale"}, {"late", "../had", "Scale"},
	}
	write := func(kernels func(name string) string) {
		for _, p := range packages {
			text := "package " + p.dir + "\n\nimport \"tandem/dsl\"\n\n//go:generate go tool tandem generate -out " + p.out + "\n\n"
			m.file(t, p.dir+"/kernels.go", text+kernels(p.kernel))
		}
	}
	kernel := func(name string) string {
		return "//tandem:kernel workgroup=64 threads=len(x)\nfunc " + name + "(t dsl.Thread, x []float32) { x[t.Global.X] *= 2 }\n"
	}
	write(kernel)
	m.shell(t, "go generate ./...")
	files := func() (all string) {
		for _, p := range packages {
			all += listFiles(t, filepath.Join(m.dir, p.dir, p.out)) + "\n"
		}
		return all
	}
	before := files()
	write(func(name string) string { return kernel(strings.Replace(name, "cale", "hift", 1)) })
	m.shell(t, "go generate ./...; go vet ./...")
	m.shell(t, "gofmt -l . | (! grep .)")
	m.shell(t, "go generate ./...; go vet ./...")
	if got, want := files(), strings.ReplaceAll(before, "scale", "shift"); got != want {
		t.Errorf("it leaves\n%s\nand not\n%s", got, want)
	}
	write(func(string) string { return "var _ dsl.Thread\n" })
	m.shell(t, "go generate ./...; go generate ./...; go vet ./...")
	m.shell(t, "! find . -name '*hift*' | grep .")
}

// module is a module of a user's, beside a link to this one.
type module struct{ dir, root string }

func newModule(t *testing.T) module {
	t.Helper()
	if testing.Short() {
		t.Skip("builds programs in another module; not with -short")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	if err := os.Symlink(root, filepath.Join(parent, "tandem")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	m := module{dir: filepath.Join(parent, "user"), root: root}
	m.file(t, "go.mod", "module example.com/user\n\ngo 1.26\n")
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	m.file(t, "go.sum", string(sums)) // spares asking the network for them
	return m
}

func (m module) file(t *testing.T, name, text string) {
	t.Helper()
	name = filepath.Join(m.dir, name)
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// shell runs lines of commands.
func (m module) shell(t *testing.T, lines string) {
	t.Helper()
	m.run(t, "", "sh", "-e", "-c", lines)
}

func (m module) run(t *testing.T, env, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOWORK=off", env)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, errs.String())
	}
	return string(out)
}

// state is the names and texts of all files.
func (m module) state(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(m.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all.WriteString(path + "\n" + string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// blocks is the code of the README's section on other modules.
type blocks struct{ setup, kernel, generate, use string }

var fence = regexp.MustCompile("(?ms)^   ```(?:sh|go)\n(.*?)^   ```$")

func readmeBlocks(t *testing.T, root string) blocks {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := fence.FindAllStringSubmatch(string(text), -1)
	if len(found) != 4 {
		t.Fatalf("the README has %d indented blocks of code, want 4: set-up, kernel, generate, use", len(found))
	}
	code := func(i int) string { return strings.ReplaceAll("\n"+found[i][1], "\n   ", "\n")[1:] }
	return blocks{code(0), code(1), code(2), code(3)}
}

// TestOutsideCover: go test -cover takes generated code, and its tools read the profile, which
// counts the code as it was generated.
func TestOutsideCover(t *testing.T) {
	m := newModule(t)
	m.shell(t, readmeBlocks(t, m.root).setup)
	m.file(t, "kernels/kernels.go", `package kernels

import (
	"tandem/dsl"
	"tandem/dsl/group"
)

//go:generate go tool tandem generate

// Centre takes the mean from each row of x.
//
//tandem:kernel workgroup=128 groups=rows
//tandem:where  cols > 0
//tandem:len    x=rows*cols
//tandem:test   rows=0..3 cols=1..300
func Centre(t dsl.Thread, rows, cols uint32, x []float32, scratch *[128]float32) {
	first, sum := t.Group.X*cols, float32(0)
	for i := t.Local.X; i < cols; i += 128 {
		sum += x[first+i]
	}
	mean := group.Sum(t, scratch[:], sum) / float32(cols)
	sum = 0
	for i := t.Local.X; i < cols; i += 128 {
		sum += x[first+i] * x[first+i]
	}
	scale := dsl.InverseSqrt(group.Sum(t, scratch[:], sum) + 1)
	for i := t.Local.X; i < cols; i += 128 {
		x[first+i] = (x[first+i] - mean) * scale
	}
}
`)
	m.shell(t, "go generate ./...; go test -coverprofile=c.out ./gen; go tool cover -func=c.out | grep gen/centre.go:.*centreGroups; go tool cover -html=c.out -o c.html")
}
