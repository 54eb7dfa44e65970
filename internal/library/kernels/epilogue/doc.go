// Package epilogue is what becomes of the elements of a product before C has them: a bias for each
// column, and a function of one number. Kernels that multiply call it where they have the sums, and
// a kernel of its own does it where C is written already, with the same bits.
package epilogue
