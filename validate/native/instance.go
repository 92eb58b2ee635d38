//go:build cgo && !js

package native

/*
#include <stdint.h>
#include <string.h>

typedef struct chain {
	const struct chain *next;
	uint32_t type;
} chain;

typedef struct {
	chain chain;
	uint32_t backends, flags;
	uint32_t dx12_compiler, gles_version;
	const char *dxil, *dxc;
} instance_extras;

typedef struct {
	const chain *next;
} instance_descriptor;

extern void *wgpuCreateInstance(const instance_descriptor *);

static void *instance(uint32_t backends) {
	instance_extras extras;
	memset(&extras, 0, sizeof extras);
	extras.chain.type = 0x00030006;
	extras.backends = backends;
	instance_descriptor descriptor = {&extras.chain};
	return wgpuCreateInstance(&descriptor);
}
*/
import "C"

import (
	"unsafe"

	"github.com/cogentcore/webgpu/wgpu"
)

// Instance returns a new instance with the back ends that can do what kernels
// need. wgpu.CreateInstance leaves part of what it passes to C uninitialised:
// now and then it aborts the process.
func Instance() *wgpu.Instance {
	backends := wgpu.InstanceBackendVulkan | wgpu.InstanceBackendMetal | wgpu.InstanceBackendDX12
	ref := C.instance(C.uint32_t(backends))
	if ref == nil {
		return nil
	}
	return (*wgpu.Instance)(unsafe.Pointer(&struct{ ref unsafe.Pointer }{ref}))
}
