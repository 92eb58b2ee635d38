// Package baseline is what tandem is measured against: shaders written by hand,
// programs written straight on the WebGPU binding, and plain Go loops.
package baseline

// Style is a way to write launches on the binding.
type Style int

const (
	Cached  Style = iota // every object is made once; one pass, one submit
	Objects              // a uniform buffer and a bind group for each launch
	Passes               // a pass for each launch
	Submits              // an encoder, a pass and a submit for each launch
)

// Styles are all of them.
var Styles = []Style{Cached, Objects, Passes, Submits}

// String returns the style as a baseline is named.
func (s Style) String() string {
	return [...]string{"binding, objects cached", "binding, bind group each", "binding, pass each", "binding, submit each"}[s]
}
