package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tandem/examples/gpt2/model"
)

// TestTokenizers: what is encoded is decoded to the same text, whatever its bytes.
func TestTokenizers(t *testing.T) {
	source, err := os.ReadFile("text.go")
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"", "Hello, world!", "naïve café – “quotes” …", "日本語 🙂 \t\r\n  spaces   ", "<|endoftext|>", string(source)}
	for _, vocab := range []int{byteVocab, model.Small.Vocab} {
		tok, err := tokenizerFor(vocab)
		if err != nil {
			t.Fatal(err)
		}
		if vocab == byteVocab {
			texts = append(texts, "\xff\xfe broken") // GPT-2's works on characters and replaces what is none
		} else {
			texts = slices.DeleteFunc(texts, func(s string) bool { return !utf8.ValidString(s) })
		}
		for _, text := range texts {
			tokens := tok.encode(text)
			for _, id := range tokens {
				if int(id) >= vocab {
					t.Errorf("vocabulary %d, %.20q: token %d", vocab, text, id)
				}
			}
			var streamed strings.Builder // as generate prints it, token by token
			for _, id := range tokens {
				streamed.WriteString(tok.decode([]uint32{id}))
			}
			if got := tok.decode(tokens); got != text || streamed.String() != text {
				t.Errorf("vocabulary %d: %.40q comes back as %.40q and streamed as %.40q", vocab, text, got, streamed.String())
			}
		}
	}
	if _, err := tokenizerFor(1000); err == nil || !strings.Contains(err.Error(), "1000") {
		t.Error("a vocabulary without a tokenizer gives", err)
	}
}

// TestGPTVocabulary: the ids are GPT-2's, as published with it.
func TestGPTVocabulary(t *testing.T) {
	tok, err := tokenizerFor(model.Small.Vocab)
	if err != nil {
		t.Fatal(err)
	}
	got := tok.encode("Hello world")
	if len(got) != 2 || got[0] != 15496 || got[1] != 995 {
		t.Errorf("“Hello world” is %v, not [15496 995]", got)
	}
}

// TestReadText: a folder's text files are read, other files are not.
func TestReadText(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "one ", "b.bin": "no ", "sub/c.md": "two"} {
		file := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(file), 0o755)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := readText(dir); err != nil || got != "one two" {
		t.Errorf("the folder is read as %q (%v)", got, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if got, err := readText(link); err != nil || got != "one two" {
		t.Errorf("by a link, the folder is read as %q (%v)", got, err)
	}
	if got, err := readText(filepath.Join(dir, "b.bin")); err != nil || got != "no " {
		t.Errorf("a file named is read as %q (%v)", got, err)
	}
}
