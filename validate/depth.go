package validate

// What Chrome's compiler takes: it reads statements and expressions by recursion, and refuses what is nested too deeply. It
// counts a few levels more than the text shows.
const (
	maxNested    = 120 // levels of statements: two for each if, for or loop, one more for each else if
	maxEnclosed  = 120 // braces, parentheses and signs around a place
	maxOperators = 500 // an operand of an operand …
)

// depth checks how deeply statements and expressions are nested.
func (c *checker) depth(list []token) {
	var d depth
	for i, t := range list {
		d.take(list, i)
		switch {
		case d.nested > maxNested:
			c.report("limits", t.line, "statements are nested too deeply for browsers, which take about %d ifs or loops in each other, or else ifs in a row: move inner ones to functions of their own, or make a switch of them", maxNested/2)
			return
		case d.enclosed > maxEnclosed:
			c.report("limits", t.line, "an expression is nested too deeply for browsers, which take about %d parentheses around a place: give parts of it names, by variables", maxEnclosed)
			return
		case d.operators > maxOperators:
			c.report("limits", t.line, "an expression is too long for browsers, which take about %d operators in a row: give parts of it names, by variables", maxOperators)
			return
		}
	}
}

// depth is how deeply what was read last is nested.
type depth struct {
	nested, enclosed, operators int

	open   []level
	head   string // the word that began a statement
	signed int    // unary signs, for what follows
}

// level is what an open brace, parenthesis or bracket adds.
type level struct {
	enclosed, nested int // itself
	chain            int // else ifs in it
	sums, products   int // operators in it: products are operands of sums
}

func (d *depth) take(list []token, i int) {
	t := list[i].text
	switch t {
	case "if", "for", "while", "loop", "switch", "case", "default":
		d.head = t
	case "else":
		d.head = t
		if top := d.top(); list[min(i+1, len(list)-1)].text == "if" {
			top.chain++
			d.nested++
		}
	case "{":
		nested := 2
		if d.head == "switch" || d.head == "" {
			nested = 1
		}
		d.head = ""
		d.push(level{enclosed: 1, nested: nested})
	case "(", "[":
		d.push(level{enclosed: 1 + d.signed})
	case "}", ")", "]":
		d.pop()
		if t == "}" && (i+1 == len(list) || list[i+1].text != "else") {
			d.nested -= d.top().chain
			d.top().chain = 0
		}
	case ";", ",", "=", ":":
		d.operand()
	case "*", "/", "%":
		if !unaryAt(list, i) {
			d.top().products++
			d.operators++
		}
	case "+", "-", "&", "|", "^", "<<", ">>", "&&", "||", "<", ">", "<=", ">=", "==", "!=", "!", "~":
		if unaryAt(list, i) {
			d.signed++
			return
		}
		top := d.top()
		d.operators += 1 - top.products
		top.sums, top.products = top.sums+1, 0
	}
	if !isWord(t, 0) { // a call's name stands between a sign and what it encloses
		d.signed = 0
	}
}

// operand begins another expression.
func (d *depth) operand() {
	top := d.top()
	d.operators -= top.sums + top.products
	top.sums, top.products = 0, 0
}

func (d *depth) top() *level {
	if len(d.open) == 0 {
		d.open = append(d.open, level{})
	}
	return &d.open[len(d.open)-1]
}

func (d *depth) push(l level) {
	d.top()
	d.open = append(d.open, l)
	d.nested += l.nested
	d.enclosed += l.enclosed
}

func (d *depth) pop() {
	d.operand()
	top := d.top()
	d.nested -= top.nested + top.chain
	d.enclosed -= top.enclosed
	d.open = d.open[:len(d.open)-1]
}
