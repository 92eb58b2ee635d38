package bench

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// roofline is what a roofline chart shows of one device.
type roofline struct {
	device string
	points []point
	copied roof // bytes a second
	peak   roof // operations a second; of rate 0 where no product was measured
}

// point is one benchmark: operations a byte, and operations a second.
type point struct {
	name            string
	intensity, rate float64
}

// roof is a limit that was measured in the same run.
type roof struct {
	name string
	rate float64
}

var errNoRoofline = errors.New("bench: nothing to draw: a roofline is of figures whose work is known, under a copy's; group bandwidth or cpu measures both")

// rooflineOf takes from results what is known of the device that the first of them with known
// operations is of. The roofs are the fastest copy and the fastest product.
func rooflineOf(results []Result) (roofline, error) {
	var r roofline
	for _, m := range results {
		known := m.Bytes > 0 && m.Seconds > 0
		if known && m.Flops > 0 && r.device == "" {
			r.device = m.Device
		}
	}
	drawn := map[string]bool{}
	for _, m := range results {
		name := strings.TrimPrefix(m.Name, "cpu ")
		if m.Device != r.device || m.Seconds == 0 || drawn[name] {
			continue
		}
		drawn[name] = true
		if strings.HasPrefix(name, "copy") {
			r.copied = r.copied.atLeast(roof{name, m.Bytes / m.Seconds})
		}
		if m.Bytes == 0 || m.Flops == 0 {
			continue
		}
		p := point{name, m.Flops / m.Bytes, m.Flops / m.Seconds}
		r.points = append(r.points, p)
		if strings.HasPrefix(name, "matmul") {
			r.peak = r.peak.atLeast(roof{name, p.rate})
		}
	}
	if len(r.points) == 0 || r.copied.rate == 0 {
		return r, errNoRoofline
	}
	slices.SortFunc(r.points, func(a, b point) int { return cmp.Compare(b.rate, a.rate) })
	return r, nil
}

// atLeast returns the faster of two.
func (r roof) atLeast(other roof) roof {
	if other.rate > r.rate {
		return other
	}
	return r
}

// limit returns how many operations a second the roofs allow at an intensity.
func (r roofline) limit(intensity float64) float64 {
	slanted := r.copied.rate * intensity
	if r.peak.rate == 0 {
		return slanted
	}
	return min(slanted, r.peak.rate)
}

// bounds returns the decades that the chart shows: the points, the roofs above them, and the ridge
// where they meet.
func (r roofline) bounds() (left, right, bottom, top float64) {
	left, right = math.Inf(1), 0
	bottom, top = math.Inf(1), r.peak.rate
	if r.peak.rate > 0 {
		right = r.peak.rate / r.copied.rate
	}
	for _, p := range r.points {
		left, right = min(left, p.intensity), max(right, p.intensity)
		bottom, top = min(bottom, p.rate), max(top, p.rate, r.limit(p.intensity))
	}
	return decade(left/1.5, math.Floor), decade(right*1.5, math.Ceil), decade(bottom/1.5, math.Floor), decade(top*1.5, math.Ceil)
}

// decade returns the power of 10 next to x.
func decade(x float64, round func(float64) float64) float64 {
	return math.Pow(10, round(math.Log10(x)))
}

// engineering writes a rate with a prefix: 43.1 TFLOP/s.
func engineering(rate float64, unit string) string {
	for _, p := range []struct {
		scale  float64
		prefix string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if rate >= p.scale {
			return fmt.Sprintf("%.3g %s%s", rate/p.scale, p.prefix, unit)
		}
	}
	return fmt.Sprintf("%.3g %s", rate, unit)
}
