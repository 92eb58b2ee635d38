// Package directive reads the //tandem: lines of a kernel's doc comment.
//
// It works in two steps. [Parse] needs only the text: it finds the words of
// each line and reports what it does not know. [Lines.Resolve] then gives the
// expressions a meaning, once for each instance and variant of the kernel.
package directive

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"tandem/codegen/ir"
	"tandem/codegen/load"
)

// Word is a piece of a directive with its place.
type Word struct {
	Pos  ir.Pos
	Text string
}

// sub returns a piece of w.
func (w Word) sub(from, to int) Word {
	pos := w.Pos
	pos.Col += from
	return Word{pos, w.Text[from:to]}
}

// trim drops white space on both sides.
func (w Word) trim() Word {
	from := len(w.Text) - len(strings.TrimLeft(w.Text, " \t"))
	return w.sub(from, max(from, len(strings.TrimRight(w.Text, " \t"))))
}

// split cuts w at each sep that no parenthesis or bracket encloses.
func (w Word) split(sep byte) []Word {
	var all []Word
	depth, start := 0, 0
	for i := range len(w.Text) {
		switch c := w.Text[i]; {
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == sep && depth == 0:
			all = append(all, w.sub(start, i).trim())
			start = i + 1
		}
	}
	return append(all, w.sub(start, len(w.Text)).trim())
}

// pair is key=value.
type pair struct{ key, value Word }

// Choice is the list behind a name in //tandem:types or //tandem:const.
type Choice struct {
	Name   Word
	Values []Word
}

// Lines is the directives of one kernel, split into words.
type Lines struct {
	// Types has the instances of a generic kernel, one Choice for each type
	// parameter; Consts the variants, one Choice for each package constant.
	Types, Consts []Choice

	kernelName string
	kernel     *line // nil if there is none, which was reported
	wheres     []Word
	lens       []pair
	tests      []pair
	want       *Word
	inplace    []pair
	tol        []pair
}

// line is one directive.
type line struct {
	name  Word
	rest  Word
	pairs []pair
}

// form is what may follow a directive's name.
type form struct {
	bare bool     // one expression or name, not key=value
	keys []string // nil: any key
	read func(*reader, *line)
}

var forms map[string]form

func init() {
	forms = map[string]form{
		"kernel":  {keys: []string{"workgroup", "threads", "groups"}, read: (*reader).kernel},
		"where":   {bare: true, read: func(p *reader, l *line) { p.lines.wheres = append(p.lines.wheres, l.rest) }},
		"len":     {read: func(p *reader, l *line) { p.lines.lens = append(p.lines.lens, l.pairs...) }},
		"test":    {read: func(p *reader, l *line) { p.lines.tests = append(p.lines.tests, l.pairs...) }},
		"want":    {bare: true, read: (*reader).want},
		"types":   {read: func(p *reader, l *line) { p.choices(l, &p.lines.Types) }},
		"const":   {read: func(p *reader, l *line) { p.choices(l, &p.lines.Consts) }},
		"inplace": {read: func(p *reader, l *line) { p.lines.inplace = append(p.lines.inplace, l.pairs...) }},
		"tol":     {keys: []string{"abs", "rel", "undecided"}, read: func(p *reader, l *line) { p.lines.tol = append(p.lines.tol, l.pairs...) }},
	}
}

// reader collects the lines of one kernel and what is wrong with them.
type reader struct {
	lines *Lines
	errs  load.Errors
}

func (p *reader) errorf(pos ir.Pos, format string, args ...any) {
	p.errs.Add(pos, p.lines.kernelName, format, args...)
}

// Parse splits the directives of a kernel into words. Lines is never nil.
func Parse(kernel string, raw []load.Directive) (*Lines, load.Errors) {
	p := &reader{lines: &Lines{kernelName: kernel}}
	for _, d := range raw {
		p.line(d)
	}
	if p.lines.kernel == nil && len(p.errs) == 0 && len(raw) > 0 {
		p.errorf(raw[0].Pos, "there is no //tandem:kernel line: add one with workgroup= and threads= or groups=")
	}
	p.repeated(p.lines.lens, "the length of")
	p.repeated(p.lines.tests, "the test domain of")
	p.repeated(p.lines.tol, "")
	return p.lines, p.errs
}

// line reads one directive.
func (p *reader) line(d load.Directive) {
	text := Word{d.Pos, d.Text}
	start := len(load.Prefix)
	end := start
	for end < len(text.Text) && text.Text[end] != ' ' && text.Text[end] != '\t' {
		end++
	}
	l := &line{name: text.sub(start, end), rest: text.sub(end, len(text.Text)).trim()}
	f, ok := forms[l.name.Text]
	if !ok {
		p.errorf(l.name.Pos, "unknown directive %s%s%s", load.Prefix, l.name.Text, suggest(l.name.Text, names(forms), "there are "))
		return
	}
	if l.rest.Text == "" {
		p.errorf(l.name.Pos, "nothing follows %s%s", load.Prefix, l.name.Text)
		return
	}
	if f.bare {
		l.rest = p.unquote(l.rest)
	} else if !p.pairs(l, f.keys) {
		return
	}
	f.read(p, l)
}

// unquote drops the quotes around a whole word.
func (p *reader) unquote(w Word) Word {
	if n := len(w.Text); n >= 2 && (w.Text[0] == '"' || w.Text[0] == '`') && w.Text[n-1] == w.Text[0] {
		return w.sub(1, n-1).trim()
	}
	return w
}

// pairs splits the rest of a line into key=value.
func (p *reader) pairs(l *line, keys []string) bool {
	before := len(p.errs)
	for rest := l.rest; rest.Text != ""; {
		word, after, ok := cutWord(rest)
		if !ok {
			p.errorf(word.Pos, "the quote is not closed")
			break
		}
		rest = after
		eq := strings.IndexByte(word.Text, '=')
		if eq <= 0 || eq == len(word.Text)-1 {
			p.errorf(word.Pos, "%q is not key=value; a value with spaces is quoted: key=\"a + b\"", word.Text)
			break
		}
		key, value := word.sub(0, eq), p.unquote(word.sub(eq+1, len(word.Text)))
		if keys != nil && !slices.Contains(keys, key.Text) {
			p.errorf(key.Pos, "%s%s has no key %s%s", load.Prefix, l.name.Text, key.Text, suggest(key.Text, keys, "it has "))
			continue
		}
		if slices.ContainsFunc(l.pairs, func(o pair) bool { return o.key.Text == key.Text }) {
			p.errorf(key.Pos, "%s= is given twice", key.Text)
			continue
		}
		l.pairs = append(l.pairs, pair{key, value})
	}
	return len(p.errs) == before
}

// cutWord returns the first word of w, quotes and what they enclose included,
// and the rest. It fails if a quote is not closed.
func cutWord(w Word) (word, rest Word, ok bool) {
	for i := 0; i < len(w.Text); i++ {
		switch c := w.Text[i]; c {
		case ' ', '\t':
			return w.sub(0, i), w.sub(i, len(w.Text)).trim(), true
		case '"', '`':
			end := strings.IndexByte(w.Text[i+1:], c)
			if end < 0 {
				return w.sub(i, len(w.Text)), Word{}, false
			}
			i += end + 1
		}
	}
	return w, Word{}, true
}

func (p *reader) kernel(l *line) {
	if p.lines.kernel != nil {
		p.errorf(l.name.Pos, "there are two //tandem:kernel lines: put workgroup= and threads= or groups= on one")
		return
	}
	p.lines.kernel = l
}

func (p *reader) want(l *line) {
	switch {
	case p.lines.want != nil:
		p.errorf(l.rest.Pos, "there are two //tandem:want lines: keep one reference")
	case !token.IsIdentifier(l.rest.Text):
		p.errorf(l.rest.Pos, "%q is not the name of a function of this package", l.rest.Text)
	default:
		p.lines.want = &l.rest
	}
}

// choices reads Name=A,B,C of types and const.
func (p *reader) choices(l *line, to *[]Choice) {
	for _, kv := range l.pairs {
		c := Choice{Name: kv.key}
		if !token.IsIdentifier(c.Name.Text) {
			p.errorf(c.Name.Pos, "%q is not a name", c.Name.Text)
			continue
		}
		if slices.ContainsFunc(*to, func(o Choice) bool { return o.Name.Text == c.Name.Text }) {
			p.errorf(c.Name.Pos, "%s is given twice", c.Name.Text)
			continue
		}
		for _, v := range kv.value.split(',') {
			switch {
			case v.Text == "":
				p.errorf(v.Pos, "a value is missing in this list")
			case slices.ContainsFunc(c.Values, func(o Word) bool { return o.Text == v.Text }):
				p.errorf(v.Pos, "%s is in the list twice", v.Text)
			default:
				c.Values = append(c.Values, v)
			}
		}
		*to = append(*to, c)
	}
}

// repeated reports keys that occur on several lines.
func (p *reader) repeated(pairs []pair, what string) {
	seen := map[string]ir.Pos{}
	for _, kv := range pairs {
		if first, ok := seen[kv.key.Text]; ok {
			p.errorf(kv.key.Pos, "%s is given twice, first on line %d", strings.TrimSpace(what+" "+kv.key.Text), first.Line)
			continue
		}
		seen[kv.key.Text] = kv.key.Pos
	}
}

// Int returns the value of a word that is an integer literal.
func (w Word) Int() (int64, error) {
	n, err := strconv.ParseInt(w.Text, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not an integer", w.Text)
	}
	return n, nil
}
