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

// deviceVariable is the environment variable that chooses the default device.
const deviceVariable = "TANDEM_DEVICE"

// debugVariable is the environment variable that asks for debug launches.
const debugVariable = "TANDEM_DEBUG"

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
	o.Debug = o.Debug || os.Getenv(debugVariable) == "1"
	want, from := o.Device, "Options.Device"
	if want == "" {
		want, from = os.Getenv(deviceVariable), deviceVariable
	}
	adapters := driverAdapters()
	i := choose(adapters, want)
	if i < 0 {
		return nil, failf(ErrNoAdapter, "%s: no device matches %q; there are: %s", from, want, listNames(adapters))
	}
	return newDevice(adapters[i], describe(i, adapters[i]), o)
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
