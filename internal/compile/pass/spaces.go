package pass

import "github.com/gridstride/gridstride/internal/compile/ir"

// Spaces finds out which state space each pointer points into, so that memory is accessed with
// ld.global or ld.shared and never with a generic instruction where the space is known. A pointer
// has the space of what it is derived from: a parameter, a variable, an Alloca; a phi or select of
// several spaces is generic, and so is a pointer loaded from memory. It is an optimistic data-flow
// analysis (Wegman and Zadeck's lattice, 1991): a pointer phi of a loop starts out as unknown, not
// as generic.
//
// Nil is address 0 in the generic and the global space, but may be the address of something in
// shared and local memory: a pointer that is sometimes nil and sometimes shared is generic.
func Spaces(f *ir.Func) {
	order := f.Dominators().Order
	for _, b := range order {
		for _, v := range b.Instrs {
			switch {
			case v.Type != ir.Ptr:
			case v.Op == ir.ParamVal:
				v.Space = f.Params[v.Int].Space
			default:
				v.Space = ir.Unknown
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, b := range order {
			for _, v := range b.Instrs {
				if v.Type != ir.Ptr || v.Accesses() {
					continue
				}
				if s := spaceOf(v); s != v.Space {
					v.Space = s
					changed = true
				}
			}
		}
	}
	for _, b := range order {
		for _, v := range b.Instrs {
			if v.Type == ir.Ptr && !v.Accesses() && (v.Space == ir.Unknown || v.Space == nilSpace) {
				v.Space = ir.Generic
			}
		}
	}
	for _, b := range order {
		for _, v := range b.Instrs {
			if v.Accesses() {
				v.Space = v.Args[0].PointsTo()
			}
		}
	}
}

// nilSpace is the space of nil during inference.
const nilSpace = ir.ParamSpace

// spaceOf is the space of a pointer as its arguments' spaces stand. It only ever moves from Unknown
// to a space to Generic.
func spaceOf(v *ir.Value) ir.Space {
	switch v.Op {
	case ir.ParamVal:
		if v.Space == ir.Unknown {
			return ir.Generic
		}
		return v.Space
	case ir.VarAddr:
		return v.Var.Space
	case ir.Alloca:
		return ir.Local
	case ir.NilPtr:
		return nilSpace
	case ir.PtrAdd:
		return inferred(v.Args[0])
	case ir.Phi:
		s := ir.Unknown
		for _, a := range v.Args {
			s = joinSpaces(s, inferred(a))
		}
		return s
	case ir.Select:
		return joinSpaces(inferred(v.Args[1]), inferred(v.Args[2]))
	}
	return ir.Generic
}

func inferred(p *ir.Value) ir.Space {
	if p.Accesses() {
		return ir.Generic
	}
	return p.Space
}

func joinSpaces(a, b ir.Space) ir.Space {
	switch {
	case a == b || b == ir.Unknown:
		return a
	case a == ir.Unknown:
		return b
	case a == nilSpace && b == ir.Global, a == ir.Global && b == nilSpace:
		return ir.Global
	}
	return ir.Generic
}
