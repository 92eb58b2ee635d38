package runtime

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"tandem/runtime/internal/driver"
)

// Options says which device to open.
type Options struct {
	// Device chooses the device:
	//
	//	""            the best GPU, else the CPU device; the environment variable
	//	              TANDEM_DEVICE, if set, says instead
	//	"gpu"         the best GPU, also one that a driver only pretends to have
	//	"cpu"         the CPU device
	//	"discrete", "integrated", "software"
	//	              the first device of that kind
	//	"high-performance", "low-power"
	//	              a GPU, by what it is good for
	//	"1"           by Info.Index
	//	anything else the first device with that in its name or back end, in any
	//	              case: "nvidia", "vulkan"
	Device string
	// PoolBytes is how much memory of released buffers is kept to be used again.
	// 0 means 512 MiB, a negative number none.
	PoolBytes int64
	// BindingBytes, if not 0, lowers Limits.BindingBytes, the largest view that a kernel can
	// take: to try a program against the limits of a lesser device.
	BindingBytes int64
	// Debug makes launches find the kernels' bugs: an index out of range, an
	// integer division by zero and a failed dsl.Assert are errors of the launch
	// (ErrKernel) with the Go position and the invocation, and dsl.Print prints.
	// Every launch then runs alone, at once and slowly, in a scope too. The
	// environment variable TANDEM_DEBUG=1 does the same.
	Debug bool
	// NoTune keeps the device from timing the variants of kernels (//tandem:const)
	// on first use, and from using what was found before: launches run the
	// default. The environment variable TANDEM_TUNE=off does the same.
	NoTune bool
	// Variants forces variants, by the name of the kernel's launcher: "Tile=8", or
	// "" for the default. See Device.UseVariant.
	Variants map[string]string
	// Scalar keeps kernels to their scalar forms, one element an invocation,
	// where they have vector forms too: to compare the two.
	Scalar bool
}

// The environment variables that stand in for options.
const (
	deviceVariable = "TANDEM_DEVICE"
	debugVariable  = "TANDEM_DEBUG"
	tuneVariable   = "TANDEM_TUNE"
)

// Devices lists the devices that can be opened, the CPU device last.
func Devices() []Info {
	var infos []Info
	for i, a := range driverAdapters() {
		infos = append(infos, describe(i, a))
	}
	return infos
}

// Open opens a device.
func Open(o Options) (*Device, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	want, from := o.Device, "Options.Device"
	if want == "" {
		want, from = os.Getenv(deviceVariable), deviceVariable
	}
	adapters := driverAdapters()
	i := choose(adapters, want)
	if i < 0 {
		return nil, failf(ErrNoAdapter, "%s: no device matches %q; there are: %s%s. Say an index, part of a name, a back end, or one of %s",
			from, want, listNames(adapters), noGPU, strings.Join(deviceWords, ", "))
	}
	return newDevice(adapters[i], describe(i, adapters[i]), o)
}

// complete checks o and adds what the environment says.
func (o *Options) complete() error {
	debug, err := fromEnvironment(debugVariable, "0", "1")
	if err != nil {
		return err
	}
	tune, err := fromEnvironment(tuneVariable, "off", "ahead") // ahead: see package parity
	if err != nil {
		return err
	}
	o.Debug = o.Debug || debug == "1"
	o.NoTune = o.NoTune || tune == "off"
	if o.BindingBytes < 0 {
		return failf(ErrOption, "Options.BindingBytes is %d: a number of bytes is allowed, and 0 for the device's own limit", o.BindingBytes)
	}
	if variant, ok := o.Variants[""]; ok {
		return failf(ErrOption, "Options.Variants has %q for no kernel: the keys are names of launchers, such as \"MatMul\"", variant)
	}
	return nil
}

// fromEnvironment returns the value of an environment variable, which must be empty, not set, or
// among allowed.
func fromEnvironment(name string, allowed ...string) (string, error) {
	value := os.Getenv(name)
	if value != "" && !slices.Contains(allowed, value) {
		return "", failf(ErrOption, "%s is %q in the environment: allowed are %s, or nothing", name, value, strings.Join(allowed, ", "))
	}
	return value, nil
}

// listNames lists adapters for an error.
func listNames(adapters []driver.Adapter) string {
	var names []string
	for i, a := range adapters {
		names = append(names, strconv.Itoa(i)+" "+a.Name+" ("+a.Kind.String()+")")
	}
	return strings.Join(names, ", ")
}

// Orders of preference. Kinds that are not listed do not fit.
var (
	bestKinds     = []driver.Kind{driver.Discrete, driver.Integrated, driver.Unknown, driver.CPU}
	gpuKinds      = []driver.Kind{driver.Discrete, driver.Integrated, driver.Unknown, driver.Software}
	lowPowerKinds = []driver.Kind{driver.Integrated, driver.Discrete, driver.Unknown, driver.Software}
)

// deviceWords is what a device may be called beside its index, name and back end.
var deviceWords = []string{"gpu", "cpu", "discrete", "integrated", "software", "high-performance", "low-power"}

// choose returns the index of the adapter that want names, or -1.
func choose(adapters []driver.Adapter, want string) int {
	switch want = strings.ToLower(want); want {
	case "":
		return firstKind(adapters, bestKinds)
	case "gpu", "high-performance":
		return firstKind(adapters, gpuKinds)
	case "low-power":
		return firstKind(adapters, lowPowerKinds)
	}
	if strings.TrimSpace(want) == "" {
		return -1 // it is in many names
	}
	if i, err := strconv.Atoi(want); err == nil {
		if i >= 0 && i < len(adapters) {
			return i
		}
		return -1
	}
	if i := slices.IndexFunc(adapters, func(a driver.Adapter) bool { return a.Kind.String() == want }); i >= 0 {
		return i
	}
	return slices.IndexFunc(adapters, func(a driver.Adapter) bool {
		return strings.Contains(strings.ToLower(a.Name), want) || strings.ToLower(a.Backend) == want
	})
}

// firstKind returns the first adapter of the first kind that there is, or -1.
func firstKind(adapters []driver.Adapter, kinds []driver.Kind) int {
	for _, k := range kinds {
		if i := slices.IndexFunc(adapters, func(a driver.Adapter) bool { return a.Kind == k }); i >= 0 {
			return i
		}
	}
	return -1
}
