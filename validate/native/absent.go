//go:build !cgo || js

package native

// Compile has no driver to ask.
func Compile(text, entry string) error { return ErrAbsent }
