// Package code is decoded PTX as data: what internal/machine/sim/decode makes of a module, and what
// the machine binds to Go functions. It has no functions to run in it, so it can be printed
// (Kernel's String), compared and, one day, compiled.
//
//	Kernel   one entry with every function it can call, since shared variables have other addresses
//	         in another kernel
//	Func     basic blocks, numbered so that lanes that part meet again early (Order), and the layout
//	         of its registers and of its local memory
//	Block    instructions that run one after the other, and an end
//	Inst     an operation (Op) with its types, what its modifiers say (Attributes), the slots of its
//	         operands, and addresses
//	Slot     a register of 32 lanes in the register file of a call: 32 or 64 bits a lane side by
//	         side, or a mask of 32 bits for a predicate; constants and special registers have slots too
//
// A PTX instruction becomes one Inst or a few. Most have PTX's own name, types and modifiers. The
// others take an instruction apart into steps:
//
//	mov      copies a slot
//	cvt      extends or cuts an operand to the width that the instruction wants
//	extract  takes Width bits out of a slot, from bit Imm on
//	join     makes a slot of parts of Width bits, the lowest first
//	%clock64 reads a special register that changes while a thread runs; so do %clock, %globaltimer, …
package code
