//go:build cgo && !js

package native

import (
	"testing"
	"time"

	"github.com/cogentcore/webgpu/wgpu"

	"tandem/runtime/internal/driver"
)

const nothing = `@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3<u32>) { y[g.x] = x[g.x] + p.x; }`

// BenchmarkLaunch compares the time of the CPU to encode and submit a launch of
// 1000: the driver's list in one C call, and the binding's three calls each.
func BenchmarkLaunch(b *testing.B) {
	list := Adapters()
	if len(list) == 0 {
		b.Skip("BenchmarkLaunch does not run: no GPU or software driver")
	}
	dev, err := list[0].Open()
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	d := dev.(*device)
	l, _ := d.NewLayout([]driver.Binding{{Uniform: 16}, {Index: 1}, {Index: 2, Write: true}})
	p, err := d.NewPipeline(driver.Shader{WGSL: nothing, Entry: "main", Layout: l})
	if err != nil {
		b.Fatal(err)
	}
	u, _ := d.NewBuffer(1<<20, driver.Uniform)
	x, _ := d.NewBuffer(256, driver.Storage)
	y, _ := d.NewBuffer(256, driver.Storage)
	g, _ := d.NewGroup(l, []driver.Entry{{Buffer: u, Size: 16}, {Index: 1, Buffer: x, Size: 256}, {Index: 2, Buffer: y, Size: 256}})
	launches := make([]driver.Launch, 1000)
	for i := range launches {
		launches[i] = driver.Launch{Pipeline: p, Group: g, Uniform: uint32(i * 256), Groups: [3]uint32{1, 1, 1}}
	}
	b.Run("list", func(b *testing.B) {
		for i := 0; i < b.N; i += len(launches) {
			d.Submit(&driver.Batch{Launches: launches})
			b.StopTimer()
			d.idleNow()
			b.StartTimer()
		}
	})
	b.Run("calls", func(b *testing.B) {
		queue := d.dev.GetQueue()
		pipe, bound := p.(*pipeline).o.(*wgpu.ComputePipeline), g.(*group).o.(*wgpu.BindGroup)
		for i := 0; i < b.N; i += len(launches) {
			encoder, _ := d.dev.CreateCommandEncoder(nil)
			pass := encoder.BeginComputePass(nil)
			for j := range launches {
				pass.SetPipeline(pipe)
				pass.SetBindGroup(0, bound, []uint32{launches[j].Uniform})
				pass.DispatchWorkgroups(1, 1, 1)
			}
			pass.End()
			pass.Release()
			commands, _ := encoder.Finish(nil)
			encoder.Release()
			queue.Submit(commands)
			commands.Release()
			b.StopTimer()
			d.idleNow()
			b.StartTimer()
		}
	})
}

// BenchmarkPause compares a pause between polls, 20 µs, with Go's Sleep.
func BenchmarkPause(b *testing.B) {
	b.Run("system", func(b *testing.B) {
		for b.Loop() {
			pause(20 * time.Microsecond)
		}
	})
	b.Run("Go", func(b *testing.B) {
		for b.Loop() {
			time.Sleep(20 * time.Microsecond)
		}
	})
}
