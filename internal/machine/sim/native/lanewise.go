package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/ptx"
)

// isLanewise reports whether an instruction is one that vectors lack, of 64 bits: a quotient, a
// remainder, or the upper half of a product. The code does it with general registers.
func isLanewise(in *code.Inst) bool {
	if in.Type != ptx.U64 && in.Type != ptx.S64 || in.Rounding != softfloat.Nearest {
		return false
	}
	switch in.Op {
	case ptx.OpDiv, ptx.OpRem:
		return in.Flags == 0
	case ptx.OpMul:
		return in.Flags == code.High
	}
	return false
}

// eachLanewise does an instruction for the running lanes. It counts as an access of scattered lanes does,
// since a division takes up to 90 cycles.
func (b *builder) eachLanewise(in *code.Inst) {
	next := b.Label()
	lane := func(s code.Slot) Mem { return Mem{Base: RBX, Index: RCX, Scale: 8, Disp: int32(s.Off)} }
	b.OpImm(SUB, 64, R13, scatteredCost)
	b.Load(32, R8, context(unsafe.Offsetof(Context{}.Mask)))
	b.Place(next)
	b.Lowest(RCX, R8)
	b.Load(64, RAX, lane(in.Args[0]))
	b.Load(64, R9, lane(in.Args[1]))
	result := RDX
	switch in.Op {
	case ptx.OpMul:
		b.MultiplyDouble(64, R9, in.Type.Signed())
	case ptx.OpDiv:
		result = RAX
		b.divideLane(in.Type.Signed())
	case ptx.OpRem:
		b.divideLane(in.Type.Signed())
	}
	b.Save(64, lane(in.Dst[0]), result)
	b.ClearLowest(R8, R8)
	b.Jump(NE, next)
}

// divideLane divides RAX by R9: the quotient is in RAX, and the remainder in RDX. By zero they are all
// ones and the dividend. The processor refuses that, and to divide the least number by -1.
func (b *builder) divideLane(signed bool) {
	zero, minus, done := b.Label(), b.Label(), b.Label()
	b.Test(64, R9, R9)
	b.Jump(E, zero)
	if signed {
		b.OpImm(CMP, 64, R9, -1)
		b.Jump(E, minus)
		b.ExtendDouble()
	} else {
		b.Op(XOR, 32, RDX, RDX)
	}
	b.DivideDouble(64, R9, signed)
	b.Goto(done)
	if signed {
		b.Place(minus)
		b.Op(XOR, 32, RDX, RDX)
		b.Load(64, R9, RAX)
		b.Op(XOR, 32, RAX, RAX)
		b.Op(SUB, 64, RAX, R9)
		b.Goto(done)
	}
	b.Place(zero)
	b.Load(64, RDX, RAX)
	b.Op(XOR, 32, RAX, RAX)
	b.OpImm(SUB, 64, RAX, 1)
	b.Place(done)
}
