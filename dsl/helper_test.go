package dsl_test

import (
	"reflect"
	"runtime"
)

// firstLine returns the line on which the function f begins.
func firstLine(f any) int {
	pc := reflect.ValueOf(f).Pointer()
	_, line := runtime.FuncForPC(pc).FileLine(pc)
	return line
}
