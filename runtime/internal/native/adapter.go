//go:build cgo && !js

package native

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/cogentcore/webgpu/wgpu"

	"tandem/runtime/internal/driver"
)

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

// Back ends asked for. GL is not among them: looking for it prints to the
// terminal, and it cannot do what kernels need.
const backends = uint32(wgpu.InstanceBackendVulkan | wgpu.InstanceBackendMetal | wgpu.InstanceBackendDX12)

// adapters are looked for once: the library leaks a little each time.
var adapters = sync.OnceValue(findAdapters)

// Adapters lists the GPUs that can be opened.
func Adapters() []driver.Adapter { return adapters() }

func findAdapters() []driver.Adapter {
	wgpu.SetLogLevel(wgpu.LogLevelOff)
	C.shim_quiet()
	ref := C.shim_instance(C.uint32_t(backends))
	if ref == nil {
		return nil
	}
	instance := (*wgpu.Instance)(unsafe.Pointer(&struct{ ref C.handle }{ref}))
	var list []driver.Adapter
	for _, a := range instance.EnumerateAdapters(&wgpu.InstanceEnumerateAdapterOptons{Backends: wgpu.InstanceBackend(backends)}) {
		list = append(list, describe(a))
	}
	return list
}

// describe returns a as an adapter of the driver interface.
func describe(a *wgpu.Adapter) driver.Adapter {
	info := a.GetInfo()
	limits, want := adapterLimits(a)
	var idle cores
	return driver.Adapter{
		Name:    cmp.Or(strings.TrimSpace(info.DriverDescription), info.Name), // the library puts the name there
		Backend: backendName(info.BackendType),
		Driver:  fmt.Sprintf("%s, vendor %s, device %s", backendName(info.BackendType), info.VendorName, info.Name),
		Kind:    kindOf(info.AdapterType),
		Limits:  limits,
		Open:    func() (driver.Device, error) { return idle.open(a, limits, want) },
	}
}

func backendName(b wgpu.BackendType) string {
	switch b {
	case wgpu.BackendTypeVulkan:
		return "vulkan"
	case wgpu.BackendTypeMetal:
		return "metal"
	case wgpu.BackendTypeD3D12:
		return "dx12"
	}
	return fmt.Sprint(b)
}

func kindOf(t wgpu.AdapterType) driver.Kind {
	switch t {
	case wgpu.AdapterTypeDiscreteGPU:
		return driver.Discrete
	case wgpu.AdapterTypeIntegratedGPU:
		return driver.Integrated
	case wgpu.AdapterTypeCPU:
		return driver.Software
	}
	return driver.Unknown
}

// Bounds on what is asked of a device.
const (
	maxBuffer  = 1 << 40   // 2⁶⁴-1, which a driver may report, means "undefined" to the library
	maxBinding = 1<<32 - 4 // the library's own field has 32 bits
	maxGroups  = driver.FoldWidth
)

// adapterLimits returns what a can do, and the same as the library takes it.
func adapterLimits(a *wgpu.Adapter) (driver.Limits, C.shim_limits) {
	l := a.GetLimits().Limits
	limits := driver.Limits{
		BufferBytes:    int64(min(l.MaxBufferSize, maxBuffer)) / 16 * 16,
		BindingBytes:   int64(min(l.MaxStorageBufferBindingSize, maxBinding)) / 4 * 4,
		StorageAlign:   int64(l.MinStorageBufferOffsetAlignment),
		UniformAlign:   int64(l.MinUniformBufferOffsetAlignment),
		Groups:         min(l.MaxComputeWorkgroupsPerDimension, maxGroups),
		Invocations:    l.MaxComputeInvocationsPerWorkgroup,
		WorkgroupBytes: l.MaxComputeWorkgroupStorageSize,
		Buffers:        l.MaxStorageBuffersPerShaderStage,
		Timestamps:     a.HasFeature(wgpu.FeatureNameTimestampQuery),
	}
	limits.BindingBytes = min(limits.BindingBytes, limits.BufferBytes)
	want := C.shim_limits{
		buffer_bytes:    C.uint64_t(limits.BufferBytes),
		binding_bytes:   C.uint64_t(limits.BindingBytes),
		storage_align:   C.uint32_t(limits.StorageAlign),
		uniform_align:   C.uint32_t(limits.UniformAlign),
		groups:          C.uint32_t(limits.Groups),
		invocations:     C.uint32_t(limits.Invocations),
		size_x:          C.uint32_t(l.MaxComputeWorkgroupSizeX),
		size_y:          C.uint32_t(l.MaxComputeWorkgroupSizeY),
		size_z:          C.uint32_t(l.MaxComputeWorkgroupSizeZ),
		workgroup_bytes: C.uint32_t(limits.WorkgroupBytes),
		buffers:         C.uint32_t(limits.Buffers),
	}
	if limits.Timestamps {
		want.timestamps = 1
	}
	return limits, want
}

// refOf returns the C handle of one of the binding's objects, which is its first
// word. TestLayout pins that.
func refOf[T any](object *T) C.handle { return *(*C.handle)(unsafe.Pointer(object)) }

// bufferRef returns the C handle of a buffer, which is its second word.
func bufferRef(b *wgpu.Buffer) C.handle { return (*[2]C.handle)(unsafe.Pointer(b))[1] }
