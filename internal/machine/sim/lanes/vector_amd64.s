//go:build !noasm

#include "go_asm.h"
#include "textflag.h"

// The operations of vector.go with AVX2 and FMA. A slot of 32 bits is 4 vectors, one of 64 bits is 8.
// Each vector is loaded before it is stored, so the destination may be one of the inputs.

// canonical is the NaN that a GPU gives in single precision.
DATA canonical<>+0(SB)/4, $0x7fffffff
GLOBL canonical<>(SB), RODATA|NOPTR, $4

// signs turns the order of unsigned numbers into that of signed ones.
DATA sign32<>+0(SB)/4, $0x80000000
GLOBL sign32<>(SB), RODATA|NOPTR, $4
DATA sign64<>+0(SB)/8, $0x8000000000000000
GLOBL sign64<>(SB), RODATA|NOPTR, $8

// SLOTS puts the addresses of the slots into registers: D in DI, A in SI, B in DX, C in CX.
#define SLOT(field, r) MOVL field(BX), r; ADDQ AX, r
#define SLOTS2 MOVQ w+0(FP), AX; MOVQ in+8(FP), BX; MOVQ Warp_Base(AX), AX; SLOT(Inst_D, DI); SLOT(Inst_A, SI)
#define SLOTS3 SLOTS2; SLOT(Inst_B, DX)
#define SLOTS4 SLOTS3; SLOT(Inst_C, CX)

#define BINARY(op, at) VMOVDQU at(SI), Y0; op at(DX), Y0, Y0; VMOVDQU Y0, at(DI)

// INTEGER is a binary operation on slots of 32 bits, WIDE one on slots of 64.
#define INTEGER(name, op) \
TEXT name(SB), NOSPLIT, $0-16; \
	SLOTS3; \
	BINARY(op, 0); BINARY(op, 32); BINARY(op, 64); BINARY(op, 96); \
	VZEROUPPER; \
	RET

#define WIDE(name, op) \
TEXT name(SB), NOSPLIT, $0-16; \
	SLOTS3; \
	BINARY(op, 0); BINARY(op, 32); BINARY(op, 64); BINARY(op, 96); \
	BINARY(op, 128); BINARY(op, 160); BINARY(op, 192); BINARY(op, 224); \
	VZEROUPPER; \
	RET

// MAD multiplies and adds 8 lanes of 32 bits.
#define MAD(at) VMOVDQU at(SI), Y0; VPMULLD at(DX), Y0, Y0; VPADDD at(CX), Y0, Y0; VMOVDQU Y0, at(DI)

// PRODUCTS multiplies 4 lanes of 32 bits to 64: extend spreads them over 64 bits, op multiplies
// their lower halves. The destination is no input here: PTX gives them other widths.
#define PRODUCT(extend, op, at, to) extend at(SI), Y0; extend at(DX), Y1; op Y1, Y0, Y0; VMOVDQU Y0, to(DI)
#define PRODUCTS(name, extend, op) \
TEXT name(SB), NOSPLIT, $0-16; \
	SLOTS3; \
	PRODUCT(extend, op, 0, 0); PRODUCT(extend, op, 16, 32); PRODUCT(extend, op, 32, 64); PRODUCT(extend, op, 48, 96); \
	PRODUCT(extend, op, 64, 128); PRODUCT(extend, op, 80, 160); PRODUCT(extend, op, 96, 192); PRODUCT(extend, op, 112, 224); \
	VZEROUPPER; \
	RET

#define SUM(extend, op, at, to) extend at(SI), Y0; extend at(DX), Y1; op Y1, Y0, Y0; VPADDQ to(CX), Y0, Y0; VMOVDQU Y0, to(DI)
#define SUMS(name, extend, op) \
TEXT name(SB), NOSPLIT, $0-16; \
	SLOTS4; \
	SUM(extend, op, 0, 0); SUM(extend, op, 16, 32); SUM(extend, op, 32, 64); SUM(extend, op, 48, 96); \
	SUM(extend, op, 64, 128); SUM(extend, op, 80, 160); SUM(extend, op, 96, 192); SUM(extend, op, 112, 224); \
	VZEROUPPER; \
	RET

// SHIFT64 shifts 64 bits by counts of 32.
#define SHIFT(op, at, to) VMOVDQU to(SI), Y0; VPMOVZXDQ at(DX), Y1; op Y1, Y0, Y0; VMOVDQU Y0, to(DI)
#define SHIFT64(name, op) \
TEXT name(SB), NOSPLIT, $0-16; \
	SLOTS3; \
	SHIFT(op, 0, 0); SHIFT(op, 16, 32); SHIFT(op, 32, 64); SHIFT(op, 48, 96); \
	SHIFT(op, 64, 128); SHIFT(op, 80, 160); SHIFT(op, 96, 192); SHIFT(op, 112, 224); \
	VZEROUPPER; \
	RET

// NANS replaces NaNs in Y0 by the canonical one, which is in Y5.
#define NANS(at) VCMPPS $3, Y0, Y0, Y4; VBLENDVPS Y4, Y5, Y0, Y0; VMOVUPS Y0, at(DI)
#define SINGLE(op, at) VMOVUPS at(SI), Y0; op at(DX), Y0, Y0; NANS(at)
#define SINGLES(name, op) \
TEXT name(SB), NOSPLIT, $0-16; \
	SLOTS3; \
	VBROADCASTSS canonical<>(SB), Y5; \
	SINGLE(op, 0); SINGLE(op, 32); SINGLE(op, 64); SINGLE(op, 96); \
	VZEROUPPER; \
	RET

#define FMA(at) VMOVUPS at(CX), Y0; VMOVUPS at(SI), Y1; VFMADD231PS at(DX), Y1, Y0; NANS(at)
// DOUBLES stores nothing and returns false where a result is a NaN: which NaN it is depends on the
// inputs, and the loop in Go knows.
#define DOUBLE(op, at, r) VMOVUPD at(SI), r; op at(DX), r, r; VCMPPD $3, r, r, Y8; VORPD Y8, Y9, Y9
#define STORE8 \
	VMOVUPD Y0, 0(DI); VMOVUPD Y1, 32(DI); VMOVUPD Y2, 64(DI); VMOVUPD Y3, 96(DI); \
	VMOVUPD Y4, 128(DI); VMOVUPD Y5, 160(DI); VMOVUPD Y6, 192(DI); VMOVUPD Y7, 224(DI)
#define DOUBLES(name, op) \
TEXT name(SB), NOSPLIT, $0-17; \
	SLOTS3; \
	VXORPD Y9, Y9, Y9; \
	DOUBLE(op, 0, Y0); DOUBLE(op, 32, Y1); DOUBLE(op, 64, Y2); DOUBLE(op, 96, Y3); \
	DOUBLE(op, 128, Y4); DOUBLE(op, 160, Y5); DOUBLE(op, 192, Y6); DOUBLE(op, 224, Y7); \
	VMOVMSKPD Y9, AX; \
	TESTL AX, AX; \
	JNE nan; \
	STORE8; \
	VZEROUPPER; \
	MOVB $1, ret+16(FP); \
	RET; \
nan: \
	VZEROUPPER; \
	MOVB $0, ret+16(FP); \
	RET

#define FMA64(at, r) VMOVUPD at(CX), r; VMOVUPD at(SI), Y10; VFMADD231PD at(DX), Y10, r; VCMPPD $3, r, r, Y8; VORPD Y8, Y9, Y9
// Comparisons: the slots of x and y are given by their offsets, the result is a bit for each lane.
#define XY MOVQ w+0(FP), AX; MOVQ Warp_Base(AX), AX; MOVL x+8(FP), SI; ADDQ AX, SI; MOVL y+12(FP), DX; ADDQ AX, DX; XORL R8, R8

// BITS8 adds the signs of 8 lanes of Y0 to the mask in R8, from lane shift on; BITS4 those of 4.
#define BITS8(shift) VMOVMSKPS Y0, AX; SHLL $shift, AX; ORL AX, R8
#define BITS4(shift) VMOVMSKPD Y0, AX; SHLL $shift, AX; ORL AX, R8
#define DONE VZEROUPPER; MOVL R8, ret+16(FP); RET

#define EQUAL(op, at) VMOVDQU at(SI), Y0; op at(DX), Y0, Y0
#define LESS(op, at) VMOVDQU at(DX), Y0; op at(SI), Y0, Y0
#define LESSU(op, at) VPXOR at(DX), Y1, Y0; VPXOR at(SI), Y1, Y2; op Y2, Y0, Y0
#define ORDER(op, code, at) VMOVUPS at(SI), Y0; op $code, at(DX), Y0, Y0

#define COMPARE32(name, one, op) \
TEXT name(SB), NOSPLIT, $0-20; \
	XY; \
	VPBROADCASTD sign32<>(SB), Y1; \
	one(op, 0); BITS8(0); one(op, 32); BITS8(8); one(op, 64); BITS8(16); one(op, 96); BITS8(24); \
	DONE

#define COMPARE64(name, one, op) \
TEXT name(SB), NOSPLIT, $0-20; \
	XY; \
	VPBROADCASTQ sign64<>(SB), Y1; \
	one(op, 0); BITS4(0); one(op, 32); BITS4(4); one(op, 64); BITS4(8); one(op, 96); BITS4(12); \
	one(op, 128); BITS4(16); one(op, 160); BITS4(20); one(op, 192); BITS4(24); one(op, 224); BITS4(28); \
	DONE

#define ORDERF32(name, code) \
TEXT name(SB), NOSPLIT, $0-20; \
	XY; \
	ORDER(VCMPPS, code, 0); BITS8(0); ORDER(VCMPPS, code, 32); BITS8(8); \
	ORDER(VCMPPS, code, 64); BITS8(16); ORDER(VCMPPS, code, 96); BITS8(24); \
	DONE

#define ORDERF64(name, code) \
TEXT name(SB), NOSPLIT, $0-20; \
	XY; \
	ORDER(VCMPPD, code, 0); BITS4(0); ORDER(VCMPPD, code, 32); BITS4(4); \
	ORDER(VCMPPD, code, 64); BITS4(8); ORDER(VCMPPD, code, 96); BITS4(12); \
	ORDER(VCMPPD, code, 128); BITS4(16); ORDER(VCMPPD, code, 160); BITS4(20); \
	ORDER(VCMPPD, code, 192); BITS4(24); ORDER(VCMPPD, code, 224); BITS4(28); \
	DONE

// STEP compares 4 lanes' addresses with those that Y0 has, and moves Y0 4 steps on.
#define STEP(at) VPSUBQ at(AX), Y0, Y3; VPOR Y3, Y4, Y4; VPADDQ Y2, Y0, Y0

// STEP32 is STEP for 8 lanes' addresses of 32 bits.
#define STEP32(at) VPSUBD at(AX), Y0, Y3; VPOR Y3, Y4, Y4; VPADDD Y2, Y0, Y0

// WITHIN32 puts the offsets of 8 lanes into r: address less base. It marks in Y10 the lanes whose
// offset is over the limit in Y9 or not a multiple of 4.
#define WITHIN32(at, r) VMOVDQU at(SI), r; VPSUBD Y8, r, r; VPMAXUD Y9, r, Y11; VPXOR Y9, Y11, Y11; VPOR Y11, Y10, Y10; VPAND Y12, r, Y11; VPOR Y11, Y10, Y10

// WITHIN64 is WITHIN32 for 4 lanes with addresses of 64 bits: Y13 turns the order of unsigned
// numbers into that of signed ones.
#define WITHIN64(at) VMOVDQU at(SI), Y0; VPSUBQ Y8, Y0, Y0; VPXOR Y13, Y0, Y1; VPCMPGTQ Y9, Y1, Y11; VPOR Y11, Y10, Y10; VPAND Y12, Y0, Y11; VPOR Y11, Y10, Y10; VMOVDQU Y0, at(SP)

// FOUR loads the lanes whose offsets lie at o, o+step, … of the stack, and stores them as one vector:
// an operation that loads the slot as vectors would wait long for single lanes to be stored.
#define FOUR(mov, o, step, d) \
	mov o(SP), AX; mov o+step(SP), BX; mov o+2*step(SP), CX; mov o+3*step(SP), DX; \
	VMOVD (R8)(AX*1), X0; VPINSRD $1, (R8)(BX*1), X0, X0; VPINSRD $2, (R8)(CX*1), X0, X0; VPINSRD $3, (R8)(DX*1), X0, X0; \
	VMOVDQU X0, d(DI)

// TWO is FOUR for values of 64 bits.
#define TWO(o, d) \
	MOVQ o(SP), AX; MOVQ o+8(SP), BX; \
	VMOVQ (R8)(AX*1), X0; VPINSRQ $1, (R8)(BX*1), X0, X0; VMOVDQU X0, d(DI)

INTEGER(·vectorAdd32, VPADDD)
INTEGER(·vectorSub32, VPSUBD)
INTEGER(·vectorMul32, VPMULLD)
INTEGER(·vectorAnd32, VPAND)
INTEGER(·vectorOr32, VPOR)
INTEGER(·vectorXor32, VPXOR)
INTEGER(·vectorShl32, VPSLLVD)
INTEGER(·vectorShrU32, VPSRLVD)
INTEGER(·vectorShrS32, VPSRAVD)
WIDE(·vectorAdd64, VPADDQ)
WIDE(·vectorSub64, VPSUBQ)
WIDE(·vectorAnd64, VPAND)
WIDE(·vectorOr64, VPOR)
WIDE(·vectorXor64, VPXOR)

TEXT ·vectorMad32(SB), NOSPLIT, $0-16
	SLOTS4
	MAD(0)
	MAD(32)
	MAD(64)
	MAD(96)
	VZEROUPPER
	RET

PRODUCTS(·vectorMulWideU32, VPMOVZXDQ, VPMULUDQ)
PRODUCTS(·vectorMulWideS32, VPMOVSXDQ, VPMULDQ)

SUMS(·vectorMadWideU32, VPMOVZXDQ, VPMULUDQ)
SUMS(·vectorMadWideS32, VPMOVSXDQ, VPMULDQ)

SHIFT64(·vectorShl64, VPSLLVQ)
SHIFT64(·vectorShrU64, VPSRLVQ)

SINGLES(·vectorAddF32, VADDPS)
SINGLES(·vectorSubF32, VSUBPS)
SINGLES(·vectorMulF32, VMULPS)

TEXT ·vectorFmaF32(SB), NOSPLIT, $0-16
	SLOTS4
	VBROADCASTSS canonical<>(SB), Y5
	FMA(0)
	FMA(32)
	FMA(64)
	FMA(96)
	VZEROUPPER
	RET

DOUBLES(·vectorAddF64, VADDPD)
DOUBLES(·vectorSubF64, VSUBPD)
DOUBLES(·vectorMulF64, VMULPD)

TEXT ·vectorFmaF64(SB), NOSPLIT, $0-17
	SLOTS4
	VXORPD Y9, Y9, Y9
	FMA64(0, Y0)
	FMA64(32, Y1)
	FMA64(64, Y2)
	FMA64(96, Y3)
	FMA64(128, Y4)
	FMA64(160, Y5)
	FMA64(192, Y6)
	FMA64(224, Y7)
	VMOVMSKPD Y9, AX
	TESTL AX, AX
	JNE nan
	STORE8
	VZEROUPPER
	MOVB $1, ret+16(FP)
	RET
nan:
	VZEROUPPER
	MOVB $0, ret+16(FP)
	RET

COMPARE32(·vectorEqual32, EQUAL, VPCMPEQD)
COMPARE32(·vectorLessS32, LESS, VPCMPGTD)
COMPARE32(·vectorLessU32, LESSU, VPCMPGTD)
COMPARE64(·vectorEqual64, EQUAL, VPCMPEQQ)
COMPARE64(·vectorLessS64, LESS, VPCMPGTQ)
COMPARE64(·vectorLessU64, LESSU, VPCMPGTQ)

ORDERF32(·vectorEqualF32, 0x00)
ORDERF32(·vectorLessF32, 0x11)
ORDERF32(·vectorLessEqualF32, 0x12)
ORDERF64(·vectorEqualF64, 0x00)
ORDERF64(·vectorLessF64, 0x11)
ORDERF64(·vectorLessEqualF64, 0x12)

// func vectorConsecutive(a unsafe.Pointer, step uint64) bool
TEXT ·vectorConsecutive(SB), NOSPLIT, $0-17
	MOVQ a+0(FP), AX
	VMOVQ step+8(FP), X1
	VPBROADCASTQ X1, Y1
	VPMULUDQ counts<>(SB), Y1, Y0
	VPBROADCASTQ (AX), Y2
	VPADDQ Y2, Y0, Y0
	VPSLLQ $2, Y1, Y2
	VPXOR Y4, Y4, Y4
	STEP(0)
	STEP(32)
	STEP(64)
	STEP(96)
	STEP(128)
	STEP(160)
	STEP(192)
	STEP(224)
	VPTEST Y4, Y4
	SETEQ ret+16(FP)
	VZEROUPPER
	RET

DATA counts<>+0(SB)/8, $0
DATA counts<>+8(SB)/8, $1
DATA counts<>+16(SB)/8, $2
DATA counts<>+24(SB)/8, $3
GLOBL counts<>(SB), RODATA|NOPTR, $32

// func vectorCopy(to, from unsafe.Pointer, next uintptr, lines int)
// It copies lines of 128 bytes, and prefetches as many at next.
TEXT ·vectorCopy(SB), NOSPLIT, $0-32
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ next+16(FP), DX
	MOVQ lines+24(FP), CX
loop:
	PREFETCHT0 (DX)
	PREFETCHT0 64(DX)
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	VMOVDQU 64(SI), Y2
	VMOVDQU 96(SI), Y3
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	VMOVDQU Y2, 64(DI)
	VMOVDQU Y3, 96(DI)
	ADDQ $128, SI
	ADDQ $128, DI
	ADDQ $128, DX
	DECQ CX
	JNE loop
	VZEROUPPER
	RET

// func vectorConsecutive32(a unsafe.Pointer, step uint64) bool
TEXT ·vectorConsecutive32(SB), NOSPLIT, $0-17
	MOVQ a+0(FP), AX
	VMOVQ step+8(FP), X1
	VPBROADCASTD X1, Y1
	VPMULLD counts32<>(SB), Y1, Y0
	VPBROADCASTD (AX), Y2
	VPADDD Y2, Y0, Y0
	VPSLLD $3, Y1, Y2
	VPXOR Y4, Y4, Y4
	STEP32(0)
	STEP32(32)
	STEP32(64)
	STEP32(96)
	VPTEST Y4, Y4
	SETEQ ret+16(FP)
	VZEROUPPER
	RET

DATA counts32<>+0(SB)/4, $0
DATA counts32<>+4(SB)/4, $1
DATA counts32<>+8(SB)/4, $2
DATA counts32<>+12(SB)/4, $3
DATA counts32<>+16(SB)/4, $4
DATA counts32<>+20(SB)/4, $5
DATA counts32<>+24(SB)/4, $6
DATA counts32<>+28(SB)/4, $7
GLOBL counts32<>(SB), RODATA|NOPTR, $32

// low has the bits that the offset of 4 bytes, and of 8, must not have.
DATA low4<>+0(SB)/8, $3
GLOBL low4<>(SB), RODATA|NOPTR, $8
DATA low8<>+0(SB)/8, $7
GLOBL low8<>(SB), RODATA|NOPTR, $8

// func vectorGather32(d, a unsafe.Pointer, base uint64, mem unsafe.Pointer, limit uint64) bool
// The destination may be the slot of the addresses: it is written once all offsets are known.
TEXT ·vectorGather32(SB), NOSPLIT, $128-41
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	VMOVQ base+16(FP), X8
	VPBROADCASTD X8, Y8
	MOVQ mem+24(FP), R8
	VMOVQ limit+32(FP), X9
	VPBROADCASTD X9, Y9
	VPBROADCASTD low4<>(SB), Y12
	VPXOR Y10, Y10, Y10
	WITHIN32(0, Y0)
	WITHIN32(32, Y1)
	WITHIN32(64, Y2)
	WITHIN32(96, Y3)
	VPTEST Y10, Y10
	JNE outside
	VMOVDQU Y0, 0(SP)
	VMOVDQU Y1, 32(SP)
	VMOVDQU Y2, 64(SP)
	VMOVDQU Y3, 96(SP)
	FOUR(MOVL, 0, 4, 0)
	FOUR(MOVL, 16, 4, 16)
	FOUR(MOVL, 32, 4, 32)
	FOUR(MOVL, 48, 4, 48)
	FOUR(MOVL, 64, 4, 64)
	FOUR(MOVL, 80, 4, 80)
	FOUR(MOVL, 96, 4, 96)
	FOUR(MOVL, 112, 4, 112)
	VZEROUPPER
	MOVB $1, ret+40(FP)
	RET
outside:
	VZEROUPPER
	MOVB $0, ret+40(FP)
	RET

// func vectorGather32Wide(d, a unsafe.Pointer, base uint64, mem unsafe.Pointer, limit uint64) bool
TEXT ·vectorGather32Wide(SB), NOSPLIT, $256-41
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	VPBROADCASTQ base+16(FP), Y8
	MOVQ mem+24(FP), R8
	VPBROADCASTQ sign64<>(SB), Y13
	VPBROADCASTQ limit+32(FP), Y9
	VPXOR Y13, Y9, Y9
	VPBROADCASTQ low4<>(SB), Y12
	VPXOR Y10, Y10, Y10
	WITHIN64(0)
	WITHIN64(32)
	WITHIN64(64)
	WITHIN64(96)
	WITHIN64(128)
	WITHIN64(160)
	WITHIN64(192)
	WITHIN64(224)
	VPTEST Y10, Y10
	JNE outside
	FOUR(MOVQ, 0, 8, 0)
	FOUR(MOVQ, 32, 8, 16)
	FOUR(MOVQ, 64, 8, 32)
	FOUR(MOVQ, 96, 8, 48)
	FOUR(MOVQ, 128, 8, 64)
	FOUR(MOVQ, 160, 8, 80)
	FOUR(MOVQ, 192, 8, 96)
	FOUR(MOVQ, 224, 8, 112)
	VZEROUPPER
	MOVB $1, ret+40(FP)
	RET
outside:
	VZEROUPPER
	MOVB $0, ret+40(FP)
	RET

// func vectorGather64Wide(d, a unsafe.Pointer, base uint64, mem unsafe.Pointer, limit uint64) bool
TEXT ·vectorGather64Wide(SB), NOSPLIT, $256-41
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	VPBROADCASTQ base+16(FP), Y8
	MOVQ mem+24(FP), R8
	VPBROADCASTQ sign64<>(SB), Y13
	VPBROADCASTQ limit+32(FP), Y9
	VPXOR Y13, Y9, Y9
	VPBROADCASTQ low8<>(SB), Y12
	VPXOR Y10, Y10, Y10
	WITHIN64(0)
	WITHIN64(32)
	WITHIN64(64)
	WITHIN64(96)
	WITHIN64(128)
	WITHIN64(160)
	WITHIN64(192)
	WITHIN64(224)
	VPTEST Y10, Y10
	JNE outside
	TWO(0, 0)
	TWO(16, 16)
	TWO(32, 32)
	TWO(48, 48)
	TWO(64, 64)
	TWO(80, 80)
	TWO(96, 96)
	TWO(112, 112)
	TWO(128, 128)
	TWO(144, 144)
	TWO(160, 160)
	TWO(176, 176)
	TWO(192, 192)
	TWO(208, 208)
	TWO(224, 224)
	TWO(240, 240)
	VZEROUPPER
	MOVB $1, ret+40(FP)
	RET
outside:
	VZEROUPPER
	MOVB $0, ret+40(FP)
	RET
