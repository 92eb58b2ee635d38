package validate

import (
	"strings"

	"tandem/codegen/wgsl"
)

// words checks the names that are declared, which naga takes as they come, and
// how some others are used.
func (c *checker) words(list []token) {
	declared, atomic := declarations(list)
	for i, t := range list {
		before, after := textAt(list, i-1), textAt(list, i+1)
		if declared[i] {
			c.name(t.line, t.text)
		} else if atomic[t.text] && before != "&" && before != "." { // drivers take a plain access, and naga has one form for both
			c.report("tandem", t.line, "%s is atomic and is used without an atomic function", t.text)
		}
		if needsExtension(t.text, after) {
			c.report("tandem", t.line, "%s needs an extension that not every device has", t.text)
		}
	}
}

// textAt returns a token, "" beyond the ends.
func textAt(list []token, i int) string {
	if i < 0 || i >= len(list) {
		return ""
	}
	return list[i].text
}

// declarations returns which tokens are names that are declared, and the names
// of the variables that are atomics or made of them.
func declarations(list []token) (declared map[int]bool, atomic map[string]bool) {
	declared, atomic = map[int]bool{}, map[string]bool{}
	for i := range list {
		switch list[i].text {
		case "let", "const", "fn", "struct", "alias", "override":
			declared[i+1] = true
		case ":": // of a parameter or member
			declared[i-1] = true
		case "var":
			at := i + 1
			for textAt(list, i+1) == "<" && textAt(list, at-1) != ">" && at < len(list) {
				at++
			}
			declared[at] = true
			for j := at; j < len(list) && list[j].text != ";"; j++ {
				if list[j].text == "atomic" {
					atomic[list[at].text] = true
				}
			}
		}
	}
	for i := range declared {
		if t := textAt(list, i); t == "" || t[0] < 0x80 && !isWord(t, 0) || t[0] >= '0' && t[0] <= '9' {
			delete(declared, i)
		}
	}
	return declared, atomic
}

// needsExtension reports whether a word, with the one after it, needs an enable
// directive, which native drivers refuse.
func needsExtension(word, after string) bool {
	if of, ok := strings.CutPrefix(word, "subgroup"); ok && of != "" && after == "(" {
		return of[0] >= 'A' && of[0] <= 'Z'
	}
	half := word[0] >= '0' && word[0] <= '9' && strings.HasSuffix(word, "h") && !strings.HasPrefix(word, "0x")
	return word == "f16" || half
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
