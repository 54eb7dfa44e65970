// Package nearest finds the rows of a matrix that are most like a query, on a device: the scores
// and the selection of the best in one kernel.
//
// The terms of a score are added in one order, along the columns, each with one fused multiply-add,
// whatever the number of queries: the bits are the same on every device.
package nearest
