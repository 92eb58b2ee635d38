// Package train holds the kernels that only training needs: gradients, losses
// and the optimizer. They are apart from package kernels so that a program that
// only runs models links none of them.
package train
