package abi

// GoFile is the name of the Go file that "gridstride build" writes next to the kernels.
const GoFile = "kernels_gen.go"

// PTXFiles are the patterns of the names of PTX files next to GoFile. PTXFile(Target{}) is
// kernels_gen.ptx, with the kernels that ask for no target. PTXFile of sm_90a is
// kernels_gen_sm_90a.ptx, with the kernels that ask for it. A text of more than LargestText bytes is
// stored compressed, in a file with one of these names and PackedSuffix.
var PTXFiles = []string{
	"kernels_gen_sm_*.ptx", "kernels_gen_sm_*.ptx" + PackedSuffix, "kernels_gen.ptx", "kernels_gen.ptx" + PackedSuffix,
}

const (
	LargestText  = 64 << 10
	PackedSuffix = ".zst"
)

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

// SharedAlign is the alignment in bytes of dynamic shared memory in a kernel whose variables are in
// it. It is the largest that a variable in shared memory needs.
const SharedAlign = 128

// SharedEnd is the offset in dynamic shared memory of the bytes that a launch asks for, after a
// kernel's variables of that size.
func SharedEnd(bytes int) int { return (bytes + SharedAlign - 1) / SharedAlign * SharedAlign }
