// Package binned is reproducible sums and dot products of vectors on a device.
//
// The arithmetic is package internal/math/binned's: a result has the same bits on every device, on
// the simulator and on the host, for every grid, and in any order of the terms. A term of a product
// is rounded before it is added.
package binned
