package runtime

import "testing"

// A host write must not overtake a recorded launch that reads or writes the
// buffer.
func TestHostWriteAfterRecordedUse(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x, y := Upload(d, all(1000, float32(1))), New[float32](d, 1000)
		s := d.Scope()
		ok(t, Add(s, 1, x, y))
		ok(t, x.Write(0, all(1000, float32(50)))) // after the launch read x
		ok(t, y.Write(999, []float32{7}))         // after the launch wrote y
		ok(t, s.Submit())
		expect := all(1000, float32(2))
		expect[999] = 7
		want(t, y, expect...)
		want(t, x, all(1000, float32(50))...)
	})
}

// The memory of a write may be changed as soon as Write returns.
func TestHostWriteCopies(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		data := []float32{1, 2}
		x := Upload(d, data)
		data[0] = 100
		want(t, x, 1, 2)
	})
}

// Host writes of parts that are no whole words keep what lies around them.
func TestHostWriteOfBytes(t *testing.T) {
	onDevices(t, func(t *testing.T, d *Device) {
		x := Upload(d, []uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
		ok(t, x.Write(3, []uint8{30, 40, 50, 60, 70, 80}))
		ok(t, x.Write(10, []uint8{100}))
		ok(t, x.Write(1, []uint8{10}))
		want(t, x, 0, 10, 2, 30, 40, 50, 60, 70, 80, 9, 100)
	})
}
