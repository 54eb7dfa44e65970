// Package fold combines vectors of several devices, element by element, in the order of the
// devices, or with bits that depend on no order: the kernels of the reductions of package comm.
package fold

//go:generate go tool gridstride build
