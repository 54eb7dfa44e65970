package amd64

// VecOp is an instruction with a VEX prefix: its prefix, map, width bit and opcode.
type VecOp struct {
	Name   string
	prefix byte // 0 none, 1 66, 2 F3, 3 F2
	table  byte // 1 0F, 2 0F38, 3 0F3A
	w      byte
	code   byte
	digit  byte // of a shift by a constant: the value of the register field
	short  bool // 128 bits
}

// Instructions of two sources, for V3.
var (
	VADDPS      = VecOp{Name: "vaddps", table: 1, code: 0x58}
	VADDPD      = VecOp{Name: "vaddpd", prefix: 1, table: 1, code: 0x58}
	VMULPS      = VecOp{Name: "vmulps", table: 1, code: 0x59}
	VMULPD      = VecOp{Name: "vmulpd", prefix: 1, table: 1, code: 0x59}
	VSUBPS      = VecOp{Name: "vsubps", table: 1, code: 0x5c}
	VSUBPD      = VecOp{Name: "vsubpd", prefix: 1, table: 1, code: 0x5c}
	VMINPS      = VecOp{Name: "vminps", table: 1, code: 0x5d}
	VMINPD      = VecOp{Name: "vminpd", prefix: 1, table: 1, code: 0x5d}
	VDIVPS      = VecOp{Name: "vdivps", table: 1, code: 0x5e}
	VDIVPD      = VecOp{Name: "vdivpd", prefix: 1, table: 1, code: 0x5e}
	VMAXPS      = VecOp{Name: "vmaxps", table: 1, code: 0x5f}
	VMAXPD      = VecOp{Name: "vmaxpd", prefix: 1, table: 1, code: 0x5f}
	VFMADD231PS = VecOp{Name: "vfmadd231ps", prefix: 1, table: 2, code: 0xb8}
	VFMADD231PD = VecOp{Name: "vfmadd231pd", prefix: 1, table: 2, w: 1, code: 0xb8}
	VPADDD      = VecOp{Name: "vpaddd", prefix: 1, table: 1, code: 0xfe}
	VPADDQ      = VecOp{Name: "vpaddq", prefix: 1, table: 1, code: 0xd4}
	VPSUBD      = VecOp{Name: "vpsubd", prefix: 1, table: 1, code: 0xfa}
	VPSUBQ      = VecOp{Name: "vpsubq", prefix: 1, table: 1, code: 0xfb}
	VPMULLD     = VecOp{Name: "vpmulld", prefix: 1, table: 2, code: 0x40}
	VPMULUDQ    = VecOp{Name: "vpmuludq", prefix: 1, table: 1, code: 0xf4}
	VPMULDQ     = VecOp{Name: "vpmuldq", prefix: 1, table: 2, code: 0x28}
	VPAND       = VecOp{Name: "vpand", prefix: 1, table: 1, code: 0xdb}
	VPANDN      = VecOp{Name: "vpandn", prefix: 1, table: 1, code: 0xdf}
	VPOR        = VecOp{Name: "vpor", prefix: 1, table: 1, code: 0xeb}
	VPXOR       = VecOp{Name: "vpxor", prefix: 1, table: 1, code: 0xef}
	VPSLLVD     = VecOp{Name: "vpsllvd", prefix: 1, table: 2, code: 0x47}
	VPSLLVQ     = VecOp{Name: "vpsllvq", prefix: 1, table: 2, w: 1, code: 0x47}
	VPSRLVD     = VecOp{Name: "vpsrlvd", prefix: 1, table: 2, code: 0x45}
	VPSRLVQ     = VecOp{Name: "vpsrlvq", prefix: 1, table: 2, w: 1, code: 0x45}
	VPSRAVD     = VecOp{Name: "vpsravd", prefix: 1, table: 2, code: 0x46}
	VPMINSD     = VecOp{Name: "vpminsd", prefix: 1, table: 2, code: 0x39}
	VPMINUD     = VecOp{Name: "vpminud", prefix: 1, table: 2, code: 0x3b}
	VPMAXSD     = VecOp{Name: "vpmaxsd", prefix: 1, table: 2, code: 0x3d}
	VPMAXUD     = VecOp{Name: "vpmaxud", prefix: 1, table: 2, code: 0x3f}
	VPCMPEQD    = VecOp{Name: "vpcmpeqd", prefix: 1, table: 1, code: 0x76}
	VPCMPEQQ    = VecOp{Name: "vpcmpeqq", prefix: 1, table: 2, code: 0x29}
	VPCMPGTD    = VecOp{Name: "vpcmpgtd", prefix: 1, table: 1, code: 0x66}
	VPCMPGTQ    = VecOp{Name: "vpcmpgtq", prefix: 1, table: 2, code: 0x37}
	VPUNPCKLDQ  = VecOp{Name: "vpunpckldq", prefix: 1, table: 1, code: 0x62}
	VPUNPCKHDQ  = VecOp{Name: "vpunpckhdq", prefix: 1, table: 1, code: 0x6a}
)

// Instructions of two sources and a constant, for V3i.
var (
	VCMPPS      = VecOp{Name: "vcmpps", table: 1, code: 0xc2}
	VCMPPD      = VecOp{Name: "vcmppd", prefix: 1, table: 1, code: 0xc2}
	VSHUFPS     = VecOp{Name: "vshufps", table: 1, code: 0xc6}
	VPERM2I128  = VecOp{Name: "vperm2i128", prefix: 1, table: 3, code: 0x46}
	VINSERTI128 = VecOp{Name: "vinserti128", prefix: 1, table: 3, code: 0x38}
	VPINSRD     = VecOp{Name: "vpinsrd", prefix: 1, table: 3, code: 0x22, short: true}
	VPINSRQ     = VecOp{Name: "vpinsrq", prefix: 1, table: 3, w: 1, code: 0x22, short: true}
)

// Instructions of one source, for V2, and of one source and a constant, for V2i.
var (
	VMOVDQU      = VecOp{Name: "vmovdqu", prefix: 2, table: 1, code: 0x6f}
	VMOVDQA      = VecOp{Name: "vmovdqa", prefix: 1, table: 1, code: 0x6f}
	VMOVD        = VecOp{Name: "vmovd", prefix: 1, table: 1, code: 0x6e, short: true}
	VMOVQ        = VecOp{Name: "vmovq", prefix: 1, table: 1, w: 1, code: 0x6e, short: true}
	VPBROADCASTD = VecOp{Name: "vpbroadcastd", prefix: 1, table: 2, code: 0x58}
	VPBROADCASTQ = VecOp{Name: "vpbroadcastq", prefix: 1, table: 2, code: 0x59}
	VPMOVZXDQ    = VecOp{Name: "vpmovzxdq", prefix: 1, table: 2, code: 0x35}
	VPMOVSXDQ    = VecOp{Name: "vpmovsxdq", prefix: 1, table: 2, code: 0x25}
	VPABSD       = VecOp{Name: "vpabsd", prefix: 1, table: 2, code: 0x1e}
	VSQRTPS      = VecOp{Name: "vsqrtps", table: 1, code: 0x51}
	VSQRTPD      = VecOp{Name: "vsqrtpd", prefix: 1, table: 1, code: 0x51}
	VCVTDQ2PS    = VecOp{Name: "vcvtdq2ps", table: 1, code: 0x5b}
	VCVTDQ2PD    = VecOp{Name: "vcvtdq2pd", prefix: 2, table: 1, code: 0xe6}
	VCVTPS2PD    = VecOp{Name: "vcvtps2pd", table: 1, code: 0x5a}
	VCVTPD2PS    = VecOp{Name: "vcvtpd2ps", prefix: 1, table: 1, code: 0x5a}
	VPTEST       = VecOp{Name: "vptest", prefix: 1, table: 2, code: 0x17}
	VPERMQ       = VecOp{Name: "vpermq", prefix: 1, table: 3, w: 1, code: 0x00}
	VPSHUFD      = VecOp{Name: "vpshufd", prefix: 1, table: 1, code: 0x70}
)

// Shifts by a constant, for Shift.
var (
	VPSLLD = VecOp{Name: "vpslld", prefix: 1, table: 1, code: 0x72, digit: 6}
	VPSRLD = VecOp{Name: "vpsrld", prefix: 1, table: 1, code: 0x72, digit: 2}
	VPSRAD = VecOp{Name: "vpsrad", prefix: 1, table: 1, code: 0x72, digit: 4}
	VPSLLQ = VecOp{Name: "vpsllq", prefix: 1, table: 1, code: 0x73, digit: 6}
	VPSRLQ = VecOp{Name: "vpsrlq", prefix: 1, table: 1, code: 0x73, digit: 2}
)

// The other instructions.
var (
	vmovdquStore  = VecOp{Name: "vmovdqu", prefix: 2, table: 1, code: 0x7f}
	vextracti128  = VecOp{Name: "vextracti128", prefix: 1, table: 3, code: 0x39}
	vmovmskps     = VecOp{Name: "vmovmskps", table: 1, code: 0x50}
	vmovmskpd     = VecOp{Name: "vmovmskpd", prefix: 1, table: 1, code: 0x50}
	VBLENDVPS     = VecOp{Name: "vblendvps", prefix: 1, table: 3, code: 0x4a}
	VBLENDVPD     = VecOp{Name: "vblendvpd", prefix: 1, table: 3, code: 0x4b}
	blsr          = VecOp{Name: "blsr", table: 2, code: 0xf3, digit: 1, short: true}
	vzeroupperRaw = []byte{0xc5, 0xf8, 0x77}
)

// vex appends the prefix and the opcode, and the operands: ModRM has reg and rm, the prefix
// has v.
func (a *Asm) vex(op VecOp, reg, v byte, rm Operand) {
	x := rm.extension()
	last := ^v&15<<3 | op.prefix
	if !op.short {
		last |= 4
	}
	if op.table == 1 && op.w == 0 && x == 0 {
		a.bytes(0xc5, ^(reg>>3)&1<<7|last, op.code)
	} else {
		a.bytes(0xc4, ^(reg>>3)&1<<7|^(x>>1)&1<<6|^x&1<<5|op.table, op.w<<7|last, op.code)
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
	a.vex(op, op.digit, byte(d), x)
	a.bytes(by)
}

// Blend takes the lanes of y if the sign of mask is set, else the lanes of x.
func (a *Asm) Blend(op VecOp, d, x Vec, y Operand, mask Vec) {
	a.vex(op, byte(d), byte(x), y)
	a.bytes(byte(mask) << 4)
}

// Store is vmovdqu to memory.
func (a *Asm) Store(m Mem, x Vec) { a.vex(vmovdquStore, byte(x), 0, m) }

// Upper is vextracti128 of the upper half of x.
func (a *Asm) Upper(d, x Vec) {
	a.vex(vextracti128, byte(x), 0, d)
	a.bytes(1)
}

// Signs32 and Signs64 collect the signs of a vector's lanes, of 32 and of 64 bits, in a register.

func (a *Asm) Signs32(d Reg, x Vec) { a.vex(vmovmskps, byte(d), 0, x) }
func (a *Asm) Signs64(d Reg, x Vec) { a.vex(vmovmskpd, byte(d), 0, x) }

// ZeroUpper is vzeroupper, due before code without VEX prefixes.
func (a *Asm) ZeroUpper() { a.bytes(vzeroupperRaw...) }

// ClearLowest is blsr of 32 bits: d is x without its lowest bit. It sets ZF for zero.
func (a *Asm) ClearLowest(d Reg, x Operand) { a.vex(blsr, blsr.digit, byte(d), x) }
