// Command image filters a picture with kernels written in Go: it blurs it, finds
// its edges and counts its luminances, on the best device there is and on the CPU,
// and says how long each kernel took and how far the results differ.
//
//	go run ./examples/image [-in picture.png|picture.jpeg] [-out folder]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"tandem/runtime"
)

func main() {
	in := flag.String("in", "", "picture to filter, PNG or JPEG (default: one that this program draws)")
	out := flag.String("out", "demo-out", "folder for the results")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "image: %q is no flag: give the picture as -in %[1]s\n", flag.Arg(0))
		os.Exit(2)
	}
	if *out == "" {
		fmt.Fprintln(os.Stderr, "image: -out names no folder: leave it out, or write -out . for this one")
		os.Exit(2)
	}
	if err := run(*in, *out, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// run filters the picture in file, or without one the sample, on
// the best device and on the CPU.
func run(file, out string, w io.Writer) error {
	pic, name := sample(), "a picture of our own"
	if file != "" {
		var err error
		if pic, err = read(file); err != nil {
			return err
		}
		name = filepath.Base(file)
	}
	fmt.Fprintf(w, "%s: %d×%d pixels\n\n", name, pic.width, pic.height)
	if err := os.MkdirAll(out, 0o755); err != nil { // before the work, not after it
		return err
	}
	devices, err := open()
	if err != nil {
		return err
	}
	for _, dev := range devices {
		defer dev.Close()
	}
	canvases, err := place(w, devices, pic)
	if err != nil {
		return err
	}
	steps, err := apply(canvases)
	if err != nil {
		return err
	}
	if err := report(w, canvases, steps); err != nil {
		return err
	}
	return write(w, out, pic, canvases[0])
}

// open opens the best device and, to compare with, another: the CPU, or where the CPU is the
// best there is, a GPU's driver in software.
func open() ([]*runtime.Device, error) {
	best, err := runtime.Open(runtime.Options{})
	if err != nil {
		return nil, err
	}
	other := "cpu"
	if best.Info().Backend == "cpu" {
		other = "gpu"
	}
	second, err := runtime.Open(runtime.Options{Device: other})
	if errors.Is(err, runtime.ErrNoAdapter) {
		return []*runtime.Device{best}, nil
	}
	if err != nil {
		best.Close()
		return nil, err
	}
	return []*runtime.Device{best, second}, nil
}

// place puts the picture on each device. One that has no room for it is left out,
// and w told why.
func place(w io.Writer, devices []*runtime.Device, pic *picture) ([]*canvas, error) {
	var all []*canvas
	var small error
	for _, dev := range devices {
		c := newCanvas(dev, pic)
		err := unpack(c, dev) // has the largest buffers
		switch {
		case errors.Is(err, runtime.ErrLimit), errors.Is(err, runtime.ErrOutOfMemory):
			small = fmt.Errorf("%s has no room for the picture: %w", dev, err)
			fmt.Fprintln(w, "left out:", small)
			dev.Close() // and with it what the picture took
		case err != nil:
			return nil, fmt.Errorf("on %s: %w", dev, err)
		default:
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil, small
	}
	return all, nil
}

// report prints a table: the kernels, their time on each device, and the largest
// difference between the devices.
func report(w io.Writer, canvases []*canvas, steps []step) error {
	for i, c := range canvases {
		fmt.Fprintf(w, "device %d: %s\n", i+1, c.dev)
	}
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "kernel\t")
	for i := range canvases {
		fmt.Fprintf(table, "device %d\t", i+1)
	}
	fmt.Fprintln(table, "largest difference\t")
	for i, s := range steps {
		fmt.Fprintf(table, "%s\t", filters[i].name)
		for _, took := range s.took {
			fmt.Fprintf(table, "%v\t", took.Round(time.Microsecond))
		}
		fmt.Fprintf(table, "%s\t\n", s.differ)
	}
	return table.Flush()
}

// write stores what is on a canvas as PNG files in a folder.
func write(w io.Writer, folder string, pic *picture, c *canvas) error {
	blurred, edges, bins := make([]uint32, len(pic.pixels)), make([]float32, len(pic.pixels)), make([]uint32, c.bins.Len())
	err := runtime.ReadMany(context.Background(), runtime.Into(c.blurred, blurred), runtime.Into(c.edges, edges), runtime.Into(c.bins, bins))
	if err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, f := range []struct {
		name string
		img  image.Image
	}{
		{"blur.png", pic.colours(blurred)},
		{"edges.png", pic.grays(edges)},
		{"histogram.png", chart(bins)},
	} {
		name := filepath.Join(folder, f.name)
		if err := writePNG(name, f.img); err != nil {
			return err
		}
		fmt.Fprintln(w, "wrote", name)
	}
	return nil
}

func writePNG(name string, img image.Image) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := png.Encode(f, img); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// chart draws the counts of a histogram as bars.
func chart(bins []uint32) image.Image {
	const height, bar = 200, 2
	most := uint32(1)
	for _, n := range bins {
		most = max(most, n)
	}
	img := image.NewGray(image.Rect(0, 0, len(bins)*bar, height))
	for x := range len(bins) * bar {
		top := height - int(uint64(bins[x/bar])*height/uint64(most))
		for y := range height {
			shade := uint8(255)
			if y >= top {
				shade = 40
			}
			img.SetGray(x, y, color.Gray{Y: shade})
		}
	}
	return img
}
