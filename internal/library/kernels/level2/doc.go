// Package level2 is the products of a matrix and a vector on a device, and the product of two
// vectors that changes a matrix, and the [Plan] that launches them. The matrix is read once, in one
// launch.
//
// A result has the same bits each time and on every device: the order of additions depends on the
// sizes, and on whether the rows of the matrix begin at multiples of 16 bytes.
package level2
