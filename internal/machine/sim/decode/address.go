package decode

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

// placeParams places the parameters of a function: a kernel's are in the launch's parameters, and
// another function's in its frame of local memory.
func (d *decoder) placeParams(f *ptx.Func) {
	if f.Entry {
		for i, v := range f.Params {
			d.params[v] = memory.ParamWindow + uint64(d.kernel.Params[i])
		}
		return
	}
	for _, list := range [][]*ptx.Var{f.Results, f.Params} {
		for _, v := range list {
			if v.Space != ptx.RegSpace {
				d.placeLocal(v)
			}
		}
	}
	scope := d.image.scope.Func(f)
	d.fn.Results, d.fn.Params = d.formals(scope, f.Results), d.formals(scope, f.Params)
}

// formals returns the places of a function's formal parameters.
func (d *decoder) formals(s *ptx.Scope, vars []*ptx.Var) []code.Param {
	var list []code.Param
	for _, v := range vars {
		if v.Space == ptx.RegSpace {
			sym, _ := s.Lookup(v.Name)
			list = append(list, code.Param{Reg: d.register(sym), Num: sym.Reg})
			continue
		}
		list = append(list, code.Param{Off: d.locals[v], Size: uint32(v.Size())})
	}
	return list
}

// placeLocal lays out a variable of a function body. Only local variables and the parameters of
// calls are in the frame.
func (d *decoder) placeLocal(v *ptx.Var) {
	if v.Space != ptx.LocalSpace && v.Space != ptx.ParamSpace {
		return
	}
	align := max(v.Alignment(), 1)
	at := uint32(roundUp(memory.LocalBase+int(d.fn.Local), align) - memory.LocalBase)
	d.locals[v] = at
	if limit := int64(d.LocalBytes); v.Size() < 0 || int64(at)+v.Size() > limit {
		d.errs = append(d.errs, &Error{
			File: d.mod.Source.Name, Func: d.fn.Name, Pos: v.Pos, Text: v.Name,
			Msg: fmt.Sprintf("a thread has no more than %d bytes of local memory", limit),
		})
		return
	}
	d.fn.Local, d.fn.LocalAlign = at+uint32(v.Size()), max(d.fn.LocalAlign, uint32(align))
}

// addressOf returns a slot with the address of a variable, in its own state space, plus an offset.
// A parameter of a function has its generic address in local memory.
func (d *decoder) addressOf(v *ptx.Var, off int64) code.Slot {
	if v == nil {
		d.failf("not a variable")
	}
	switch v.Space {
	case ptx.SharedSpace:
		return d.constant(ptx.U64, d.shared[v]+uint64(off))
	case ptx.LocalSpace:
		return d.localAddress(v, off)
	case ptx.ParamSpace:
		if at, ok := d.params[v]; ok {
			return d.constant(ptx.U64, at+uint64(off))
		}
		return d.localAddress(v, memory.LocalWindow+off)
	}
	at, ok := d.Globals[v.Name]
	if !ok {
		d.failf("%s is declared extern and not defined", v.Name)
	}
	return d.constant(ptx.U64, at+uint64(off))
}

// genericAddress returns a slot with the generic address of a variable.
func (d *decoder) genericAddress(v *ptx.Var) code.Slot {
	switch v.Space {
	case ptx.SharedSpace:
		return d.addressOf(v, memory.SharedWindow)
	case ptx.LocalSpace:
		return d.addressOf(v, memory.LocalWindow)
	}
	return d.addressOf(v, 0)
}

// localAddress returns a slot with an address in the frame, which depends on the depth of calls.
func (d *decoder) localAddress(v *ptx.Var, off int64) code.Slot {
	at, ok := d.locals[v]
	if !ok {
		d.failf("%s is not a variable of this function", v.Name)
	}
	base := uint64(memory.LocalBase) + uint64(at) + uint64(off)
	if d.fn.Decl.Entry {
		return d.constant(ptx.U64, base)
	}
	return d.filled(code.Fill{Local: base}, 64)
}

// cvta converts between addresses of a state space and generic ones: it adds where the space
// begins.
func (d *decoder) cvta() {
	t := d.d.Type
	offset := memory.Windows[d.d.Space]
	src := d.operand(d.in.Args[1], t)
	dst := d.dest(d.in.Args[0], t)
	if d.d.Has("to") {
		offset = -offset
	}
	d.emit(step(ptx.OpAdd, ptx.U64), to(dst), src, d.constant(ptx.U64, offset))
}

// isspacep asks whether a generic address points into a state space.
func (d *decoder) isspacep() {
	p := d.dest(d.in.Args[0], ptx.Pred)
	d.emit(d.inst(), to(p), d.operand(d.in.Args[1], ptx.U64))
}

// mapa gives the address of a shared variable in another block of the cluster.
func (d *decoder) mapa() {
	t := d.d.Type
	d.emit(d.inst(), to(d.dest(d.in.Args[0], t)), d.operand(d.in.Args[1], t), d.operand(d.in.Args[2], ptx.U32))
}

// getctarank decodes the instruction that asks for the rank of the block whose shared memory has an
// address.
func (d *decoder) getctarank() {
	d.emit(d.inst(), to(d.dest(d.in.Args[0], ptx.U32)), d.operand(d.in.Args[1], d.d.Type))
}
