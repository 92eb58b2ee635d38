package validate

import (
	"strconv"
	"strings"
)

// token is a word, number or sign of WGSL.
type token struct {
	text string
	line int
}

// tokens splits WGSL. Comments go.
func tokens(text string) []token {
	out := make([]token, 0, len(text)/3)
	line := 1
	for len(text) > 0 {
		n := tokenLength(text)
		t := text[:n]
		if !strings.HasPrefix(t, "//") && !strings.HasPrefix(t, "/*") && strings.TrimSpace(t) != "" {
			out = append(out, token{t, line})
		}
		line += strings.Count(t, "\n")
		text = text[n:]
	}
	return out
}

// signs are those of more than one character, the longer before their beginnings.
var signs = []string{"<<=", ">>=", "->", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="}

func tokenLength(s string) int {
	n := 0
	for n < len(s) && isWord(s, n) {
		n++
	}
	switch {
	case n > 0:
		return n
	case s[0] == ' ' || s[0] == '\n':
		return len(s) - len(strings.TrimLeft(s, s[:1]))
	case strings.HasPrefix(s, "//"):
		if n := strings.IndexByte(s, '\n'); n >= 0 {
			return n
		}
		return len(s)
	case strings.HasPrefix(s, "/*"):
		if n := strings.Index(s, "*/"); n >= 0 {
			return n + 2
		}
		return len(s)
	}
	for _, sign := range signs {
		if strings.HasPrefix(s, sign) {
			return len(sign)
		}
	}
	return 1
}

// isWord reports whether byte n of s goes on with a name or number.
func isWord(s string, n int) bool {
	c := s[n]
	switch {
	case c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
		return true
	case c == '.':
		return s[0] >= '0' && s[0] <= '9'
	case c == '+' || c == '-':
		return n > 0 && s[0] >= '0' && s[0] <= '9' && (s[n-1] == 'e' || s[n-1] == 'E') && !strings.HasPrefix(s, "0x")
	}
	return false
}

// numbers checks that literals fit the type that their suffix says.
func (c *checker) numbers(list []token) {
	for _, t := range list {
		if t.text[0] < '0' || t.text[0] > '9' {
			continue
		}
		digits, suffix := t.text[:len(t.text)-1], t.text[len(t.text)-1]
		hex := strings.HasPrefix(digits, "0x")
		switch {
		case suffix == 'u':
			if _, err := strconv.ParseUint(digits, 0, 32); err != nil {
				c.report("tandem", t.line, "%s does not fit u32", t.text)
			}
		case suffix == 'i':
			if _, err := strconv.ParseInt(digits, 0, 32); err != nil {
				c.report("tandem", t.line, "%s does not fit i32", t.text)
			}
		case suffix == 'f' && !hex:
			if _, err := strconv.ParseFloat(digits, 32); err != nil {
				c.report("tandem", t.line, "%s does not fit f32", t.text)
			}
		}
	}
}

// scopes checks that no scope declares a name twice. A function's parameters
// and the outermost scope of its body are one.
type scopes struct {
	*checker
	open []scope
}

type scope struct {
	names map[string]bool
	ends  int  // the number of braces open when it ends
	head  bool // of a function or struct: what its braces hold belongs to it
}

func (c *checker) scopes(list []token) {
	s := &scopes{checker: c, open: []scope{{map[string]bool{}, -1, false}}}
	braces := 0
	for i := 0; i < len(list); i++ {
		switch list[i].text {
		case "{":
			if !s.top().head || s.top().ends != braces {
				s.push(braces, false)
			}
			braces++
		case "}":
			braces--
			for len(s.open) > 1 && s.top().ends >= braces {
				s.open = s.open[:len(s.open)-1]
			}
		case "for":
			s.push(braces, false)
		case "fn", "struct":
			if i+1 < len(list) {
				s.declare(list[i+1])
			}
			s.push(braces, true)
			i = s.members(list, i)
		case "let", "const", "var", "override", "alias":
			if at := declared(list, i); at < len(list) {
				s.declare(list[at])
			}
		}
	}
}

func (s *scopes) top() *scope { return &s.open[len(s.open)-1] }

func (s *scopes) push(braces int, head bool) {
	s.open = append(s.open, scope{map[string]bool{}, braces, head})
}

func (s *scopes) declare(t token) {
	if s.top().names[t.text] {
		s.report("tandem", t.line, "%s is declared twice", t.text)
	}
	s.top().names[t.text] = true
}

// declared returns where the name stands that the declaration at i declares.
func declared(list []token, i int) int {
	i++
	if i < len(list) && list[i].text == "<" {
		for i < len(list) && list[i].text != ">" {
			i++
		}
		i++
	}
	return i
}

// members declares the parameters of the function, or the members of the struct,
// at i, and returns where its head ends.
func (s *scopes) members(list []token, i int) int {
	structure := list[i].text == "struct"
	depth := 0
	for i++; i < len(list); i++ {
		switch t := list[i].text; {
		case t == "{" && !structure, t == ";":
			return i - 1
		case t == "(" || t == "{" || t == "<":
			depth++
		case t == ")" || t == ">":
			depth--
		case t == "}":
			return i - 1
		case t == ":" && depth == 1:
			s.declare(list[i-1])
		}
		if structure && list[i].text == "}" {
			return i - 1
		}
	}
	return i
}

// mixtures checks the operators that WGSL does not mix without parentheses.
func (c *checker) mixtures(list []token) {
	type seen struct{ logic, shift, sum string }
	stack := []seen{{}}
	for i, t := range list {
		top := &stack[len(stack)-1]
		switch t.text {
		case "(", "[":
			stack = append(stack, seen{})
		case ")", "]":
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
		case ";", "{", "}", ",", "=", ":":
			*top = seen{}
		case "&&", "||":
			if top.logic != "" && top.logic != t.text {
				c.report("tandem", t.line, "&& and || are mixed without parentheses")
			}
			*top = seen{logic: t.text}
		case "<<":
			if top.sum != "" {
				c.report("tandem", t.line, "<< stands beside %s without parentheses", top.sum)
			}
			top.shift = t.text
		case "+", "-", "*", "/", "%":
			if t.text == "-" && unaryAt(list, i) || t.text == "*" && unaryAt(list, i) {
				continue
			}
			if top.shift != "" {
				c.report("tandem", t.line, "%s stands beside %s without parentheses", t.text, top.shift)
			}
			top.sum = t.text
		}
	}
}

// unaryAt reports whether the sign at i has no operand before it.
func unaryAt(list []token, i int) bool {
	if i == 0 {
		return true
	}
	before := list[i-1].text
	return !isWord(before, 0) && before != ")" && before != "]" || before == "return"
}
