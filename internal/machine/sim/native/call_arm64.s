//go:build !noasm

#include "textflag.h"

// func enter(start, entry unsafe.Pointer, c *Context)
// The code finds its Context in R0 and goes on at R5. It returns to R30, and uses no stack. It leaves
// R18, which is the system's, R28, which is g, R29 and RSP alone. The barrier has this core fetch
// instructions again that coherent made another core forget.
TEXT ·enter(SB), NOSPLIT, $16-24
	MOVD start+0(FP), R6
	MOVD entry+8(FP), R5
	MOVD c+16(FP), R0
	ISB $15
	CALL (R6)
	RET
