package arm64

// Reg is a general register. Instructions say how much of it they use.
type Reg uint8

// ZR reads as zero, and forgets what is written to it. constant and constant2 are the registers that
// Asm takes.
const (
	constant2 Reg = 16
	constant  Reg = 17
	ZR        Reg = 31
)

// width has the bit of an instruction on 64 bits.
func width(bits int) uint32 { return uint32(bits>>6) << 31 }

// Arith is an operation on general registers.
type Arith uint32

// The operations of R3. Those with an S set the flags.
const (
	ADD  Arith = 0x0b000000
	SUB  Arith = 0x4b000000
	SUBS Arith = 0x6b000000
	AND  Arith = 0x0a000000
	ORR  Arith = 0x2a000000
	EOR  Arith = 0x4a000000
	ANDS Arith = 0x6a000000
	ORN  Arith = 0x2a200000
	MUL  Arith = 0x1b007c00
	UDIV Arith = 0x1ac00800 // 0 by zero
	SDIV Arith = 0x1ac00c00
	// The upper halves of products, of 64 bits only.
	UMULH Arith = 0x1bc07c00
	SMULH Arith = 0x1b407c00
)

// R3 computes d of x and y.
func (a *Asm) R3(op Arith, bits int, d, x, y Reg) {
	a.word(uint32(op) | width(bits) | uint32(y)<<16 | uint32(x)<<5 | uint32(d))
}

// AddScaled is d = x + y<<by, of 64 bits.
func (a *Asm) AddScaled(d, x, y Reg, by int) {
	a.word(uint32(ADD) | width(64) | uint32(y)<<16 | uint32(by)<<10 | uint32(x)<<5 | uint32(d))
}

// Move is d = x, and Not is d = ^x.

func (a *Asm) Move(bits int, d, x Reg) { a.R3(ORR, bits, d, ZR, x) }
func (a *Asm) Not(bits int, d, x Reg)  { a.R3(ORN, bits, d, ZR, x) }

// Compare sets the flags of x-y.
func (a *Asm) Compare(bits int, x, y Reg) { a.R3(SUBS, bits, ZR, x, y) }

// Test sets the flags of x&y.
func (a *Asm) Test(bits int, x, y Reg) { a.R3(ANDS, bits, ZR, x, y) }

// TestOnes sets the flags of the lowest n bits of x, 1 to 63.
func (a *Asm) TestOnes(x Reg, n int) {
	a.word(0xf2400000 | uint32(n-1)<<10 | uint32(x)<<5 | uint32(ZR))
}

// AddImm is d = x + v, and CompareImm sets the flags of x-v. They take more instructions if v has no
// room in one.

func (a *Asm) AddImm(bits int, d, x Reg, v int64) {
	if !a.imm12(0x11000000, bits, d, x, v) {
		a.Set(constant, uint64(v))
		a.R3(ADD, bits, d, x, constant)
	}
}

func (a *Asm) CompareImm(bits int, x Reg, v int64) {
	if !a.imm12(0x31000000, bits, ZR, x, -v) {
		a.Set(constant, uint64(v))
		a.Compare(bits, x, constant)
	}
}

// imm12 adds v, or subtracts -v, if that is one instruction.
func (a *Asm) imm12(op uint32, bits int, d, x Reg, v int64) bool {
	if v <= 0 && op == 0x31000000 || v < 0 { // a comparison with 0 must set the carry
		op, v = op|1<<30, -v
	}
	shift := uint32(0)
	if v >= 1<<12 && v&(1<<12-1) == 0 {
		v, shift = v>>12, 1<<22
	}
	if v < 0 || v >= 1<<12 {
		return false
	}
	a.word(op | width(bits) | shift | uint32(v)<<10 | uint32(x)<<5 | uint32(d))
	return true
}

// Set is d = v, in one to four instructions: the first sets all bits, and the others 16 each.
func (a *Asm) Set(d Reg, v uint64) {
	zeros, ones := 0, 0
	for i := range 4 {
		switch uint16(v >> (16 * i)) {
		case 0:
			zeros++
		case 1<<16 - 1:
			ones++
		}
	}
	first, usual := uint32(0xd2800000), uint16(0) // movz
	if ones > zeros {
		first, usual = 0x92800000, 1<<16-1 // movn
	}
	left := 4 - max(zeros, ones)
	for i := range uint32(4) {
		part := uint16(v >> (16 * i))
		if part == usual && (left > 0 || first == 0) {
			continue
		}
		op := uint32(0xf2800000) // movk
		if first != 0 {
			op, part, first = first, part^usual, 0
		}
		a.word(op | i<<21 | uint32(part)<<5 | uint32(d))
		left--
	}
}

// ShiftLeft and ShiftRight shift by a constant that is less than the width, zeros in.

func (a *Asm) ShiftLeft(bits int, d, x Reg, by int) {
	a.bitfield(bits, d, x, (bits-by)%bits, bits-1-by)
}

func (a *Asm) ShiftRight(bits int, d, x Reg, by int) { a.bitfield(bits, d, x, by, bits-1) }

func (a *Asm) bitfield(bits int, d, x Reg, r, s int) {
	op := uint32(0x53000000)
	if bits == 64 {
		op = 0xd3400000
	}
	a.word(op | uint32(r)<<16 | uint32(s)<<10 | uint32(x)<<5 | uint32(d))
}

// Lowest is the number of the lowest bit of x, of 32, in two instructions.
func (a *Asm) Lowest(d, x Reg) {
	a.word(0x5ac00000 | uint32(x)<<5 | uint32(d)) // rbit
	a.word(0x5ac01000 | uint32(d)<<5 | uint32(d)) // clz
}

// Choose is d = x where a condition holds, else y.
func (a *Asm) Choose(bits int, d, x, y Reg, c Cond) {
	a.word(0x1a800000 | width(bits) | uint32(y)<<16 | uint32(c)<<12 | uint32(x)<<5 | uint32(d))
}

// LoadExclusive and StoreExclusive are ldaxr and stlxr: the store fails, with a status that is not zero,
// if another wrote the memory at base since the load.

func (a *Asm) LoadExclusive(bits int, d, base Reg) {
	a.word(0x885ffc00 | uint32(bits>>6)<<30 | uint32(base)<<5 | uint32(d))
}

func (a *Asm) StoreExclusive(bits int, status, x, base Reg) {
	a.word(0x8800fc00 | uint32(bits>>6)<<30 | uint32(status)<<16 | uint32(base)<<5 | uint32(x))
}
