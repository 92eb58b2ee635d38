// Package kernels holds one small kernel for each feature of the kernel
// language and for each fault that other compilers shipped, a file for each
// family. What they should compute stands in the tables of package conformance,
// as literal values, and here in references that work another way.
package kernels
