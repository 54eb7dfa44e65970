package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// Spaces finds out which state space each pointer points into. Then memory is accessed with
// ld.global or ld.shared if the space is known, and with a generic instruction only if not. A
// pointer has the space of its origin: a parameter, a variable, an Alloca. A phi or select of
// several spaces is generic, and so is a pointer loaded from memory. It is an optimistic data-flow
// analysis, as Wegman and Zadeck's of constants (1991): a pointer phi of a loop starts out with no
// space, not with all.
//
// Nil is address 0 in the generic and the global space, but may be the address of something in
// shared, local and constant memory: a pointer that is sometimes nil and sometimes shared is
// generic.
func Spaces(f *ir.Func) {
	order := f.Dominators().Order
	of := make([]spaceSet, f.NumValues())
	for changed := true; changed; {
		changed = false
		for _, b := range order {
			for _, v := range b.Instrs {
				if v.Type != ir.Ptr {
					continue
				}
				if s := spacesOf(f, v, of); s != of[v.ID] {
					of[v.ID] = s
					changed = true
				}
			}
		}
	}
	for _, b := range order {
		for _, v := range b.Instrs {
			if v.Type == ir.Ptr && !v.Accesses() {
				v.Space = of[v.ID].space()
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

// A spaceSet is the set of state spaces that a pointer may point into, one bit for each. It is
// empty while nothing is known, and only ever grows.
type spaceSet uint8

const (
	inGlobal spaceSet = 1 << iota
	inShared
	inLocal
	inConstant
	isNil
	anywhere
)

// inSpace is the set of one space.
func inSpace(s ir.Space) spaceSet {
	switch s {
	case ir.Global:
		return inGlobal
	case ir.Shared:
		return inShared
	case ir.Local:
		return inLocal
	case ir.Constant:
		return inConstant
	}
	return anywhere
}

// space is the space with which memory is accessed through a pointer.
func (s spaceSet) space() ir.Space {
	switch s {
	case inGlobal, inGlobal | isNil:
		return ir.Global
	case inShared:
		return ir.Shared
	case inLocal:
		return ir.Local
	case inConstant:
		return ir.Constant
	}
	return ir.Generic
}

// spacesOf is the set of a pointer, given the present sets of its arguments.
func spacesOf(f *ir.Func, v *ir.Value, of []spaceSet) spaceSet {
	switch v.Op {
	case ir.ParamVal:
		return inSpace(f.Params[v.Int].Space)
	case ir.VarAddr:
		return inSpace(v.Var.Space)
	case ir.Alloca:
		return inLocal
	case ir.NilPtr:
		return isNil
	case ir.PtrAdd:
		return of[v.Args[0].ID]
	case ir.Phi:
		var s spaceSet
		for _, a := range v.Args {
			s |= of[a.ID]
		}
		return s
	case ir.Select:
		return of[v.Args[1].ID] | of[v.Args[2].ID]
	}
	return anywhere
}
