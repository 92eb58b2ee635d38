package opstest

import (
	"errors"
	"testing"

	"tandem/runtime"
)

// OnEach runs a test on the CPU device and on the best GPU; where there is none,
// that half is skipped and says so.
func OnEach(t *testing.T, test func(t *testing.T, dev *runtime.Device)) {
	for _, name := range []string{"cpu", "gpu"} {
		t.Run(name, func(t *testing.T) {
			dev, err := runtime.Open(runtime.Options{Device: name})
			if errors.Is(err, runtime.ErrNoAdapter) && name == "gpu" {
				t.Skip("not run: ", err)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer dev.Close()
			test(t, dev)
		})
	}
}
