package emit

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// atomicOps are the names and the types of atomics: the letter before the width, or the whole type.
var atomicOps = map[ir.Sub]struct{ name, typ string }{
	ir.AtomAdd: {"add", "u"}, ir.AtomMinS: {"min", "s"}, ir.AtomMinU: {"min", "u"}, ir.AtomMaxS: {"max", "s"},
	ir.AtomMaxU: {"max", "u"},
	ir.AtomAnd:  {"and", "b"}, ir.AtomOr: {"or", "b"}, ir.AtomXor: {"xor", "b"}, ir.AtomExch: {"exch", "b"},
	ir.AtomCAS: {"cas", "b"},
	ir.AtomInc: {"inc", "u"}, ir.AtomDec: {"dec", "u"},
	ir.AtomAddF16: {"add.noftz", "f16"}, ir.AtomAddBF16: {"add.noftz", "bf16"},
}

// orderNames and scopeNames are PTX's qualifiers of order and of scope.
var (
	orderNames = map[ir.Order]string{
		ir.Relaxed: ".relaxed", ir.Acquire: ".acquire", ir.Release: ".release", ir.AcqRel: ".acq_rel",
	}
	scopeNames = map[ir.Scope]string{ir.ScopeBlock: ".cta", ir.ScopeDevice: ".gpu", ir.ScopeSystem: ".sys"}
)

// ordering is the order and the scope of v. An atomic that reads and changes is relaxed, with the
// scope of the device, where PTX says nothing of them, and every PTX version has that.
func ordering(v *ir.Value) string {
	if v.Op == ir.Atomic && v.Order == ir.Relaxed {
		if v.Scope == ir.ScopeDevice {
			return ""
		}
		return scopeNames[v.Scope]
	}
	return orderNames[v.Order] + scopeNames[v.Scope]
}

func (e *emitter) atomic(v *ir.Value) {
	switch {
	case v.Lanes > 0:
		e.atomic128(v)
		return
	case v.Mem.Size() == 2:
		e.atomic16(v)
		return
	case v.Mem.Size() == 1:
		e.atomic8(v)
		return
	}
	a := atomicOps[v.Sub]
	typ := a.typ + width(v.Type)
	switch {
	case v.Sub == ir.AtomAdd && v.Type.IsFloat():
		typ = "f" + width(v.Type)
	case v.Sub == ir.AtomAddF16 || v.Sub == ir.AtomAddBF16:
		typ = a.typ + "x2"
	}
	tail := ordering(v) + spaceSuffix[v.Args[0].PointsTo()] + "." + a.name + "." + typ
	args := []ptx.Operand{e.location(v.Args[0])}
	for _, x := range v.Args[1:] {
		args = append(args, e.val(x))
	}
	if e.reduces(v) {
		e.ins("red"+tail, args...)
		return
	}
	e.ins("atom"+tail, append([]ptx.Operand{e.reg(v)}, args...)...)
}

// atomic128 exchanges, or compares and swaps, a register of 128 bits.
func (e *emitter) atomic128(v *ir.Value) {
	args := []ptx.Operand{e.location(v.Args[0])}
	for i := 1; i < len(v.Args); i += 2 {
		whole := e.temp(wideClass)
		e.ins("mov.b128", whole, ptx.Vec{e.inReg(v.Args[i]), e.inReg(v.Args[i+1])})
		args = append(args, whole)
	}
	old := e.temp(wideClass)
	tail := ordering(v) + spaceSuffix[v.Args[0].PointsTo()] + "." + atomicOps[v.Sub].name + ".b128"
	e.ins("atom"+tail, append([]ptx.Operand{old}, args...)...)
	e.ins("mov.b128", e.vector(v), old)
}

// reduces reports whether an atomic may be a red, which gives no old value.
func (e *emitter) reduces(v *ir.Value) bool {
	return e.uses[v.ID] == 0 && v.Sub != ir.AtomExch && v.Sub != ir.AtomCAS && !v.Order.Acquires()
}

// atomic16 compares and swaps, or adds, in a register of 16 bits.
func (e *emitter) atomic16(v *ir.Value) {
	args := []ptx.Operand{e.location(v.Args[0])}
	for _, x := range v.Args[1:] {
		half := e.temp(halfClass)
		e.ins("cvt.u16.u32", half, e.inReg(x))
		args = append(args, half)
	}
	a := atomicOps[v.Sub]
	typ := a.typ
	if v.Sub == ir.AtomCAS {
		typ += "16"
	}
	tail := ordering(v) + spaceSuffix[v.Args[0].PointsTo()] + "." + a.name + "." + typ
	if e.reduces(v) {
		e.ins("red"+tail, args...)
		return
	}
	old := e.temp(halfClass)
	e.ins("atom"+tail, append([]ptx.Operand{old}, args...)...)
	e.ins(extend(v.Mem, "16"), e.reg(v), old)
}

// extend is the conversion of a small integer in memory to its normal form of 32 bits.
func extend(m ir.Mem, bits string) string {
	if m == ir.S8 || m == ir.S16 {
		return "cvt.s32.s" + bits
	}
	return "cvt.u32.u" + bits
}

// atomic8 compares and swaps a byte, which PTX does not have, by compare-and-swaps of the word
// around it. It tries until one succeeds or the byte differs. The first try assumes that the rest
// of the word is zero. If it is not, the try fails and returns the word. The simulator learns which
// byte is meant, so that it sees no access to the other bytes.
func (e *emitter) atomic8(v *ir.Value) {
	at, space := e.addressInReg(v.Args[0]), v.Args[0].PointsTo()
	word, shift := e.wordAround(at, space)
	mask, want, flip := e.temp(intClass), e.temp(intClass), e.temp(intClass)
	e.ins("mov.b32", mask, ptx.Int{Bits: 0xff})
	e.ins("shl.b32", mask, mask, shift)
	e.ins("shl.b32", want, e.inReg(v.Args[1]), shift)
	e.ins("and.b32", want, want, mask) // the byte looked for, in its place
	e.ins("shl.b32", flip, e.inReg(v.Args[2]), shift)
	e.ins("and.b32", flip, flip, mask)
	e.ins("xor.b32", flip, flip, want) // the bits that change

	guess, found, next, rest := e.temp(intClass), e.temp(intClass), e.temp(intClass), e.temp(intClass)
	done := e.temp(predClass)
	e.byteOps++
	again, end := fmt.Sprintf("$byte%d", e.byteOps), fmt.Sprintf("$byte%d_end", e.byteOps)
	e.ins("mov.b32", guess, want)
	e.out = append(e.out, &ptx.Label{Name: again})
	e.ins("xor.b32", next, guess, flip)
	e.ins("atom"+ordering(v)+spaceSuffix[space]+".cas.b32", found, ptx.Addr{Base: word}, guess, next).Byte = string(at)
	e.ins("setp.eq.s32", done, found, guess)
	e.guarded(done, false, "bra", ptx.Name(end))
	e.ins("mov.b32", guess, found)
	e.ins("and.b32", rest, found, mask)
	e.ins("setp.eq.s32", done, rest, want)
	e.guarded(done, false, "bra", ptx.Name(again))
	e.out = append(e.out, &ptx.Label{Name: end})
	e.ins("shr.u32", found, found, shift)
	e.ins(extend(v.Mem, "8"), e.reg(v), found)
}

// wordAround is the address of the word that holds the byte at an address, and where in the word
// the byte begins, in bits.
func (e *emitter) wordAround(at ptx.Name, space ir.Space) (word, shift ptx.Name) {
	shift = e.temp(intClass)
	if space == ir.Shared {
		word = e.temp(intClass)
		e.ins("and.b32", word, at, ptx.Int{Bits: ^uint64(3)})
		e.ins("and.b32", shift, at, ptx.Int{Bits: 3})
	} else {
		word = e.temp(longClass)
		e.ins("and.b64", word, at, ptx.Int{Bits: ^uint64(3)})
		e.ins("cvt.u32.u64", shift, at)
		e.ins("and.b32", shift, shift, ptx.Int{Bits: 3})
	}
	e.ins("shl.b32", shift, shift, ptx.Int{Bits: 3})
	return word, shift
}

// addressInReg is the pointer p in a register, in the form of its space.
func (e *emitter) addressInReg(p *ir.Value) ptx.Name {
	at, class := e.location(p), classOf(p)
	base := at.Base.(ptx.Name)
	if e.address(p).symbol == "" && at.Offset == 0 {
		return base
	}
	t, typ := e.temp(class), "64"
	if class == intClass {
		typ = "32"
	}
	if e.address(p).symbol != "" {
		e.ins("mov.u"+typ, t, base)
		base = t
	}
	if at.Offset != 0 {
		e.ins("add.s"+typ, t, base, ptx.Int{Bits: uint64(at.Offset)})
	}
	return t
}

// atomicLoad and atomicStore are strong accesses: each reads or writes at its place in the program,
// whatever is known of the memory.

func (e *emitter) atomicLoad(v *ir.Value) {
	e.ins("ld"+ordering(v)+spaceSuffix[v.Args[0].PointsTo()]+"."+string(memTypes[v.Mem]), e.reg(v), e.location(v.Args[0]))
}

func (e *emitter) atomicStore(v *ir.Value) {
	e.ins("st"+ordering(v)+spaceSuffix[v.Args[0].PointsTo()]+"."+string(memTypes[v.Mem]), e.location(v.Args[0]), e.val(v.Args[1]))
}
