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
	e.ins("ld.param.u64", record, ptx.Addr{Base: ptx.Name(abi.FaultParam)})
	e.ins("setp.eq.u64", none, record, ptx.Int{})
	e.guarded(none, false, "bra", end)
	e.ins("ld.global.u64", buffer, in(record, abi.FaultOffPrint))
	e.ins("setp.eq.u64", none, buffer, ptx.Int{})
	e.guarded(none, false, "bra", end)
	e.ins("atom.global.add.u64", at, in(buffer, abi.PrintOffUsed), ptx.Int{Bits: uint64(size)})
	e.ins("ld.global.u64", next, in(buffer, abi.PrintOffSize))
	e.ins("sub.s64", next, next, at) // what is left from the line's place on
	e.ins("setp.lt.s64", none, next, ptx.Int{Bits: uint64(size)})
	e.guarded(none, false, "bra", lost)

	e.ins("add.s64", at, at, buffer)
	line := func(off int) ptx.Addr { return in(at, abi.PrintHeader+off) }
	word := e.temp(intClass)
	set := func(op string, off int, from ptx.Operand) {
		e.ins(op, word, from)
		e.ins("st.global.u32", line(off), word)
	}
	set("mov.u32", abi.LineOffSize, ptx.Int{Bits: uint64(size)})
	set("ld.global.u32", abi.LineOffKernel, in(record, abi.FaultOffTag))
	set("mov.u32", abi.LineOffFormat, ptx.Int{Bits: uint64(e.m.format(v.Args[0].Var))})
	for i, dim := range []string{"x", "y", "z"} {
		set("mov.u32", abi.LineOffTid+4*i, ptx.Name("%tid."+dim))
		set("mov.u32", abi.LineOffCtaid+4*i, ptx.Name("%ctaid."+dim))
	}
	for i, value := range values {
		e.word(next, value)
		e.ins("st.global.u64", line(abi.LineHeader+8*i), next)
	}
	e.ins("bra", end)

	e.out = append(e.out, &ptx.Label{Name: string(lost)})
	e.ins("red.global.add.u64", in(buffer, abi.PrintOffLost), ptx.Int{Bits: 1})
	e.ins("not.b64", at, at)
	e.ins("red.global.max.u64", in(buffer, abi.PrintOffMark), at)
	e.out = append(e.out, &ptx.Label{Name: string(end)})
}

// word puts the bits of v, of any type but a pointer, into a register of 64 bits.
func (e *emitter) word(to ptx.Name, v *ir.Value) {
	switch v.Type {
	case ir.Bool:
		e.ins("selp.b64", to, ptx.Int{Bits: 1}, ptx.Int{}, e.inReg(v))
	case ir.I32:
		e.ins("cvt.u64.u32", to, e.inReg(v))
	case ir.F32:
		bits := e.temp(intClass)
		e.ins("mov.b32", bits, e.inReg(v))
		e.ins("cvt.u64.u32", to, bits)
	default:
		e.ins("mov.b64", to, e.inReg(v))
	}
}
