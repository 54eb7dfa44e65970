// Package fast is the ladder's fastest dot product of two vectors on a device: its kernel, and the
// [Plan] that chooses the grid and leaves the result on the device.
//
// The result has the same bits each time and on every device: elements are added in an order that
// depends on the length, the largest grid, and on whether the vectors start at a multiple of 16
// bytes. The error of a product of n elements is at most about 100 + n/t roundings of the sum of
// the absolute values of its terms, where t is the number of sums at a time: for a long vector 34
// million, 17 million in float64.
package fast
