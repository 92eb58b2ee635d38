package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tandem/runtime"
)

// TestPictures filters pictures of several sizes and kinds and finds the results as large as they are.
func TestPictures(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {2, 1}, {1, 50}, {17, 33}, {200, 3}} {
		for _, kind := range []string{"png", "jpeg"} {
			dir := t.TempDir()
			file, out := filepath.Join(dir, "in."+kind), filepath.Join(dir, "out")
			save(t, file, encoded(t, kind, size))
			var said bytes.Buffer
			if err := run(file, out, &said); err != nil {
				t.Fatalf("%v %s: %v", size, kind, err)
			}
			for _, name := range []string{"blur.png", "edges.png"} {
				img, err := png.Decode(bytes.NewReader(load(t, filepath.Join(out, name))))
				if err != nil || img.Bounds().Size() != size {
					t.Errorf("%s of %v %s: %v, %v", name, size, kind, img.Bounds(), err)
				}
			}
			if _, err := png.Decode(bytes.NewReader(load(t, filepath.Join(out, "histogram.png")))); err != nil {
				t.Errorf("histogram of %v %s: %v", size, kind, err)
			}
		}
	}
}

// TestBlurOfOneColour: what is the same everywhere stays as it is, up to the edge, and has no edges.
func TestBlurOfOneColour(t *testing.T) {
	dir := t.TempDir()
	img := image.NewNRGBA(image.Rect(0, 0, 40, 30))
	for i := range img.Pix {
		img.Pix[i] = []uint8{200, 100, 50, 255}[i%4]
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Join(dir, "in.png"), b.Bytes())
	if err := run(filepath.Join(dir, "in.png"), dir, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]color.NRGBA{"blur.png": {200, 100, 50, 255}, "edges.png": {0, 0, 0, 255}} {
		got, err := png.Decode(bytes.NewReader(load(t, filepath.Join(dir, name))))
		if err != nil {
			t.Fatal(err)
		}
		for y := range 30 {
			for x := range 40 {
				if c := color.NRGBAModel.Convert(got.At(x, y)); c != want {
					t.Fatalf("%s: pixel %d, %d is %v, want %v", name, x, y, c, want)
				}
			}
		}
	}
}

// TestWrongPictures: what is no picture, damaged, empty or too large is an error that says so, and
// nothing is written.
func TestWrongPictures(t *testing.T) {
	good := encoded(t, "png", image.Pt(30, 20))
	for _, c := range []struct {
		name, says string
		data       []byte
	}{
		{"text.png", "not a PNG or JPEG picture", []byte("a picture of a cat")},
		{"nothing.png", "not a PNG or JPEG picture", nil},
		{"cut.png", "damaged", good[:len(good)/2]},
		{"empty.png", "", header(0, 0)}, // Go's decoder refuses it before we do
		{"huge.png", "too large: 100000×100000 pixels", header(100_000, 100_000)},
		{"wide.png", "too large: 2000000000×1 pixels", header(2_000_000_000, 1)},
	} {
		dir := t.TempDir()
		file, out := filepath.Join(dir, c.name), filepath.Join(dir, "out")
		save(t, file, c.data)
		err := run(file, out, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), c.name) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; it should name the file and say %q", c.name, err, c.says)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: something was written", c.name)
		}
	}
	dir := t.TempDir()
	if err := run(filepath.Join(dir, "none.png"), dir, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "none.png") {
		t.Errorf("a file that is not there: %v", err)
	}
	save(t, filepath.Join(dir, "in.png"), good)
	var said bytes.Buffer
	if err := run(filepath.Join(dir, "in.png"), filepath.Join(dir, "in.png"), &said); err == nil || strings.Contains(said.String(), "wrote") {
		t.Errorf("a folder that is a file: %v", err)
	}
}

// TestSample: without a picture there is one.
func TestSample(t *testing.T) {
	var said bytes.Buffer
	if err := run("", t.TempDir(), &said); err != nil || !strings.Contains(said.String(), "640×400 pixels") {
		t.Errorf("%v\n%s", err, &said)
	}
}

// TestNarrowPictures: a picture may be longer, either way, than a side of a grid may be.
func TestNarrowPictures(t *testing.T) {
	for _, size := range []image.Point{{1, 70_000}, {70_000, 1}} {
		dir := t.TempDir()
		file := filepath.Join(dir, "in.png")
		save(t, file, encoded(t, "png", size))
		if err := run(file, dir, &bytes.Buffer{}); err != nil {
			t.Errorf("%v: %v", size, err)
		}
	}
}

// TestLargePictures: a device that has no room for a picture is left out, by name, and the others
// go on; where none has room, that is the error.
func TestLargePictures(t *testing.T) {
	device := func(bytes int64) *runtime.Device {
		dev, err := runtime.Open(runtime.Options{Device: "cpu", BindingBytes: bytes})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { dev.Close() })
		return dev
	}
	const small = 1 << 20
	pic := &picture{width: small/16 + 1, height: 1, pixels: make([]uint32, small/16+1)} // 16 bytes a pixel, one too many
	roomy := device(0)
	var said bytes.Buffer
	all, err := place(&said, []*runtime.Device{device(small), roomy}, pic)
	if err != nil || len(all) != 1 || all[0].dev != roomy {
		t.Fatalf("%d devices have the picture, %v; want the second alone", len(all), err)
	}
	if lines := strings.Split(strings.TrimSpace(said.String()), "\n"); len(lines) != 1 || !strings.Contains(lines[0], "left out: CPU has no room for the picture") {
		t.Errorf("said was:\n%s", &said)
	}
	said.Reset()
	if err := report(&said, all, nil); err != nil || !strings.Contains(said.String(), "device 1: ") || strings.Contains(said.String(), "device 2: ") {
		t.Errorf("%v, the table is not of one device:\n%s", err, &said)
	}
	if _, err := place(&said, []*runtime.Device{device(small), device(small)}, pic); !errors.Is(err, runtime.ErrLimit) || !strings.Contains(err.Error(), "no room for the picture") {
		t.Errorf("%v; want ErrLimit and what has no room", err)
	}
}

// TestApart: the largest difference is found in whatever part of the buffers it is.
func TestApart(t *testing.T) {
	dev, err := runtime.Open(runtime.Options{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, n := range []int{1, 256, part - 1, part, part + 1, 2*part + 3} {
		zeros := runtime.New[float32](dev, n)
		for _, at := range []int{0, n / 2, n - 1} {
			data := make([]float32, n)
			data[at] = -3
			got, err := apart(numbers(zeros), numbers(runtime.Upload(dev, data)))
			if err != nil || got != 3 {
				t.Errorf("%d elements, −3 at %d: %v, %v; want 3", n, at, got, err)
			}
		}
	}
	pixels := runtime.Upload(dev, []uint32{0xff000000, 0x00ff0000})
	if got, err := apart(channels(pixels), channels(runtime.Upload(dev, []uint32{0xfb000000, 0x00f50000}))); err != nil || got != 10 {
		t.Errorf("bytes that differ by 4 and 10: %v, %v", got, err)
	}
}

// encoded returns a picture of that size as a file.
func encoded(t *testing.T, kind string, size image.Point) []byte {
	img := image.NewNRGBA(image.Rectangle{Max: size})
	for i := range img.Pix {
		img.Pix[i] = uint8(i * 37)
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	if kind == "jpeg" {
		b.Reset()
		err = jpeg.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// header returns a PNG file that claims a size and ends there.
func header(width, height uint32) []byte {
	chunk := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	chunk = append(binary.BigEndian.AppendUint32(chunk, height), 8, 6, 0, 0, 0)
	data := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), chunk...)
	return binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(chunk))
}

func save(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
