// Package emit turns kernel IR into PTX.
//
// It runs in four steps, a file each. It chooses which values become an instruction and which are
// part of another (choose.go). It computes liveness (live.go). It gives a phi and the values that
// flow into it one register if possible, so that loops do not copy (assign.go). It prints
// instructions block by block in the order that the passes laid out (func.go, with arith.go,
// memory.go, warp.go and check.go by kind of instruction).
//
// # Rules
//
// Every floating-point instruction names its rounding, so the assembler contracts nothing,
// and denormals stay, except in approximations.
// A pointer whose space is known stays in that space's form, for shared memory an offset of 32
// bits. It becomes generic only when it is used as a value. A failed check branches to code after
// the kernel's last instruction, which records it (abi.FaultRecord) and exits. Opcodes are put
// together from constants of package ptx (ptx.Op.Of), which panics for one that PTX does not have.
package emit
