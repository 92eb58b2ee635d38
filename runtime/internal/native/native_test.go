//go:build cgo && !js

package native

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/cogentcore/webgpu/wgpu"

	"tandem/runtime/internal/driver"
)

// The C handle of a binding's object is its first word, of a buffer its second,
// as refOf and bufferRef take it.
func TestLayout(t *testing.T) {
	first := []reflect.Type{
		reflect.TypeFor[wgpu.Instance](), reflect.TypeFor[wgpu.Adapter](), reflect.TypeFor[wgpu.Device](),
		reflect.TypeFor[wgpu.BindGroup](), reflect.TypeFor[wgpu.ComputePipeline](), reflect.TypeFor[wgpu.QuerySet](),
	}
	for _, typ := range first {
		if f := typ.Field(0); f.Name != "ref" || f.Offset != 0 || typ.Size() != unsafe.Sizeof(uintptr(0)) {
			t.Errorf("%v: the first field is %s, and it takes %d bytes", typ, f.Name, typ.Size())
		}
	}
	buffer := reflect.TypeFor[wgpu.Buffer]()
	if f, ok := buffer.FieldByName("ref"); !ok || f.Offset != unsafe.Sizeof(uintptr(0)) {
		t.Errorf("%v: ref lies at %d", buffer, f.Offset)
	}
}

// openDevice opens the first adapter.
func openDevice(t *testing.T) driver.Device {
	list := Adapters()
	if len(list) == 0 {
		t.Skipf("%s does not run: no GPU or software driver", t.Name())
	}
	d, err := list[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// A call that fails gives its own error, whatever other goroutines do, and the
// device goes on.
func TestErrorsStayApart(t *testing.T) {
	d := openDevice(t)
	done := make(chan error)
	for i := range 8 {
		go func() {
			for range 50 {
				size := int64(64)
				if i%2 == 0 {
					size = 1 << 50
				}
				b, err := d.NewBuffer(size, driver.Storage)
				if (err != nil) != (i%2 == 0) {
					done <- errors.New("a buffer got another's result")
					return
				}
				if err == nil {
					b.Release()
				}
			}
			done <- nil
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// A batch that cannot be encoded is an error, and the next one works.
func TestSubmitFails(t *testing.T) {
	d := openDevice(t)
	a, err := d.NewBuffer(64, driver.Storage)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Release()
	stage, err := d.NewBuffer(64, driver.Staging)
	if err != nil {
		t.Fatal(err)
	}
	defer stage.Release()
	bad := driver.Batch{Copies: []driver.Copy{{Src: a, Dst: stage, Size: 128}}}
	if err := d.Submit(&bad); err == nil || !strings.Contains(err.Error(), "submit") {
		t.Errorf("a copy over the end: got %v", err)
	}
	if err := d.Submit(&driver.Batch{Writes: []driver.Write{{Buffer: a, Offset: 60, Data: make([]byte, 8)}}}); err == nil {
		t.Error("a write over the end: no error")
	}
	good := driver.Batch{
		Writes: []driver.Write{{Buffer: a, Data: []byte{1, 2, 3, 4}}},
		Copies: []driver.Copy{{Src: a, Dst: stage, Size: 64}},
	}
	if err := d.Submit(&good); err != nil {
		t.Fatal(err)
	}
	var got []byte
	if err := d.Fetch(t.Context(), stage, 4, func(data []byte) { got = append(got, data[:4]...) }); err != nil {
		t.Fatal(err)
	}
	if string(got) != "\x01\x02\x03\x04" {
		t.Errorf("got %v", got)
	}
}

// A lost device returns the loss from every call, and another opens.
func TestLost(t *testing.T) {
	d := openDevice(t).(*device)
	b, err := d.NewBuffer(64, driver.Storage)
	if err != nil {
		t.Fatal(err)
	}
	d.lose()
	calls := map[string]error{
		"buffer": errorOf(d.NewBuffer(64, driver.Storage)),
		"layout": errorOf(d.NewLayout([]driver.Binding{{Index: 0}})),
		"write":  d.Submit(&driver.Batch{Writes: []driver.Write{{Buffer: b, Data: make([]byte, 4)}}}),
		"clear":  d.Submit(&driver.Batch{Clears: []driver.Clear{{Buffer: b, Size: 64}}}),
	}
	for name, err := range calls {
		if !errors.Is(err, driver.ErrLost) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	d.Close()
	again := openDevice(t)
	if _, err := again.NewBuffer(64, driver.Storage); err != nil {
		t.Errorf("a new device: %v", err)
	}
}

func errorOf[T any](_ T, err error) error { return err }
