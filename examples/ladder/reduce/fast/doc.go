// Package fast is the ladder's fastest reductions of a vector on a device to one number, the sum,
// the sum of squares, the smallest, the largest, and where these are: their kernels, and the [Plan]
// that chooses the grid and leaves the result on the device.
//
// Results have the same bits from run to run and on every device. Elements are combined in an order
// that depends on the length alone: each thread takes elements at a fixed stride, a block's threads
// are combined in a tree, and so are the blocks' results, in the last block to end. A sum is
// computed in the type of the elements: integers wrap, and the error of a sum of n float32 or
// float64 is at most about 100 + n/35,000,000 roundings of the sum of the absolute values, where
// adding one after the other has n.
package fast
