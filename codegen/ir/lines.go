package ir

import (
	"fmt"
	"strings"
)

// Lines returns the table that runtime.Kernel.Lines describes: from has the position behind each line of a generated text, the zero
// Pos for none; own is the file of the kernel.
func Lines(own string, from []Pos) string {
	var runs []string
	file := own
	for len(from) > 0 {
		p, n := from[0], 1
		for n < len(from) && from[n].File == p.File && from[n].Line == p.Line {
			n++
		}
		from = from[n:]
		run := ""
		if p.Line > 0 {
			if p.File != file {
				file = p.File
				run = plain.Replace(file) + ":"
			}
			run += fmt.Sprint(p.Line)
		} else if len(from) == 0 {
			break
		}
		if n > 1 {
			run += fmt.Sprintf("*%d", n)
		}
		runs = append(runs, run)
	}
	return strings.Join(runs, ",")
}

// plain takes out of a file's name what means something in a table.
var plain = strings.NewReplacer(",", "_", "*", "_", "\n", "_")
