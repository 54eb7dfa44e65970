package emit

import (
	"fmt"
	"math"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// failure is the out-of-line code of a check that fails.
type failure struct {
	v     *ir.Value
	label string
}

// faultTail is the label of the code in which all failures of a kernel end.
const faultTail = "$fault"

// faults reports whether a check of the kernel can fail.
func (e *emitter) faults() bool { return len(e.failures) > 0 }

// fault makes the failure of v and returns its label.
func (e *emitter) fault(v *ir.Value) string {
	label := fmt.Sprintf("%s%d", faultTail, len(e.failures)+1)
	e.failures = append(e.failures, &failure{v, label})
	return label
}

// checkFails says, for each check, which comparison of its arguments means that it fails, and the
// types of the arguments. A lower bound of 0 needs no second comparison: a negative number, read as
// unsigned, is above every length.
var checkFails = map[ir.Sub]struct {
	when  ptx.Mod
	typed func(ir.Type) ptx.Type
}{
	ir.CheckIndex:     {ptx.ModGE, unsigned},
	ir.CheckSliceHigh: {ptx.ModGT, unsigned}, ir.CheckSliceLen: {ptx.ModGT, unsigned}, ir.CheckSliceLow: {ptx.ModGT, unsigned},
	ir.CheckSliceMaxLen: {ptx.ModGT, unsigned}, ir.CheckSliceLow3: {ptx.ModGT, unsigned}, ir.CheckSliceMax: {ptx.ModGT, unsigned},
	ir.CheckSliceHigh3: {ptx.ModGT, unsigned},
	ir.CheckSliceToArr: {ptx.ModLT, signed},
	ir.CheckDivide:     {ptx.ModEQ, signed}, ir.CheckShift: {ptx.ModLT, signed}, ir.CheckMakeLen: {ptx.ModLT, signed},
	ir.CheckNil: {ptx.ModEQ, unsigned},
}

// checkArgs are the values that a check compares and writes to the fault record. Where all are
// sign-extended 32-bit values, or constants that fit, the 32-bit values are compared: their order
// is the same, the unsigned order too, because a bound is never negative.
func checkArgs(v *ir.Value) []*ir.Value {
	args := v.Args[:checked(v.Sub)]
	half := make([]*ir.Value, len(args))
	extended := false
	for i, a := range args {
		half[i] = a
		if a.Op == ir.Sext32 {
			half[i], extended = a.Args[0], true
		} else if c, ok := a.IntConst(); !ok || c < 0 || c > math.MaxInt32 {
			return args
		}
	}
	if !extended {
		return args
	}
	return half
}

func (e *emitter) check(v *ir.Value) {
	label := ptx.Name(e.fault(v))
	if v.Args[0].Type == ir.Bool {
		e.guarded(e.inReg(v.Args[0]), true, ptx.OpBra.Of(), label)
		return
	}
	args := checkArgs(v)
	w := ir.I64
	first, second := e.val(args[0]), ptx.Operand(ptx.Int{})
	if args[0].Type == ir.Ptr {
		first = e.generic(args[0])
	}
	if args[0].Type == ir.I32 {
		w = ir.I32
	}
	if len(args) == 2 {
		second = e.val(args[1])
		if args[1].Type == ir.I32 {
			w = ir.I32
		}
	}
	fails, fail := e.temp(predClass), checkFails[v.Sub]
	e.ins(ptx.OpSetp.Of(fail.when, fail.typed(w)), fails, first, second)
	e.guarded(fails, false, ptx.OpBra.Of(), label)
}

// faultRegs hold the record of a failure for the tail. msg is empty if no failure has a message.
type faultRegs struct {
	kind, file, line, col, x, y, msg ptx.Name
	values                           []ptx.Name // as many as any failure has
}

// faultCode prints the failures and the tail.
func (e *emitter) faultCode() {
	if !e.faults() {
		return
	}
	r := faultRegs{
		kind: e.temp(intClass), file: e.temp(intClass), line: e.temp(intClass), col: e.temp(intClass),
		x: e.temp(longClass), y: e.temp(longClass),
	}
	hasMessage := func(s *failure) bool { return checked(s.v.Sub) < len(s.v.Args) }
	if slices.ContainsFunc(e.failures, hasMessage) {
		r.msg = e.temp(longClass)
	}
	for _, s := range e.failures {
		for range len(e.asserted(s.v)) - len(r.values) {
			r.values = append(r.values, e.temp(longClass))
		}
	}
	for i, s := range e.failures {
		e.out = append(e.out, &ptx.Label{Name: s.label})
		e.failure(s.v, r)
		if i < len(e.failures)-1 {
			e.ins(ptx.OpBra.Of(ptx.ModUni), ptx.Name(faultTail))
		}
	}
	e.out = append(e.out, &ptx.Label{Name: faultTail})
	e.tail(r)
}

// failure loads what the fault record says of one check.
func (e *emitter) failure(v *ir.Value, r faultRegs) {
	e.loc(positionOf(v))
	num := func(reg ptx.Name, n int) { e.ins(ptx.OpMov.Of(ptx.U32), reg, ptx.Int{Bits: uint64(n)}) }
	file := 0
	if v.Pos.Line > 0 && int(v.Pos.File) < len(e.f.Files) {
		file = e.m.file(e.f.Files[v.Pos.File])
	}
	kind := int(v.Sub)
	if v.Unsigned {
		kind |= abi.FaultUnsigned
	}
	num(r.kind, kind)
	num(r.file, file)
	num(r.line, int(v.Pos.Line))
	num(r.col, int(v.Pos.Col))
	x, y := ptx.Operand(ptx.Int{}), ptx.Operand(ptx.Int{})
	switch args := checkArgs(v); {
	case len(args) == 2:
		x, y = e.long(args[0]), e.long(args[1])
	case len(args) == 1 && args[0].Type.IsInt():
		x = e.long(args[0])
	}
	e.ins(ptx.OpMov.Of(ptx.B64), r.x, x)
	e.ins(ptx.OpMov.Of(ptx.B64), r.y, y)
	if values := e.asserted(v); len(values) > 0 {
		e.ins(ptx.OpMov.Of(ptx.B64), r.x, ptx.Int{Bits: uint64(1 + e.m.format(v.Args[1].Var))})
		for i, value := range values {
			e.word(r.values[i], value)
		}
		if r.msg != "" {
			e.ins(ptx.OpMov.Of(ptx.U64), r.msg, ptx.Int{})
		}
		return
	}
	switch msg := e.message(v); {
	case msg != "":
		e.ins(ptx.OpMov.Of(ptx.U64), r.msg, msg)
	case r.msg != "":
		e.ins(ptx.OpMov.Of(ptx.U64), r.msg, ptx.Int{})
	}
}

// asserted are the values that an assertion reports.
func (e *emitter) asserted(v *ir.Value) []*ir.Value {
	if v.Sub == ir.CheckAssert && len(v.Args) > 2 {
		return v.Args[2:]
	}
	return nil
}

// message is the variable that holds the text of an assertion or a panic, empty if there is none.
func (e *emitter) message(v *ir.Value) ptx.Name {
	if n := checked(v.Sub); n < len(v.Args) && v.Args[n].Op == ir.VarAddr {
		return ptx.Name(e.symbol(v.Args[n]))
	}
	return ""
}

// long is the integer v in 64 bits.
func (e *emitter) long(v *ir.Value) ptx.Operand {
	if v.Type == ir.I64 || inline(v) {
		return e.val(v)
	}
	t := e.temp(longClass)
	e.ins(ptx.OpCvt.Of(ptx.S64, ptx.S32), t, e.val(v))
	return t
}

// tail ends the thread. The first thread that comes here claims the fault record and writes it. The
// thread ends with exit and not with trap, which would take the whole context down. Threads that
// find the record claimed leave it alone: if each thread of a large grid did a compare-and-swap of
// one word, that would take seconds.
func (e *emitter) tail(r faultRegs) {
	rec, state, host := e.temp(longClass), e.temp(intClass), e.temp(longClass)
	none, lost := e.temp(predClass), e.temp(predClass)
	at := func(off int) ptx.Addr { return ptx.Addr{Base: rec, Offset: int64(off)} }
	const exit = faultTail + "_exit"
	e.ins(ptx.OpLd.Of(ptx.ParamSpace, ptx.U64), rec, ptx.Addr{Base: ptx.Name(abi.FaultParam)})
	e.ins(ptx.OpSetp.Of(ptx.ModEQ, ptx.U64), none, rec, ptx.Int{})
	e.guarded(none, false, ptx.OpBra.Of(), ptx.Name(exit))
	if e.syncsGrid {
		e.ins(ptx.OpSt.Of(ptx.ModRelaxed, ptx.ModSys, ptx.GlobalSpace, ptx.U32), at(abi.FaultOffEnded), ptx.Int{Bits: 1})
	}
	e.ins(ptx.OpLd.Of(ptx.ModRelaxed, ptx.ModSys, ptx.GlobalSpace, ptx.U32), state, at(abi.FaultOffState))
	e.ins(ptx.OpSetp.Of(ptx.ModNE, ptx.S32), lost, state, ptx.Int{Bits: abi.FaultFree})
	e.guarded(lost, false, ptx.OpBra.Of(), ptx.Name(exit))
	e.ins(ptx.OpAtom.Of(ptx.GlobalSpace, ptx.ModCAS, ptx.B32), state, at(abi.FaultOffState), ptx.Int{Bits: abi.FaultFree},
		ptx.Int{Bits: abi.FaultClaimed})
	e.ins(ptx.OpSetp.Of(ptx.ModNE, ptx.S32), lost, state, ptx.Int{Bits: abi.FaultFree})
	e.guarded(lost, false, ptx.OpBra.Of(), ptx.Name(exit))
	for _, s := range []struct {
		off int
		reg ptx.Name
	}{{abi.FaultOffKind, r.kind}, {abi.FaultOffFile, r.file}, {abi.FaultOffLine, r.line}, {abi.FaultOffCol, r.col}} {
		e.ins(ptx.OpSt.Of(ptx.GlobalSpace, ptx.U32), at(s.off), s.reg)
	}
	e.ins(ptx.OpSt.Of(ptx.GlobalSpace, ptx.U64), at(abi.FaultOffX), r.x)
	e.ins(ptx.OpSt.Of(ptx.GlobalSpace, ptx.U64), at(abi.FaultOffY), r.y)
	if r.msg != "" {
		e.ins(ptx.OpSt.Of(ptx.GlobalSpace, ptx.U64), at(abi.FaultOffMsg), r.msg)
	}
	for i, value := range r.values {
		e.ins(ptx.OpSt.Of(ptx.GlobalSpace, ptx.U64), at(abi.FaultOffArgs+8*i), value)
	}
	for i, dim := range []string{"x", "y", "z"} {
		for _, s := range []struct {
			off int
			reg string
		}{{abi.FaultOffTid, "%tid."}, {abi.FaultOffCtaid, "%ctaid."}} {
			t := e.temp(intClass)
			e.ins(ptx.OpMov.Of(ptx.U32), t, ptx.Name(s.reg+dim))
			e.ins(ptx.OpSt.Of(ptx.GlobalSpace, ptx.U32), at(s.off+4*i), t)
		}
	}
	e.ins(ptx.OpMembar.Of(ptx.ModSys))
	e.ins(ptx.OpSt.Of(ptx.ModRelaxed, ptx.ModSys, ptx.GlobalSpace, ptx.U32), at(abi.FaultOffState), ptx.Int{Bits: abi.FaultWritten})
	e.ins(ptx.OpLd.Of(ptx.GlobalSpace, ptx.U64), host, at(abi.FaultOffHost))
	e.ins(ptx.OpSetp.Of(ptx.ModEQ, ptx.U64), none, host, ptx.Int{})
	e.guarded(none, false, ptx.OpBra.Of(), ptx.Name(exit))
	e.ins(ptx.OpSt.Of(ptx.ModRelaxed, ptx.ModSys, ptx.GlobalSpace, ptx.U32), ptx.Addr{Base: host}, ptx.Int{Bits: 1})
	e.out = append(e.out, &ptx.Label{Name: exit})
	e.ins(ptx.OpExit.Of())
}
