// This file lets slots.go declare a function without a body.
