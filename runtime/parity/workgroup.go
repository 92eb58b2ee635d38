package parity

import (
	"reflect"

	"tandem/dsl"
)

// Workgroup makes the workgroup memory of a kernel, its pointer parameters, and
// returns the kernel bound to it and to args, the others in order. Tests use it
// where they cannot name the type of the memory; it costs reflection.
func Workgroup(kernel any, args ...any) func(dsl.Thread) {
	f := reflect.ValueOf(kernel)
	in := make([]reflect.Value, f.Type().NumIn())
	for i := 1; i < len(in); i++ {
		if t := f.Type().In(i); t.Kind() == reflect.Pointer {
			in[i] = reflect.New(t.Elem())
			continue
		}
		in[i], args = reflect.ValueOf(args[0]), args[1:]
	}
	return func(t dsl.Thread) {
		mine := append([]reflect.Value{reflect.ValueOf(t)}, in[1:]...)
		f.Call(mine)
	}
}
