package emit

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// atomicOps are the names of atomics, and their types by the width of a value.
var atomicOps = map[ir.Sub]struct {
	name  ptx.Mod
	typed func(ir.Type) ptx.Type
}{
	ir.AtomAdd:     {ptx.ModAdd, unsigned},
	ir.AtomMinS:    {ptx.ModMin, signed},
	ir.AtomMinU:    {ptx.ModMin, unsigned},
	ir.AtomMaxS:    {ptx.ModMax, signed},
	ir.AtomMaxU:    {ptx.ModMax, unsigned},
	ir.AtomAnd:     {ptx.ModAnd, untyped},
	ir.AtomOr:      {ptx.ModOr, untyped},
	ir.AtomXor:     {ptx.ModXor, untyped},
	ir.AtomExch:    {ptx.ModExch, untyped},
	ir.AtomCAS:     {ptx.ModCAS, untyped},
	ir.AtomInc:     {ptx.ModInc, unsigned},
	ir.AtomDec:     {ptx.ModDec, unsigned},
	ir.AtomAddF16:  {ptx.ModAdd, nil},
	ir.AtomAddBF16: {ptx.ModAdd, nil},
}

// halfAtomics are the types of atomics on numbers of 16 bits and on pairs of them.
var halfAtomics = map[ir.Sub][2]ptx.Type{
	ir.AtomAddF16: {ptx.F16, ptx.F16x2}, ir.AtomAddBF16: {ptx.BF16, ptx.BF16x2}, ir.AtomCAS: {ptx.B16},
}

// orders and scopes are PTX's qualifiers of order and of scope.
var (
	orders = map[ir.Order]ptx.Mod{
		ir.Relaxed: ptx.ModRelaxed, ir.Acquire: ptx.ModAcquire, ir.Release: ptx.ModRelease, ir.AcqRel: ptx.ModAcqRel,
	}
	scopes = map[ir.Scope]ptx.Mod{ir.ScopeBlock: ptx.ModCTA, ir.ScopeDevice: ptx.ModGPU, ir.ScopeSystem: ptx.ModSys}
)

// ordering is the order and the scope of v. An atomic that reads and changes is relaxed, with the
// scope of the device, where PTX says nothing of them, and every PTX version has that.
func ordering(v *ir.Value) (order, scope ptx.Mod) {
	if v.Op == ir.Atomic && v.Order == ir.Relaxed {
		if v.Scope == ir.ScopeDevice {
			return "", ""
		}
		return "", scopes[v.Scope]
	}
	return orders[v.Order], scopes[v.Scope]
}

// ordered is the opcode of an access with an order and a scope. rest follows the state space.
func ordered(op ptx.Op, v *ir.Value, rest ...ptx.Qualifier) ptx.Opcode {
	order, scope := ordering(v)
	return op.Of(append([]ptx.Qualifier{order, scope, spaces[v.Args[0].PointsTo()]}, rest...)...)
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
	rest := []ptx.Qualifier{a.name}
	switch {
	case v.Sub == ir.AtomAdd && v.Type.IsFloat():
		rest = append(rest, floating(v.Type))
	case a.typed == nil:
		rest = append(rest, ptx.ModNoftz, halfAtomics[v.Sub][1])
	default:
		rest = append(rest, a.typed(v.Type))
	}
	args := []ptx.Operand{e.location(v.Args[0])}
	for _, x := range v.Args[1:] {
		args = append(args, e.val(x))
	}
	if e.reduces(v) {
		e.ins(ordered(ptx.OpRed, v, rest...), args...)
		return
	}
	e.ins(ordered(ptx.OpAtom, v, rest...), append([]ptx.Operand{e.reg(v)}, args...)...)
}

// atomic128 exchanges, or compares and swaps, a register of 128 bits.
func (e *emitter) atomic128(v *ir.Value) {
	args := []ptx.Operand{e.location(v.Args[0])}
	for i := 1; i < len(v.Args); i += 2 {
		whole := e.temp(wideClass)
		e.ins(ptx.OpMov.Of(ptx.B128), whole, ptx.Vec{e.inReg(v.Args[i]), e.inReg(v.Args[i+1])})
		args = append(args, whole)
	}
	old := e.temp(wideClass)
	e.ins(ordered(ptx.OpAtom, v, atomicOps[v.Sub].name, ptx.B128), append([]ptx.Operand{old}, args...)...)
	e.ins(ptx.OpMov.Of(ptx.B128), e.vector(v), old)
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
		e.ins(ptx.OpCvt.Of(ptx.U16, ptx.U32), half, e.inReg(x))
		args = append(args, half)
	}
	flush := ptx.ModNoftz
	if v.Sub == ir.AtomCAS {
		flush = ""
	}
	rest := []ptx.Qualifier{atomicOps[v.Sub].name, flush, halfAtomics[v.Sub][0]}
	if e.reduces(v) {
		e.ins(ordered(ptx.OpRed, v, rest...), args...)
		return
	}
	old := e.temp(halfClass)
	e.ins(ordered(ptx.OpAtom, v, rest...), append([]ptx.Operand{old}, args...)...)
	e.ins(extend(v.Mem), e.reg(v), old)
}

// extend is the conversion of a small integer in memory to its normal form of 32 bits.
func extend(m ir.Mem) ptx.Opcode {
	switch m {
	case ir.S8:
		return ptx.OpCvt.Of(ptx.S32, ptx.S8)
	case ir.S16:
		return ptx.OpCvt.Of(ptx.S32, ptx.S16)
	}
	if m.Size() == 1 {
		return ptx.OpCvt.Of(ptx.U32, ptx.U8)
	}
	return ptx.OpCvt.Of(ptx.U32, ptx.U16)
}

// atomic8 compares and swaps a byte, which PTX does not have, by compare-and-swaps of the word
// around it. It tries until one succeeds or the byte differs. The first try assumes that the rest
// of the word is zero. If it is not, the try fails and returns the word. The simulator learns which
// byte is meant, so that it sees no access to the other bytes.
func (e *emitter) atomic8(v *ir.Value) {
	at, space := e.addressInReg(v.Args[0]), v.Args[0].PointsTo()
	word, shift := e.wordAround(at, space)
	mask, want, flip := e.temp(intClass), e.temp(intClass), e.temp(intClass)
	e.ins(ptx.OpMov.Of(ptx.B32), mask, ptx.Int{Bits: 0xff})
	e.ins(ptx.OpShl.Of(ptx.B32), mask, mask, shift)
	e.ins(ptx.OpShl.Of(ptx.B32), want, e.inReg(v.Args[1]), shift)
	e.ins(ptx.OpAnd.Of(ptx.B32), want, want, mask) // the byte looked for, in its place
	e.ins(ptx.OpShl.Of(ptx.B32), flip, e.inReg(v.Args[2]), shift)
	e.ins(ptx.OpAnd.Of(ptx.B32), flip, flip, mask)
	e.ins(ptx.OpXor.Of(ptx.B32), flip, flip, want) // the bits that change

	guess, found, next, rest := e.temp(intClass), e.temp(intClass), e.temp(intClass), e.temp(intClass)
	done := e.temp(predClass)
	e.byteOps++
	again, end := fmt.Sprintf("$byte%d", e.byteOps), fmt.Sprintf("$byte%d_end", e.byteOps)
	e.ins(ptx.OpMov.Of(ptx.B32), guess, want)
	e.out = append(e.out, &ptx.Label{Name: again})
	e.ins(ptx.OpXor.Of(ptx.B32), next, guess, flip)
	e.ins(ordered(ptx.OpAtom, v, ptx.ModCAS, ptx.B32), found, ptx.Addr{Base: word}, guess, next).Byte = string(at)
	e.ins(ptx.OpSetp.Of(ptx.ModEQ, ptx.S32), done, found, guess)
	e.guarded(done, false, ptx.OpBra.Of(), ptx.Name(end))
	e.ins(ptx.OpMov.Of(ptx.B32), guess, found)
	e.ins(ptx.OpAnd.Of(ptx.B32), rest, found, mask)
	e.ins(ptx.OpSetp.Of(ptx.ModEQ, ptx.S32), done, rest, want)
	e.guarded(done, false, ptx.OpBra.Of(), ptx.Name(again))
	e.out = append(e.out, &ptx.Label{Name: end})
	e.ins(ptx.OpShr.Of(ptx.U32), found, found, shift)
	e.ins(extend(v.Mem), e.reg(v), found)
}

// wordAround is the address of the word that holds the byte at an address, and where in the word
// the byte begins, in bits.
func (e *emitter) wordAround(at ptx.Name, space ir.Space) (word, shift ptx.Name) {
	shift = e.temp(intClass)
	if space == ir.Shared {
		word = e.temp(intClass)
		e.ins(ptx.OpAnd.Of(ptx.B32), word, at, ptx.Int{Bits: ^uint64(3)})
		e.ins(ptx.OpAnd.Of(ptx.B32), shift, at, ptx.Int{Bits: 3})
	} else {
		word = e.temp(longClass)
		e.ins(ptx.OpAnd.Of(ptx.B64), word, at, ptx.Int{Bits: ^uint64(3)})
		e.ins(ptx.OpCvt.Of(ptx.U32, ptx.U64), shift, at)
		e.ins(ptx.OpAnd.Of(ptx.B32), shift, shift, ptx.Int{Bits: 3})
	}
	e.ins(ptx.OpShl.Of(ptx.B32), shift, shift, ptx.Int{Bits: 3})
	return word, shift
}

// addressInReg is the pointer p in a register, in the form of its space.
func (e *emitter) addressInReg(p *ir.Value) ptx.Name {
	at, class := e.location(p), classOf(p)
	base := at.Base.(ptx.Name)
	if e.address(p).symbol == "" && at.Offset == 0 {
		return base
	}
	t, typ := e.temp(class), ir.I64
	if class == intClass {
		typ = ir.I32
	}
	if e.address(p).symbol != "" {
		e.ins(ptx.OpMov.Of(unsigned(typ)), t, base)
		base = t
	}
	if at.Offset != 0 {
		e.ins(ptx.OpAdd.Of(signed(typ)), t, base, ptx.Int{Bits: uint64(at.Offset)})
	}
	return t
}

// atomicLoad and atomicStore are strong accesses: each reads or writes at its place in the program,
// whatever is known of the memory.

func (e *emitter) atomicLoad(v *ir.Value) {
	e.ins(ordered(ptx.OpLd, v, memTypes[v.Mem]), e.reg(v), e.location(v.Args[0]))
}

func (e *emitter) atomicStore(v *ir.Value) {
	e.ins(ordered(ptx.OpSt, v, memTypes[v.Mem]), e.location(v.Args[0]), e.val(v.Args[1]))
}
