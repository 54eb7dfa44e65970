package lanes

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
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
	return op, len(in.Dst) == 1 && in.Dst[0].Bits > 1 && in.Op != code.OpAddc && in.Op != code.OpSubc && in.Op != code.OpMadc
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
	code.OpAdd: choice{ints: addInt, sat: of2(addSatS32), float: addFloat, short: addShort}.pick,
	code.OpSub: choice{ints: subInt, sat: of2(subSatS32), float: subFloat, short: subShort}.pick,
	code.OpMul: func(d *code.Inst) Op {
		return choice{ints: halves(d, mulLoInt, mulHiInt, mulWideInt), float: mulFloat, short: mulShort}.pick(d)
	},
	code.OpMad: func(d *code.Inst) Op {
		sat := of3(func(a, b, c int32) int32 { return addSatS32(mulHiS32(a, b), c) })
		return choice{ints: halves(d, madLoInt, madHiInt, madWideInt), sat: sat, float: fmaFloat}.pick(d)
	},
	code.OpFma:      choice{float: fmaFloat, short: fmaShort}.pick,
	code.OpMul24:    mul24,
	code.OpMad24:    mad24,
	code.OpSad:      choice{ints: sadInt}.pick,
	code.OpDiv:      choice{ints: divInt, float: divFloat}.pick,
	code.OpRem:      choice{ints: remInt}.pick,
	code.OpAbs:      choice{ints: absInt, float: absFloat, short: absShort}.pick,
	code.OpNeg:      choice{ints: negInt, float: negFloat, short: negShort}.pick,
	code.OpMin:      choice{ints: minInts, relu: minRelu, float: minFloat, short: minShort}.pick,
	code.OpMax:      choice{ints: maxInts, relu: maxRelu, float: maxFloat, short: maxShort}.pick,
	code.OpPopc:     choice{ints: popcBits}.pick,
	code.OpClz:      choice{ints: clzBits}.pick,
	code.OpBfind:    bfind,
	code.OpFns:      func(*code.Inst) Op { return of3(fns) },
	code.OpBrev:     choice{ints: brevBits}.pick,
	code.OpBfe:      choice{ints: bfeBits}.pick,
	code.OpBfi:      choice{ints: bfiBits}.pick,
	code.OpSzext:    szext,
	code.OpBmsk:     bmsk,
	code.OpDp4a:     dp4a,
	code.OpDp2a:     dp2a,
	code.OpCopysign: copysign,
	code.OpRcp:      rcpFloat,
	code.OpSqrt:     sqrtFloat,
	code.OpRsqrt:    rsqrtFloat,
	code.OpSin:      approximation,
	code.OpCos:      approximation,
	code.OpLg2:      approximation,
	code.OpEx2:      approximation,
	code.OpTanh:     approximation,
	code.OpTestp:    testp,
	code.OpSlct: func(d *code.Inst) Op {
		if d.Type.Bits() == 64 {
			return slct[uint64](d)
		}
		return slct[uint32](d)
	},
	code.OpAnd:  choice{ints: andBits}.pick,
	code.OpOr:   choice{ints: orBits}.pick,
	code.OpXor:  choice{ints: xorBits}.pick,
	code.OpNot:  choice{ints: notBits}.pick,
	code.OpCnot: choice{ints: cnotBits}.pick,
	code.OpShl:  choice{ints: shlBits}.pick,
	code.OpShr:  choice{ints: shrBits}.pick,
	code.OpShf:  funnel,
	code.OpPrmt: prmt,

	code.OpVadd:      videoScalar,
	code.OpVsub:      videoScalar,
	code.OpVabsdiff:  videoScalar,
	code.OpVmin:      videoScalar,
	code.OpVmax:      videoScalar,
	code.OpVshl:      videoScalar,
	code.OpVshr:      videoScalar,
	code.OpVmad:      videoMad,
	code.OpVset:      videoScalar,
	code.OpVadd2:     videoLanes,
	code.OpVsub2:     videoLanes,
	code.OpVavrg2:    videoLanes,
	code.OpVabsdiff2: videoLanes,
	code.OpVmin2:     videoLanes,
	code.OpVmax2:     videoLanes,
	code.OpVset2:     videoLanes,
	code.OpVadd4:     videoLanes,
	code.OpVsub4:     videoLanes,
	code.OpVavrg4:    videoLanes,
	code.OpVabsdiff4: videoLanes,
	code.OpVmin4:     videoLanes,
	code.OpVmax4:     videoLanes,
	code.OpVset4:     videoLanes,

	code.OpAddc: carried,
	code.OpSubc: carried,
	code.OpMadc: carried,

	code.OpSet:     setOf,
	code.OpSetp:    setpOf,
	code.OpSelp:    selpOf,
	code.OpLop3:    func(*code.Inst) Op { return lop3 },
	code.OpMov:     func(d *code.Inst) Op { return moves[d.Type] },
	code.OpCvt:     cvt,
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
