package abi

// GoFile is the name of the Go file that "gridstride build" writes beside the kernels.
const GoFile = "kernels_gen.go"

// The names of the PTX files beside it: PTXFile(Target{}) is kernels_gen.ptx, which holds the
// kernels that ask for no target; PTXFile of sm_90a is kernels_gen_sm_90a.ptx, which holds those
// that ask for it. PTXFiles is the pattern of all names but the first.
const PTXFiles = "kernels_gen_sm_*.ptx"

// PTXFile is the name of the PTX file for a target.
func PTXFile(t Target) string {
	if t == (Target{}) {
		return "kernels_gen.ptx"
	}
	return "kernels_gen_" + t.String() + ".ptx"
}

// DynamicShared is the name of the array that stands for dynamic shared memory in PTX. Where a
// kernel has that name, a number follows it.
const DynamicShared = "gridstride_dynamic_shared"

// SharedAlign is the alignment in bytes of dynamic shared memory in a kernel whose variables lie in
// it. It is the largest that a variable in shared memory needs.
const SharedAlign = 128

// SharedEnd is where what a launch asks for begins in dynamic shared memory, behind variables of a
// kernel of so many bytes.
func SharedEnd(bytes int) int { return (bytes + SharedAlign - 1) / SharedAlign * SharedAlign }
