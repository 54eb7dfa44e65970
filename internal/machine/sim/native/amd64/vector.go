package amd64

// VecOp is an instruction with a VEX prefix: its opcode and the following.
type VecOp uint32

const (
	m0F   VecOp = 1 << 8 // the opcode's map
	m0F38 VecOp = 2 << 8
	m0F3A VecOp = 3 << 8
	p66   VecOp = 1 << 10 // the prefix
	pF3   VecOp = 2 << 10
	pF2   VecOp = 3 << 10
	w1    VecOp = 1 << 12 // the width bit
	short VecOp = 1 << 13 // 128 bits
	digit       = 14      // shift of the value of the register field, of a shift by a constant
)

// Instructions of two sources, for V3.
const (
	VADDPS      VecOp = m0F | 0x58
	VADDPD      VecOp = p66 | m0F | 0x58
	VMULPS      VecOp = m0F | 0x59
	VMULPD      VecOp = p66 | m0F | 0x59
	VSUBPS      VecOp = m0F | 0x5c
	VSUBPD      VecOp = p66 | m0F | 0x5c
	VMINPS      VecOp = m0F | 0x5d
	VMINPD      VecOp = p66 | m0F | 0x5d
	VDIVPS      VecOp = m0F | 0x5e
	VDIVPD      VecOp = p66 | m0F | 0x5e
	VMAXPS      VecOp = m0F | 0x5f
	VMAXPD      VecOp = p66 | m0F | 0x5f
	VFMADD231PS VecOp = p66 | m0F38 | 0xb8
	VFMADD231PD VecOp = p66 | m0F38 | w1 | 0xb8
	VPADDD      VecOp = p66 | m0F | 0xfe
	VPADDQ      VecOp = p66 | m0F | 0xd4
	VPSUBD      VecOp = p66 | m0F | 0xfa
	VPSUBQ      VecOp = p66 | m0F | 0xfb
	VPMULLD     VecOp = p66 | m0F38 | 0x40
	VPMULUDQ    VecOp = p66 | m0F | 0xf4
	VPMULDQ     VecOp = p66 | m0F38 | 0x28
	VPAND       VecOp = p66 | m0F | 0xdb
	VPANDN      VecOp = p66 | m0F | 0xdf
	VPOR        VecOp = p66 | m0F | 0xeb
	VPXOR       VecOp = p66 | m0F | 0xef
	VPSLLVD     VecOp = p66 | m0F38 | 0x47
	VPSLLVQ     VecOp = p66 | m0F38 | w1 | 0x47
	VPSRLVD     VecOp = p66 | m0F38 | 0x45
	VPSRLVQ     VecOp = p66 | m0F38 | w1 | 0x45
	VPSRAVD     VecOp = p66 | m0F38 | 0x46
	VPMINSD     VecOp = p66 | m0F38 | 0x39
	VPMINUD     VecOp = p66 | m0F38 | 0x3b
	VPMAXSD     VecOp = p66 | m0F38 | 0x3d
	VPMAXUD     VecOp = p66 | m0F38 | 0x3f
	VPCMPEQD    VecOp = p66 | m0F | 0x76
	VPCMPEQQ    VecOp = p66 | m0F38 | 0x29
	VPCMPGTD    VecOp = p66 | m0F | 0x66
	VPCMPGTQ    VecOp = p66 | m0F38 | 0x37
	VPUNPCKLDQ  VecOp = p66 | m0F | 0x62
	VPUNPCKHDQ  VecOp = p66 | m0F | 0x6a
	VPERMD      VecOp = p66 | m0F38 | 0x36 // the first source has the lanes to take of the second
)

// Instructions of two sources and a constant, for V3i.
const (
	VCMPPS      VecOp = m0F | 0xc2
	VCMPPD      VecOp = p66 | m0F | 0xc2
	VSHUFPS     VecOp = m0F | 0xc6
	VPERM2I128  VecOp = p66 | m0F3A | 0x46
	VINSERTI128 VecOp = p66 | m0F3A | 0x38
	VPINSRD     VecOp = p66 | m0F3A | short | 0x22
	VPINSRQ     VecOp = p66 | m0F3A | w1 | short | 0x22
)

// Instructions of one source, for V2, and of one source and a constant, for V2i.
const (
	VMOVDQU      VecOp = pF3 | m0F | 0x6f
	VMOVDQA      VecOp = p66 | m0F | 0x6f
	VMOVD        VecOp = p66 | m0F | short | 0x6e
	VMOVQ        VecOp = p66 | m0F | w1 | short | 0x6e
	VPBROADCASTD VecOp = p66 | m0F38 | 0x58
	VPBROADCASTQ VecOp = p66 | m0F38 | 0x59
	VPMOVZXDQ    VecOp = p66 | m0F38 | 0x35
	VPMOVSXDQ    VecOp = p66 | m0F38 | 0x25
	VPMOVZXBD    VecOp = p66 | m0F38 | 0x31
	VPMOVZXWD    VecOp = p66 | m0F38 | 0x33
	VPMOVSXBD    VecOp = p66 | m0F38 | 0x21
	VPMOVSXWD    VecOp = p66 | m0F38 | 0x23
	VPABSD       VecOp = p66 | m0F38 | 0x1e
	VSQRTPS      VecOp = m0F | 0x51
	VSQRTPD      VecOp = p66 | m0F | 0x51
	VCVTDQ2PS    VecOp = m0F | 0x5b
	VCVTDQ2PD    VecOp = pF3 | m0F | 0xe6
	VCVTPS2PD    VecOp = m0F | 0x5a
	VCVTPD2PS    VecOp = p66 | m0F | 0x5a
	VCVTTPS2DQ   VecOp = pF3 | m0F | 0x5b // to zero
	VCVTTPD2DQ   VecOp = p66 | m0F | 0xe6 // to zero
	VROUNDPD     VecOp = p66 | m0F3A | 0x09
	VROUNDPS     VecOp = p66 | m0F3A | 0x08
	VPTEST       VecOp = p66 | m0F38 | 0x17
	VPERMQ       VecOp = p66 | m0F3A | w1
	VPSHUFD      VecOp = p66 | m0F | 0x70
)

// Shifts by a constant, for Shift.
const (
	VPSLLD VecOp = p66 | m0F | 6<<digit | 0x72
	VPSRLD VecOp = p66 | m0F | 2<<digit | 0x72
	VPSRAD VecOp = p66 | m0F | 4<<digit | 0x72
	VPSLLQ VecOp = p66 | m0F | 6<<digit | 0x73
	VPSRLQ VecOp = p66 | m0F | 2<<digit | 0x73
)

// The other instructions.
const (
	vmovdquStore VecOp = pF3 | m0F | 0x7f
	vmovdOut     VecOp = p66 | m0F | short | 0x7e
	vextracti128 VecOp = p66 | m0F3A | 0x39
	vpgatherdd   VecOp = p66 | m0F38 | 0x90
	vldmxcsr     VecOp = m0F | short | 2<<digit | 0xae
	vmovmskps    VecOp = m0F | 0x50
	vmovmskpd    VecOp = p66 | m0F | 0x50
	VBLENDVPS    VecOp = p66 | m0F3A | 0x4a
	VBLENDVPD    VecOp = p66 | m0F3A | 0x4b
	blsr         VecOp = m0F38 | short | 1<<digit | 0xf3
)

// vex appends the prefix and the opcode, and the operands: ModRM has reg and rm, the prefix
// has v.
func (a *Asm) vex(op VecOp, reg, v byte, rm Operand) {
	x, table, w := rm.extension(), op>>8&3, byte(op>>12&1)
	last := ^v&15<<3 | byte(op>>10&3)
	if op&short == 0 {
		last |= 4
	}
	if table == 1 && w == 0 && x == 0 {
		a.bytes(0xc5, ^(reg>>3)&1<<7|last, byte(op))
	} else {
		a.bytes(0xc4, ^(reg>>3)&1<<7|^(x>>1)&1<<6|^x&1<<5|byte(table), w<<7|last, byte(op))
	}
	rm.modrm(a, reg)
}

// V3 computes d of x and y, and of d itself where the instruction adds to it.
func (a *Asm) V3(op VecOp, d, x Vec, y Operand) { a.vex(op, byte(d), byte(x), y) }

// V3i is V3 with a constant.
func (a *Asm) V3i(op VecOp, d, x Vec, y Operand, imm byte) {
	a.vex(op, byte(d), byte(x), y)
	a.bytes(imm)
}

// V2 computes d of x.
func (a *Asm) V2(op VecOp, d Vec, x Operand) { a.vex(op, byte(d), 0, x) }

// V2i is V2 with a constant.
func (a *Asm) V2i(op VecOp, d Vec, x Operand, imm byte) {
	a.vex(op, byte(d), 0, x)
	a.bytes(imm)
}

// Shift shifts the lanes of x by a constant.
func (a *Asm) Shift(op VecOp, d, x Vec, by byte) {
	a.vex(op, byte(op>>digit), byte(d), x)
	a.bytes(by)
}

// Blend takes the lanes of y if the sign of mask is set, else the lanes of x.
func (a *Asm) Blend(op VecOp, d, x Vec, y Operand, mask Vec) {
	a.vex(op, byte(d), byte(x), y)
	a.bytes(byte(mask) << 4)
}

// Store is vmovdqu to memory.
func (a *Asm) Store(m Mem, x Vec) { a.vex(vmovdquStore, byte(x), 0, m) }

// Lowest32 and Lowest64 are vmovd and vmovq: d is the lowest lane of x.

func (a *Asm) Lowest32(d Reg, x Vec) { a.vex(vmovdOut, byte(x), 0, d) }
func (a *Asm) Lowest64(d Reg, x Vec) { a.vex(vmovdOut|w1, byte(x), 0, d) }

// Upper is vextracti128 of the upper half of x.
func (a *Asm) Upper(d, x Vec) {
	a.vex(vextracti128, byte(x), 0, d)
	a.bytes(1)
}

// Signs32 and Signs64 collect the signs of a vector's lanes, of 32 and of 64 bits, in a register.

func (a *Asm) Signs32(d Reg, x Vec) { a.vex(vmovmskps, byte(d), 0, x) }
func (a *Asm) Signs64(d Reg, x Vec) { a.vex(vmovmskpd, byte(d), 0, x) }

// ZeroUpper is vzeroupper, due before code without VEX prefixes.
func (a *Asm) ZeroUpper() { a.bytes(0xc5, 0xf8, 0x77) }

// ClearLowest is blsr of 32 bits: d is x without its lowest bit. It sets ZF for zero.
func (a *Asm) ClearLowest(d Reg, x Operand) { a.vex(blsr, byte(blsr>>digit), byte(d), x) }

// Gather is vpgatherdd: d is words at RAX + 4*index + a distance. It clears mask, whose lanes must be all
// ones. The three vectors must differ.
func (a *Asm) Gather(d, index Vec, disp int32, mask Vec) {
	a.vex(vpgatherdd, byte(d), byte(mask), Mem{Base: RAX, Index: Reg(index), Scale: 4, Disp: disp})
}

// LoadControl is vldmxcsr: it sets how floating-point instructions round, and the rest of MXCSR.
func (a *Asm) LoadControl(m Mem) { a.vex(vldmxcsr, byte(vldmxcsr>>digit)&7, 0, m) }
