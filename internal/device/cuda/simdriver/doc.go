// Package simdriver simulates NVIDIA's driver: the functions of libcuda that package cuda calls,
// with the simulator as the GPU. The tests of packages that use package cuda run with it on
// machines that have no GPU, and kernels run in them for real. It works on Linux.
//
// It keeps the driver's rules where a user could break them: a context is current on a thread or it
// is not, handles belong to their context, work runs later and in the order of its stream, pinned
// memory is read when the copy runs, and an illegal address ends the context.
package simdriver
