package native

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file finds the floating-point results of a step whose NaNs may have any payload at first.
//
// A single's NaN needs its bits when anything reads those, which arithmetic does not. A double's NaN
// comes out of all arithmetic that reads it. So the code looks for NaNs among the last results
// only. If there are any it computes the strip again, with a look at each result. It has stored nothing
// until then.

// arithmetic reports whether an instruction computes floats whose NaNs do not depend on the bits of NaNs
// that it reads. In double precision it also gives a NaN of any NaN.
func arithmetic(in *code.Inst) bool {
	if in.Flags != 0 || in.Rounding != softfloat.Nearest {
		return false
	}
	switch in.Op {
	case ptx.OpAdd, ptx.OpSub, ptx.OpMul, ptx.OpDiv, ptx.OpFma, ptx.OpMad, ptx.OpSqrt, ptx.OpRcp:
		return in.Type == ptx.F32 || in.Type == ptx.F64
	case ptx.OpMin, ptx.OpMax, ptx.OpNeg, ptx.OpAbs:
		return in.Type == ptx.F32
	}
	return false
}

// lenient says of each instruction of a step whether NaNs among its results may have any payload.
func (s *step) lenient() []bool {
	list := make([]bool, len(s.insts))
	for i := range s.insts {
		list[i] = arithmetic(&s.insts[i]) && s.lenientAt(i)
	}
	return list
}

func (s *step) lenientAt(i int) bool {
	result, t := s.insts[i].Dst[0], s.insts[i].Type
	passesOn, overwritten := false, false
	for j := i + 1; j < len(s.insts) && !overwritten; j++ {
		in := &s.insts[j]
		for _, a := range in.Args {
			if a.Off != result.Off {
				continue
			}
			if in.Type != t || !arithmetic(in) && in.Op != ptx.OpSetp {
				return false
			}
			passesOn = passesOn || arithmetic(in)
		}
		for _, d := range in.Dst {
			overwritten = overwritten || d.Off == result.Off
		}
	}
	if t == ptx.F64 {
		return passesOn
	}
	return overwritten || !s.due[result.Off]
}
