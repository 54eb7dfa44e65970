package gen

import (
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
)

// intrinsics are the functions of some groups of package gpu that programs call.
func intrinsics(groups ...abi.Group) []abi.Intrinsic {
	var list []abi.Intrinsic
	for _, in := range abi.Intrinsics {
		if slices.Contains(groups, in.Group) && in.Unfuzzed == "" {
			list = append(list, in)
		}
	}
	return list
}

// available returns the functions of groups that the kernel's target has.
func (g *gen) available(groups ...abi.Group) []abi.Intrinsic {
	return slices.DeleteFunc(intrinsics(groups...), func(in abi.Intrinsic) bool { return !g.has(in.Needs) })
}

// has reports whether the kernel's target has what needs another.
func (g *gen) has(needs abi.Target) bool {
	target := abi.OldestTarget
	if g.target != "" {
		target, _ = abi.ParseTarget(g.target)
	}
	return target.Has(needs)
}

// intrinsicCall is a call of a function of package gpu. value makes an operand of type T, and addr
// is the address that an atomic changes.
func (g *gen) intrinsicCall(in abi.Intrinsic, value func() string, addr string) string {
	var args []string
	last := ""
	for _, p := range in.Params() {
		switch {
		case p.Name == "how":
			last = g.ordering(in)
		case p.Name == "mask":
			args = append(args, "gpu.FullMask")
		case p.Name == "sign" && p.Type == "T": // which sign a NaN has is not defined
			args = append(args, g.helper("number")+"("+value()+")")
		case p.Name == "n" && in.Group == abi.Mathematics: // the order of a Bessel function: its time grows with it
			args = append(args, "("+g.operand(tInt, 1)+" % 8)")
		case p.Name == "old" && g.chance(50): // the present value, so that it is exchanged
			args = append(args, addr[1:])
		case p.Type == "T":
			args = append(args, value())
		case strings.HasPrefix(p.Type, "*"):
			args = append(args, addr)
		default:
			args = append(args, g.operand(predeclared[p.Type], 1))
		}
	}
	return "gpu." + in.Name + "(" + strings.Join(args, ", ") + last + ")"
}

// predeclared are the types of parameters and results that are not T.
var predeclared = map[string]*typ{"int": tInt, "uint32": tUint32, "bool": tBool, "Uint64x2": tUint64x2}

// satisfying is a type of a constraint of package gpu.
func (g *gen) satisfying(constraint string) *typ {
	switch constraint {
	case "Integer":
		return pick(g, integers...)
	case "Number":
		return pick(g, slices.Concat(integers, floats)...)
	case "Atomic", "Bitwise":
		if g.shorts != nil && g.chance(60) {
			return pick(g, atomicHalves...)
		}
		if constraint == "Atomic" {
			return g.satisfying("Number")
		}
		return g.satisfying("Integer")
	}
	panic("BUG: no type for constraint " + constraint)
}

// atomicHalves are the numbers of 16 bits, and pairs of them, that atomics are for.
var atomicHalves = []*typ{tFloat16, tBFloat16, tFloat16x2, tBFloat16x2}

// exchangeable is a type whose values lanes show each other: of at most 32 bytes. Whether two are
// equal is not asked of floating-point numbers, as it is not defined which NaN an operation gives.
func (g *gen) exchangeable(compared bool) *typ {
	for range 8 {
		t := pick(g, scalars...)
		if c := g.comparable(); c != nil && g.chance(60) {
			t = c
		}
		if size, _ := t.size(); size <= 32 && !(compared && t.anyFloat()) {
			return t
		}
	}
	return tInt16
}

// typeOf is the type of a parameter or result where T is t; nil if there is no result.
func typeOf(name string, t *typ) *typ {
	if name == "T" {
		return t
	}
	return predeclared[name]
}

// warpCall is a call that all threads of a warp make together, or of an index of theirs.
func (g *gen) warpCall() {
	in := pick(g, intrinsics(abi.Warp, abi.Position)...)
	t := tInt
	switch in.Constraint() {
	case "":
	case "any":
		t = g.exchangeable(strings.HasPrefix(in.Name, "Match"))
	default:
		t = g.satisfying(in.Constraint())
	}
	call := g.intrinsicCall(in, func() string { return g.expr(t, 2) }, "")
	result := typeOf(in.ResultType(), t)
	if result == nil {
		g.emit("%s", call)
		return
	}
	name := g.name("v")
	g.emit("%s := %s", name, call)
	g.declare(name, result)
}
