package runtime

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Report is where the time of a device went, kernel by kernel. Print it, or look
// at the rows.
type Report struct {
	Device  string
	Kernels []KernelTime // longest total first
}

// KernelTime is what a kernel took.
type KernelTime struct {
	Name     string
	Launches int
	Total    time.Duration
	Bytes    float64 // moved by all launches: what they say, else what they bound
	Flops    float64 // of all launches, where they say
}

// Profile measures each launch on d while f runs; launches of other goroutines
// count too. It makes them slower: each runs in a pass of its own.
func Profile(d *Device, f func() error) (*Report, error) {
	report := &Report{Device: d.String()}
	err := d.absent()
	if f == nil {
		err = cmp.Or(err, errNoFunc)
	}
	if err != nil {
		return report, err
	}
	err = d.profiled(report, f)
	slices.SortStableFunc(report.Kernels, func(a, b KernelTime) int { return cmp.Compare(b.Total, a.Total) })
	return report, err
}

// profiled calls f, with launches noted in report meanwhile.
func (d *Device) profiled(report *Report, f func() error) error {
	if err := d.profileTo(report); err != nil {
		return err
	}
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.profile = nil
	}()
	return f()
}

// profileTo has launches noted in report.
func (d *Device) profileTo(report *Report) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.err != nil:
		return d.err
	case d.profile != nil:
		return failf(ErrProfiled, "%s is being profiled already, and one profile is made at a time", d)
	}
	d.profile = report
	return nil
}

// account adds the times of b to the profile. The caller holds d.mu.
func (d *Device) account(b *batch) {
	if d.profile == nil || len(b.Times) != len(b.costs) {
		return
	}
	for i, c := range b.costs {
		row := d.profile.row(c.kernel.Name)
		row.Launches++
		row.Total += b.Times[i]
		row.Bytes += c.bytes
		row.Flops += c.flops
	}
}

// row returns the row of a kernel.
func (r *Report) row(name string) *KernelTime {
	for i := range r.Kernels {
		if r.Kernels[i].Name == name {
			return &r.Kernels[i]
		}
	}
	r.Kernels = append(r.Kernels, KernelTime{Name: name})
	return &r.Kernels[len(r.Kernels)-1]
}

// String returns the report as a table.
func (r *Report) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n", r.Device)
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "kernel\tlaunches\ttotal ms\tmean µs\tGB/s\tGFLOP/s\t")
	for _, k := range r.Kernels {
		seconds := k.Total.Seconds()
		fmt.Fprintf(w, "%s\t%d\t%.3f\t%.1f\t%s\t%s\t\n", k.Name, k.Launches, seconds*1e3,
			seconds*1e6/float64(k.Launches), rate(k.Bytes, seconds), rate(k.Flops, seconds))
	}
	w.Flush()
	return text.String()
}

// rate prints n/seconds in units of 10⁹.
func rate(n, seconds float64) string {
	if n == 0 || seconds == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", n/seconds/1e9)
}
