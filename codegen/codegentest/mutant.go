package codegentest

import (
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// root is the folder of the module, with a slash.
func root() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "../..") + "/"
}

// Good returns files of kernels that compile.
func Good() []string {
	return files("conformance/kernels", "ops/kernels", "examples/browser/kernels", "examples/image/kernels")
}

// Bad returns files of kernels that are rejected.
func Bad() []string { return files("codegen/testdata/reject") }

func files(dirs ...string) (names []string) {
	for _, dir := range dirs {
		names = append(names, filesIn(root()+dir)...)
	}
	return names
}

// libraries are packages that kernels call, by import path.
var libraries = map[string]string{"tandem/conformance/helpers": "conformance/helpers", "tandem/ops/kernels/tile": "ops/kernels/tile"}

// InPackage returns a file of kernels, and what it is compiled with: the others
// of its package, without their kernels, and libraries.
func InPackage(t testing.TB, file string) (text string, others map[string]string) {
	others = map[string]string{}
	for _, name := range filesIn(filepath.Dir(file)) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if name == file {
			text = ownSource.ReplaceAllString(string(data), "")
		} else {
			others[filepath.Base(name)] = strings.ReplaceAll(string(data), "//tandem:", "//")
		}
	}
	for path, dir := range libraries {
		for _, name := range filesIn(root() + dir) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			others[path+"/"+filepath.Base(name)] = string(data)
		}
	}
	return text, others
}

// ownSource is a call of what package dsl has Go source for: tests have only its types.
var ownSource = regexp.MustCompile(`(?m)dsl\.AtomicAddFloat32\(.*$`)

// filesIn returns the Go files of a folder that are no tests.
func filesIn(dir string) []string {
	names, _ := filepath.Glob(dir + "/*.go") // the pattern is a good one
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
}

// word is a token and where it stands.
type word struct {
	from, to int
	tok      token.Token
	text     string
}

// Mutant changes a word of a program, or a few, to others of their kind.
func Mutant(text string, r *rand.Rand) string {
	for n := 1; n > 0; n-- {
		n += r.IntN(4) / 3
		words := wordsOf(text)
		if len(words) == 0 {
			return text
		}
		w := words[r.IntN(len(words))]
		text = text[:w.from] + substitute(w, words, r) + text[w.to:]
	}
	return text
}

func wordsOf(text string) []word {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	var words []word
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return words
		}
		if lit == "" || tok.IsOperator() {
			lit = tok.String()
		}
		from := file.Offset(pos)
		if to := from + len(lit); tok != token.SEMICOLON && to <= len(text) {
			words = append(words, word{from, to, tok, lit})
		}
	}
}

// replacements has words that are the likeliest to lead somewhere odd.
var replacements = map[token.Token][]string{
	token.IDENT: {"int", "int32", "uint32", "float32", "float64", "int8", "uint8", "bool", "string", "any", "len", "min", "max", "nil", "true", "_", "t", "x", "append", "dsl"},
	token.INT:   {"0", "1", "-1", "2", "31", "32", "33", "255", "65536", "2147483647", "2147483648", "4294967295", "1<<40", "1.5"},
	token.FLOAT: {"0", "1e39", "1e-45", "1e-320", "-0.0", "3e9", "math.MaxFloat32"},
}

var operators = strings.Fields("+ - * / % & | ^ &^ << >> && || == != < <= > >= = := += -= *= /= %= <<= >>= &= |= ^= ++ -- ! , . ( ) [ ] { } ; : ...")

// classes are operators that stand in each other's place, most often.
var classes = [][]string{
	strings.Fields("+ - * / % & | ^ &^ << >>"), strings.Fields("== != < <= > >="), strings.Fields("&& ||"),
	strings.Fields("= += -= *= /= %= <<= >>= &= |= ^="), strings.Fields("++ --"),
}

// substitute returns what to write in place of w.
func substitute(w word, words []word, r *rand.Rand) string {
	if r.IntN(16) == 0 {
		return "" // dropped
	}
	if w.tok == token.COMMENT {
		return mutantComment(w.text, r)
	}
	if w.tok.IsOperator() {
		alike := operators
		for _, class := range classes {
			if slices.Contains(class, w.text) && r.IntN(4) > 0 {
				alike = class
			}
		}
		return alike[r.IntN(len(alike))]
	}
	if odd := replacements[w.tok]; len(odd) > 0 && r.IntN(2) == 0 {
		return odd[r.IntN(len(odd))]
	}
	other := words[r.IntN(len(words))]
	for range 50 {
		if other.tok == w.tok {
			break
		}
		other = words[r.IntN(len(words))]
	}
	return other.text
}

// mutantComment changes a letter of a comment: directives live there.
func mutantComment(text string, r *rand.Rand) string {
	const letters = "=.,()\"*+-/<>x09 \u2028\u0085aé"
	at := r.IntN(len(text) + 1)
	options := []rune(letters)
	return text[:at] + string(options[r.IntN(len(options))]) + text[min(at+r.IntN(2), len(text)):]
}
