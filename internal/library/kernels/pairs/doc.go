// Package pairs is the kernels of metrics of two vectors, of the rows of two matrices, and of all
// pairs of rows from their products, and the [Plan] that launches them. Vectors are read once. What
// the metrics are for zero vectors, NaN, infinities and numbers whose squares are out of range, is
// package metric's to say.
package pairs
