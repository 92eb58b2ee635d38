package model

import (
	"tandem/ops"
	"tandem/ops/train"
	"tandem/runtime"
)

// dropout is the dropout of one batch. Its masks are computed from its number and the
// place in the model, so that the backward pass finds the same ones.
type dropout struct {
	rate float32 // 0: none
	seed uint64
	use  uint64 // tells batches apart; the low 16 bits are free
}

// apply drops elements of x in place. place tells the uses within a batch apart.
func (d dropout) apply(on runtime.Target, place int, x ops.Floats) error {
	if d.rate == 0 {
		return nil
	}
	return train.Dropout(on, d.rate, d.seed, d.use|uint64(place), x, x)
}

// branch returns the gradient of what was added to the residual stream after dropout: dx
// itself without dropout, else its dropped copy in room.
func (d dropout) branch(on runtime.Target, place int, dx, room ops.Floats) (ops.Floats, error) {
	if d.rate == 0 {
		return dx, nil
	}
	return room, train.Dropout(on, d.rate, d.seed, d.use|uint64(place), dx, room)
}
