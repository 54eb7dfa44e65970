package abi

// The names of the files that "gridstride build" writes beside the kernels.
const (
	GoFile  = "kernels_gen.go"
	PTXFile = "kernels_gen.ptx"
)

// DynamicShared is the name of the array that stands for dynamic shared memory in PTX. Where a
// kernel has that name, a number follows it.
const DynamicShared = "gridstride_dynamic_shared"
