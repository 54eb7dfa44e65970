package emit

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// print writes a line to the stream's print buffer, if it has one, as package abi says. One atomic
// addition reserves its place.
func (e *emitter) print(v *ir.Value) {
	e.prints++
	label := fmt.Sprint(abi.PrintLabel, e.prints)
	lost, end := ptx.Name(label+"_lost"), ptx.Name(label+"_end")
	values := v.Args[1:]
	size := abi.LineHeader + 8*len(values)

	record, buffer, at, next := e.temp(longClass), e.temp(longClass), e.temp(longClass), e.temp(longClass)
	none := e.temp(predClass)
	in := func(base ptx.Name, off int) ptx.Addr { return ptx.Addr{Base: base, Offset: int64(off)} }
	e.ins(ptx.OpLd.Of(ptx.ParamSpace, ptx.U64), record, ptx.Addr{Base: ptx.Name(abi.FaultParam)})
	e.ins(ptx.OpSetp.Of(ptx.ModEQ, ptx.U64), none, record, ptx.Int{})
	e.guarded(none, false, ptx.OpBra.Of(), end)
	e.ins(ptx.OpLd.Of(ptx.GlobalSpace, ptx.U64), buffer, in(record, abi.FaultOffPrint))
	e.ins(ptx.OpSetp.Of(ptx.ModEQ, ptx.U64), none, buffer, ptx.Int{})
	e.guarded(none, false, ptx.OpBra.Of(), end)
	e.ins(ptx.OpAtom.Of(ptx.GlobalSpace, ptx.ModAdd, ptx.U64), at, in(buffer, abi.PrintOffUsed), ptx.Int{Bits: uint64(size)})
	e.ins(ptx.OpLd.Of(ptx.GlobalSpace, ptx.U64), next, in(buffer, abi.PrintOffSize))
	e.ins(ptx.OpSub.Of(ptx.S64), next, next, at) // what is left from the line's place on
	e.ins(ptx.OpSetp.Of(ptx.ModLT, ptx.S64), none, next, ptx.Int{Bits: uint64(size)})
	e.guarded(none, false, ptx.OpBra.Of(), lost)

	e.ins(ptx.OpAdd.Of(ptx.S64), at, at, buffer)
	line := func(off int) ptx.Addr { return in(at, abi.PrintHeader+off) }
	word := e.temp(intClass)
	set := func(op ptx.Opcode, off int, from ptx.Operand) {
		e.ins(op, word, from)
		e.ins(ptx.OpSt.Of(ptx.GlobalSpace, ptx.U32), line(off), word)
	}
	set(ptx.OpMov.Of(ptx.U32), abi.LineOffSize, ptx.Int{Bits: uint64(size)})
	set(ptx.OpLd.Of(ptx.GlobalSpace, ptx.U32), abi.LineOffKernel, in(record, abi.FaultOffTag))
	set(ptx.OpMov.Of(ptx.U32), abi.LineOffFormat, ptx.Int{Bits: uint64(e.m.format(v.Args[0].Var))})
	for i, dim := range []string{"x", "y", "z"} {
		set(ptx.OpMov.Of(ptx.U32), abi.LineOffTid+4*i, ptx.Name("%tid."+dim))
		set(ptx.OpMov.Of(ptx.U32), abi.LineOffCtaid+4*i, ptx.Name("%ctaid."+dim))
	}
	for i, value := range values {
		e.word(next, value)
		e.ins(ptx.OpSt.Of(ptx.GlobalSpace, ptx.U64), line(abi.LineHeader+8*i), next)
	}
	e.ins(ptx.OpBra.Of(), end)

	e.out = append(e.out, &ptx.Label{Name: string(lost)})
	e.ins(ptx.OpRed.Of(ptx.GlobalSpace, ptx.ModAdd, ptx.U64), in(buffer, abi.PrintOffLost), ptx.Int{Bits: 1})
	e.ins(ptx.OpNot.Of(ptx.B64), at, at)
	e.ins(ptx.OpRed.Of(ptx.GlobalSpace, ptx.ModMax, ptx.U64), in(buffer, abi.PrintOffMark), at)
	e.out = append(e.out, &ptx.Label{Name: string(end)})
}

// word puts the bits of v, of any type but a pointer, into a register of 64 bits.
func (e *emitter) word(to ptx.Name, v *ir.Value) {
	switch v.Type {
	case ir.Bool:
		e.ins(ptx.OpSelp.Of(ptx.B64), to, ptx.Int{Bits: 1}, ptx.Int{}, e.inReg(v))
	case ir.I32:
		e.ins(ptx.OpCvt.Of(ptx.U64, ptx.U32), to, e.inReg(v))
	case ir.F32:
		bits := e.temp(intClass)
		e.ins(ptx.OpMov.Of(ptx.B32), bits, e.inReg(v))
		e.ins(ptx.OpCvt.Of(ptx.U64, ptx.U32), to, bits)
	default:
		e.ins(ptx.OpMov.Of(ptx.B64), to, e.inReg(v))
	}
}
