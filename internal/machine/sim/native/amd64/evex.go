package amd64

// This file has instructions of AVX-512, with vectors of 512 bits. Those that AVX2 has too have the
// same names as there. A comparison answers in a mask register instead of a vector.

// Mask is a mask register. As the mask of an instruction 0 is none.
type Mask uint8

// The mask registers that can be masks of instructions.
const (
	K1 Mask = 1 + iota
	K2
	K3
	K4
	K5
	K6
	K7
)

func (k Mask) extension() byte { return 0 }

func (k Mask) modrm(a *Asm, other byte) { a.bytes(0xc0 | other&7<<3 | byte(k)) }

// Instructions of two sources that AVX2 does not have, for Z3. The sources of VPERMI2D are the vectors
// of which it takes words, and the destination has the numbers of these.
const (
	VPMULLQ  VecOp = p66 | m0F38 | w1 | 0x40
	VPMINSQ  VecOp = p66 | m0F38 | w1 | 0x39
	VPMINUQ  VecOp = p66 | m0F38 | w1 | 0x3b
	VPMAXSQ  VecOp = p66 | m0F38 | w1 | 0x3d
	VPMAXUQ  VecOp = p66 | m0F38 | w1 | 0x3f
	VPSRAVQ  VecOp = p66 | m0F38 | w1 | 0x46
	VPERMI2D VecOp = p66 | m0F38 | 0x76
)

// Instructions of one source, for Z2.
const (
	VPOPCNTD    VecOp = p66 | m0F38 | 0x55
	VPOPCNTQ    VecOp = p66 | m0F38 | w1 | 0x55
	VPLZCNTD    VecOp = p66 | m0F38 | 0x44
	VPLZCNTQ    VecOp = p66 | m0F38 | w1 | 0x44
	VPABSQ      VecOp = p66 | m0F38 | w1 | 0x1f
	VCVTQQ2PD   VecOp = pF3 | m0F | w1 | 0xe6
	VCVTUQQ2PD  VecOp = pF3 | m0F | w1 | 0x7a
	VCVTQQ2PS   VecOp = m0F | w1 | 0x5b
	VCVTUQQ2PS  VecOp = pF2 | m0F | w1 | 0x7a
	VCVTUDQ2PS  VecOp = pF2 | m0F | 0x7a
	VCVTUDQ2PD  VecOp = pF3 | m0F | 0x7a
	VCVTTPD2UDQ VecOp = m0F | w1 | 0x78
)

// Instructions of two sources and a constant, for Z3i, and of a shift by a constant, for ZShift.
// VPTERNLOGD looks up bits of the destination and of both sources in the constant.
const (
	VPTERNLOGD   VecOp = p66 | m0F3A | 0x25
	VINSERTI64X4 VecOp = p66 | m0F3A | w1 | 0x3a
	VPSRAQ       VecOp = p66 | m0F | w1 | 4<<digit | 0x72
)

// Comparisons of integers by a constant, for ZCompare, beside VCMPPS and VCMPPD.
const (
	VPCMPD  VecOp = p66 | m0F3A | 0x1f
	VPCMPUD VecOp = p66 | m0F3A | 0x1e
	VPCMPQ  VecOp = p66 | m0F3A | w1 | 0x1f
	VPCMPUQ VecOp = p66 | m0F3A | w1 | 0x1e
)

// Choices by a mask, for ZBlend.
const (
	VPBLENDMD VecOp = p66 | m0F38 | 0x64
	VPBLENDMQ VecOp = p66 | m0F38 | w1 | 0x64
)

// Operations on masks, for Masks: of 8 and of 16 bits. KUNPCKBW and KUNPCKWD join masks of 8 and of 16
// bits: the first source is the upper half.
const (
	KORW     VecOp = m0F | 0x45
	KANDNW   VecOp = m0F | 0x42
	KANDW    VecOp = m0F | 0x41
	KXORW    VecOp = m0F | 0x47
	KXNORW   VecOp = m0F | 0x46
	KUNPCKBW VecOp = p66 | m0F | 0x4b
	KUNPCKWD VecOp = m0F | 0x4b
)

// The other instructions.
const (
	vextracti64x4 VecOp = p66 | m0F3A | w1 | 0x3b
	vptestmd      VecOp = p66 | m0F38 | 0x27
	vpmovqd       VecOp = pF3 | m0F38 | 0x35
	vpmovd2m      VecOp = pF3 | m0F38 | 0x39
	vpmovm2d      VecOp = pF3 | m0F38 | 0x38
	kmovLoad      VecOp = m0F | short | 0x90
	kmovIn        VecOp = m0F | short | 0x92
	kmovOut       VecOp = m0F | short | 0x93
	kortest       VecOp = m0F | short | 0x98
)

// evexForm is what an EVEX prefix has other than a VEX prefix for an instruction: the width bit, which
// VEX does not look at, and bytes of the operand in memory if it is not a vector, in which short
// distances are counted.
type evexForm struct {
	wide bool
	unit int32
}

var evexForms = map[VecOp]evexForm{
	VADDPD: {wide: true}, VMULPD: {wide: true}, VSUBPD: {wide: true}, VMINPD: {wide: true}, VDIVPD: {wide: true}, VMAXPD: {wide: true},
	VPADDQ: {wide: true}, VPSUBQ: {wide: true}, VPMULUDQ: {wide: true}, VPMULDQ: {wide: true}, VCMPPD: {wide: true},
	VSQRTPD: {wide: true}, VCVTPD2PS: {wide: true}, VCVTTPD2DQ: {wide: true}, VROUNDPD: {wide: true},
	VPSLLQ: {wide: true}, VPSRLQ: {wide: true},
	VPBROADCASTD: {unit: 4}, VPBROADCASTQ: {wide: true, unit: 8},
	VPMOVZXDQ: {unit: 32}, VPMOVSXDQ: {unit: 32}, VPMOVZXWD: {unit: 32}, VPMOVSXWD: {unit: 32}, VPMOVZXBD: {unit: 16}, VPMOVSXBD: {unit: 16},
	vpgatherdd: {unit: 4}, vpmovqd: {unit: 32}, VCVTDQ2PD: {unit: 32}, VCVTUDQ2PD: {unit: 32}, VCVTPS2PD: {unit: 32}, VINSERTI64X4: {unit: 32},
}

// zmmBytes is the size of a vector.
const zmmBytes = 64

// evex appends the prefix and the opcode, and the operands: ModRM has reg and rm, the prefix has v
// and the mask.
func (a *Asm) evex(op VecOp, reg, v byte, rm Operand, k Mask) {
	form := evexForms[op]
	w := byte(op >> 12 & 1)
	if form.wide {
		w = 1
	}
	if form.unit == 0 {
		form.unit = zmmBytes
	}
	x := rm.extension()
	inverted := ^(reg>>3)&1<<7 | ^(x>>1)&1<<6 | ^x&1<<5 | ^(reg>>4)&1<<4
	a.bytes(0x62, inverted|byte(op>>8&3), w<<7|^v&15<<3|4|byte(op>>10&3), 0x40|^(v>>4)&1<<3|byte(k), byte(op))
	if m, ok := rm.(Mem); ok {
		m.encode(a, reg, form.unit)
		return
	}
	rm.modrm(a, reg)
}

// Z3 computes d of x and y, and of d itself where the instruction adds to it.
func (a *Asm) Z3(op VecOp, d, x Vec, y Operand) { a.evex(op, byte(d), byte(x), y, 0) }

// Z3i is Z3 with a constant.
func (a *Asm) Z3i(op VecOp, d, x Vec, y Operand, imm byte) {
	a.evex(op, byte(d), byte(x), y, 0)
	a.bytes(imm)
}

// Z2 computes d of x.
func (a *Asm) Z2(op VecOp, d Vec, x Operand) { a.evex(op, byte(d), 0, x, 0) }

// Z2i is Z2 with a constant.
func (a *Asm) Z2i(op VecOp, d Vec, x Operand, imm byte) {
	a.evex(op, byte(d), 0, x, 0)
	a.bytes(imm)
}

// ZShift shifts the lanes of x by a constant.
func (a *Asm) ZShift(op VecOp, d, x Vec, by byte) {
	a.evex(op, byte(op>>digit), byte(d), x, 0)
	a.bytes(by)
}

// ZCompare puts into k which lanes of x and y compare as a constant says.
func (a *Asm) ZCompare(op VecOp, k Mask, x Vec, y Operand, imm byte) {
	a.evex(op, byte(k), byte(x), y, 0)
	a.bytes(imm)
}

// ZBlend takes the lanes of y that are in k, and the other lanes of x.
func (a *Asm) ZBlend(op VecOp, d, x Vec, y Operand, k Mask) { a.evex(op, byte(d), byte(x), y, k) }

// ZStore is vmovdqu32 to memory.
func (a *Asm) ZStore(m Mem, x Vec) { a.evex(vmovdquStore, byte(x), 0, m, 0) }

// ZUpper is vextracti64x4 of the upper half of x.
func (a *Asm) ZUpper(d, x Vec) {
	a.evex(vextracti64x4, byte(x), 0, d, 0)
	a.bytes(1)
}

// ZTest puts into k which lanes of 32 bits of x and y have a common bit, and ZTestOf which lanes of 32 or
// 64 bits.

func (a *Asm) ZTest(k Mask, x Vec, y Operand) { a.ZTestOf(32, k, x, y) }

func (a *Asm) ZTestOf(bits int, k Mask, x Vec, y Operand) {
	a.evex(vptestmd|VecOp(bits/64)*w1, byte(k), byte(x), y, 0)
}

// ZGather is Gather of 16 words, whose index is one of the first 16 vector registers. It clears k, which
// must be all ones.
func (a *Asm) ZGather(d, index Vec, disp int32, k Mask) {
	a.evex(vpgatherdd, byte(d), 0, Mem{Base: RAX, Index: Reg(index), Scale: 4, Disp: disp}, k)
}

// ZStoreWords stores the lower word of each lane of 64 bits.
func (a *Asm) ZStoreWords(m Mem, x Vec) { a.evex(vpmovqd, byte(x), 0, m, 0) }

// ZSigns collects the signs of x's lanes, of 32 or 64 bits, in k, and ZSpread makes lanes of ones of the
// bits of k.

func (a *Asm) ZSigns(bits int, k Mask, x Vec) { a.evex(vpmovd2m|VecOp(bits/64)*w1, byte(k), 0, x, 0) }

func (a *Asm) ZSpread(bits int, d Vec, k Mask) { a.evex(vpmovm2d|VecOp(bits/64)*w1, byte(d), 0, k, 0) }

// kmov is the form of kmov and kortest for a number of bits: 8, 16 or 32.
func kmov(op VecOp, bits int) VecOp {
	switch {
	case bits == 8:
		return op | p66
	case bits == 16:
		return op
	case op == kmovLoad:
		return op | p66 | w1
	}
	return op | pF2
}

// LoadMask moves bits of a register or of memory to k.
func (a *Asm) LoadMask(bits int, k Mask, x Operand) {
	op := kmovLoad
	if _, ok := x.(Reg); ok {
		op = kmovIn
	}
	a.vex(kmov(op, bits), byte(k), 0, x)
}

// StoreMask moves bits of k to a register, and clears its others.
func (a *Asm) StoreMask(bits int, d Reg, k Mask) { a.vex(kmov(kmovOut, bits), byte(d), 0, k) }

// TestMask sets ZF if 8 or 16 bits of k are zeros.
func (a *Asm) TestMask(bits int, k Mask) { a.vex(kmov(kortest, bits), byte(k), 0, k) }

// Masks computes d of x and y.
func (a *Asm) Masks(op VecOp, d, x, y Mask) { a.vex(op, byte(d), byte(x), y) }
