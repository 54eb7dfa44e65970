package native

import (
	"math"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/math/mufu"
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
	Series
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
	controls                       [len(controls)]uint32
	curves                         unsafe.Pointer // of approximations: see curveTable
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
	least32 // the least normal number, and the bit above a fraction
	infinity32
	bit24
	half32
	scaled24 // 2^24, and so on
	scaled12
	scaledBack12
	scaledBack2
	most126 // 2^126
	less126 // -126
	less24
	place252 // for exponents
	place125
	place126
	place127
	place119
	most10
	two31 // 2^31, and 2^32
	twice31
	half112 // 2^112, by which a half's bits are too small as a single's
	tooLargeHalf
	normalHalf  // the least magnitude of a single that is a normal half
	denormHalf  // what makes the lowest bit of a half the lowest one of a single
	rebasedHalf // a half's exponent less a single's, and half of what is rounded, less a bit
	infinityHalf
	nanHalf
	sign16
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
	turn64  // 1/(2*pi) in single precision
	point36 // 2^-36, and so on
	point37
	point39
	limit31 // 2^31 - 1
	numDoubles
)

// NewContext makes a Context for a worker.
func NewContext() *Context {
	c := &Context{
		words: [numWords]uint32{
			nan32: softfloat.NaN32, sign32: 1 << 31, magnitude32: 1<<31 - 1, low16: 1<<16 - 1, two16: 0x47800000, one32: 0x3f800000, low5: 31,
			ones1: 0x55555555, ones2: 0x33333333, ones4: 0x0f0f0f0f, ones8: 0x01010101, bytes16: 0x00ff00ff,
			least32: 1 << 23, infinity32: 0xff << 23, bit24: 1 << 24, half32: power(-1), scaled24: power(24), scaled12: power(12),
			scaledBack12: power(-12), scaledBack2: power(-2), most126: power(126), less126: math.Float32bits(-126), less24: math.Float32bits(-24),
			place252: 252, place125: 125, place126: 126, place127: 127, place119: 127 + mufu.TanhLeast, most10: 10,
			two31: power(31), twice31: power(32),
			half112: power(112), tooLargeHalf: power(16), normalHalf: power(-14), denormHalf: power(-1), rebasedHalf: 1<<32 + 0xfff - 112<<23,
			infinityHalf: 0x7c00, nanHalf: 1<<15 - 1, sign16: 1 << 15,
		},
		doubles: [numDoubles]uint64{
			nan64: softfloat.NaN64, sign64: 1 << 63, magnitude64: 1<<63 - 1, quiet64: 1 << 51, upper64: 0xffffffff << 32,
			two52: 0x433 << 52, one64: 0x3ff << 52, two32: 0x41f << 52, biased52: 0x433<<52 | 1<<31, bit53: 1 << 53, low11: 1<<11 - 1,
			turn64:  math.Float64bits(float64(float32(1 / (2 * math.Pi)))),
			point36: (1023 - 36) << 52, point37: (1023 - 37) << 52, point39: (1023 - 39) << 52,
			limit31: math.Float64bits(math.MaxInt32),
		},
		controls: controls, curves: unsafe.Pointer(unsafe.SliceData(curves().words)),
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

// power is 2^n as a float32.
func power(n int) uint32 { return uint32(127+n) << 23 }

// Stored reports whether the last Run wrote memory.
func (c *Context) Stored() bool { return c.stored != 0 }

// Ran is how many instructions the blocks have that the last Run has passed, without the block in
// which it exited. In a team it counts the blocks of all warps that ran.
func (c *Context) Ran() int { return int(c.ran) }
