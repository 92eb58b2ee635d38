package codegen_test

import (
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tandem/codegen"
	"tandem/codegen/codegentest"
)

// good has the sources of kernels that compile, bad of such that do not.
var (
	good = []string{"../conformance/kernels/*.go", "../ops/kernels/*.go", "../examples/*/kernels/*.go"}
	bad  = []string{"testdata/reject/*.go"}
)

// seeds returns the texts of files.
func seeds(t testing.TB, patterns []string) []string {
	var texts []string
	for _, pattern := range patterns {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text))
		}
	}
	return texts
}

// survive compiles text. Whatever it is, it compiles or is refused: the
// compiler does not fail and does not hang.
func survive(t testing.TB, text string) (compiled bool) {
	slow := time.AfterFunc(time.Minute, func() { panic("the compiler hangs on:\n" + text) })
	defer slow.Stop()
	p, err := codegentest.Source("fuzz.go", text)
	if err == nil {
		_, err = codegen.Compile(p, codegen.Options{Path: "m/gen"})
	}
	if err != nil && strings.Contains(err.Error(), "internal ") {
		t.Errorf("%v\n%s", err, text)
	}
	return err == nil
}

// FuzzCompile compiles whatever the fuzzer makes of the seeds, and mutants of it.
func FuzzCompile(f *testing.F) {
	for _, text := range seeds(f, append(good, bad...)) {
		f.Add(text, uint64(0))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if seed != 0 {
			text = mutant(text, rand.New(rand.NewPCG(seed, 0)))
		}
		survive(t, text)
	})
}

// TestMutants compiles programs with a few words changed. Most are still Go,
// and wrong in ways that nobody thought of. TANDEM_MUTANTS says how many.
func TestMutants(t *testing.T) {
	n := 60
	if text := os.Getenv("TANDEM_MUTANTS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 1))
	texts := seeds(t, good)
	compiled := 0
	for range n {
		if survive(t, mutant(texts[r.IntN(len(texts))], r)) {
			compiled++
		}
	}
	t.Logf("%d of %d mutants compiled", compiled, n)
}

// word is a token and where it stands.
type word struct {
	from, to int
	tok      token.Token
	text     string
}

// mutant changes a word of a program, or a few, to others of their kind.
func mutant(text string, r *rand.Rand) string {
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

// substitute returns what to write in place of w.
func substitute(w word, words []word, r *rand.Rand) string {
	if r.IntN(8) == 0 {
		return "" // dropped
	}
	if w.tok == token.COMMENT {
		return mutantComment(w.text, r)
	}
	if w.tok.IsOperator() {
		return operators[r.IntN(len(operators))]
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
