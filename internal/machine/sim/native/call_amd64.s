//go:build !noasm

#include "textflag.h"

// func enter(start, entry unsafe.Pointer, c *Context)
// The code finds its Context in DI and goes on at AX. It leaves BP, R14 and SP alone. It pushes two
// return addresses, its own and a routine's: 16 bytes, which the linker keeps free below a NOSPLIT
// function that calls through a register.
TEXT ·enter(SB), NOSPLIT, $32-24
	MOVQ start+0(FP), DX
	MOVQ entry+8(FP), AX
	MOVQ c+16(FP), DI
	CALL DX
	RET
