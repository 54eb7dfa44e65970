package sim

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/ptx"
)

// placeParams gives the parameters of a function their places: a kernel's lie in the launch's
// parameters, a function's in its frame of local memory.
func (d *decoder) placeParams(f *ptx.Func) {
	d.fills = map[string]slot{}
	if f.Entry {
		at := 0
		for _, v := range f.Params {
			at = roundUp(at, v.Alignment())
			d.params[v] = paramWindow + uint64(at)
			at += int(v.Size())
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
	d.fn.results, d.fn.params = d.places(scope, f.Results), d.places(scope, f.Params)
}

// place is where a parameter or an argument of a call is: a register slot, or bytes of the frame's
// local memory.
type place struct {
	reg  slot // bits 0: in memory
	num  int  // number of the register, -1 for a constant
	off  uint32
	size uint32
}

func (d *decoder) places(s *ptx.Scope, vars []*ptx.Var) []place {
	var list []place
	for _, v := range vars {
		if v.Space == ptx.RegSpace {
			sym, _ := s.Lookup(v.Name)
			list = append(list, place{reg: d.register(sym), num: sym.Reg})
			continue
		}
		list = append(list, place{off: d.locals[v], size: uint32(v.Size())})
	}
	return list
}

// placeLocal gives a variable of a function body its place. Only local variables and call
// parameters have one in the frame.
func (d *decoder) placeLocal(v *ptx.Var) {
	if v.Space != ptx.LocalSpace && v.Space != ptx.ParamSpace {
		return
	}
	at := uint32(roundUp(int(d.fn.frame.size), max(v.Alignment(), 1)))
	d.locals[v] = at
	if limit := int64(d.m.cfg.Limits.LocalBytes); v.Size() < 0 || int64(at)+v.Size() > limit {
		d.errs = append(d.errs, &LoadError{
			File: d.mod.Source.Name, Func: d.fn.name, Pos: v.Pos, Text: v.Name, Msg: fmt.Sprintf("a thread has no more than %d bytes of local memory", limit),
		})
		return
	}
	d.fn.frame.size = at + uint32(v.Size())
	d.fn.frame.stride = uint32(roundUp(int(d.fn.frame.size), frameAlign))
}

// address returns a slot with the address of a variable, in its own state space, plus an offset. A
// parameter of a function has the generic address of its place in local memory.
func (d *decoder) address(v *ptx.Var, off int64) slot {
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
		return d.localAddress(v, localWindow+off)
	}
	seg, ok := d.prog.globals[v.Name]
	if !ok {
		d.failf("%s is declared extern and not defined", v.Name)
	}
	return d.constant(ptx.U64, seg.base+uint64(off))
}

// genericAddress returns a slot with the generic address of a variable.
func (d *decoder) genericAddress(v *ptx.Var) slot {
	switch v.Space {
	case ptx.SharedSpace:
		return d.address(v, sharedWindow)
	case ptx.LocalSpace:
		return d.address(v, localWindow)
	}
	return d.address(v, 0)
}

// localAddress returns a slot with an address in the frame, which depends on the depth of calls.
func (d *decoder) localAddress(v *ptx.Var, off int64) slot {
	at, ok := d.locals[v]
	if !ok {
		d.failf("%s is not a variable of this function", v.Name)
	}
	base := uint64(localBase) + uint64(at) + uint64(off)
	if d.fn.decl.Entry {
		return d.constant(ptx.U64, base)
	}
	return d.filled(fmt.Sprintf("local %d", base), 64, same(func(_ *warp, f *frame) uint64 {
		return base + uint64(f.stack)
	}))
}

// windows are the generic addresses of the state spaces that have windows.
var windows = map[ptx.Space]uint64{ptx.SharedSpace: sharedWindow, ptx.LocalSpace: localWindow}

// cvta converts between addresses of a state space and generic ones.
func (d *decoder) cvta() {
	t := d.d.Type
	offset := windows[d.d.Space]
	src := d.source(d.in.Args[1], t)
	dst := d.dest(d.in.Args[0], t)
	if d.d.Has("to") {
		offset = -offset
	}
	d.compute(inst{run: add[uint64], a: src.off, b: d.constant(ptx.U64, offset).off}, dst)
}

// isspacep asks whether a generic address points into a state space.
func (d *decoder) isspacep() {
	space := d.d.Space
	p := d.dest(d.in.Args[0], ptx.Pred)
	a := d.source(d.in.Args[1], ptx.U64)
	d.emit(inst{a: a.off, d: p.off, run: func(w *warp, in *inst) {
		var m uint32
		for i, x := range reg[uint64](w, in.a) {
			m |= bit(w.wk.m.spaceOf(x) == space) << i
		}
		w.setPredicate(in.d, m)
	}})
}

// spaceOf is the state space that a generic address points into; what is nowhere counts as global,
// as on the GPU.
func (m *Machine) spaceOf(addr uint64) ptx.Space {
	switch addr &^ (windowSize - 1) {
	case sharedWindow:
		return ptx.SharedSpace
	case localWindow:
		return ptx.LocalSpace
	case paramWindow:
		return ptx.ParamSpace
	}
	if s := m.find(addr); s != nil && s.readOnly {
		return ptx.ConstSpace
	}
	return ptx.GlobalSpace
}

// mapa gives the address of a shared variable in another block of the cluster: a cluster is one
// block here.
func (d *decoder) mapa() {
	t := d.d.Type
	d.copy(d.dest(d.in.Args[0], t), d.source(d.in.Args[1], t))
}
