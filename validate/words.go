package validate

import (
	"regexp"
	"strings"

	"tandem/codegen/wgsl"
)

// declaration finds the names that WGSL text declares, but for members.
var declaration = regexp.MustCompile(`\b(?:let|const|fn|struct|alias|override|var(?:<[^>]*>)?)\s+([\p{L}_][\p{L}\p{N}_]*)`)

// member finds parameters and members.
var member = regexp.MustCompile(`([\p{L}_][\p{L}\p{N}_]*)\s*:`)

// words checks the names that are declared, which naga takes as they come.
func (c *checker) words() {
	for i, line := range strings.Split(c.text, "\n") {
		line, _, _ = strings.Cut(line, "//")
		c.extensions(i+1, line)
		c.atomics(i+1, line)
		for _, find := range []*regexp.Regexp{declaration, member} {
			for _, m := range find.FindAllStringSubmatch(line, -1) {
				c.name(i+1, m[1])
			}
		}
	}
}

// extension finds what needs an enable directive, which native drivers refuse.
var extension = regexp.MustCompile(`\bf16\b|\b[0-9][0-9.]*h\b|\bsubgroup[A-Z]\w*\(`)

func (c *checker) extensions(line int, text string) {
	if word := extension.FindString(text); word != "" {
		c.report("tandem", line, "%s needs an extension that not every device has", strings.TrimSuffix(word, "("))
	}
}

// atomicVar finds the variables that are atomics or arrays of them.
var atomicVar = regexp.MustCompile(`var<[^>]*>\s*(\w+)\s*:[^;]*\batomic<`)

// atomics checks that atomics are used by reference only: drivers take a plain
// access, and naga has one form for both.
func (c *checker) atomics(line int, text string) {
	if c.atomicUse == nil {
		var names []string
		for _, m := range atomicVar.FindAllStringSubmatch(c.text, -1) {
			names = append(names, m[1])
		}
		c.atomicUse = regexp.MustCompile(`(^|.)\b(` + strings.Join(append(names, "$^"), "|") + `)\b`)
	}
	if atomicVar.MatchString(text) {
		return
	}
	for _, m := range c.atomicUse.FindAllStringSubmatch(text, -1) {
		if m[1] != "&" && m[1] != "." {
			c.report("tandem", line, "%s is atomic and is used without an atomic function", m[2])
		}
	}
}

func (c *checker) name(line int, name string) {
	switch {
	case name == "default" || name == "case": // the colon of a switch
	case strings.HasPrefix(name, "__"):
		c.report("tandem", line, "name %s begins with two underscores", name)
	case wgsl.Reserved(name):
		c.report("tandem", line, "name %s is reserved in WGSL", name)
	}
}

// lineWith returns the number of the first line that contains s, 0 if none does.
func (c *checker) lineWith(s string) int {
	i := strings.Index(c.text, s)
	if i < 0 {
		return 0
	}
	return 1 + strings.Count(c.text[:i], "\n")
}
