package validate

// own makes the project's own checks.
func (c *checker) own() {}
