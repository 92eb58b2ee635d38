package wgsl

import "strings"

// prec says how tightly an expression binds, as WGSL has it: unlike in Go, the
// bitwise operators do not mix with others, and shifts take unary operands.
type prec uint8

const (
	precLOr prec = iota
	precLAnd
	precOr
	precXor
	precAnd
	precCompare
	precShift
	precAdd
	precMul
	precUnary
	precPrimary
)

// exp is the text of an expression.
type exp struct {
	text string
	prec prec
}

// String returns the text.
func (x exp) String() string { return x.text }

// at returns x as an operand that must bind at least as tightly as p.
func (x exp) at(p prec) string {
	if x.prec < p {
		return "(" + x.text + ")"
	}
	return x.text
}

// infix returns x op y, a left-associative chain of op needing no parentheses.
func infix(x exp, op string, y exp, p prec) exp {
	left, right := p, p+1
	switch p {
	case precShift:
		left, right = precUnary, precUnary
	case precOr, precXor, precAnd:
		if x.prec != p {
			left = precUnary
		}
		right = precUnary
	case precLAnd, precLOr:
		if x.prec != p {
			left = precCompare
		}
		right = precCompare
	case precCompare:
		left, right = precShift, precShift
	}
	return exp{x.at(left) + " " + op + " " + y.at(right), p}
}

func prefix(op string, x exp) exp {
	text := x.at(precUnary)
	if strings.HasPrefix(text, "-") {
		text = "(" + text + ")"
	}
	return exp{op + text, precUnary}
}

func primary(text string) exp { return exp{text, precPrimary} }

// call returns name(args).
func call(name string, args ...exp) exp {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.text
	}
	return primary(name + "(" + strings.Join(texts, ", ") + ")")
}

// simple reports whether x may be written twice without a second thought: a
// name, a literal, or a field of one.
func (x exp) simple() bool {
	return x.prec == precPrimary && !strings.ContainsAny(x.text, "([ ")
}
