// Package epilogue changes the elements of a product before they go to C: it adds a bias for each
// column, and applies a function of one number. Kernels that multiply call it on their sums. Its
// kernel does the same to a C that is written already, with the same bits.
package epilogue
