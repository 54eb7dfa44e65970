package arm64

// Vec is a vector register of 128 bits.
type Vec uint8

// VecOp is an instruction on vectors, without its registers.
type VecOp uint32

// Instructions of two sources, for V3. A name ends with the lanes that the instruction works on. MLA,
// UMLAL, FMLA, BSL, BIT and BIF read the destination too: they add to it, and choose by its bits
// (BSL) or replace its bits where those of the second source are set (BIT) or clear (BIF).
const (
	ADD4S   VecOp = 0x4ea08400
	ADD2D   VecOp = 0x4ee08400
	SUB4S   VecOp = 0x6ea08400
	SUB2D   VecOp = 0x6ee08400
	MUL4S   VecOp = 0x4ea09c00
	MLA4S   VecOp = 0x4ea09400
	VAND    VecOp = 0x4e201c00
	VBIC    VecOp = 0x4e601c00
	VORR    VecOp = 0x4ea01c00
	VEOR    VecOp = 0x6e201c00
	BSL     VecOp = 0x6e601c00
	BIT     VecOp = 0x6ea01c00
	BIF     VecOp = 0x6ee01c00
	CMEQ4S  VecOp = 0x6ea08c00
	CMEQ2D  VecOp = 0x6ee08c00
	CMGT4S  VecOp = 0x4ea03400
	CMGT2D  VecOp = 0x4ee03400
	CMGE4S  VecOp = 0x4ea03c00
	CMGE2D  VecOp = 0x4ee03c00
	CMHI4S  VecOp = 0x6ea03400
	CMHI2D  VecOp = 0x6ee03400
	CMHS4S  VecOp = 0x6ea03c00
	CMHS2D  VecOp = 0x6ee03c00
	CMTST4S VecOp = 0x4ea08c00
	CMTST2D VecOp = 0x4ee08c00
	SMAX4S  VecOp = 0x4ea06400
	UMAX4S  VecOp = 0x6ea06400
	SMIN4S  VecOp = 0x4ea06c00
	UMIN4S  VecOp = 0x6ea06c00
	SSHL4S  VecOp = 0x4ea04400
	SSHL2D  VecOp = 0x4ee04400
	USHL4S  VecOp = 0x6ea04400
	USHL2D  VecOp = 0x6ee04400
	SMULL   VecOp = 0x0ea0c000
	SMULL2  VecOp = 0x4ea0c000
	UMULL   VecOp = 0x2ea0c000
	UMULL2  VecOp = 0x6ea0c000
	UMLAL   VecOp = 0x2ea08000
	UZP14S  VecOp = 0x4e801800
	UZP24S  VecOp = 0x4e805800
	ZIP14S  VecOp = 0x4e803800
	ZIP24S  VecOp = 0x4e807800
	FADD4S  VecOp = 0x4e20d400
	FADD2D  VecOp = 0x4e60d400
	FSUB4S  VecOp = 0x4ea0d400
	FSUB2D  VecOp = 0x4ee0d400
	FMUL4S  VecOp = 0x6e20dc00
	FMUL2D  VecOp = 0x6e60dc00
	FDIV4S  VecOp = 0x6e20fc00
	FDIV2D  VecOp = 0x6e60fc00
	FMLA4S  VecOp = 0x4e20cc00
	FMLA2D  VecOp = 0x4e60cc00
	FMAX4S  VecOp = 0x4e20f400
	FMAX2D  VecOp = 0x4e60f400
	FMIN4S  VecOp = 0x4ea0f400
	FMIN2D  VecOp = 0x4ee0f400
	FCMEQ4S VecOp = 0x4e20e400
	FCMEQ2D VecOp = 0x4e60e400
	FCMGE4S VecOp = 0x6e20e400
	FCMGE2D VecOp = 0x6e60e400
	FCMGT4S VecOp = 0x6ea0e400
	FCMGT2D VecOp = 0x6ee0e400
)

// Instructions of one source, for V2. XTN2 and FCVTN2 leave the lower half of the destination.
const (
	ABS4S     VecOp = 0x4ea0b800
	NEG4S     VecOp = 0x6ea0b800
	NEG2D     VecOp = 0x6ee0b800
	VNOT      VecOp = 0x6e205800
	CNT16B    VecOp = 0x4e205800
	RBIT16B   VecOp = 0x6e605800
	REV3216B  VecOp = 0x6e200800
	REV644S   VecOp = 0x4ea00800
	CLZ4S     VecOp = 0x6ea04800
	UADDLP16B VecOp = 0x6e202800
	UADDLP8H  VecOp = 0x6e602800
	UADDLP4S  VecOp = 0x6ea02800
	XTN       VecOp = 0x0ea12800
	XTN2      VecOp = 0x4ea12800
	FABS4S    VecOp = 0x4ea0f800
	FABS2D    VecOp = 0x4ee0f800
	FNEG4S    VecOp = 0x6ea0f800
	FNEG2D    VecOp = 0x6ee0f800
	FSQRT4S   VecOp = 0x6ea1f800
	FSQRT2D   VecOp = 0x6ee1f800
	SCVTF4S   VecOp = 0x4e21d800
	SCVTF2D   VecOp = 0x4e61d800
	UCVTF4S   VecOp = 0x6e21d800
	UCVTF2D   VecOp = 0x6e61d800
	FCVTZS2D  VecOp = 0x4ee1b800
	FCVTZU2D  VecOp = 0x6ee1b800
	FCVTL     VecOp = 0x0e617800
	FCVTL2    VecOp = 0x4e617800
	FCVTN     VecOp = 0x0e616800
	FCVTN2    VecOp = 0x4e616800
	UXTL      VecOp = 0x2f20a400 // 32 bits to 64, of the lower half; UXTL2 of the upper half
	UXTL2     VecOp = 0x6f20a400
	SXTL      VecOp = 0x0f20a400
	SXTL2     VecOp = 0x4f20a400
	UXTL8B    VecOp = 0x2f08a400 // 8 bits to 16
	SXTL8B    VecOp = 0x0f08a400
	UXTL4H    VecOp = 0x2f10a400 // 16 bits to 32
	SXTL4H    VecOp = 0x0f10a400
	// Of all lanes of 32 bits, or of the lowest 8 bytes, to the lowest lane.
	ADDV4S  VecOp = 0x4eb1b800
	ADDV8B  VecOp = 0x0e31b800
	UMAXV4S VecOp = 0x6eb0a800
	UMINV4S VecOp = 0x6eb1a800
	SMAXV4S VecOp = 0x4eb0a800
	SMINV4S VecOp = 0x4eb1a800
)

// Shifts by a constant, for Shift. Right shifts take 1 to the width, left ones 0 to less than it.
const (
	SHL4S  VecOp = 0x4f205400
	SHL2D  VecOp = 0x4f405400
	USHR4S VecOp = 0x6f200400
	USHR2D VecOp = 0x6f400400
	SSHR4S VecOp = 0x4f200400
	SSHR2D VecOp = 0x4f400400
)

// V3 computes d of x and y.
func (a *Asm) V3(op VecOp, d, x, y Vec) {
	a.word(uint32(op) | uint32(y)<<16 | uint32(x)<<5 | uint32(d))
}

// V2 computes d of x.
func (a *Asm) V2(op VecOp, d, x Vec) { a.word(uint32(op) | uint32(x)<<5 | uint32(d)) }

// MoveVec is d = x.
func (a *Asm) MoveVec(d, x Vec) { a.V3(VORR, d, x, x) }

// Zero clears d, and Ones sets all its bits.

func (a *Asm) Zero(d Vec) { a.word(0x4f00e400 | uint32(d)) }
func (a *Asm) Ones(d Vec) { a.word(0x4f07e7e0 | uint32(d)) }

// Shift shifts the lanes of x by a constant.
func (a *Asm) Shift(op VecOp, d, x Vec, by int) {
	lane := int(op >> 16 & 0x60)
	n := lane + by
	if op&0x5000 == 0 { // to the right
		n = 2*lane - by
	}
	a.word(uint32(op)&^(0x7f<<16) | uint32(n)<<16 | uint32(x)<<5 | uint32(d))
}

// lanesOf has the bits that say which lane of 32 or 64 bits.
func lanesOf(bits, lane int) uint32 {
	if bits == 64 {
		return 8<<16 | uint32(lane)<<20
	}
	return 4<<16 | uint32(lane)<<19
}

// Spread copies a general register to all lanes, and SpreadLane a lane of x.

func (a *Asm) Spread(bits int, d Vec, x Reg) {
	a.word(0x4e000c00 | lanesOf(bits, 0) | uint32(x)<<5 | uint32(d))
}

func (a *Asm) SpreadLane(bits int, d, x Vec, lane int) {
	a.word(0x4e000400 | lanesOf(bits, lane) | uint32(x)<<5 | uint32(d))
}

// Insert copies a general register to a lane, and Extract a lane to a general register.

func (a *Asm) Insert(bits int, d Vec, lane int, x Reg) {
	a.word(0x4e001c00 | lanesOf(bits, lane) | uint32(x)<<5 | uint32(d))
}

func (a *Asm) Extract(bits int, d Reg, x Vec, lane int) {
	a.word(0x0e003c00 | uint32(bits>>6)<<30 | lanesOf(bits, lane) | uint32(x)<<5 | uint32(d))
}

// InsertLowest copies the lowest lane of x to a lane of d.
func (a *Asm) InsertLowest(bits int, d Vec, lane int, x Vec) {
	a.word(0x6e000400 | lanesOf(bits, lane) | uint32(x)<<5 | uint32(d))
}

// Lookup takes for each byte of y the byte with that number of the 64 bytes of x and the three registers
// after it. For a number above 63 it takes zero, or with keep what d has.
func (a *Asm) Lookup(d, x, y Vec, keep bool) {
	op := uint32(0x4e006000)
	if keep {
		op |= 1 << 12
	}
	a.word(op | uint32(y)<<16 | uint32(x)<<5 | uint32(d))
}

// FloatOfInteger makes the lowest lane of d a float32 of a general register of 64 bits, rounded to
// nearest, and clears the other lanes.
func (a *Asm) FloatOfInteger(d Vec, x Reg, signed bool) {
	op := uint32(0x9e220000)
	if !signed {
		op |= 1 << 16
	}
	a.word(op | uint32(x)<<5 | uint32(d))
}
