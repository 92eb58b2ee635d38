//go:build js

// Command browser is the program of a page: water that the pointer stirs.
package main

import (
	"context"
	"fmt"
	"strings"
	"syscall/js"
	"time"
	"unsafe"

	"tandem/runtime"
)

const (
	side  = 512
	steps = 4 // a frame
)

func main() {
	if err := run(); err != nil {
		show("error", err.Error())
	}
}

// show sets the page's title and the line under the pool.
func show(title, status string) {
	document := js.Global().Get("document")
	document.Set("title", title)
	document.Call("getElementById", "status").Set("textContent", status)
}

// wanted returns the device that the page's address asks for: ?device=cpu.
func wanted() string {
	query := js.Global().Get("location").Get("search").String()
	return strings.TrimPrefix(strings.TrimPrefix(query, "?"), "device=")
}

// run moves the water for as long as the page is open.
func run() error {
	dev, err := runtime.Open(runtime.Options{Device: wanted()})
	if err != nil {
		return err
	}
	defer dev.Close()
	water, screen, pointer := newPool(dev, side), newScreen(), follow()
	pointer <- drop{side / 2, side / 2, 1}
	kind := dev.Info().Kind
	for begin, frames := time.Now(), 1; ; frames++ {
		d := drop{}
		select {
		case d = <-pointer:
		default:
		}
		if err := water.move(steps, d.x, d.y, d.force); err != nil {
			return err
		}
		pixels, err := water.pixels.Read(context.Background())
		if err != nil {
			return err
		}
		screen.draw(pixels)
		rate := float64(frames) / time.Since(begin).Seconds()
		show(fmt.Sprintf("%d frames on %s", frames, kind), fmt.Sprintf("%s (%s), %.0f frames a second", dev, kind, rate))
	}
}

// drop is something that falls into the water.
type drop struct{ x, y, force float32 }

// follow returns where the pointer moves. The handler must not wait, so what
// comes too fast is left out.
func follow() chan drop {
	drops := make(chan drop, 1)
	moved := js.FuncOf(func(_ js.Value, args []js.Value) any {
		e := args[0]
		select {
		case drops <- drop{float32(e.Get("offsetX").Float()), float32(e.Get("offsetY").Float()), 0.3}:
		default:
		}
		return nil
	})
	js.Global().Get("document").Call("getElementById", "pool").Call("addEventListener", "pointermove", moved)
	return drops
}

// screen is the canvas.
type screen struct {
	canvas, bytes, image js.Value
	frame                chan struct{}
	next                 js.Func // tells frame
}

func newScreen() *screen {
	s := &screen{frame: make(chan struct{}, 1)}
	s.canvas = js.Global().Get("document").Call("getElementById", "pool").Call("getContext", "2d")
	s.bytes = js.Global().Get("Uint8ClampedArray").New(4 * side * side)
	s.image = js.Global().Get("ImageData").New(s.bytes, side, side)
	s.next = js.FuncOf(func(js.Value, []js.Value) any {
		s.frame <- struct{}{}
		return nil
	})
	return s
}

// draw shows pixels and waits for the browser's next frame.
func (s *screen) draw(pixels []uint32) {
	js.CopyBytesToJS(s.bytes, unsafe.Slice((*byte)(unsafe.Pointer(&pixels[0])), 4*len(pixels)))
	s.canvas.Call("putImageData", s.image, 0, 0)
	js.Global().Call("requestAnimationFrame", s.next)
	<-s.frame
}
