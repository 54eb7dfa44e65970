package amd64

// The instructions whose product or dividend is RDX:RAX, of twice the width. They are of 32 or 64 bits.

// MultiplyDouble computes RDX:RAX of RAX times x.
func (a *Asm) MultiplyDouble(bits int, x Operand, signed bool) { a.rex(bits, 4+sign(signed), x, 0xf7) }

// DivideDouble divides RDX:RAX by x: the quotient is in RAX, the remainder in RDX. It faults if x is
// zero or the quotient has more bits.
func (a *Asm) DivideDouble(bits int, x Operand, signed bool) { a.rex(bits, 6+sign(signed), x, 0xf7) }

// ExtendDouble is cqo: it extends RAX to RDX:RAX by its sign.
func (a *Asm) ExtendDouble() { a.bytes(0x48, 0x99) }

func sign(signed bool) byte {
	if signed {
		return 1
	}
	return 0
}
