package amd64

// Arith is an operation on general registers that has the eight forms of add.
type Arith byte

// The operations.
const (
	ADD Arith = iota
	OR
	_
	_
	AND
	SUB
	XOR
	CMP
)

// Cond is a condition of a jump.
type Cond byte

// The conditions. Above and below compare unsigned numbers, less and greater signed ones.
const (
	B  Cond = 2
	AE Cond = 3
	E  Cond = 4
	NE Cond = 5
	BE Cond = 6
	A  Cond = 7
	L  Cond = 12
	GE Cond = 13
	LE Cond = 14
	G  Cond = 15
)

// rex appends an instruction of 8, 16, 32 or 64 bits with its prefixes.
func (a *Asm) rex(bits int, reg byte, rm Operand, opcode ...byte) {
	if bits == 16 {
		a.bytes(0x66)
	}
	p := rm.extension()&1 | rm.extension()&2 | reg>>3<<2
	if bits == 64 {
		p |= 8
	}
	r, isReg := rm.(Reg)
	if p != 0 || bits == 8 && (reg >= 4 || isReg && r >= RSP) {
		a.bytes(0x40 | p)
	}
	a.bytes(opcode...)
	rm.modrm(a, reg)
}

// Op computes d of d and x, in 32 or 64 bits.
func (a *Asm) Op(op Arith, bits int, d Reg, x Operand) { a.rex(bits, byte(d), x, byte(op)<<3|3) }

// OpImm computes d of d and a constant, in 32 or 64 bits.
func (a *Asm) OpImm(op Arith, bits int, d Operand, v int32) {
	if int32(int8(v)) == v {
		a.rex(bits, byte(op), d, 0x83)
		a.bytes(byte(v))
		return
	}
	a.rex(bits, byte(op), d, 0x81)
	a.imm32(v)
}

// Load moves x to d, in 32 or 64 bits. 32 bits clear the upper half of d.
func (a *Asm) Load(bits int, d Reg, x Operand) { a.rex(bits, byte(d), x, 0x8b) }

// Save moves the lower bits of x to memory: 8, 16, 32 or 64.
func (a *Asm) Save(bits int, m Mem, x Reg) {
	if bits == 8 {
		a.rex(bits, byte(x), m, 0x88)
		return
	}
	a.rex(bits, byte(x), m, 0x89)
}

// SaveImm moves a constant of 32 bits to memory.
func (a *Asm) SaveImm(m Mem, v int32) {
	a.rex(32, 0, m, 0xc7)
	a.imm32(v)
}

// Set moves a constant of 32 bits to d, and clears its upper half.
func (a *Asm) Set(d Reg, v int32) {
	if d >= R8 {
		a.bytes(0x41)
	}
	a.bytes(0xb8 | byte(d&7))
	a.imm32(v)
}

// Set64 moves a constant of 64 bits to d.
func (a *Asm) Set64(d Reg, v uint64) {
	a.bytes(0x48|byte(d>>3), 0xb8|byte(d&7))
	a.imm32(int32(v))
	a.imm32(int32(v >> 32))
}

// Extend loads x of from bits and extends it to 32 or 64, by its sign if signed.
func (a *Asm) Extend(bits int, d Reg, x Mem, from int, signed bool) {
	switch {
	case from == 32 && signed && bits == 64:
		a.rex(64, byte(d), x, 0x63)
	case from >= 32:
		a.Load(from, d, x)
	case signed:
		a.rex(bits, byte(d), x, 0x0f, 0xbe|byte(from>>4))
	default:
		a.rex(32, byte(d), x, 0x0f, 0xb6|byte(from>>4))
	}
}

// Address computes the address of m.
func (a *Asm) Address(d Reg, m Mem) { a.rex(64, byte(d), m, 0x8d) }

// AddressOf computes the address of a label.
func (a *Asm) AddressOf(d Reg, l Label) {
	a.bytes(0x48|byte(d>>3)<<2, 0x8d, byte(d&7)<<3|5)
	a.distance(l)
}

// Test compares the bits of x and y with zero, in 32 or 64 bits.
func (a *Asm) Test(bits int, x, y Reg) { a.rex(bits, byte(y), x, 0x85) }

// TestImm compares bits of d, in 32 bits, with zero.
func (a *Asm) TestImm(d Operand, v int32) {
	a.rex(32, 0, d, 0xf7)
	a.imm32(v)
}

// Not inverts 32 bits.
func (a *Asm) Not(d Reg) { a.rex(32, 2, d, 0xf7) }

// ShiftLeft and ShiftRight shift by a constant, in 32 or 64 bits.

func (a *Asm) ShiftLeft(bits int, d Reg, by byte) {
	a.rex(bits, 4, d, 0xc1)
	a.bytes(by)
}

func (a *Asm) ShiftRight(bits int, d Reg, by byte) {
	a.rex(bits, 5, d, 0xc1)
	a.bytes(by)
}

// Lowest is tzcnt of 32 bits: d is the number of the lowest bit of x.
func (a *Asm) Lowest(d Reg, x Operand) {
	a.bytes(0xf3)
	a.rex(32, byte(d), x, 0x0f, 0xbc)
}

// Count is popcnt of 32 bits: d is how many bits of x are set.
func (a *Asm) Count(d Reg, x Operand) {
	a.bytes(0xf3)
	a.rex(32, byte(d), x, 0x0f, 0xb8)
}

// Multiply is imul: it computes the lower half of d times x, of 32 or 64 bits.
func (a *Asm) Multiply(bits int, d Reg, x Operand) { a.rex(bits, byte(d), x, 0x0f, 0xaf) }

// Prefetch is prefetcht0.
func (a *Asm) Prefetch(m Mem) { a.rex(32, 1, m, 0x0f, 0x18) }

// LockCompareExchange is lock cmpxchg: it puts x into m if m has the value of RAX, else m into RAX,
// and sets ZF if it did. It is of 32 or 64 bits.
func (a *Asm) LockCompareExchange(bits int, m Mem, x Reg) {
	a.bytes(0xf0)
	a.rex(bits, byte(x), m, 0x0f, 0xb1)
}

// Jump jumps where a condition holds.
func (a *Asm) Jump(c Cond, to Label) {
	a.bytes(0x0f, 0x80|byte(c))
	a.distance(to)
}

// Goto jumps.
func (a *Asm) Goto(to Label) {
	a.bytes(0xe9)
	a.distance(to)
}

// GotoReg jumps to the address in a register.
func (a *Asm) GotoReg(r Reg) { a.rex(32, 4, r, 0xff) }

// Call calls a routine, and Return returns from it.

func (a *Asm) Call(to Label) {
	a.bytes(0xe8)
	a.distance(to)
}

func (a *Asm) Return() { a.bytes(0xc3) }
