package runtime

import (
	"errors"
	"fmt"

	"tandem/runtime/internal/driver"
)

// formKey says which form of a kernel a launch needs.
type formKey struct {
	inPlace   int    // index in Kernel.InPlace, or -1
	readWrite uint32 // read buffers to declare read-write, a bit each
	fold      bool
	vector    bool
	debug     bool
}

// form is a compiled form of a kernel, or the error that compiling it gave.
type form struct {
	key      formKey
	layout   *layout
	pipeline driver.Pipeline
	err      error
}

// form returns k compiled for key. The caller holds d.mu.
func (d *Device) form(k *Kernel, key formKey) (*form, error) {
	for _, f := range d.forms[k] {
		if f.key == key {
			return f, f.err
		}
	}
	f := d.compile(k, key)
	d.forms[k] = append(d.forms[k], f)
	return f, f.err
}

// compile makes a form of k.
func (d *Device) compile(k *Kernel, key formKey) *form {
	f := &form{key: key}
	wgsl, lines := k.text(key)
	if f.layout, f.err = d.layout(k.bindings(key)); f.err != nil {
		return f
	}
	d.stats.PipelinesCreated++
	shader := driver.Shader{
		Name:   k.Name,
		WGSL:   k.specialise(wgsl, key.fold, key.readWrite),
		Entry:  k.entry(),
		Layout: f.layout.layout,
	}
	if k.Run != nil {
		shader.Run = k.run
	}
	f.pipeline, f.err = d.drv.NewPipeline(shader)
	if f.err != nil {
		d.note(f.err)
		f.err = k.rejected(f.err, lines)
	}
	return f
}

// text returns the WGSL of a form and its table of lines, "" for none.
func (k *Kernel) text(key formKey) (wgsl, lines string) {
	switch {
	case key.debug:
		return k.debugText(key), ""
	case key.vector && key.inPlace >= 0:
		return k.InPlace[key.inPlace].Vector, k.Vector.Lines
	case key.vector:
		return k.Vector.WGSL, k.Vector.Lines
	case key.inPlace >= 0:
		return k.InPlace[key.inPlace].WGSL, k.Lines
	}
	return k.WGSL, k.Lines
}

// rejected explains that a driver rejected k.
func (k *Kernel) rejected(err error, lines string) error {
	var shader *driver.ShaderError
	if !errors.As(err, &shader) {
		return failf(err, "%s: kernel %s: %v", k.Source, k.Name, err)
	}
	return failf(ErrShader, "%s: kernel %s: the driver rejected the WGSL (line %d): %s", k.position(lines, shader.Line), k.Name, shader.Line, shader.Msg)
}

// bindings returns what a form of k binds.
func (k *Kernel) bindings(key formKey) []driver.Binding {
	var list []driver.Binding
	if k.Params > 0 {
		list = append(list, driver.Binding{Uniform: int64(k.Params)})
	}
	for i, a := range k.Buffers {
		if key.inPlace >= 0 && k.InPlace[key.inPlace].In == i {
			continue
		}
		list = append(list, driver.Binding{
			Index: i + k.firstBuffer(),
			Write: a.Access == ReadWrite || key.readWrite&(1<<i) != 0,
		})
	}
	if key.debug {
		list = append(list, driver.Binding{Index: len(k.Buffers) + k.firstBuffer(), Write: true})
	}
	return list
}

// layout is a layout of the driver, shared by the kernels that bind alike.
type layout struct {
	id     uint64
	layout driver.Layout
}

// layout returns the layout for bindings. The caller holds d.mu.
func (d *Device) layout(bindings []driver.Binding) (*layout, error) {
	key := fmt.Sprint(bindings)
	if l := d.layouts[key]; l != nil {
		return l, nil
	}
	drv, err := d.drv.NewLayout(bindings)
	if err != nil {
		d.note(err)
		return nil, err
	}
	l := &layout{id: uint64(len(d.layouts)), layout: drv}
	d.layouts[key] = l
	return l, nil
}
