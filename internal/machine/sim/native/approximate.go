package native

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has the instructions that approximate, in single precision: what each asks the function unit
// (unit.go, unit_functions.go) for, and without .ftz how it scales arguments and results. They take the steps
// of package mufu.

// approximations are by the operation.
var approximations = map[code.Op]func(u *unit, ftz bool){
	ptx.OpRcp: (*unit).reciprocal, ptx.OpRsqrt: (*unit).inverseRoot, ptx.OpSqrt: (*unit).root,
	ptx.OpEx2: (*unit).power, ptx.OpLg2: (*unit).logarithm, ptx.OpTanh: (*unit).tangent,
	ptx.OpSin: func(u *unit, _ bool) { u.turns(0) }, ptx.OpCos: func(u *unit, _ bool) { u.turns(1) },
}

// approximationOf is the emitter of an approximation, nil for another instruction.
func approximationOf(in *code.Inst) emitter {
	const modifiers = code.Approx | code.Full | code.FTZ | code.Saturate
	if in.Type != ptx.F32 || in.Flags&(code.Approx|code.Full) == 0 || in.Flags&^modifiers != 0 || in.Rounding != softfloat.Nearest {
		return nil
	}
	if in.Op == ptx.OpDiv {
		return quotientApproximated
	}
	if f := approximations[in.Op]; f != nil && in.Has(code.Approx) {
		return func(t *strip, in *code.Inst) {
			u := t.unit(in, t.in32(in.Args[0]))
			f(u, in.Has(code.FTZ))
			t.finish(in, u.d)
		}
	}
	return nil
}

// The instructions scale arguments that the unit does not take, and scale results back.

// scale multiplies b by a constant where magnitudes of v compare with another one. q has the factors.
func (u *unit) scale(v Vec, bound word, how byte, by word) {
	u.magnitudes(v)
	u.spread(scratch, bound)
	u.where(VCMPPS, scratch, u.p, scratch, how)
	u.spread(scratch2, by)
	u.choose(VBLENDVPS, u.q, u.q, scratch2, scratch)
}

// magnitudes puts the magnitudes of v into p.
func (u *unit) magnitudes(v Vec) {
	u.spread(u.p, magnitude32)
	u.V3(VPAND, u.p, u.p, v)
}

const (
	below = 0x11 // of vcmpps: less, ordered
	above = 0x1e
)

// factors puts into q the factors of arguments and results: 1 where no scaling holds.
func (u *unit) factors(scalings ...[3]word) (f Vec) {
	u.spread(u.q, one32)
	for _, s := range scalings {
		how := byte(below)
		if s[0] == most126 {
			how = above
		}
		u.scale(u.b, s[0], how, s[1])
	}
	return u.q
}

func (u *unit) reciprocal(ftz bool) {
	if ftz {
		u.rcp()
		return
	}
	f := u.take()
	u.V2(VMOVDQA, f, u.factors([3]word{least32, scaled24}, [3]word{most126, scaledBack2}))
	u.V3(VMULPS, u.b, u.b, f)
	u.rcp()
	u.V3(VMULPS, u.d, u.d, f)
}

// scaledRoot makes the code of a root of numbers that it scales by 2^24 if they are subnormal.
func (u *unit) scaledRoot(root func(), back word) {
	f := u.take()
	u.V2(VMOVDQA, f, u.factors([3]word{least32, scaled24}))
	u.V3(VMULPS, u.b, u.b, f)
	root()
	u.spread(scratch2, one32)
	u.V3(VPCMPEQD, scratch, f, scratch2)
	u.spread(u.p, back)
	u.Blend(VBLENDVPS, u.p, u.p, scratch2, scratch)
	u.V3(VMULPS, u.d, u.d, u.p)
}

func (u *unit) inverseRoot(ftz bool) {
	if ftz {
		u.rsq()
		return
	}
	u.scaledRoot(u.rsq, scaled12)
}

func (u *unit) root(ftz bool) {
	if ftz {
		u.sqrt()
		return
	}
	u.scaledRoot(u.sqrt, scaledBack12)
}

// power squares the power of half of an argument below -126.
func (u *unit) power(ftz bool) {
	if ftz {
		u.exp()
		return
	}
	f := u.take()
	u.spread(scratch, less126)
	u.where(VCMPPS, scratch, u.b, scratch, below)
	u.spread(f, one32)
	u.spread(scratch2, half32)
	u.choose(VBLENDVPS, f, f, scratch2, scratch)
	u.V3(VMULPS, u.b, u.b, f)
	u.exp()
	u.V3(VMULPS, u.p, u.d, u.d)
	u.spread(scratch2, half32)
	u.V3(VPCMPEQD, scratch, scratch2, f)
	u.replace(u.p, scratch)
}

func (u *unit) logarithm(ftz bool) {
	if ftz {
		u.log()
		return
	}
	f := u.take()
	u.V2(VMOVDQA, f, u.factors([3]word{least32, scaled24}))
	u.V3(VMULPS, u.b, u.b, f)
	u.log()
	u.spread(scratch2, less24)
	u.V3(VADDPS, u.p, u.d, scratch2)
	u.spread(scratch2, scaled24)
	u.V3(VPCMPEQD, scratch, scratch2, f)
	u.replace(u.p, scratch)
}

// quotientApproximated is mufu.Div and mufu.DivFull.
func quotientApproximated(t *strip, in *code.Inst) {
	x, y := t.float(in, 0), t.in32(in.Args[1])
	u := t.unit(in, y)
	f := t.take()
	var scalings [][3]word
	if !in.Has(code.FTZ) {
		scalings = append(scalings, [3]word{least32, scaled24})
	}
	if in.Has(code.Full) {
		scalings = append(scalings, [3]word{most126, scaledBack2})
	}
	t.V2(VMOVDQA, f, u.factors(scalings...))
	t.V3(VMULPS, u.b, u.b, f)
	u.rcp()
	t.V3(VMULPS, f, f, x)
	t.V3(VMULPS, u.d, u.d, f)
	t.finish(in, u.d)
}
