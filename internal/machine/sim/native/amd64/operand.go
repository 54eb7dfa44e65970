package amd64

// Reg is a general register. Instructions say how much of it they use.
type Reg uint8

// The general registers.
const (
	RAX Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

// Vec is a vector register: of 256 bits, of which some instructions use the lower 128, or of 512 for
// instructions of AVX-512. Only those can name the registers from 16 on.
type Vec uint8

// The first vector registers and the last. Those between follow by number.
const (
	Y0 Vec = iota
	Y1
	Y2
	Y3
	Y4
	Y5
	Y6
	Y7
	Y15 Vec = 15
)

// Mem is an operand in memory, at Base + Index*Scale + Disp. Scale 0 is no index.
type Mem struct {
	Base, Index Reg
	Scale       uint8 // 1, 2, 4 or 8
	Disp        int32
}

// Operand is a Reg, a Vec or a Mem.
type Operand interface {
	// extension has the bits of the prefix that extend the numbers of the operand's registers: 1 for
	// the base or the register itself, 2 for the index.
	extension() byte
	// modrm appends the operand and the three bits of another one.
	modrm(a *Asm, other byte)
}

func (r Reg) extension() byte { return byte(r >> 3) }

func (r Reg) modrm(a *Asm, other byte) { a.bytes(0xc0 | other&7<<3 | byte(r&7)) }

func (v Vec) extension() byte { return byte(v >> 3) }

func (v Vec) modrm(a *Asm, other byte) { a.bytes(0xc0 | other&7<<3 | byte(v&7)) }

func (m Mem) extension() byte {
	x := byte(m.Base >> 3)
	if m.Scale != 0 {
		x |= byte(m.Index>>3) << 1
	}
	return x
}

func (m Mem) modrm(a *Asm, other byte) { m.encode(a, other, 1) }

// encode chooses the shortest distance: of 8 bits if it is few enough units. A base of RSP or R12 needs
// the byte of an index, and one of RBP or R13 a distance.
func (m Mem) encode(a *Asm, other byte, unit int32) {
	mod, short := byte(0x80), m.Disp/unit
	switch {
	case m.Disp == 0 && m.Base&7 != RBP:
		mod = 0
	case short*unit == m.Disp && int32(int8(short)) == short:
		mod = 0x40
	}
	reg := other & 7 << 3
	switch {
	case m.Scale != 0:
		a.bytes(mod|reg|4, scales[m.Scale]<<6|byte(m.Index&7)<<3|byte(m.Base&7))
	case m.Base&7 == RSP:
		a.bytes(mod|reg|4, 0x24)
	default:
		a.bytes(mod | reg | byte(m.Base&7))
	}
	switch mod {
	case 0x40:
		a.bytes(byte(short))
	case 0x80:
		a.imm32(m.Disp)
	}
}

var scales = map[uint8]byte{1: 0, 2: 1, 4: 2, 8: 3}
