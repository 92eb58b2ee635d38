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
		t.Run(name, func(t *testing.T) { test(t, Open(t, runtime.Options{Device: name})) })
	}
}

// Open opens a device for the length of a test; where there is no GPU and one is wanted,
// it skips the test and says so.
func Open(t *testing.T, o runtime.Options) *runtime.Device {
	t.Helper()
	dev, err := runtime.Open(o)
	if errors.Is(err, runtime.ErrNoAdapter) && o.Device == "gpu" {
		t.Skip("not run: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}
