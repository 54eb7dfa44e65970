//go:build !noasm

#include "textflag.h"

// func enter(start, entry unsafe.Pointer, c *Context)
// The code finds its Context in DI and goes on at AX. It leaves BP, R14 and SP alone. The 16 bytes of
// the stack that it uses, the return address and that of one routine, are in this frame.
TEXT ·enter(SB), NOSPLIT, $32-24
	MOVQ start+0(FP), DX
	MOVQ entry+8(FP), AX
	MOVQ c+16(FP), DI
	CALL DX
	RET
