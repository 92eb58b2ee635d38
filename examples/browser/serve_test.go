//go:build !js

package main

import (
	"bytes"
	"image/png"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"tandem/conformance/chromium"
)

// TestPage opens the page on either device: after some frames the water has
// waves. TANDEM_SCREENSHOTS names a folder to keep what it looks like.
func TestPage(t *testing.T) {
	ctx := chromium.Open(t)
	handler, err := page(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	for _, device := range []string{"gpu", "cpu"} {
		t.Run(device, func(t *testing.T) {
			err := chromedp.Do(ctx,
				chromedp.EmulateViewport(640, 660),
				chromedp.Navigate(server.URL+"/?device="+device),
				chromedp.Poll[chromedp.Void](`/^error|^[2-9][0-9] frames/.test(document.title)`),
				chromedp.MouseClickXY(200, 200))
			if err != nil {
				t.Fatal(err)
			}
			title, err := chromedp.Run(ctx, chromedp.Title())
			if err != nil {
				t.Fatal(err)
			}
			status, err := chromedp.Run(ctx, chromedp.Text("#status"))
			if err != nil {
				t.Fatal(err)
			}
			t.Log(title, "·", status)
			picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			keep(t, device, picture)
			if n := colours(t, picture); n < 50 {
				t.Errorf("the pool has %d colours: no waves; the page says %q", n, status)
			}
		})
	}
}

// keep writes a screenshot where TANDEM_SCREENSHOTS says.
func keep(t *testing.T, device string, picture []byte) {
	t.Helper()
	if dir := os.Getenv("TANDEM_SCREENSHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, device+".png"), picture, 0o644); err != nil {
			t.Error(err)
		}
	}
}

// colours counts the colours around the middle of the pool.
func colours(t *testing.T, picture []byte) int {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[any]bool{}
	for y := 200; y < 400; y++ {
		for x := 200; x < 440; x++ {
			seen[m.At(x, y)] = true
		}
	}
	return len(seen)
}
