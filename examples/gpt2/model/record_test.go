package model

import (
	"context"
	"testing"

	"tandem/runtime"
)

// BenchmarkRecord measures what a step of generation costs the host before it is submitted.
func BenchmarkRecord(b *testing.B) {
	dev, err := runtime.Open(runtime.Options{Device: "gpu"})
	if err != nil {
		b.Skip("not run: ", err)
	}
	defer dev.Close()
	m, err := New(dev, Config{Vocab: 64, Context: 64, Width: 64, Layers: 12, Heads: 4, Epsilon: 1e-5}, 1)
	if err != nil {
		b.Fatal(err)
	}
	s, err := m.Session()
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.Prompt(context.Background(), []uint32{1, 2, 3}, Greedy); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		scope := dev.Scope()
		if err := s.layers(scope, s.one, s.inputs[s.last]); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := scope.Submit(); err != nil {
			b.Fatal(err)
		}
		if err := dev.Wait(context.Background()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
