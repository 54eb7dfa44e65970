// Package emit turns kernel IR into PTX.
//
// It runs in four steps, a file each: choosing what becomes an instruction of its own and what is
// part of another (choose.go); liveness (live.go); giving phis and what flows into them one
// register where that is possible, so that loops do not copy (assign.go); and printing instructions
// block by block in the order the passes have laid out (func.go, with arith.go, memory.go, warp.go
// and check.go by kind of instruction).
//
// # Rules
//
// Every floating-point instruction names its rounding, so nothing is contracted and denormals stay.
// A pointer whose space is known is kept in that space's own form, for shared memory an offset of
// 32 bits, and is made generic only where it is used as a value. A failed check branches to code
// behind the kernel's last instruction, which records it (abi.FaultRecord) and exits.
package emit
