package validate

import (
	"fmt"

	"github.com/gogpu/naga"
	nagair "github.com/gogpu/naga/ir"
)

// naga runs gogpu/naga's front end and validator.
func (c *checker) naga() {
	for _, msg := range runNaga(c.text) {
		line, msg := lineOf(msg)
		c.report("naga", line, "%s", msg)
	}
}

// runNaga returns naga's complaints. A panic of its is one.
func runNaga(text string) (complaints []string) {
	defer func() {
		if r := recover(); r != nil {
			complaints = append(complaints, fmt.Sprintf("naga gives up: %v", r))
		}
	}()
	ast, err := naga.Parse(text)
	if err != nil {
		return []string{err.Error()}
	}
	module, err := naga.LowerWithSource(ast, text)
	if err != nil {
		return []string{err.Error()}
	}
	// Capabilities: none, as the native driver has none.
	errs, err := nagair.ValidateWithCapabilities(module, 0)
	if err != nil {
		return []string{err.Error()}
	}
	for _, e := range errs {
		complaints = append(complaints, e.Error())
	}
	return complaints
}
