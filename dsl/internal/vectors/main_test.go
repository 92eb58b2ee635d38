package main

import (
	"bytes"
	"os"
	"testing"
)

func TestVectorsAreUpToDate(t *testing.T) {
	want, err := source()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../vectors.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("vectors.go is not what its generator writes: run go generate ./dsl")
	}
}
