package parity

import (
	"encoding/json"
	"fmt"
	"math"
)

// Prefix starts each line that a parity test prints for programs; the rest of
// the line is a Report in JSON. Lines appear under go test -v or -json.
const Prefix = "tandem-parity: "

// Report is the result of one kernel's parity test.
type Report struct {
	Kernel    string            `json:"kernel"`
	Package   string            `json:"package"`
	Cases     int               `json:"cases"`
	Ways      []string          `json:"ways"`     // those that ran: "emulate", "cpu", "gpu"
	Devices   []string          `json:"devices"`  // the GPUs, by name
	Emulated  int               `json:"emulated"` // cases that emulate ran
	Want      bool              `json:"want"`     // held against a reference too
	MaxError  Number            `json:"max_error"`
	Tolerance Number            `json:"tolerance"`
	Abs       Number            `json:"abs"`
	Rel       Number            `json:"rel"`
	Uneven    bool              `json:"uneven,omitempty"` // elements may be as far off beside as noise moves them
	Undecided int               `json:"undecided"`        // elements, all cases together
	Share     Number            `json:"undecided_share"`  // the largest of an output, from 0 to 1
	MaxShare  Number            `json:"undecided_limit"`
	Verdict   string            `json:"verdict"` // "pass" or "fail"
	NotRun    map[string]string `json:"not_run,omitempty"`
	Seed      int64             `json:"seed"`
	Failures  []string          `json:"failures,omitempty"`
}

// Number is a float64 that JSON can hold: an infinity or NaN is written as the
// largest float64.
type Number float64

// MarshalJSON writes the number.
func (n Number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		f = math.MaxFloat64
	}
	return json.Marshal(f)
}

// line returns the report's line.
func (r *Report) line() string {
	text, err := json.Marshal(r)
	if err != nil {
		return Prefix + fmt.Sprintf(`{"kernel":%q,"verdict":"fail","failures":[%q]}`, r.Kernel, err)
	}
	return Prefix + string(text)
}
