// Package native compiles decoded kernels (package code) to vector instructions of the processor, in
// Go and without an assembler or a linker. The machine code does what the interpreter of package sim
// does, with the same bits, for what it knows. It leaves everything else to the interpreter.
//
// # Code and registers
//
// The code of a kernel has an entry at the first of each run of instructions that it knows, and
// behind each access of memory, where it may have been left. It goes on from block to block while all
// lanes take one way. All registers of PTX are in the register file of package sim whenever the code
// is left, except for those that nothing reads any more. So it can be left at any instruction, and
// the interpreter goes on from there. Kernel.Run says where that is:
//
//	an instruction    that the code does not know, or an access that it cannot do as it stands: one
//	                  out of bounds, or in an allocation that the instruction did not meet before
//	the end of        lanes part; a group of other lanes comes first; the instructions that the code
//	a block           may run are used up; the end is an operation such as a barrier
//
// Each kernel is compiled twice: for all lanes of a warp, and for those of a mask, which it blends
// into registers.
//
// # From instructions to code
//
//	plan        which instructions are known, which of them lie between two accesses of memory and so
//	            run together, and which registers anything reads afterwards
//	avx2        the code of blocks: entries, exits, ends
//	strip       instructions that run together, for 8 lanes after 8 lanes: a register is loaded once,
//	            kept in vector registers, and stored if anything reads it later
//	operations  the instructions by type, each a few vector instructions
//	access      loads and stores: 32 consecutive elements are copied as vectors, others one by one
//
// The files named avx2 and those after it are for AMD64 with AVX2 and FMA. A further processor takes
// another implementation of target.
//
// # A guest in Go's runtime
//
// The code calls nothing in Go, and uses 16 bytes of the stack. The runtime cannot interrupt it, so
// it runs at most Context.Limit instructions at a time and the rest of a block, where an access of
// scattered lanes counts as many. A collector waits for it up to a millisecond. The memory of the code
// is written first and made executable then, never both. Where the system refuses that, nothing is
// compiled. The code is not preempted, but the goroutine that runs it is, as soon as it is left.
package native
