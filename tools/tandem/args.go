package main

import (
	"cmp"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// split tells packages from kernels among the arguments: Softmax and
// ./gen.Softmax are kernels.
func split(args []string) (patterns, kernels []string) {
	for _, a := range args {
		pattern, kernel := splitKernel(a)
		if kernel != "" {
			kernels = append(kernels, kernel)
		}
		if pattern != "" {
			patterns = append(patterns, pattern)
		}
	}
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	return patterns, kernels
}

var kernelName = regexp.MustCompile(`^\p{Lu}[\pL\pN_]*$`)

// splitKernel cuts PACKAGE.Kernel. Either part may be missing.
func splitKernel(arg string) (pattern, kernel string) {
	if kernelName.MatchString(arg) {
		return "", arg
	}
	dot := strings.LastIndexByte(arg, '.')
	if dot >= 0 && identifierForm.MatchString(arg[dot+1:]) && !token.IsKeyword(arg[dot+1:]) { // x.go is a file
		return cmp.Or(local(arg[:dot]), "."), arg[dot+1:]
	}
	return local(arg), ""
}

var identifierForm = regexp.MustCompile(`^[\pL_][\pL\pN_]*$`)

// local puts ./ before the name of a folder that is here.
func local(pattern string) string {
	if info, err := os.Stat(strings.TrimSuffix(pattern, "/...")); err == nil && info.IsDir() && !filepath.IsAbs(pattern) && !strings.HasPrefix(pattern, ".") {
		return "./" + pattern
	}
	return pattern
}

// doubleDashes turns -out into --out, as Go's own commands write flags.
func doubleDashes(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		if a == "--" {
			copy(out[i:], args[i:])
			break
		}
		if len(a) > 2 && a[0] == '-' && a[1] != '-' && !strings.ContainsAny(a[1:2], "0123456789.") {
			a = "-" + a
		}
		out[i] = a
	}
	return out
}

// orHere returns the patterns, or the package of the working folder where there
// are none.
func orHere(patterns []string) []string {
	if len(patterns) == 0 {
		return []string{"."}
	}
	folders := make([]string, len(patterns))
	for i, p := range patterns {
		folders[i] = local(p)
	}
	return folders
}
