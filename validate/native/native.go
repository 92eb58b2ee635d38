//go:build cgo && !js

package native

import (
	"fmt"
	"sync"

	"github.com/cogentcore/webgpu/wgpu"
)

type device struct {
	mu  sync.Mutex
	dev *wgpu.Device
}

var shared = sync.OnceValues(open)

func open() (*device, error) {
	wgpu.SetLogLevel(wgpu.LogLevelOff)
	instance := Instance()
	if instance == nil {
		return nil, ErrAbsent
	}
	adapter, err := instance.RequestAdapter(nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrAbsent, err)
	}
	limits, most := wgpu.DefaultLimits(), adapter.GetLimits().Limits // variants may take larger workgroups
	limits.MaxComputeInvocationsPerWorkgroup = most.MaxComputeInvocationsPerWorkgroup
	limits.MaxComputeWorkgroupSizeX, limits.MaxComputeWorkgroupSizeY = most.MaxComputeWorkgroupSizeX, most.MaxComputeWorkgroupSizeY
	dev, err := adapter.RequestDevice(&wgpu.DeviceDescriptor{RequiredLimits: &wgpu.RequiredLimits{Limits: limits}})
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrAbsent, err)
	}
	return &device{dev: dev}, nil
}

// Compile returns what is wrong with the shader, nil if the driver makes a
// pipeline of its entry point.
func Compile(text, entry string) error {
	d, err := shared()
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	pipeline, err := d.pipeline(text, entry)
	if err != nil {
		return err
	}
	pipeline.Release()
	return nil
}

func (d *device) pipeline(text, entry string) (*wgpu.ComputePipeline, error) {
	module, err := d.dev.CreateShaderModule(&wgpu.ShaderModuleDescriptor{
		WGSLDescriptor: &wgpu.ShaderModuleWGSLDescriptor{Code: text},
	})
	if err != nil {
		return nil, err
	}
	defer module.Release()
	return d.dev.CreateComputePipeline(&wgpu.ComputePipelineDescriptor{
		Compute: wgpu.ProgrammableStageDescriptor{Module: module, EntryPoint: entry},
	})
}
