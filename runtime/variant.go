package runtime

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Which variant of a kernel a launch runs:
//
//   - the one that UseVariant or Options.Variants asks for;
//   - or the one that was fastest when the device timed them, for launches of
//     about this size (see tune.go);
//   - or the default: with NoTune, in indirect launches, and where a variant's
//     conditions do not hold.

// tuner holds what a device knows of variants.
type tuner struct {
	off  bool
	file string // where choices are remembered, "" for nowhere
	info Info

	forced atomic.Pointer[map[string]string] // kernel → variant, if any was asked for

	mu      sync.Mutex
	choices map[choiceKey]int      // index in Kernel.Variants, or asDefault
	inFile  map[string]*remembered // what file has, nil before it is read

	timing sync.Mutex // held while variants are timed
}

// start readies t for a device.
func (t *tuner) start(info Info, o Options) {
	t.info, t.choices = info, map[choiceKey]int{}
	if len(o.Variants) > 0 {
		all := maps.Clone(o.Variants)
		t.forced.Store(&all)
	}
	t.off = o.NoTune || info.Backend == "browser" // where waiting is not possible
	if dir, err := os.UserCacheDir(); err == nil && !t.off {
		id := sha256.Sum256([]byte(info.Name + "\n" + info.Backend + "\n" + info.Driver))
		t.file = filepath.Join(dir, "tandem", "tune-"+hex.EncodeToString(id[:6])+".json")
	}
}

// asDefault stands for the default among the indices of variants.
const asDefault = -1

// choiceKey is what a choice is made for.
type choiceKey struct {
	kernel *Kernel
	class  uint64
}

func (k choiceKey) text() string { return fmt.Sprintf("%016x", k.class) }

// UseVariant makes launches of a kernel, named by its launcher, run a variant
// ("Tile=8"), or with "" the default, which has the values of the declaration. A launch for
// which the variant does not exist or cannot run returns ErrVariant.
func (d *Device) UseVariant(kernel, variant string) {
	if d != nil {
		d.tuner.force(func(all map[string]string) { all[kernel] = variant })
	}
}

// ChooseVariant takes UseVariant back: the device chooses again.
func (d *Device) ChooseVariant(kernel string) {
	if d != nil {
		d.tuner.force(func(all map[string]string) { delete(all, kernel) })
	}
}

// force changes which variants are asked for.
func (t *tuner) force(change func(all map[string]string)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := map[string]string{}
	if old := t.forced.Load(); old != nil {
		maps.Copy(all, *old)
	}
	change(all)
	t.forced.Store(&all)
}

// asked returns the variant that was asked for of a kernel.
func (t *tuner) asked(kernel string) (variant string, ok bool) {
	if all := t.forced.Load(); all != nil {
		variant, ok = (*all)[kernel]
	}
	return variant, ok
}

// Choice is the variant that a device runs for launches of a kernel in a size class.
type Choice struct {
	Kernel  string // of the launcher
	Class   string // same for launches whose sizes have the same binary magnitudes
	Variant string // "" for the default
}

// Choices lists what the device has chosen, or recalled, for launches since it was opened.
func (d *Device) Choices() []Choice {
	if d == nil {
		return nil
	}
	t := &d.tuner
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []Choice
	for key, i := range t.choices {
		c := Choice{Kernel: key.kernel.Name, Class: key.text()}
		if i != asDefault {
			c.Variant = key.kernel.Variants[i].Name
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Choice) int {
		return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Class, b.Class))
	})
	return all
}

// choose makes l a launch of the variant to run.
func (l *Launch) choose() error {
	if l.chosen {
		return nil
	}
	l.chosen = true
	if len(l.kernel.Variants) == 0 {
		if name, _ := l.dev.tuner.asked(l.kernel.Name); name != "" {
			return failf(ErrVariant, "%s has no variant %s: it has none", l.kernel.Name, name)
		}
		return nil
	}
	i, err := l.dev.tuner.pick(l)
	if err == nil && i != asDefault {
		l.become(i)
	}
	return err
}

// become makes l a launch of variant i.
func (l *Launch) become(i int) {
	l.kernel, l.dims = l.kernel.Variants[i].Kernel, l.variants[i].dims
	l.block = l.block[:l.kernel.words()]
}

// canRun reports whether variant i can stand for the default in l.
func (l *Launch) canRun(i int) bool {
	w := l.kernel.Variants[i].Kernel.Workgroup
	return l.variants[i].fits && w[0]*w[1]*w[2] <= l.dev.limits.Invocations
}

// pick returns the variant for l.
func (t *tuner) pick(l *Launch) (int, error) {
	name, isForced := t.asked(l.kernel.Name)
	switch {
	case isForced:
		return l.forced(name)
	case t.off || l.indirect.own != nil:
		return asDefault, nil
	}
	key := choiceKey{l.kernel, l.class()}
	t.mu.Lock()
	i, known := t.choices[key]
	t.mu.Unlock()
	if !known {
		i = t.tune(l, key)
	}
	if i != asDefault && !l.canRun(i) {
		i = asDefault
	}
	return i, nil
}

// forced returns the index of the variant that was asked for.
func (l *Launch) forced(name string) (int, error) {
	if name == "" {
		return asDefault, nil
	}
	var names []string
	for i, v := range l.kernel.Variants {
		names = append(names, v.Name)
		switch {
		case v.Name != name:
		case l.indirect.own != nil:
			return 0, l.errorf(ErrVariant, "an indirect launch runs the default: its grid is in the default's unit")
		case !l.canRun(i):
			return 0, l.errorf(ErrVariant, "the variant %s cannot run this launch: its conditions do not hold, or its workgroup is too large for %s", name, l.dev)
		default:
			return i, nil
		}
	}
	return 0, failf(ErrVariant, "%s has no variant %s; there are %s, and \"\", the default", l.kernel.Name, name, strings.Join(names, ", "))
}
