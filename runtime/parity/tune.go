package parity

import (
	"encoding/json"
	"fmt"
	"testing"

	"tandem/runtime"
)

// tuneVariable is the environment variable that, set to "ahead", makes parity
// tests tune instead: each launches the cases that it draws on every device, which
// then chooses variants and remembers them.
const tuneVariable = "TANDEM_TUNE"

// TunePrefix starts each line that tuning prints; the rest is a Tuned in JSON.
const TunePrefix = "tandem-tuned: "

// Tuned is how many size classes of a kernel a device runs in a variant.
type Tuned struct {
	Kernel, Device string
	Variant        string // "" for the default
	Classes        int
}

// tuneAhead has every device choose among k's variants.
func tuneAhead(t *testing.T, k Kernel, seed int64) {
	if len(k.Variants) == 0 {
		return
	}
	for _, info := range runtime.Devices() {
		dev, err := runtime.Open(runtime.Options{Device: fmt.Sprint(info.Index)})
		if err != nil {
			t.Errorf("%s: %v", info.Name, err)
			continue
		}
		if err := launchCases(dev, k, seed); err != nil {
			t.Error(err)
		}
		printChoices(dev, k)
		dev.Close()
	}
}

// launchCases launches the cases that the test would compare.
func launchCases(dev *runtime.Device, k Kernel, seed int64) error {
	for i := range len(k.sizes()) + randomCases {
		d, c, why := drawCase(i, seed+int64(i), &k)
		if why != "" {
			continue
		}
		for _, b := range d.buffers {
			b.upload(dev)
		}
		err := c.Launch(dev)
		for _, b := range d.buffers {
			b.release()
		}
		if err != nil {
			return fmt.Errorf("%s on %s: %w", k.Name, dev, err)
		}
	}
	return nil
}

// printChoices prints a line for each variant that dev has chosen.
func printChoices(dev *runtime.Device, k Kernel) {
	classes := map[string]int{}
	for _, c := range dev.Choices() {
		classes[c.Variant]++
	}
	for _, v := range append([]runtime.Variant{{}}, k.Variants...) {
		if n := classes[v.Name]; n > 0 {
			line, _ := json.Marshal(Tuned{k.Name, dev.String(), v.Name, n}) // strings and a number: no error
			fmt.Println(TunePrefix + string(line))
		}
	}
}
