package sim

import (
	"math"

	"github.com/gridstride/gridstride/internal/sim/softfloat"

	"github.com/gridstride/gridstride/internal/ptx"
)

// decoders decode the instructions that run straight on, by opcode. Those that end a basic block
// are in the table control.
var decoders = map[string]func(*decoder){}

// control decodes the instructions that end a basic block or make lanes wait.
var control = map[string]func(*decoder){}

func init() {
	for op, pick := range arithmetic {
		decoders[op] = func(d *decoder) { d.alu(pick(d.d)) }
	}
	for op, f := range irregular {
		decoders[op] = f
	}
	for op, f := range memory {
		decoders[op] = f
	}
	for op, f := range flow {
		control[op] = f
	}
}

// arithmetic are the instructions whose operands are a destination and up to four sources.
var arithmetic = map[string]func(d *ptx.Decoded) exec{
	"add": choice{ints: addInt, sat: of2(addSatS32), float: addFloat, short: addShort}.pick,
	"sub": choice{ints: subInt, sat: of2(subSatS32), float: subFloat, short: subShort}.pick,
	"mul": func(d *ptx.Decoded) exec {
		return choice{ints: halves(d, mulLoInt, mulHiInt, mulWideInt), float: mulFloat, short: mulShort}.pick(d)
	},
	"mad": func(d *ptx.Decoded) exec {
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
	"fns":      func(*ptx.Decoded) exec { return of3(fns) },
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
	"sin":      transcendental(math.Sin),
	"cos":      transcendental(math.Cos),
	"lg2":      transcendental(math.Log2),
	"ex2":      transcendental(math.Exp2),
	"tanh":     transcendental(math.Tanh),
	"testp":    testp,
	"slct": func(d *ptx.Decoded) exec {
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
}

// choice finds an exec by the class of an instruction's type.
type choice struct {
	ints  byType
	sat   exec   // integer with .sat
	relu  byType // integer with .relu
	float func(*ptx.Decoded) exec
	short func(*ptx.Decoded, *softfloat.Format) exec // f16, bf16 and pairs of them
}

func (c choice) pick(d *ptx.Decoded) exec {
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
func halves(d *ptx.Decoded, lo, hi, wide byType) byType {
	switch {
	case d.Has("wide"):
		return wide
	case d.Mod("half") == "hi":
		return hi
	}
	return lo
}

func addShort(d *ptx.Decoded, f *softfloat.Format) exec { return short2(d, f, softfloat.AddOdd) }
func subShort(d *ptx.Decoded, f *softfloat.Format) exec {
	return short2(d, f, func(a, b float64) float64 { return softfloat.AddOdd(a, -b) })
}
func mulShort(d *ptx.Decoded, f *softfloat.Format) exec {
	return short2(d, f, func(a, b float64) float64 { return a * b })
}
func fmaShort(d *ptx.Decoded, f *softfloat.Format) exec { return short3(d, f, mulAddOdd) }
func minShort(d *ptx.Decoded, f *softfloat.Format) exec { return shortExtreme(d, f, lesser[float64]) }
func maxShort(d *ptx.Decoded, f *softfloat.Format) exec { return shortExtreme(d, f, greater[float64]) }
func absShort(d *ptx.Decoded, f *softfloat.Format) exec {
	return shortSign(d, f, 0x8000, 0)
}
func negShort(d *ptx.Decoded, f *softfloat.Format) exec {
	return shortSign(d, f, 0, 0x8000)
}

// alu decodes an instruction of a destination and sources by its operand forms.
func (d *decoder) alu(run exec) {
	if d.d.Has("cc") || d.in.Op == "addc" || d.in.Op == "subc" || d.in.Op == "madc" {
		d.carried()
		return
	}
	if run == nil {
		d.failf("the simulator does not know this instruction")
	}
	in := inst{run: run}
	d.sources(&in)
	to := d.d.Operands[0]
	d.result(in, d.dest(d.in.Args[0], to.Type))
}

// sources sets the source slots of an instruction whose first operand is the destination.
func (d *decoder) sources(in *inst) {
	slots := []*uint32{&in.a, &in.b, &in.c, &in.e}
	for i, o := range d.d.Operands[1:] {
		*slots[i] = d.source(d.in.Args[i+1], o.Type).off
	}
}

// irregular are the instructions whose operands do not follow that pattern.
var irregular = map[string]func(*decoder){
	"addc":           (*decoder).carried,
	"subc":           (*decoder).carried,
	"madc":           (*decoder).carried,
	"set":            (*decoder).set,
	"setp":           (*decoder).setp,
	"selp":           (*decoder).selp,
	"lop3":           (*decoder).lop3,
	"mov":            (*decoder).mov,
	"cvt":            (*decoder).cvt,
	"cvta":           (*decoder).cvta,
	"isspacep":       (*decoder).isspacep,
	"mapa":           (*decoder).mapa,
	"getctarank":     func(d *decoder) { d.alu(of1(func(uint64) uint32 { return 0 })) },
	"activemask":     (*decoder).activemask,
	"nanosleep":      func(d *decoder) { d.emit(inst{run: func(w *warp, _ *inst) { w.poll() }}) },
	"membar":         (*decoder).fence,
	"fence":          (*decoder).fence,
	"pmevent":        nothing,
	"prefetch":       nothing,
	"prefetchu":      nothing,
	"discard":        nothing,
	"applypriority":  nothing,
	"griddepcontrol": nothing,
	"createpolicy":   (*decoder).createpolicy,
}

// nothing decodes an instruction that changes nothing here.
func nothing(*decoder) {}

func (d *decoder) set() {
	c := d.predicateOr(3)
	dst := d.dest(d.in.Args[0], d.d.Type)
	a, b := d.source(d.in.Args[1], d.d.SrcType), d.source(d.in.Args[2], d.d.SrcType)
	combine := boolOps[d.d.Mod("bool")]
	run := set(compareBy(d.d, d.d.SrcType), combine, setYes[d.d.Type])
	if isPair(d.d.SrcType) {
		run = setPair(d.d, combine, setYes[d.d.Type])
	}
	d.compute(inst{run: run, a: a.off, b: b.off, c: c.off}, dst)
}

func (d *decoder) setp() {
	p, q := d.destPair(d.in.Args[0], ptx.Pred, ptx.Pred)
	a, b := d.source(d.in.Args[1], d.d.Type), d.source(d.in.Args[2], d.d.Type)
	c := d.predicateOr(3)
	in := inst{d: p.off, e: q.off, a: a.off, b: b.off, c: c.off}
	combine := boolOps[d.d.Mod("bool")]
	_, two := d.in.Args[0].(ptx.Pair)
	switch {
	case isPair(d.d.Type):
		in.run = setpPair(d.d, combine)
	case two || d.d.Mod("bool") != "":
		in.run = setp(compareBy(d.d, d.d.Type), combine)
	default:
		in.run = setpPlain(compareBy(d.d, d.d.Type))
	}
	d.emit(in)
}

// predicateOr is the i-th operand, a predicate, or a constant one where there is none.
func (d *decoder) predicateOr(i int) slot {
	if i < len(d.in.Args) {
		return d.source(d.in.Args[i], ptx.Pred)
	}
	return d.constant(ptx.Pred, 0)
}

func (d *decoder) selp() {
	t := d.d.Type
	in := inst{run: selp[uint32], a: d.source(d.in.Args[1], t).off, b: d.source(d.in.Args[2], t).off, c: d.source(d.in.Args[3], ptx.Pred).off}
	if t.Bits() == 64 {
		in.run = selp[uint64]
	}
	d.compute(in, d.dest(d.in.Args[0], t))
}

// lop3 with a Boolean operation also gives a predicate: whether the result is not zero, combined
// with another.
func (d *decoder) lop3() {
	in := inst{run: lop3, imm: d.in.Args[4].(ptx.Int).Bits}
	in.a, in.b, in.c = d.source(d.in.Args[1], ptx.B32).off, d.source(d.in.Args[2], ptx.B32).off, d.source(d.in.Args[3], ptx.B32).off
	op := d.d.Mod("bool")
	if op == "" {
		d.compute(in, d.dest(d.in.Args[0], ptx.B32))
		return
	}
	dst, p := d.destPair(d.in.Args[0], ptx.B32, ptx.Pred)
	q := d.source(d.in.Args[5], ptx.Pred)
	tmp := d.fn.file.alloc(32)
	d.compute(in, tmp)
	d.compute(inst{run: convert[uint32, uint32], a: tmp.off}, dst)
	zero := d.constant(ptx.B32, 0)
	differs := relations["ne"].of(loops[ptx.B32])
	d.emit(inst{run: setp(differs, boolOps[op]), d: p.off, e: d.fn.file.alloc(1).off, a: tmp.off, b: zero.off, c: q.off})
}

// activemask gives every running lane the mask of the lanes that run with it.
func (d *decoder) activemask() {
	dst := d.dest(d.in.Args[0], ptx.B32)
	d.emit(inst{run: func(w *warp, in *inst) {
		if w.wk.obs != nil {
			w.sendActive(in)
		}
		w.spread(in.d, w.exec)
	}, d: dst.off})
}

// createpolicy gives a cache policy, which nothing here looks at.
func (d *decoder) createpolicy() {
	dst := d.dest(d.in.Args[0], ptx.B64)
	d.compute(inst{run: convert[uint64, uint64], a: d.constant(ptx.B64, 0).off}, dst)
}
