package arm64

// Mem is an operand in memory, at Base + Index<<Shift + Disp. An Index of 0 is none: no index is X0.
type Mem struct {
	Base, Index Reg
	Shift       uint8
	Disp        int32
}

// At is m, off bytes further on.
func (m Mem) At(off int32) Mem {
	m.Disp += off
	return m
}

// MemOp is a load or a store of a register: the logarithm of its size, whether the register is a
// vector, and the opcode.
type MemOp uint32

const vector MemOp = 1 << 26

// The loads and stores of general registers. Loads of fewer bits extend, those with an S with the sign:
// LDRSB and LDRSH to 32 bits, and LDRSBX, LDRSHX and LDRSW to 64.
const (
	STRB   MemOp = 0
	LDRB   MemOp = 1 << 22
	LDRSBX MemOp = 2 << 22
	LDRSB  MemOp = 3 << 22
	STRH   MemOp = 1 << 30
	LDRH   MemOp = 1<<30 | 1<<22
	LDRSHX MemOp = 1<<30 | 2<<22
	LDRSH  MemOp = 1<<30 | 3<<22
	STRW   MemOp = 2 << 30
	LDRW   MemOp = 2<<30 | 1<<22
	LDRSW  MemOp = 2<<30 | 2<<22
	STRX   MemOp = 3 << 30
	LDRX   MemOp = 3<<30 | 1<<22
	prfm   MemOp = 3<<30 | 2<<22
)

// The loads and stores of vector registers: the lowest 32 or 64 bits, or all. Loads clear the rest.
const (
	STRS MemOp = vector | 2<<30
	LDRS MemOp = vector | 2<<30 | 1<<22
	STRD MemOp = vector | 3<<30
	LDRD MemOp = vector | 3<<30 | 1<<22
	STRQ MemOp = vector | 2<<22
	LDRQ MemOp = vector | 3<<22
)

// size is the logarithm of the bytes that an instruction moves.
func (op MemOp) size() uint {
	if op&vector != 0 && op&(2<<22) != 0 {
		return 4
	}
	return uint(op >> 30)
}

// memory is a load or a store of a register of either kind, by its number. It takes more instructions if
// the distance has no room in one.
func (a *Asm) memory(op MemOp, r byte, m Mem) {
	rest := uint32(op) | uint32(r)
	base := uint32(m.Base) << 5
	if m.Index != 0 {
		a.AddScaled(constant, m.Base, m.Index, int(m.Shift))
		base = uint32(constant) << 5
	}
	size := op.size()
	switch d := m.Disp; {
	case d >= 0 && d&(1<<size-1) == 0 && d>>size < 1<<12:
		a.word(0x39000000 | rest | base | uint32(d)>>size<<10)
	case d >= -256 && d < 256 && op != prfm:
		a.word(0x38000000 | rest | base | uint32(d)&(1<<9-1)<<12)
	case m.Index != 0:
		a.Set(constant2, uint64(int64(d)))
		a.word(0x38206800 | rest | base | uint32(constant2)<<16)
	default:
		a.Set(constant, uint64(int64(d)))
		a.word(0x38206800 | rest | base | uint32(constant)<<16)
	}
}

// Load and Store move a general register, LoadVec and StoreVec a vector register.

func (a *Asm) Load(op MemOp, d Reg, m Mem)     { a.memory(op, byte(d), m) }
func (a *Asm) Store(op MemOp, x Reg, m Mem)    { a.memory(op, byte(x), m) }
func (a *Asm) LoadVec(op MemOp, d Vec, m Mem)  { a.memory(op, byte(d), m) }
func (a *Asm) StoreVec(op MemOp, x Vec, m Mem) { a.memory(op, byte(x), m) }

// Prefetch asks for memory that is read soon.
func (a *Asm) Prefetch(m Mem) { a.memory(prfm, 0, m) }

// LoadLane loads a lane of 32 or 64 bits from the memory at base, and leaves the others.
func (a *Asm) LoadLane(bits int, d Vec, lane int, base Reg) {
	n := uint32(lane)
	op := 0x0d408000 | n>>1<<30 | n&1<<12
	if bits == 64 {
		op = 0x0d408400 | n<<30
	}
	a.word(op | uint32(base)<<5 | uint32(d))
}

// LoadAll loads one element of 32 or 64 bits from the memory at base to all lanes.
func (a *Asm) LoadAll(bits int, d Vec, base Reg) {
	a.word(0x4d40c800 | uint32(bits>>6)<<10 | uint32(base)<<5 | uint32(d))
}

// Barrier is dmb ish: it orders all accesses of memory before it and after it.
func (a *Asm) Barrier() { a.word(0xd5033bbf) }
