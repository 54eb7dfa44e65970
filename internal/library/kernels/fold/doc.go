// Package fold combines vectors of several devices, element by element, in the order of the
// devices: the kernel of the reductions of package comm.
package fold

//go:generate go tool gridstride build
