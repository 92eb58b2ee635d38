package parity

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tandem/runtime"
)

// deviceSet is the devices of a test process, opened once.
type deviceSet struct {
	cpu    *runtime.Device
	gpus   []*runtime.Device
	scalar []*runtime.Device // the same, for scalar forms alone
	err    error             // no CPU device
	gone   string            // why there is no GPU, or why one could not be opened
}

var devices = sync.OnceValue(openAll)

// openAll opens the CPU device and every GPU.
func openAll() *deviceSet {
	s := &deviceSet{}
	if s.cpu, s.err = runtime.Open(runtime.Options{Device: "cpu", NoTune: true}); s.err != nil {
		return s
	}
	var faults []string
	for _, info := range runtime.Devices() {
		if info.Kind == s.cpu.Info().Kind {
			continue
		}
		for _, scalar := range []bool{false, true} {
			dev, err := runtime.Open(runtime.Options{Device: strconv.Itoa(info.Index), NoTune: true, Scalar: scalar})
			switch {
			case err != nil:
				faults = append(faults, fmt.Sprintf("%s: %v", info.Name, err))
			case scalar:
				s.scalar = append(s.scalar, dev)
			default:
				s.gpus = append(s.gpus, dev)
			}
		}
	}
	s.gone = strings.Join(faults, "; ")
	if len(s.gpus) == 0 && s.gone == "" {
		s.gone = "no adapter"
	}
	return s
}

// openDevices gives the test its devices and reports those that are missing.
func (r *run) openDevices() {
	s := devices()
	if s.err != nil {
		r.failf("%s: the CPU device: %v", r.kernel.Name, s.err)
	}
	r.cpu, r.gpus = s.cpu, s.gpus
	if r.kernel.Vector != nil {
		r.gpus = slices.Concat(s.gpus, s.scalar)
	}
	if s.gone != "" {
		r.report.NotRun["gpu"] = s.gone
	}
	for _, dev := range s.gpus {
		r.report.Devices = append(r.report.Devices, dev.Info().Name)
	}
}

// deviceName returns the way that dev runs a kernel, with the device's name for a GPU.
func (r *run) deviceName(dev *runtime.Device) string {
	if dev == r.cpu {
		return "cpu"
	}
	if slices.Contains(devices().scalar, dev) {
		return "gpu (" + dev.Info().Name + ", scalar form)"
	}
	return "gpu (" + dev.Info().Name + ")"
}
