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
	if in.Has("cc") {
		return carried(in), false
	}
	if op = vectorOf(in); op == nil {
		op = choose(in)
	}
	return op, len(in.Dst) == 1 && in.Dst[0].Bits > 1 && in.Op != "addc" && in.Op != "subc" && in.Op != "madc"
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
var operations = map[string]func(d *code.Inst) Op{
	"add": choice{ints: addInt, sat: of2(addSatS32), float: addFloat, short: addShort}.pick,
	"sub": choice{ints: subInt, sat: of2(subSatS32), float: subFloat, short: subShort}.pick,
	"mul": func(d *code.Inst) Op {
		return choice{ints: halves(d, mulLoInt, mulHiInt, mulWideInt), float: mulFloat, short: mulShort}.pick(d)
	},
	"mad": func(d *code.Inst) Op {
		sat := of3(func(a, b, c int32) int32 { return addSatS32(mulHiS32(a, b), c) })
		return choice{ints: halves(d, madLoInt, madHiInt, madWideInt), sat: sat, float: fmaFloat}.pick(d)
	},
	"fma":      choice{float: fmaFloat, short: fmaShort}.pick,
	"mul24":    mul24,
	"mad24":    mad24,
	"sad":      choice{ints: sadInt}.pick,
	"div":      choice{ints: divInt, float: divFloat}.pick,
	"rem":      choice{ints: remInt}.pick,
	"abs":      choice{ints: absInt, float: absFloat, short: absShort}.pick,
	"neg":      choice{ints: negInt, float: negFloat, short: negShort}.pick,
	"min":      choice{ints: minInts, relu: minRelu, float: minFloat, short: minShort}.pick,
	"max":      choice{ints: maxInts, relu: maxRelu, float: maxFloat, short: maxShort}.pick,
	"popc":     choice{ints: popcBits}.pick,
	"clz":      choice{ints: clzBits}.pick,
	"bfind":    bfind,
	"fns":      func(*code.Inst) Op { return of3(fns) },
	"brev":     choice{ints: brevBits}.pick,
	"bfe":      choice{ints: bfeBits}.pick,
	"bfi":      choice{ints: bfiBits}.pick,
	"szext":    szext,
	"bmsk":     bmsk,
	"dp4a":     dp4a,
	"dp2a":     dp2a,
	"copysign": copysign,
	"rcp":      rcpFloat,
	"sqrt":     sqrtFloat,
	"rsqrt":    rsqrtFloat,
	"sin":      approximation,
	"cos":      approximation,
	"lg2":      approximation,
	"ex2":      approximation,
	"tanh":     approximation,
	"testp":    testp,
	"slct": func(d *code.Inst) Op {
		if d.Type.Bits() == 64 {
			return slct[uint64](d)
		}
		return slct[uint32](d)
	},
	"and":  choice{ints: andBits}.pick,
	"or":   choice{ints: orBits}.pick,
	"xor":  choice{ints: xorBits}.pick,
	"not":  choice{ints: notBits}.pick,
	"cnot": choice{ints: cnotBits}.pick,
	"shl":  choice{ints: shlBits}.pick,
	"shr":  choice{ints: shrBits}.pick,
	"shf":  funnel,
	"prmt": prmt,

	"vadd":      videoScalar,
	"vsub":      videoScalar,
	"vabsdiff":  videoScalar,
	"vmin":      videoScalar,
	"vmax":      videoScalar,
	"vshl":      videoScalar,
	"vshr":      videoScalar,
	"vmad":      videoMad,
	"vset":      videoScalar,
	"vadd2":     videoLanes,
	"vsub2":     videoLanes,
	"vavrg2":    videoLanes,
	"vabsdiff2": videoLanes,
	"vmin2":     videoLanes,
	"vmax2":     videoLanes,
	"vset2":     videoLanes,
	"vadd4":     videoLanes,
	"vsub4":     videoLanes,
	"vavrg4":    videoLanes,
	"vabsdiff4": videoLanes,
	"vmin4":     videoLanes,
	"vmax4":     videoLanes,
	"vset4":     videoLanes,

	"addc": carried,
	"subc": carried,
	"madc": carried,

	"set":     setOf,
	"setp":    setpOf,
	"selp":    selpOf,
	"lop3":    func(*code.Inst) Op { return lop3 },
	"mov":     func(d *code.Inst) Op { return moves[d.Type] },
	"cvt":     cvt,
	"extract": extraction,
	"join":    join,
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
	case d.Has("sat"):
		return c.sat
	case d.Has("relu"):
		return c.relu[d.Type]
	}
	return c.ints[d.Type]
}

// halves chooses between the low and high half of a product, and all of it.
func halves(d *code.Inst, lo, hi, wide byType) byType {
	switch {
	case d.Has("wide"):
		return wide
	case d.Mod("half") == "hi":
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
