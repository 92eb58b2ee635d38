package main

import (
	"strings"
	"testing"

	"tandem/runtime"
)

// TestTabulateDevices: the table shows each limit under a heading of its own.
func TestTabulateDevices(t *testing.T) {
	var out strings.Builder
	err := tabulateDevices(&out, []runtime.Info{
		{Index: 0, Name: "A GPU", Backend: "vulkan", Kind: "discrete",
			Limits: runtime.Limits{BufferBytes: 2 << 30, BindingBytes: 128 << 20, Invocations: 1024, WorkgroupBytes: 48 << 10}},
		{Index: 1, Name: "CPU", Backend: "cpu", Kind: "cpu",
			Limits: runtime.Limits{BufferBytes: 1 << 40, BindingBytes: 1 << 40, Invocations: 256, WorkgroupBytes: 32 << 10}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `
index  name   back end  kind      largest buffer  largest argument  largest workgroup  workgroup memory
0      A GPU  vulkan    discrete  2 GiB           128 MiB           1024               48 KiB
1      CPU    cpu       cpu       no limit        no limit          256                32 KiB
`
	if got := "\n" + out.String(); got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
}
