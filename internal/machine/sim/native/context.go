package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
)

// Context has the operands of the code: a warp, for one call of Run. One worker has one Context.
type Context struct {
	File unsafe.Pointer // the register file
	Segs unsafe.Pointer // the segments that accesses met last: []*memory.Segment
	Rows unsafe.Pointer // the addresses of the rows that accesses read last: []uintptr
	// Limit is how many instructions the code may run. It exits at the end of the block that reaches
	// the limit.
	Limit int64
	Mask  uint32 // the lanes that run
	// Order is the lowest Block.Order of the blocks at which other lanes of the warp wait: the code
	// exits before a block whose order is not lower.
	Order int32

	Team
	Parting

	ran    int64  // instructions of the blocks that the code has passed
	exit   uint32 // the number of an Exit
	stored uint32 // not 0 once memory was written

	mask32  [abi.WarpSize]uint32 // all ones for a lane that runs
	mask64  [abi.WarpSize]uint64
	offsets [abi.WarpSize]uint32 // of an access, in its segment
	shapes  [mostShapes]uint32   // of addresses: see findShapes

	// Constants.
	bits32, steps4  [abi.WarpSize]uint32 // 1<<lane, 4*lane
	bits64          [abi.WarpSize]uint64
	steps1          [abi.WarpSize]uint32 // lane
	steps1w         [abi.WarpSize]uint64
	steps4w, steps8 [abi.WarpSize]uint64 // 4*lane and 8*lane for addresses of 64 bits
	// The numbers of words of two vectors of 512 bits: the lower and the upper ones of lanes of 64 bits,
	// and pairs of one word of each vector.
	even, odd, lowPairs, highPairs [16]uint32
	words                          [numWords]uint32
	doubles                        [numDoubles]uint64
}

// word and double are constants of 32 and 64 bits, which the code spreads over a vector.
type (
	word   int
	double int
)

const (
	nan32 word = iota
	sign32
	magnitude32
	low16
	two16
	one32
	low5
	ones1   // 1 of 2 bits
	ones2   // 2 of 4 bits
	ones4   // 4 of 8 bits
	ones8   // the lowest bit of 8
	bytes16 // the lower byte of 16 bits
	numWords
)

const (
	nan64 double = iota
	sign64
	magnitude64
	quiet64
	upper64
	two52
	one64
	two32
	biased52 // 2^52 + 2^31
	bit53
	low11
	numDoubles
)

// NewContext makes a Context for a worker.
func NewContext() *Context {
	c := &Context{
		words: [numWords]uint32{
			nan32: softfloat.NaN32, sign32: 1 << 31, magnitude32: 1<<31 - 1, low16: 1<<16 - 1, two16: 0x47800000, one32: 0x3f800000, low5: 31,
			ones1: 0x55555555, ones2: 0x33333333, ones4: 0x0f0f0f0f, ones8: 0x01010101, bytes16: 0x00ff00ff,
		},
		doubles: [numDoubles]uint64{
			nan64: softfloat.NaN64, sign64: 1 << 63, magnitude64: 1<<63 - 1, quiet64: 1 << 51, upper64: 0xffffffff << 32,
			two52: 0x433 << 52, one64: 0x3ff << 52, two32: 0x41f << 52, biased52: 0x433<<52 | 1<<31, bit53: 1 << 53, low11: 1<<11 - 1,
		},
	}
	for i := range abi.WarpSize {
		c.bits32[i], c.bits64[i] = 1<<i, 1<<i
		c.steps1[i], c.steps1w[i] = uint32(i), uint64(i)
		c.steps4[i], c.steps4w[i], c.steps8[i] = uint32(4*i), uint64(4*i), uint64(8*i)
	}
	for i := range uint32(16) {
		c.even[i], c.odd[i] = 2*i, 2*i+1
		c.lowPairs[i], c.highPairs[i] = i/2+i%2*16, i/2+i%2*16+8
	}
	return c
}

// Stored reports whether the last Run wrote memory.
func (c *Context) Stored() bool { return c.stored != 0 }

// Ran is how many instructions the blocks have that the last Run has passed, without the block in
// which it exited. In a team it counts the blocks of all warps that ran.
func (c *Context) Ran() int { return int(c.ran) }
