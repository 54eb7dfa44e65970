package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/arm64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// eachLanewise does an instruction for the running lanes with general registers, as builder.eachLanewise
// does. The processor's quotient by zero is 0, and its quotient of the least number by -1 is the least number.
func (b *neonBuilder) eachLanewise(in *code.Inst) {
	next := b.Label()
	quotient, upper := UDIV, UMULH
	if in.Type.Signed() {
		quotient, upper = SDIV, SMULH
	}
	b.AddImm(64, limit, limit, -scatteredCost)
	b.Load(LDRW, 12, ctxAt(unsafe.Offsetof(Context{}.Mask)))
	b.Place(next)
	b.Lowest(13, 12)
	b.AddImm(32, 14, 12, -1)
	b.R3(AND, 32, 12, 12, 14)
	b.Load(LDRX, 8, laneAt(in.Args[0]))
	b.Load(LDRX, 9, laneAt(in.Args[1]))
	switch in.Op {
	case ptx.OpMul:
		b.R3(upper, 64, 10, 8, 9)
	case ptx.OpDiv: // by zero it has all bits
		b.R3(quotient, 64, 10, 8, 9)
		b.Set(11, 1<<64-1)
		b.CompareImm(64, 9, 0)
		b.Choose(64, 10, 11, 10, EQ)
	case ptx.OpRem: // by zero it is the dividend
		b.R3(quotient, 64, 10, 8, 9)
		b.R3(MUL, 64, 10, 10, 9)
		b.R3(SUB, 64, 10, 8, 10)
	}
	b.Store(STRX, 10, laneAt(in.Dst[0]))
	b.JumpNotZero(32, 12, next)
}
