package runtime

// Forms returns how many scalar and vector forms of a kernel d has compiled.
func Forms(d *Device, kernel string) (scalar, vector int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for k, forms := range d.forms {
		for _, f := range forms {
			switch {
			case k.Name != kernel:
			case f.key.vector:
				vector++
			default:
				scalar++
			}
		}
	}
	return scalar, vector
}
