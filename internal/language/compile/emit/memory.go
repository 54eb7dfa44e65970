package emit

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// spaces are the state spaces of memory instructions. A generic access has none.
var spaces = map[ir.Space]ptx.Space{
	ir.Global: ptx.GlobalSpace, ir.Shared: ptx.SharedSpace, ir.Local: ptx.LocalSpace, ir.Constant: ptx.ConstSpace,
}

// symbol is the name of the variable that p, a VarAddr or an Alloca, points to. The variable is
// declared when it is first named.
func (e *emitter) symbol(p *ir.Value) string {
	key := any(p)
	if p.Op == ir.VarAddr {
		key = p.Var
	}
	if name, ok := e.symbols[key]; ok {
		return name
	}
	name := e.declare(p)
	e.symbols[key] = name
	return name
}

func (e *emitter) declare(p *ir.Value) string {
	if p.Op == ir.Alloca {
		name := e.local(p.Name, "local")
		e.varDecls = append(e.varDecls, &ptx.Var{Space: ptx.LocalSpace, Align: max(p.Align, 1), Type: ptx.B8,
			Name: name, Dims: []int{int(p.Size)}})
		return name
	}
	x := p.Var
	switch {
	case x.Dynamic:
		return e.m.dynamicShared(e.shared.align(x))
	case x.Space != ir.Shared:
		return e.m.constant(x)
	}
	name, t := e.local(x.Name, "shared"), elemType(x)
	e.varDecls = append(e.varDecls, &ptx.Var{Space: ptx.SharedSpace, Align: max(x.Align, 1), Type: t, Name: name,
		Dims: []int{int(x.Size) / t.Bytes()}, Shape: x.Type})
	return name
}

// elemType is the type of the elements as which a shared variable is declared.
func elemType(x *ir.Var) ptx.Type {
	if t, ok := memTypes[x.Elem]; ok && x.Elem != ir.MPtr && x.Size%int64(x.Elem.Size()) == 0 {
		return t
	}
	return ptx.B8
}

// local makes a name for a variable of the kernel from what a person calls it. The name differs
// from all names of the function and of the module, which it would hide, and from the parameters'.
func (e *emitter) local(name, otherwise string) string {
	base := clean(name, otherwise)
	name = base
	for i := 1; e.m.names[name] || e.locals[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	e.locals[name] = true
	e.m.hidden[name] = true
	return name
}

// clean makes a name of PTX of what a person calls something.
func clean(name, otherwise string) string {
	text := strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z') {
			return r
		}
		return '_'
	}, name)
	if strings.Trim(text, "_") == "" || text[0] >= '0' && text[0] <= '9' {
		text = otherwise + "_" + text
	}
	return strings.TrimSuffix(text, "_")
}

// location is the address operand for the pointer p.
func (e *emitter) location(p *ir.Value) ptx.Addr {
	a := e.address(p)
	switch {
	case a.symbol != "":
		return ptx.Addr{Base: ptx.Name(a.symbol), Offset: a.offset}
	case a.base == nil:
		return e.constantAddress(p, a.offset)
	}
	return ptx.Addr{Base: e.reg(a.base), Offset: a.offset}
}

// constantAddress is an address without a base: the address of nil. The code never runs, because a
// check before it fails, but no pass has seen that. PTX takes such an address as it is in local
// space only.
func (e *emitter) constantAddress(p *ir.Value, offset int64) ptx.Addr {
	at := ptx.Int{Bits: uint64(offset)}
	if p.PointsTo() == ir.Local {
		return ptx.Addr{Base: at}
	}
	reg := e.temp(classOf(p))
	e.mov(classOf(p), reg, at)
	return ptx.Addr{Base: reg}
}

// access is the opcode of a load or a store.
func access(op ptx.Op, v *ir.Value) ptx.Opcode {
	vector := map[int]ptx.Mod{2: ptx.ModV2, 4: ptx.ModV4}[v.Lanes]
	return op.Of(spaces[v.Args[0].PointsTo()], vector, memTypes[v.Mem])
}

func (e *emitter) load(v *ir.Value) {
	op := access(ptx.OpLd, v)
	switch {
	case v.Lanes > 1:
		e.ins(op, e.vector(v), e.location(v.Args[0]))
	case v.Type == ir.Bool:
		t := e.temp(intClass)
		e.ins(op, t, e.location(v.Args[0]))
		e.ins(ptx.OpSetp.Of(ptx.ModNE, ptx.S32), e.reg(v), t, ptx.Int{})
	default:
		e.ins(op, e.reg(v), e.location(v.Args[0]))
	}
}

// vector is the registers of the lanes of v.
func (e *emitter) vector(v *ir.Value) ptx.Vec {
	var dst ptx.Vec
	for i := range v.Lanes {
		if lane := e.laneOf(v, i); lane != nil {
			dst = append(dst, e.reg(lane))
		} else {
			dst = append(dst, e.temp(classOf(v)))
		}
	}
	return dst
}

// laneOf is the needed value of lane i of the vector load v, nil if there is none.
func (e *emitter) laneOf(v *ir.Value, i int) *ir.Value {
	lanes := e.lanes[v]
	if lanes == nil || lanes[i] == nil || !e.needed[lanes[i].ID] {
		return nil
	}
	return lanes[i]
}

func (e *emitter) store(v *ir.Value) {
	op := access(ptx.OpSt, v)
	x := v.Args[1]
	switch {
	case v.Lanes > 1:
		var src ptx.Vec
		for _, a := range v.Args[1:] {
			src = append(src, e.inReg(a))
		}
		e.ins(op, e.location(v.Args[0]), src)
	case x.Type == ir.Bool:
		e.ins(op, e.location(v.Args[0]), e.boolInt(x))
	case x.Type == ir.Ptr:
		e.ins(op, e.location(v.Args[0]), e.generic(x))
	default:
		e.ins(op, e.location(v.Args[0]), e.val(x))
	}
}

// boolInt is the Bool v as 0 or 1.
func (e *emitter) boolInt(v *ir.Value) ptx.Operand {
	if inline(v) {
		return e.val(v)
	}
	t := e.temp(intClass)
	e.ins(ptx.OpSelp.Of(ptx.B32), t, ptx.Int{Bits: 1}, ptx.Int{}, e.reg(v))
	return t
}

// paramVal reads a parameter, or a part of one that holds a struct.
func (e *emitter) paramVal(v *ir.Value) {
	p := e.f.Params[v.Int]
	from := ptx.Addr{Base: ptx.Name(p.Name)}
	if p.Value != nil {
		from = ptx.Addr{Base: ptx.Name(p.Value.Name), Offset: p.Offset}
	}
	if p.Value != nil && p.Value.Address {
		e.ins(ptx.OpMov.Of(ptx.U64), e.reg(v), ptx.Name(p.Value.Name))
		e.ins(ptx.OpCvta.Of(ptx.ParamSpace, ptx.U64), e.reg(v), e.reg(v))
		return
	}
	op := ptx.OpLd.Of(ptx.ParamSpace, memTypes[p.Mem])
	if p.Role == "len" {
		op = ptx.OpLd.Of(ptx.ParamSpace, ptx.U64)
	}
	if v.Type != ir.Bool {
		e.ins(op, e.reg(v), from)
		return
	}
	t := e.temp(intClass)
	e.ins(op, t, from)
	e.ins(ptx.OpSetp.Of(ptx.ModNE, ptx.S32), e.reg(v), t, ptx.Int{})
}

func (e *emitter) ptrAdd(v *ir.Value) {
	base, off := v.Args[0], v.Args[1]
	op := ptx.OpAdd.Of(ptx.S64)
	if v.Space == ir.Shared {
		op = ptx.OpAdd.Of(ptx.S32)
	}
	e.ins(op, e.reg(v), e.as(base, v), e.val(off))
}

// symbolAddress puts the address of a variable into a register, in the form of its space.
func (e *emitter) symbolAddress(v *ir.Value) {
	op := ptx.OpMov.Of(ptx.U64)
	if v.Space == ir.Shared {
		op = ptx.OpMov.Of(ptx.U32)
	}
	e.ins(op, e.reg(v), ptx.Name(e.symbol(v)))
	if at := e.inSymbol(v); at != 0 {
		e.ins(ptx.OpAdd.Of(ptx.S32), e.reg(v), e.reg(v), ptx.Int{Bits: uint64(at)})
	}
}

// mapShared maps a generic address: accesses through it are generic, as CUDA's are.
func (e *emitter) mapShared(v *ir.Value) {
	e.ins(ptx.OpMapa.Of(ptx.U64), e.reg(v), e.generic(v.Args[0]), e.val(v.Args[1]))
}

func (e *emitter) dynSize(v *ir.Value) {
	t := e.temp(intClass)
	e.ins(ptx.OpMov.Of(ptx.U32), t, ptx.Name("%dynamic_smem_size"))
	if n := e.shared.bytes; n > 0 {
		e.ins(ptx.OpSub.Of(ptx.U32), t, t, ptx.Int{Bits: uint64(n)})
	}
	e.ins(ptx.OpCvt.Of(ptx.U64, ptx.U32), e.reg(v), t)
}

// fence is membar. Every PTX version has it, and it is sequentially consistent where that makes a
// difference.
func (e *emitter) fence(v *ir.Value) {
	level := map[ir.Scope]ptx.Mod{ir.ScopeBlock: ptx.ModCTA, ir.ScopeDevice: ptx.ModGL, ir.ScopeSystem: ptx.ModSys}[v.Scope]
	e.ins(ptx.OpMembar.Of(level))
}
