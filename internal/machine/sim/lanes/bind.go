package lanes

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Bind chooses the operation of an instruction that computes registers from registers; nil for any
// other. whole says that it computes all lanes of its destination, one slot of 32 or 64 bits,
// whoever runs it. An operation that is not whole writes the lanes of Warp.Exec only.
func Bind(in *code.Inst) (op Op, whole bool) {
	choose := operations[in.Op]
	if choose == nil {
		return nil, false
	}
	if in.Has(code.CarryOut) {
		return carried(in), false
	}
	if op = vectorOf(in); op == nil {
		op = choose(in)
	}
	return op, len(in.Dst) == 1 && in.Dst[0].Bits > 1 && in.Op != ptx.OpAddc && in.Op != ptx.OpSubc && in.Op != ptx.OpMadc
}

// Slots returns the offsets of an instruction's slots, for its operation.
func Slots(in *code.Inst) Inst {
	s := Inst{Imm: in.Imm}
	for i, to := range []*uint32{&s.D, &s.E} {
		if i < len(in.Dst) {
			*to = in.Dst[i].Off
		}
	}
	for i, to := range []*uint32{&s.A, &s.B, &s.C, &s.X} {
		if i < len(in.Args) {
			*to = in.Args[i].Off
		}
	}
	return s
}

// operations choose the operation of an instruction that computes, by Op. nil is none.
var operations = map[code.Op]func(d *code.Inst) Op{
	ptx.OpAdd: choice{ints: addInt, sat: of2(addSatS32), float: addFloat, short: addShort}.pick,
	ptx.OpSub: choice{ints: subInt, sat: of2(subSatS32), float: subFloat, short: subShort}.pick,
	ptx.OpMul: func(d *code.Inst) Op {
		return choice{ints: halves(d, mulLoInt, mulHiInt, mulWideInt), float: mulFloat, short: mulShort}.pick(d)
	},
	ptx.OpMad: func(d *code.Inst) Op {
		sat := of3(func(a, b, c int32) int32 { return addSatS32(mulHiS32(a, b), c) })
		return choice{ints: halves(d, madLoInt, madHiInt, madWideInt), sat: sat, float: fmaFloat}.pick(d)
	},
	ptx.OpFma:      choice{float: fmaFloat, short: fmaShort}.pick,
	ptx.OpMul24:    mul24,
	ptx.OpMad24:    mad24,
	ptx.OpSad:      choice{ints: sadInt}.pick,
	ptx.OpDiv:      choice{ints: divInt, float: divFloat}.pick,
	ptx.OpRem:      choice{ints: remInt}.pick,
	ptx.OpAbs:      choice{ints: absInt, float: absFloat, short: absShort}.pick,
	ptx.OpNeg:      choice{ints: negInt, float: negFloat, short: negShort}.pick,
	ptx.OpMin:      choice{ints: minInts, relu: minRelu, float: minFloat, short: minShort}.pick,
	ptx.OpMax:      choice{ints: maxInts, relu: maxRelu, float: maxFloat, short: maxShort}.pick,
	ptx.OpPopc:     choice{ints: popcBits}.pick,
	ptx.OpClz:      choice{ints: clzBits}.pick,
	ptx.OpBfind:    bfind,
	ptx.OpFns:      func(*code.Inst) Op { return of3(fns) },
	ptx.OpBrev:     choice{ints: brevBits}.pick,
	ptx.OpBfe:      choice{ints: bfeBits}.pick,
	ptx.OpBfi:      choice{ints: bfiBits}.pick,
	ptx.OpSzext:    szext,
	ptx.OpBmsk:     bmsk,
	ptx.OpDp4a:     dp4a,
	ptx.OpDp2a:     dp2a,
	ptx.OpCopysign: copysign,
	ptx.OpRcp:      rcpFloat,
	ptx.OpSqrt:     sqrtFloat,
	ptx.OpRsqrt:    rsqrtFloat,
	ptx.OpSin:      approximation,
	ptx.OpCos:      approximation,
	ptx.OpLg2:      approximation,
	ptx.OpEx2:      approximation,
	ptx.OpTanh:     approximation,
	ptx.OpTestp:    testp,
	ptx.OpSlct: func(d *code.Inst) Op {
		if d.Type.Bits() == 64 {
			return slct[uint64](d)
		}
		return slct[uint32](d)
	},
	ptx.OpAnd:  choice{ints: andBits}.pick,
	ptx.OpOr:   choice{ints: orBits}.pick,
	ptx.OpXor:  choice{ints: xorBits}.pick,
	ptx.OpNot:  choice{ints: notBits}.pick,
	ptx.OpCnot: choice{ints: cnotBits}.pick,
	ptx.OpShl:  choice{ints: shlBits}.pick,
	ptx.OpShr:  choice{ints: shrBits}.pick,
	ptx.OpShf:  funnel,
	ptx.OpPrmt: prmt,

	ptx.OpVadd:      videoScalar,
	ptx.OpVsub:      videoScalar,
	ptx.OpVabsdiff:  videoScalar,
	ptx.OpVmin:      videoScalar,
	ptx.OpVmax:      videoScalar,
	ptx.OpVshl:      videoScalar,
	ptx.OpVshr:      videoScalar,
	ptx.OpVmad:      videoMad,
	ptx.OpVset:      videoScalar,
	ptx.OpVadd2:     videoLanes,
	ptx.OpVsub2:     videoLanes,
	ptx.OpVavrg2:    videoLanes,
	ptx.OpVabsdiff2: videoLanes,
	ptx.OpVmin2:     videoLanes,
	ptx.OpVmax2:     videoLanes,
	ptx.OpVset2:     videoLanes,
	ptx.OpVadd4:     videoLanes,
	ptx.OpVsub4:     videoLanes,
	ptx.OpVavrg4:    videoLanes,
	ptx.OpVabsdiff4: videoLanes,
	ptx.OpVmin4:     videoLanes,
	ptx.OpVmax4:     videoLanes,
	ptx.OpVset4:     videoLanes,

	ptx.OpAddc: carried,
	ptx.OpSubc: carried,
	ptx.OpMadc: carried,

	ptx.OpSet:      setOf,
	ptx.OpSetp:     setpOf,
	ptx.OpSelp:     selpOf,
	ptx.OpLop3:     func(*code.Inst) Op { return lop3 },
	ptx.OpMov:      func(d *code.Inst) Op { return moves[d.Type] },
	ptx.OpCvt:      cvt,
	code.OpExtract: extraction,
	code.OpJoin:    join,
}

// choice finds an Op by the class of an instruction's type.
type choice struct {
	ints  byType
	sat   Op     // integer with .sat
	relu  byType // integer with .relu
	float func(*code.Inst) Op
	short func(*code.Inst, *softfloat.Format) Op // f16, bf16 and pairs of them
}

func (c choice) pick(d *code.Inst) Op {
	fm, isShort := shortFormats[d.Type]
	switch {
	case isShort:
		return c.short(d, fm)
	case d.Type.IsFloat():
		return c.float(d)
	case d.Has(code.Saturate):
		return c.sat
	case d.Has(code.ReLU):
		return c.relu[d.Type]
	}
	return c.ints[d.Type]
}

// halves chooses between the low and high half of a product, and all of it.
func halves(d *code.Inst, lo, hi, wide byType) byType {
	switch {
	case d.Has(code.Wide):
		return wide
	case d.Has(code.High):
		return hi
	}
	return lo
}

func addShort(d *code.Inst, f *softfloat.Format) Op { return short2(d, f, softfloat.AddOdd) }
func subShort(d *code.Inst, f *softfloat.Format) Op {
	return short2(d, f, func(a, b float64) float64 { return softfloat.AddOdd(a, -b) })
}
func mulShort(d *code.Inst, f *softfloat.Format) Op {
	return short2(d, f, func(a, b float64) float64 { return a * b })
}
func fmaShort(d *code.Inst, f *softfloat.Format) Op { return short3(d, f, mulAddOdd) }
func minShort(d *code.Inst, f *softfloat.Format) Op { return shortExtreme(d, f, lesser[float64]) }
func maxShort(d *code.Inst, f *softfloat.Format) Op { return shortExtreme(d, f, greater[float64]) }
func absShort(d *code.Inst, f *softfloat.Format) Op {
	return shortSign(d, f, 0x8000, 0)
}
func negShort(d *code.Inst, f *softfloat.Format) Op {
	return shortSign(d, f, 0, 0x8000)
}
