// Package setup tests the scripts that install what demo and tests need: that they say what they do
// or what is missing, install nothing that is there, and never fail.
package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// machine is what a script finds: programs by name, with what they do.
type machine map[string]string

// with returns the machine with other programs, too or instead.
func (m machine) with(others machine) machine {
	all := machine{}
	for _, programs := range []machine{m, others} {
		for name, does := range programs {
			all[name] = does
		}
	}
	return all
}

const (
	records = `echo "$(basename "$0") $*" >>"$CALLS"` // for the test to see
	fails   = records + "; exit 1"
	// of npm
	installs = `[[ "$*" != *webgpu* ]] || mkdir -p .tools/node_modules/webgpu`
)

var (
	bare = machine{"ldconfig": "", "id": "echo 0", "apt-get": records}
	user = machine{"id": "echo 1000", "sudo": "exit 1"}
	sudo = machine{"id": "echo 1000", "sudo": `[ "$1" = -n ] && shift; "$@"`}
	npm  = machine{"npm": records + "; " + installs}
)

// TestScripts runs the scripts on machines that lack what they install.
func TestScripts(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the scripts install on Linux only")
	}
	for _, c := range []struct {
		name, script string
		on           machine
		says         []string // "" for nothing at all
		calls        []string // in order
	}{
		{"root", "vulkan.sh", bare, []string{"installing libvulkan1 mesa-vulkan-drivers"}, []string{"apt-get install"}},
		{"sudo", "vulkan.sh", bare.with(sudo), []string{"installing libvulkan1"}, []string{"apt-get install"}},
		{"user", "vulkan.sh", bare.with(user), []string{"will use the CPU", "Run as root: apt-get install libvulkan1 mesa-vulkan-drivers"}, nil},
		{"no network", "vulkan.sh", bare.with(machine{"apt-get": fails}), []string{"that failed", "To try again: apt-get install"}, []string{"apt-get install", "apt-get update"}},
		{"no apt", "vulkan.sh", machine{"ldconfig": "", "id": "echo 0"}, []string{"no Vulkan driver found. Install one"}, nil},

		{"root", "tint.sh", bare.with(machine{"apt-get": records + `; printf '#!/bin/bash\n` + records + "; " + installs + `' >"$BIN/npm"; chmod +x "$BIN/npm"`}),
			[]string{"installing npm", "installing Node.js 20", "installing the npm package webgpu"}, []string{"apt-get install", "npm install", "npm install"}},
		{"user", "tint.sh", bare.with(user), []string{"needs root; tests with Tint will not run. Install Node.js 20"}, nil},
		{"no network", "tint.sh", bare.with(machine{"apt-get": fails}), []string{"npm could not be installed; tests with Tint will not run"}, []string{"apt-get install", "apt-get update"}},
		{"no apt", "tint.sh", machine{"id": "echo 0"}, []string{"npm is missing; tests with Tint will not run"}, nil},
		{"new Node.js", "tint.sh", npm.with(machine{"node": "echo v22.1.0"}), []string{"installing the npm package webgpu"}, []string{"npm install"}},
		{"old Node.js", "tint.sh", npm.with(machine{"node": "echo v18.20.4"}), []string{"installing Node.js 20 into .tools (Node.js here: v18.20.4)", "installing the npm package webgpu"}, []string{"npm install", "npm install"}},
		{"no registry", "tint.sh", machine{"node": "echo v22.1.0", "npm": fails}, []string{"webgpu could not be installed; tests with Tint will not run. Run: npm install"}, []string{"npm install"}},
	} {
		t.Run(c.script+" "+c.name, func(t *testing.T) {
			said, calls := run(t, c.script, c.on)
			for _, what := range c.says {
				if !strings.Contains(said, what) {
					t.Errorf("said:\n%s\nwant %q", said, what)
				}
			}
			for _, want := range c.calls {
				_, after, ok := strings.Cut(calls, want)
				if !ok {
					t.Errorf("no call of %q, or not in order; left:\n%s", want, calls)
				}
				calls = after
			}
			if len(c.calls) == 0 && calls != "" {
				t.Errorf("called:\n%s\nwant no calls", calls)
			}
		})
	}
}

// TestNothingToInstall: where the driver is, an ordinary user, whose PATH has no ldconfig, is told nothing.
func TestNothingToInstall(t *testing.T) {
	found := exec.Command("bash", "-c", `PATH="$PATH:/usr/sbin:/sbin"; ldconfig -p | grep -q 'libvulkan\.so\.1' && compgen -G '/usr/share/vulkan/icd.d/*.json'`)
	if found.Run() != nil {
		t.Skip("no Vulkan driver here")
	}
	for name, on := range map[string]machine{"root": bare, "user": bare.with(user)} {
		delete(on, "ldconfig") // the machine's own
		if said, calls := run(t, "vulkan.sh", on); said != "" || calls != "" {
			t.Errorf("%s: said %q and called %q, want nothing", name, said, calls)
		}
	}
}

// run runs a copy of a script on a machine that has those programs and what every machine has, and
// returns what it says and the calls that programs recorded. It must not fail.
func run(t *testing.T, script string, on machine) (said, calls string) {
	t.Helper()
	root := t.TempDir()
	bin, here := filepath.Join(root, "bin"), filepath.Join(root, "tools", "setup")
	for _, dir := range []string{bin, here} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range strings.Fields("basename bash chmod dirname grep ln mkdir mktemp rm sed tail uname") {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, does := range on {
		write(t, filepath.Join(bin, name), "#!/bin/bash\n"+does+"\n")
	}
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(here, script), string(text))
	log := filepath.Join(root, "calls")
	cmd := exec.Command(filepath.Join(bin, "bash"), filepath.Join(here, script))
	cmd.Env = []string{"PATH=" + bin, "BIN=" + bin, "CALLS=" + log, "TMPDIR=" + root}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", script, err, out)
	}
	recorded, _ := os.ReadFile(log) // none if nothing was called
	return string(out), string(recorded)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
