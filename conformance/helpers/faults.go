package helpers

// Share divides.
func Share(all, n uint32) uint32 {
	for all > 100 {
		all -= 100
	}
	return all / n // site 7, by zero
}

// Pick reads an element.
func Pick(x []uint32, i uint32) uint32 {
	picked := uint32(0)
	for range 2 {
		picked = x[i] // site 10 // site 25
	}
	return picked
}
