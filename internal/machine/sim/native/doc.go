// Package native compiles decoded kernels (package code) to vector instructions of the processor, in
// Go and without an assembler or a linker. The machine code does what the interpreter of package sim
// does, with the same bits, for what it knows. It leaves everything else to the interpreter.
//
// # Code and registers
//
// The code of a kernel has an entry at the first of each run of instructions that it knows, and after
// each access of memory, at which it may have exited. It goes on from block to block. Where lanes
// part, it runs their groups in the order of the machine's scheduler. At an exit all registers of PTX
// are in the register file of package sim, except registers that nothing reads any more. So it can
// exit before any instruction, and the interpreter goes on from there. Kernel.Run says why it exits:
//
//	an instruction    the code does not know it, or it is an access that is out of bounds, or in an
//	                  allocation that the instruction did not meet before
//	the end of        the code has run the instructions that it may run, or the end is an operation
//	a block           that it does not know, such as a call, or that needs all lanes
//
// Each kernel is compiled twice: for all lanes of a warp, and for the lanes of a mask, which it blends
// into registers.
//
// # From instructions to code
//
//	plan        which instructions are known, which of them run together as a step, since no access of
//	            memory is between them, and which registers anything reads later (liveness)
//	avx2        the code of blocks: entries, exits, ends
//	strip       the instructions of a step, for 8 lanes after 8 lanes: it loads a register once, keeps
//	            it in vector registers, and stores it if anything reads it later
//	operations  the instructions by type, each a few vector instructions
//	modifiers   roundings, .ftz and .sat
//	approximate the approximations of the function unit, whose coefficients are in the table of curves
//	integral, halves, short
//	            conversions to whole numbers, conversions of f16 and bf16, and integers of 16 bits
//	access      loads and stores: the code copies consecutive elements, of a warp or of 8 lanes, as
//	            vectors, loads an element of all of them once, and accesses others one by one
//	shape       one look at 32 addresses for all accesses of a block by one register
//	atomic      atomics, lane by lane. The interpreter does those that change nothing again
//	together    shuffles, votes and reductions of whole warps. The interpreter does the same of fewer lanes
//	part        branches at which lanes part, and blocks at which they join
//	team        barriers of the block and ends of warps: the code goes on with the block's next warp
//	series      ends of blocks: the same warps go on with the next block of the grid
//	steady      the registers that they keep, since the values are the same in all blocks
//
// The files named avx2 and those after it are for AMD64 with AVX2 and FMA. Where the processor has
// AVX-512, a strip has 16 lanes, and comparisons answer in mask registers:
//
//	wide        the instructions of a strip in the width of the processor's vectors
//	wide_operations, wide_access, wide_together
//	            what AVX-512 does better than a translation of AVX2
//	nans        which floating-point results may have NaNs of any payload at first, with either width
//
// A load of 512 bits waits for two stores of 256 bits, and any load for a store by a mask. So all code
// stores registers of PTX in whole vectors of the width in which it loads them.
//
// The files whose names begin with neon are for ARM64, with strips of 4 lanes. They follow the same
// plan, and like AVX2 they have code for all that knowsAccess, knowsAtomic and knowsTogether admit. They
// have none for what modifiers, approximate, integral, halves and short have. A
// further processor takes another implementation of target.
//
// # A guest in Go's runtime
//
// The code calls nothing in Go, and uses 16 bytes of the stack at most. The runtime cannot interrupt it, so
// it runs at most Context.Limit instructions at a time and the rest of a block. An access of
// scattered lanes counts as scatteredCost instructions, and a quotient or a root as slowCost. A collector waits up to a millisecond for the
// code. The goroutine that runs it is preempted as soon as it exits. The memory of the code is
// writable first and executable later, never both. If the system refuses that, nothing is compiled.
// The code runs on Linux. On macOS, FreeBSD and Windows it was built, but nobody has run it there.
package native
