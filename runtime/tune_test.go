//go:build !js

package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tandem/cpu"
)

// tuned is a kernel with two variants, y += x + a: it reads what it writes, so
// that a run too many shows. On the CPU the default is slow, Tile=2 fast, and
// Tile=3 fails; runs counts them.
type tuned struct {
	kernel Kernel
	runs   [3]atomic.Int64
}

func newTuned(name string) *tuned {
	k := &tuned{}
	form := func(i int, delay time.Duration, err error) Kernel {
		form := elementwise(name, `
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;`,
			"y[i] += x[i] + params.a;",
			[]Arg{{Name: "x", Access: Read, Size: 4}, {Name: "y", Access: ReadWrite, Size: 4}},
			func(l *cpu.Launch) error {
				k.runs[i].Add(1)
				time.Sleep(delay)
				a, x, y := cpu.Params[testParams](l).a, cpu.Slice[float32](l, 0), cpu.Slice[float32](l, 1)
				if err != nil {
					return err
				}
				return each(l, func(i uint32) { y[i] += x[i] + a })
			})
		return form
	}
	k.kernel = form(0, 3*time.Millisecond, nil)
	fast, failing := form(1, 0, nil), form(2, 0, errors.New("it fails"))
	k.kernel.Variants = []Variant{{"Tile=2", &fast}, {"Tile=3", &failing}}
	return k
}

func (k *tuned) launch(on Target, a float32, x, y View[float32]) error {
	l := Begin(on, &k.kernel)
	Bind(l, 0, x)
	Bind(l, 1, y)
	Params[testParams](l).a = a
	l.Grid("len(x)", l.Len(0))
	l.Variant(0, l.Len(0))
	l.VariantWhere(0, l.Len(0).Gt(Int(2)))
	l.Variant(1, l.Len(0))
	return l.End()
}

// ran returns how often each form has run since the last call.
func (k *tuned) ran() [3]int64 {
	var n [3]int64
	for i := range n {
		n[i] = k.runs[i].Swap(0)
	}
	return n
}

// cacheIn makes a folder of the test's own the user's cache, and returns where
// the choices are.
func cacheIn(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, variable := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(variable, dir)
	}
	cache, err := os.UserCacheDir()
	ok(t, err)
	return filepath.Join(cache, "tandem")
}

// open opens the CPU device, where a test decides what is fast.
func open(t *testing.T, o Options) *Device {
	t.Helper()
	o.Device = "cpu"
	d, err := Open(o)
	ok(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

// launchOne runs k alone on n elements and returns which forms ran.
func launchOne(t *testing.T, d *Device, k *tuned, n int) [3]int64 {
	t.Helper()
	x, y := Upload(d, all(n, float32(2))), Upload(d, all(n, float32(10)))
	k.ran()
	ok(t, k.launch(d, 1, x, y))
	ran := k.ran()
	want(t, y, all(n, float32(13))...)
	return ran
}

// The fastest variant is chosen on first use, once for a size class; where its
// conditions do not hold the default runs.
func TestTune(t *testing.T) {
	cacheIn(t)
	d, k := open(t, Options{}), newTuned("tuned")
	if ran := launchOne(t, d, k, 100); ran[0] == 0 || ran[1] < 2 || ran[2] != 1 {
		t.Errorf("the first launch ran %v times", ran)
	}
	for n, expect := range map[int][3]int64{100: {0, 1, 0}, 101: {0, 1, 0}} {
		if ran := launchOne(t, d, k, n); ran != expect {
			t.Errorf("a launch of %d ran %v times, not %v", n, ran, expect)
		}
	}
	if ran := launchOne(t, d, k, 1000); ran[0] == 0 {
		t.Errorf("another size class was not timed: %v", ran)
	}
	launchOne(t, d, k, 3)
	if ran := launchOne(t, d, k, 2); ran != [3]int64{1, 0, 0} { // of the class of 3
		t.Errorf("where its condition does not hold, the variant ran: %v", ran)
	}
}

// Tuning changes no data: not of the arguments, nor of what is recorded before
// the launch in the same scope and in another.
func TestTuneKeepsData(t *testing.T) {
	cacheIn(t)
	onDevices(t, func(t *testing.T, d *Device) {
		k := newTuned("kept" + fmt.Sprint(d.info.Kind != "cpu"))
		x, y := Upload(d, []float32{1, 2, 3, 4, 5}), New[float32](d, 5)
		s, other := d.Scope(), d.Scope()
		ok(t, Add(other, 10, x, y))    // y = 11 …
		ok(t, Grow(s, 1, x))           // x = 2 …
		ok(t, k.launch(s, 100, x, y))  // y += x + 100: 113, 115 …
		ok(t, k.launch(s, 1000, x, y)) // y += x + 1000
		ok(t, errors.Join(s.Submit(), other.Submit()))
		want(t, x, 2, 3, 4, 5, 6)
		want(t, y, 1115, 1118, 1121, 1124, 1127)
	})
}

// Views of one buffer are timed, as weights of a model may be, but not where one that is written overlaps another.
func TestTuneShared(t *testing.T) {
	cacheIn(t)
	d, k := open(t, Options{}), newTuned("shared")
	step := int(d.Limits().StorageAlign)
	x := Upload(d, all(2*step, float32(1)))
	ok(t, k.launch(d, 3, x.Slice(0, step), x.Slice(step, 2*step)))
	if ran := k.ran(); ran[0] == 0 || ran[1] < 2 {
		t.Errorf("it ran %v times", ran)
	}
	want(t, x, append(all(step, float32(1)), all(step, float32(5))...)...)

	kernel := &Kernel{Buffers: []Arg{{Name: "x"}, {Name: "w"}, {Name: "y", Access: ReadWrite}}}
	other := &owner{}
	for _, test := range []struct {
		x, w, y  argument
		separate bool
	}{
		{argument{own: x.own, span: span{0, 8}}, argument{own: x.own, span: span{8, 16}}, argument{own: x.own, span: span{16, 24}}, true},
		{argument{own: x.own, span: span{0, 8}}, argument{own: x.own, span: span{4, 16}}, argument{own: x.own, span: span{16, 24}}, true},
		{argument{own: x.own, span: span{0, 8}}, argument{own: other, span: span{0, 8}}, argument{own: x.own, span: span{0, 8}}, false},
		{argument{own: other, span: span{0, 8}}, argument{own: x.own, span: span{0, 8}}, argument{own: x.own, span: span{7, 15}}, false},
	} {
		l := &Launch{kernel: kernel, dev: d, dims: [3]int64{1, 1, 1}, args: []argument{test.x, test.w, test.y}}
		if got := l.separate(); got != test.separate {
			t.Errorf("%v, %v, %v: %v", test.x.span, test.w.span, test.y.span, got)
		}
	}
}

// A choice outlives its device, and holds for the kernel, driver and format that
// it was made for.
func TestTuneRemembers(t *testing.T) {
	dir := cacheIn(t)
	k := newTuned("remembered")
	launchOne(t, open(t, Options{}), k, 100)
	files, _ := filepath.Glob(filepath.Join(dir, "tune-*.json"))
	if len(files) != 1 {
		t.Fatalf("the files are %v", files)
	}
	text, err := os.ReadFile(files[0])
	ok(t, err)
	if all, _ := os.ReadDir(dir); len(all) != 1 {
		t.Errorf("there are %d files in the folder", len(all))
	}
	changed := newTuned("remembered")
	changed.kernel.WGSL += "\n"
	for _, test := range []struct {
		name, text string
		k          *tuned
		recalled   bool
	}{
		{"as it was", string(text), k, true},
		{"no file", "", k, false},
		{"no JSON", string(text[:len(text)/2]), k, false},
		{"another driver", strings.Replace(string(text), `"driver": "`, `"driver": "x`, 1), k, false},
		{"another device", strings.Replace(string(text), `"device": "`, `"device": "x`, 1), k, false},
		{"another format", strings.Replace(string(text), `"format": 1`, `"format": 2`, 1), k, false},
		{"a variant that is no more", strings.Replace(string(text), "Tile=2", "Tile=7", 1), k, false},
		{"other code", string(text), changed, false},
	} {
		ok(t, os.WriteFile(files[0], []byte(test.text), 0o644))
		ran := launchOne(t, open(t, Options{}), test.k, 100)
		if recalled := ran == [3]int64{0, 1, 0}; recalled != test.recalled {
			t.Errorf("%s: recalled: %v (%v runs)", test.name, recalled, ran)
		}
	}
}

// A cache that cannot be written is done without.
func TestTuneReadOnly(t *testing.T) {
	dir := cacheIn(t)
	ok(t, os.WriteFile(dir, nil, 0o644)) // a file where the folder would be
	d, k := open(t, Options{}), newTuned("readonly")
	launchOne(t, d, k, 100)
	if ran := launchOne(t, d, k, 100); ran != [3]int64{0, 1, 0} {
		t.Errorf("it ran %v times", ran)
	}
}

// Off, the default runs and nothing is written.
func TestTuneOff(t *testing.T) {
	for name, o := range map[string]Options{"option": {NoTune: true}, "variable": {}} {
		dir := cacheIn(t)
		if name == "variable" {
			t.Setenv("TANDEM_TUNE", "off")
		}
		k := newTuned("off")
		if ran := launchOne(t, open(t, o), k, 100); ran != [3]int64{1, 0, 0} {
			t.Errorf("%s: it ran %v times", name, ran)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: there is a file", name)
		}
	}
}

// Processes that write at once: every file that a reader sees is whole, and what
// others wrote before stays.
func TestTuneProcesses(t *testing.T) {
	dir := cacheIn(t)
	ok(t, os.MkdirAll(dir, 0o755))
	first, second := open(t, Options{}), open(t, Options{})
	launchOne(t, first, newTuned("a"), 100)
	launchOne(t, second, newTuned("b"), 100)
	launchOne(t, first, newTuned("c"), 100)
	if n := len(first.tuner.read()); n != 3 {
		t.Errorf("%d choices are remembered, not 3", n)
	}
	var wg sync.WaitGroup
	for p := range 4 {
		process := &tuner{file: first.tuner.file, info: first.tuner.info}
		k := newTuned(fmt.Sprint("p", p))
		wg.Go(func() {
			for i := range 20 {
				process.remember(&k.kernel, fmt.Sprint(i), 0)
				text, err := os.ReadFile(process.file)
				if err != nil || !json.Valid(text) {
					t.Errorf("a file that is not whole: %v\n%s", err, text)
				}
			}
		})
	}
	wg.Wait()
	if all, _ := os.ReadDir(dir); len(all) != 1 {
		t.Errorf("%d files are left", len(all))
	}
}

// A variant that is asked for runs, or the launch says why not.
func TestUseVariant(t *testing.T) {
	cacheIn(t)
	k := newTuned("asked")
	d := open(t, Options{Variants: map[string]string{"asked": "Tile=2"}})
	if ran := launchOne(t, d, k, 100); ran != [3]int64{0, 1, 0} {
		t.Errorf("Options: it ran %v times", ran)
	}
	d.UseVariant("asked", "")
	if ran := launchOne(t, d, k, 100); ran != [3]int64{1, 0, 0} {
		t.Errorf("the default: it ran %v times", ran)
	}
	x, y := New[float32](d, 2), New[float32](d, 2)
	for variant, text := range map[string]string{"Tile=9": "there are Tile=2, Tile=3", "Tile=2": "conditions do not hold"} {
		d.UseVariant("asked", variant)
		if err := k.launch(d, 1, x, y); !errors.Is(err, ErrVariant) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: got %v", variant, err)
		}
	}
	d.UseVariant("grow", "Tile=2")
	if err := Grow(d, 1, x); !errors.Is(err, ErrVariant) || !strings.Contains(err.Error(), "it has none") {
		t.Errorf("a variant of a kernel that has none: %v", err)
	}
	d.ChooseVariant("asked")
	if ran := launchOne(t, d, k, 100); ran[0] == 0 || ran[1] < 2 {
		t.Errorf("chosen again: it ran %v times", ran)
	}
}

// Launches of several goroutines are timed once.
func TestTuneConcurrently(t *testing.T) {
	cacheIn(t)
	d, k := open(t, Options{}), newTuned("together")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			x, y := Upload(d, all(100, float32(2))), Upload(d, all(100, float32(10)))
			if err := k.launch(d, 1, x, y); err != nil {
				t.Error(err)
			}
			want(t, y, all(100, float32(13))...)
		})
	}
	wg.Wait()
	if ran := k.ran(); ran[0] > tuneRuns || ran[1] > tuneRuns+8 || ran[2] != 1 {
		t.Errorf("it ran %v times", ran)
	}
}

// Choosing costs no memory once a choice is made.
func TestTuneSteady(t *testing.T) {
	cacheIn(t)
	k := newTuned("steady")
	perRun := func(d *Device) float64 {
		x, y := Upload(d, all(100, float32(2))), Upload(d, all(100, float32(10)))
		ok(t, k.launch(d, 1, x, y))
		return testing.AllocsPerRun(10, func() { ok(t, k.launch(d, 1, x, y)) })
	}
	if plain, chosen := perRun(open(t, Options{NoTune: true})), perRun(open(t, Options{})); chosen > plain+0.5 && !raceEnabled {
		t.Errorf("a launch allocates %v times with variants, %v without", chosen, plain)
	}
}
