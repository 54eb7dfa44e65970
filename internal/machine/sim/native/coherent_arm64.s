//go:build !noasm && (linux || darwin || freebsd)

#include "textflag.h"

// func cacheType() uint64
TEXT ·cacheType(SB), NOSPLIT, $0-8
	MRS CTR_EL0, R0
	MOVD R0, ret+0(FP)
	RET

// func cleanData(from, end, line uintptr)
TEXT ·cleanData(SB), NOSPLIT, $0-24
	MOVD from+0(FP), R0
	MOVD end+8(FP), R1
	MOVD line+16(FP), R2
next:
	WORD $0xd50b7b20 // DC CVAU, R0
	ADD R2, R0
	CMP R1, R0
	BLO next
	DSB $11 // of the inner shareable domain
	RET

// func forgetInstructions(from, end, line uintptr)
TEXT ·forgetInstructions(SB), NOSPLIT, $0-24
	MOVD from+0(FP), R0
	MOVD end+8(FP), R1
	MOVD line+16(FP), R2
next:
	WORD $0xd50b7520 // IC IVAU, R0
	ADD R2, R0
	CMP R1, R0
	BLO next
	DSB $11
	ISB $15
	RET
