package runtime

import (
	"errors"
	"fmt"

	"tandem/runtime/internal/driver"
)

// The kinds of failure, for errors.Is. The errors that functions return say
// more: which kernel, which argument, which numbers.
var (
	// ErrNoAdapter: no device fits what was asked for.
	ErrNoAdapter = errors.New("no such device")
	// ErrOption: an option, or the environment variable in its place, has a value that it cannot have.
	ErrOption = errors.New("no such option")
	// ErrLost: the device is gone (driver reset, unplugged). Open a new one.
	ErrLost = driver.ErrLost
	// ErrOutOfMemory: the device has no room for the buffer.
	ErrOutOfMemory = driver.ErrOutOfMemory
	// ErrLimit: the request is over a limit of the device.
	ErrLimit = errors.New("limit of the device exceeded")
	// ErrClosed: the device was closed.
	ErrClosed = errors.New("device closed")
	// ErrReleased: the buffer was released.
	ErrReleased = errors.New("buffer released")
	// ErrSubmitted: the scope was already submitted.
	ErrSubmitted = errors.New("scope already submitted")
	// ErrTooShort: a buffer or slice holds fewer elements than needed.
	ErrTooShort = errors.New("too short")
	// ErrRange: an index or offset lies outside a buffer.
	ErrRange = errors.New("out of range")
	// ErrAliased: arguments of one launch overlap where they must not.
	ErrAliased = errors.New("arguments overlap")
	// ErrMisaligned: a view starts where the device cannot bind it.
	ErrMisaligned = errors.New("misaligned view")
	// ErrGrid: the grid is negative or larger than the device allows.
	ErrGrid = errors.New("grid too large")
	// ErrCondition: a condition of the kernel (tandem:where) does not hold.
	ErrCondition = errors.New("condition does not hold")
	// ErrVariant: a variant that was asked for does not exist, or cannot run this launch.
	ErrVariant = errors.New("no such variant")
	// ErrWrongDevice: a buffer belongs to another device.
	ErrWrongDevice = errors.New("buffer of another device")
	// ErrProfiled: the device is being profiled already.
	ErrProfiled = errors.New("profiled already")
	// ErrNil: an argument is nil.
	ErrNil = errors.New("nil argument")
	// ErrShader: the driver rejected a kernel.
	ErrShader = errors.New("kernel rejected by the driver")
	// ErrKernel: a kernel failed while it ran on the CPU device or in a debug
	// launch: an index out of range, an integer division by zero, an Assert.
	ErrKernel = driver.ErrKernel
)

// failure is an error with a text for people and a kind for errors.Is.
type failure struct {
	text string
	kind error
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.kind }

// failf makes an error of a kind.
func failf(kind error, format string, args ...any) error {
	return &failure{fmt.Sprintf(format, args...), kind}
}
