package gen

import "github.com/gridstride/gridstride/internal/abi"

// Inlining makes a program large: an expression of a few eights of BFloat16 is tens of thousands of
// instructions, and each call repeats the function's instructions. These are about the numbers of
// instructions, measured after inlining. Anything else is small.
const (
	convertInstrs = 1100 // a number of 16 bits made of one of any other type
	halfInstrs    = 130  // an operation on one
	eightInstrs   = 1200 // an operation on eight
	mathInstrs    = 1600 // a function of Mathematics
	besselInstrs  = 4500 // one of any order

	// maxInstrs leaves a third of what the compiler takes (2^18) to all that is not counted.
	maxInstrs     = 170_000
	maxFuncInstrs = maxInstrs / 8
	// A literal is inlined wherever the function that takes it calls it: none is written large, nor
	// in a function that is large already.
	maxLiteralInstrs = maxFuncInstrs / 8
)

// spend counts n instructions of what is being written. It reports false, and counts nothing, where
// the program would become too large.
func (g *gen) spend(n int) bool {
	if g.cur.fn.instrs+n > g.cur.maxInstrs() {
		return false
	}
	g.cur.fn.instrs += n
	return true
}

// maxInstrs is how many instructions the function that is being written can have.
func (b *body) maxInstrs() int {
	switch {
	case b.literal:
		return maxLiteralInstrs
	case b.kernel:
		return maxInstrs
	}
	return maxFuncInstrs
}

// instrsOf is about the number of instructions of a function of package gpu.
func instrsOf(in abi.Intrinsic) int {
	switch {
	case in.Group != abi.Mathematics:
		return halfInstrs
	case in.Params()[0].Name == "n":
		return besselInstrs
	}
	return mathInstrs
}
