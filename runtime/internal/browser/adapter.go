//go:build js

package browser

import (
	"cmp"
	"errors"
	"strings"
	"syscall/js"

	"tandem/runtime/internal/driver"
)

// Adapters lists the GPU that the browser offers, if it offers one.
func Adapters() []driver.Adapter {
	adapter, err := request()
	if err != nil {
		return nil
	}
	info := adapter.Get("info")
	text := func(field string) string {
		if v := info.Get(field); v.Type() == js.TypeString {
			return strings.TrimSpace(v.String())
		}
		return ""
	}
	kind := driver.Unknown
	if fallback := adapter.Get("isFallbackAdapter"); fallback.Truthy() || info.Get("isFallbackAdapter").Truthy() {
		kind = driver.Software
	}
	return []driver.Adapter{{
		Name:    cmp.Or(text("description"), strings.TrimSpace(text("vendor")+" "+text("architecture")), "WebGPU"),
		Backend: "browser",
		Driver:  strings.TrimSpace(text("vendor") + " " + text("architecture") + " " + text("device")),
		Kind:    kind,
		Limits:  limitsOf(adapter.Get("limits")),
		Open:    open,
	}}
}

// request asks the browser for an adapter.
func request() (js.Value, error) {
	navigator := js.Global().Get("navigator")
	if !navigator.Truthy() || !navigator.Get("gpu").Truthy() {
		return js.Value{}, errors.New("the browser has no WebGPU")
	}
	adapter, err := await(navigator.Get("gpu").Call("requestAdapter", object{"powerPreference": "high-performance"}))
	if err == nil && !adapter.Truthy() {
		err = errors.New("the browser offers no GPU")
	}
	return adapter, err
}

// raised is the limits that are asked for as high (alignments: as low) as the
// adapter has them.
var raised = []string{
	"maxBufferSize", "maxStorageBufferBindingSize", "minStorageBufferOffsetAlignment", "minUniformBufferOffsetAlignment",
	"maxComputeInvocationsPerWorkgroup", "maxComputeWorkgroupSizeX", "maxComputeWorkgroupSizeY", "maxComputeWorkgroupSizeZ",
	"maxComputeWorkgroupStorageSize", "maxStorageBuffersPerShaderStage",
}

// limitsOf returns l for the driver interface.
func limitsOf(l js.Value) driver.Limits {
	n := func(field string) int64 { return int64(l.Get(field).Float()) }
	return driver.Limits{
		BufferBytes:    min(n("maxBufferSize"), 1<<40) / 16 * 16,
		BindingBytes:   min(n("maxStorageBufferBindingSize"), n("maxBufferSize")) / 4 * 4,
		StorageAlign:   n("minStorageBufferOffsetAlignment"),
		UniformAlign:   n("minUniformBufferOffsetAlignment"),
		Groups:         uint32(min(n("maxComputeWorkgroupsPerDimension"), driver.FoldWidth)),
		Invocations:    uint32(n("maxComputeInvocationsPerWorkgroup")),
		WorkgroupBytes: uint32(n("maxComputeWorkgroupStorageSize")),
		Buffers:        uint32(n("maxStorageBuffersPerShaderStage")),
	}
}
