package launch

import (
	"fmt"
	"strings"

	"tandem/codegen/gocpu"
	"tandem/codegen/ir"
)

// launcherDoc returns the doc comment of k's launcher: what the author says of
// the kernel, what is launched, and what is checked.
func launcherDoc(k *ir.Kernel) string {
	facts := strings.Join(append([]string{gridSentence(k)}, checkSentences(k)...), " ")
	doc := authorDoc(k)
	switch {
	case doc == "":
		return wrap(Launcher(k) + " runs " + k.Func + ". " + facts)
	case strings.Contains(doc, "\n"):
		return doc + "\n\n" + wrap(facts)
	}
	return wrap(doc + " " + facts)
}

// indirectDoc returns the doc comment of k's indirect launcher.
func indirectDoc(k *ir.Kernel) string {
	unit := "workgroups"
	if k.Grid.Threads {
		unit = "invocations"
	}
	return wrap(fmt.Sprintf("%sIndirect is %s with its grid read on the device when the launch runs: grid holds three uint32, in %s. No more run than of %s.",
		Launcher(k), Launcher(k), unit, Launcher(k)))
}

// authorDoc returns the kernel's doc comment, about the launcher's name.
func authorDoc(k *ir.Kernel) string {
	var lines []string
	for line := range strings.Lines(k.Doc) {
		lines = append(lines, strings.TrimRight(gocpu.OneLine(strings.TrimRight(line, "\n")), " "))
	}
	doc := strings.TrimSpace(strings.Join(lines, "\n"))
	if rest, ok := strings.CutPrefix(doc, k.Func+" "); ok {
		doc = Launcher(k) + " " + rest
	}
	if doc != "" && !strings.HasSuffix(doc, ".") {
		doc += "."
	}
	return doc
}

// gridTexts returns the sides of the grid as written.
func gridTexts(k *ir.Kernel) []string {
	var out []string
	for _, d := range k.Grid.Dims {
		out = append(out, d.Text)
	}
	return out
}

// gridSentence says what is launched.
func gridSentence(k *ir.Kernel) string {
	size := fmt.Sprint(k.Workgroup[0])
	for _, n := range k.Workgroup[1:] {
		if k.Workgroup[1] > 1 || k.Workgroup[2] > 1 {
			size += fmt.Sprintf("×%d", n)
		}
	}
	size = strings.TrimSuffix(size, "×1")
	grid := strings.Join(gridTexts(k), " × ")
	if k.Grid.Threads {
		return fmt.Sprintf("It launches %s invocations, in workgroups of %s.", grid, size)
	}
	return fmt.Sprintf("It launches %s workgroups of %s.", grid, size)
}

// checkSentences say what the launcher checks.
func checkSentences(k *ir.Kernel) []string {
	var out []string
	if least := leastLengths(k); len(least) > 0 {
		out = append(out, list(least)+".")
	}
	var conditions []string
	for _, w := range k.Directives.Where {
		conditions = append(conditions, w.Text)
	}
	if len(conditions) > 0 {
		out = append(out, list(conditions)+" must hold.")
	}
	for _, p := range k.Directives.InPlace {
		out = append(out, fmt.Sprintf("%s and %s may be the same buffer.", shown(k, p.Out), shown(k, p.In)))
	}
	return out
}

// leastLengths returns "x and y must hold at least n elements", "z m" …:
// buffers with the same least length together.
func leastLengths(k *ir.Kernel) []string {
	var order []string
	names := map[string][]string{}
	for _, r := range k.Directives.Lens {
		if names[r.Least.Text] == nil {
			order = append(order, r.Least.Text)
		}
		names[r.Least.Text] = append(names[r.Least.Text], shown(k, r.Buffer))
	}
	var out []string
	for i, text := range order {
		if i == 0 {
			out = append(out, fmt.Sprintf("%s must hold at least %s elements", list(names[text]), text))
		} else {
			out = append(out, fmt.Sprintf("%s %s", list(names[text]), text))
		}
	}
	return out
}

// list joins words as in a sentence: a, b and c.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// wrap breaks text into lines that fit a comment.
func wrap(text string) string {
	const width = 97
	var b strings.Builder
	n := 0
	for _, word := range strings.Fields(text) {
		switch {
		case n == 0:
		case n+1+len(word) > width:
			b.WriteString("\n")
			n = 0
		default:
			b.WriteString(" ")
			n++
		}
		b.WriteString(word)
		n += len(word)
	}
	return b.String()
}
