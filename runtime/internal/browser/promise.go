//go:build js

package browser

import "syscall/js"

// errPromise is why a promise failed.
type errPromise struct{ reason js.Value }

func (e *errPromise) Error() string {
	if e.reason.Type() == js.TypeObject && e.reason.Get("message").Type() == js.TypeString {
		return e.reason.Get("message").String()
	}
	return e.reason.String()
}

// await returns what promise resolves to. The goroutine waits meanwhile.
func await(promise js.Value) (js.Value, error) {
	type outcome struct {
		value js.Value
		err   error
	}
	done := make(chan outcome, 1)
	first := func(args []js.Value) js.Value {
		if len(args) == 0 {
			return js.Undefined()
		}
		return args[0]
	}
	resolved := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- outcome{value: first(args)}
		return nil
	})
	defer resolved.Release()
	rejected := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- outcome{err: &errPromise{first(args)}}
		return nil
	})
	defer rejected.Release()
	promise.Call("then", resolved, rejected)
	o := <-done
	return o.value, o.err
}
