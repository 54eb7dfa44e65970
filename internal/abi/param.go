package abi

// ParamBlock lays the parameters of a kernel out in the block that a launch hands over: one after
// the other, each at its alignment, little endian. A Go slice is two parameters, the address of its
// elements and its length (LengthParam), both of 8 bytes. A struct or an array is one, in Go's
// layout. The hidden parameters are last. The zero value is an empty block.
type ParamBlock struct {
	// Size is the size of the block so far, in bytes.
	Size int
}

// Add puts a parameter at the end of the block, whose size and alignment are in bytes, and returns
// its offset.
func (b *ParamBlock) Add(size, align int) (offset int) {
	offset = (b.Size + align - 1) / align * align
	b.Size = offset + size
	return offset
}

// Go types have on the device the sizes, alignments and offsets of gc on amd64, whatever the host
// is: types.SizesFor(SizesCompiler, SizesArch). A vector of package gpu alone is aligned to its
// size.
const (
	SizesCompiler = "gc"
	SizesArch     = "amd64"
)

// LengthParam is the name of the parameter, a .u64, that holds the length of the slice whose
// address is parameter slice: x_len for x.
func LengthParam(slice string) string { return slice + "_len" }
