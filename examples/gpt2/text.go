package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tiktoken "github.com/pkoukk/tiktoken-go"
	tiktokenloader "github.com/pkoukk/tiktoken-go-loader"

	"tandem/examples/gpt2/model"
)

// tokenizer turns text into tokens and back.
type tokenizer interface {
	encode(text string) []uint32
	decode(tokens []uint32) string
}

// byteVocab is the size of the vocabulary of single bytes.
const byteVocab = 256

// byteTokens is the tokenizer whose tokens are the bytes of the text.
type byteTokens struct{}

func (byteTokens) encode(text string) []uint32 {
	tokens := make([]uint32, len(text))
	for i := range len(text) {
		tokens[i] = uint32(text[i])
	}
	return tokens
}

func (byteTokens) decode(tokens []uint32) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte(byte(t))
	}
	return b.String()
}

// gptTokens is GPT-2's byte-level BPE.
type gptTokens struct{ bpe *tiktoken.Tiktoken }

func (g gptTokens) encode(text string) []uint32 {
	var tokens []uint32
	for _, t := range g.bpe.EncodeOrdinary(text) {
		tokens = append(tokens, uint32(t))
	}
	return tokens
}

func (g gptTokens) decode(tokens []uint32) string {
	list := make([]int, len(tokens))
	for i, t := range tokens {
		list[i] = int(t)
	}
	return g.bpe.Decode(list)
}

// tokenizerFor returns the tokenizer of a vocabulary: bytes, or GPT-2's.
func tokenizerFor(vocab int) (tokenizer, error) {
	switch {
	case vocab == byteVocab:
		return byteTokens{}, nil
	case vocab >= model.Small.Vocab:
		tiktoken.SetBpeLoader(tiktokenloader.NewOfflineLoader())
		bpe, err := tiktoken.GetEncoding("r50k_base")
		return gptTokens{bpe}, err
	}
	return nil, fmt.Errorf("no tokenizer for a vocabulary of %d: %d (bytes) and %d (GPT-2) have one", vocab, byteVocab, model.Small.Vocab)
}

// maxText is how much text is read for training.
const maxText = 256 << 20

// readText reads a text file, or all files of a folder with an ending of text; "" stands for the Go
// distribution's source.
func readText(path string) (string, error) {
	endings := map[string]bool{".txt": true, ".md": true, ".go": true, ".c": true, ".py": true, ".html": true, ".tex": true}
	if path == "" {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return "", fmt.Errorf("where is the Go distribution, whose source is the default text? go env GOROOT: %w; --data names another text", err)
		}
		path, endings = filepath.Join(strings.TrimSpace(string(root)), "src"), map[string]bool{".go": true}
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	add := func(file string) error {
		data, err := os.ReadFile(file)
		if err == nil && text.Len()+len(data) <= maxText {
			text.Write(data)
		}
		return err
	}
	if !info.IsDir() {
		err = add(path)
	} else {
		if path, err = filepath.EvalSymlinks(path); err != nil { // WalkDir does not follow a link, even where it begins
			return "", err
		}
		err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || !endings[filepath.Ext(file)] {
				return err
			}
			return add(file)
		})
	}
	if err == nil && text.Len() == 0 {
		err = fmt.Errorf("%s: no text of up to %d MiB to train on", path, maxText>>20)
	}
	return text.String(), err
}

// split divides a text for training and validation: of stretches of equal length every tenth is
// held out, so that both see all kinds of text in it.
func split(tokens []uint32) (learn, hold []uint32) {
	stretches := min(max(len(tokens)/4096, 10), 1000)
	for i := range stretches {
		part := tokens[i*len(tokens)/stretches : (i+1)*len(tokens)/stretches]
		if i%10 == 9 {
			hold = append(hold, part...)
		} else {
			learn = append(learn, part...)
		}
	}
	return learn, hold
}
