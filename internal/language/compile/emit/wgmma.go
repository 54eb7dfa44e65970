package emit

import (
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// tied is the first argument of an operation whose results should have the registers of its
// arguments, from that one on. It is negative for the others.
func tied(v *ir.Value) int {
	switch v.Op {
	case ir.Hold:
		return 0
	case ir.WGMMA:
		return ir.WGProductOf(v.Sub).SumAt()
	}
	return -1
}

// uniteTied gives results the registers of their arguments, so that no instruction comes between
// products of a warpgroup.
func (e *emitter) uniteTied(b *ir.Block) {
	for _, v := range b.Instrs {
		first := tied(v)
		if first < 0 {
			continue
		}
		for i := range v.Lanes {
			lane := e.laneOf(v, i)
			for _, a := range e.registers(v.Args[first+i]) {
				if lane != nil {
					e.unite(lane, a)
				}
			}
		}
	}
}

// hold copies what has not the register of its result.
func (e *emitter) hold(v *ir.Value) { e.tiedRegisters(v, false) }

// tiedRegisters are the registers of the results, which hold the arguments. A result that nobody
// reads has one where the instruction writes it.
func (e *emitter) tiedRegisters(v *ir.Value, unread bool) (list ptx.Vec) {
	first := tied(v)
	var moves []move
	for i := range v.Lanes {
		lane, arg := e.laneOf(v, i), v.Args[first+i]
		var dst ptx.Name
		switch {
		case lane != nil:
			dst = e.reg(lane)
		case unread:
			dst = e.temp(classOf(v))
		default:
			continue
		}
		list = append(list, dst)
		if src := e.as(arg, v); src != ptx.Operand(dst) {
			moves = append(moves, move{dst, src, classOf(v)})
		}
	}
	e.emitMoves(moves)
	return list
}

// wgmma starts a product of a warpgroup.
func (e *emitter) wgmma(v *ir.Value) {
	p := ir.WGProductOf(v.Sub)
	sums := e.tiedRegisters(v, true)
	args := []ptx.Operand{sums}
	if p.Registers {
		var a ptx.Vec
		for _, x := range v.Args[ir.WGFactors:][:4] {
			a = append(a, e.inReg(x))
		}
		args = append(args, a)
	} else {
		args = append(args, e.inReg(v.Args[ir.WGFactors]))
	}
	args = append(args, e.inReg(v.Args[p.SumAt()-1]), e.inReg(v.Args[ir.WGAdd]))
	if p.Negates() {
		args = append(args, e.val(v.Args[ir.WGNegateA]), e.val(v.Args[ir.WGNegateB]))
	}
	if p.Transposes() && !p.Registers {
		args = append(args, e.val(v.Args[ir.WGTransposeA]))
	}
	if p.Transposes() {
		args = append(args, e.val(v.Args[ir.WGTransposeB]))
	}
	e.ins(ptx.OpcodeOf(p.Opcode()), args...)
}

func (e *emitter) sharedAddr(v *ir.Value) {
	e.ins(ptx.OpCvta.Of(ptx.ModTo, ptx.SharedSpace, ptx.U64), e.reg(v), e.generic(v.Args[0]))
}
