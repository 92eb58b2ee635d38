//go:build amd64.v3

package parity

const fusesOnAMD64 = true
