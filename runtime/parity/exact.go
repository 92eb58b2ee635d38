package parity

import "runtime"

// exactEmulate: emulate and cpu agree bit for bit. Where Go itself fuses
// multiply and add, emulate (the author's own Go) may round less often than the
// generated code, and the tolerance applies.
var exactEmulate = (runtime.GOARCH == "amd64" && !fusesOnAMD64) || runtime.GOARCH == "wasm" || runtime.GOARCH == "386"
