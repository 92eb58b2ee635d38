package validate

import (
	"fmt"

	"github.com/gogpu/naga"
	nagair "github.com/gogpu/naga/ir"
	"github.com/gogpu/naga/spirv"
)

// naga runs gogpu/naga's front end and validator. It returns the module, unless
// there is none to speak of.
func (c *checker) naga() *nagair.Module {
	module, complaints := runNaga(c.text)
	for _, msg := range complaints {
		line, msg := lineOf(msg)
		c.report("naga", line, "%s", msg)
	}
	return module
}

// runNaga returns what naga makes of the text, and its complaints. A panic of
// its is one.
func runNaga(text string) (module *nagair.Module, complaints []string) {
	defer func() {
		if r := recover(); r != nil {
			module, complaints = nil, append(complaints, fmt.Sprintf("naga gives up: %v", r))
		}
	}()
	ast, err := naga.Parse(text)
	if err != nil {
		return nil, []string{err.Error()}
	}
	module, err = naga.LowerWithSource(ast, text)
	if err != nil {
		return nil, []string{err.Error()}
	}
	errs, err := nagair.ValidateWithCapabilities(module, 0) // none: native drivers promise none
	if err != nil {
		return nil, []string{err.Error()}
	}
	for _, e := range errs {
		complaints = append(complaints, e.Error())
	}
	// The SPIR-V is not used: but its writer notices more.
	if _, err := naga.GenerateSPIRV(module, spirv.Options{Version: spirv.Version1_3}); err != nil && len(errs) == 0 {
		complaints = append(complaints, err.Error())
	}
	return module, complaints
}
