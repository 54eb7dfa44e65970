package lanes

import (
	"math"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"

	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"

	"github.com/gridstride/gridstride/internal/ptx"
)

// A comparison gives a bit for every lane. Three loops are enough: equal, less, and less or equal.
// The others swap the operands or negate the result. For floats "not less" holds for NaN as well,
// as the unordered comparisons require.

func equal[T Word](w *Warp, a, b uint32) uint32 {
	x, y := Reg[T](w, a), Reg[T](w, b)
	var m uint32
	for i := 0; i < abi.WarpSize; i += 4 {
		p, q := (*[4]T)(x[i:]), (*[4]T)(y[i:])
		m |= (Bit(p[0] == q[0]) | Bit(p[1] == q[1])<<1 | Bit(p[2] == q[2])<<2 | Bit(p[3] == q[3])<<3) << (i & 31)
	}
	return m
}

func less[T Word](w *Warp, a, b uint32) uint32 {
	x, y := Reg[T](w, a), Reg[T](w, b)
	var m uint32
	for i := 0; i < abi.WarpSize; i += 4 {
		p, q := (*[4]T)(x[i:]), (*[4]T)(y[i:])
		m |= (Bit(p[0] < q[0]) | Bit(p[1] < q[1])<<1 | Bit(p[2] < q[2])<<2 | Bit(p[3] < q[3])<<3) << (i & 31)
	}
	return m
}

func lessEqual[T Word](w *Warp, a, b uint32) uint32 {
	x, y := Reg[T](w, a), Reg[T](w, b)
	var m uint32
	for i := 0; i < abi.WarpSize; i += 4 {
		p, q := (*[4]T)(x[i:]), (*[4]T)(y[i:])
		m |= (Bit(p[0] <= q[0]) | Bit(p[1] <= q[1])<<1 | Bit(p[2] <= q[2])<<2 | Bit(p[3] <= q[3])<<3) << (i & 31)
	}
	return m
}

// Bit is 1 for true. The compiler makes it a flag move.
func Bit(b bool) uint32 {
	var n uint32
	if b {
		n = 1
	}
	return n
}

// comparison gives the bits of a comparison of two slots.
type comparison func(w *Warp, a, b uint32) uint32

// relation says how a comparison follows from the three loops.
type relation struct {
	loop         int // 0 equal, 1 less, 2 lessEqual
	swap, negate bool
}

var relations = map[code.Compare]relation{
	code.EQ: {loop: 0}, code.NE: {loop: 0, negate: true},
	code.LT: {loop: 1}, code.LE: {loop: 2}, code.GT: {loop: 1, swap: true}, code.GE: {loop: 2, swap: true},
	code.LO: {loop: 1}, code.LS: {loop: 2}, code.HI: {loop: 1, swap: true}, code.HS: {loop: 2, swap: true},
	// Unordered: true when either is NaN.
	code.NEU: {loop: 0, negate: true},
	code.LTU: {loop: 2, swap: true, negate: true}, code.LEU: {loop: 1, swap: true, negate: true},
	code.GTU: {loop: 2, negate: true}, code.GEU: {loop: 1, negate: true},
}

// loops are the three loops by type.
var loops = map[ptx.Type][3]comparison{
	ptx.U32: {equal[uint32], less[uint32], lessEqual[uint32]}, ptx.S32: {equal[int32], less[int32], lessEqual[int32]},
	ptx.U64: {equal[uint64], less[uint64], lessEqual[uint64]}, ptx.S64: {equal[int64], less[int64], lessEqual[int64]},
	ptx.F32: {equal[float32], less[float32], lessEqual[float32]},
	ptx.F64: {equal[float64], less[float64], lessEqual[float64]},
	ptx.U16: {equal[uint32], less[uint32], lessEqual[uint32]},
	ptx.S16: {equal[uint32],
		lanewise(func(a, b uint32) bool { return int16(a) < int16(b) }),
		lanewise(func(a, b uint32) bool { return int16(a) <= int16(b) })},
	ptx.B16: {equal[uint32]}, ptx.B32: {equal[uint32]}, ptx.B64: {equal[uint64]},
}

// lanewise makes a comparison of a function of one lane.
func lanewise[T Word](f func(a, b T) bool) comparison {
	return func(w *Warp, a, b uint32) uint32 {
		x, y := Reg[T](w, a), Reg[T](w, b)
		var m uint32
		for i := range x {
			m |= Bit(f(x[i], y[i])) << (i & 31)
		}
		return m
	}
}

// compareBy finds the comparison of set and setp for operands of type t.
func compareBy(d *code.Inst, t ptx.Type) comparison {
	op := d.Compare
	if fm, ok := shortFormats[t]; ok {
		in := shortIn(d, fm)
		holds := floatRelation(op)
		return lanewise(func(a, b uint32) bool { return holds(in(a&0xffff), in(b&0xffff)) })
	}
	if t == ptx.F32 && d.Has(code.FTZ) {
		holds := floatRelation(op)
		return lanewise(func(a,
			b float32) bool {
			return holds(float64(softfloat.Flush32(a)), float64(softfloat.Flush32(b)))
		})
	}
	if r, ok := relations[op]; ok && (t == ptx.F32 || t == ptx.F64) && op == code.NE { // ordered: false when either is NaN
		holds := floatRelation(op)
		if t == ptx.F32 {
			return lanewise(func(a, b float32) bool { return holds(float64(a), float64(b)) })
		}
		return lanewise(holds)
	} else if ok {
		return r.of(loopsOf(t))
	}
	holds := floatRelation(op)
	if t == ptx.F32 {
		return lanewise(func(a, b float32) bool { return holds(float64(a), float64(b)) })
	}
	return lanewise(holds)
}

func (r relation) of(l [3]comparison) comparison {
	loop := l[r.loop]
	switch {
	case r.swap && r.negate:
		return func(w *Warp, a, b uint32) uint32 { return ^loop(w, b, a) }
	case r.swap:
		return func(w *Warp, a, b uint32) uint32 { return loop(w, b, a) }
	case r.negate:
		return func(w *Warp, a, b uint32) uint32 { return ^loop(w, a, b) }
	}
	return loop
}

// floatRelation is a floating-point comparison of one lane.
func floatRelation(op code.Compare) func(a, b float64) bool {
	return map[code.Compare]func(a, b float64) bool{
		code.EQ:  func(a, b float64) bool { return a == b },
		code.NE:  func(a, b float64) bool { return a < b || a > b },
		code.LT:  func(a, b float64) bool { return a < b },
		code.LE:  func(a, b float64) bool { return a <= b },
		code.GT:  func(a, b float64) bool { return a > b },
		code.GE:  func(a, b float64) bool { return a >= b },
		code.EQU: func(a, b float64) bool { return !(a < b || a > b) },
		code.NEU: func(a, b float64) bool { return a != b },
		code.LTU: func(a, b float64) bool { return !(a >= b) },
		code.LEU: func(a, b float64) bool { return !(a > b) },
		code.GTU: func(a, b float64) bool { return !(a <= b) },
		code.GEU: func(a, b float64) bool { return !(a < b) },
		code.Num: func(a, b float64) bool { return a == a && b == b },
		code.NaN: func(a, b float64) bool { return a != a || b != b },
	}[op]
}

// setpPlain is setp with one result and nothing to combine it with.
func setpPlain(cmp comparison) Op {
	return func(w *Warp, in *Inst) { w.SetPred(in.D, cmp(w, in.A, in.B)) }
}

// setp has a second result in slot e, the negation, and combines both with the predicate in slot c.
func setp(cmp comparison, combine func(a, b uint32) uint32) Op {
	return func(w *Warp, in *Inst) {
		m, c := cmp(w, in.A, in.B), *Pred(w, in.C)
		w.SetPred(in.D, combine(m, c))
		w.SetPred(in.E, combine(^m, c))
	}
}

// boolOps are how set and setp combine a comparison with a predicate.
var boolOps = map[code.Combine]func(a, b uint32) uint32{
	"":              func(a, _ uint32) uint32 { return a },
	code.CombineAnd: func(a, b uint32) uint32 { return a & b },
	code.CombineOr:  func(a, b uint32) uint32 { return a | b },
	code.CombineXor: func(a, b uint32) uint32 { return a ^ b },
}

// set is a comparison whose result is a number: all ones or 1.0 of the type, and zero.
func set(cmp comparison, combine func(a, b uint32) uint32, yes uint32) Op {
	return func(w *Warp, in *Inst) {
		m := combine(cmp(w, in.A, in.B), *Pred(w, in.C))
		d := Reg[uint32](w, in.D)
		for i := range d {
			d[i] = yes & -(m >> (i & 31) & 1)
		}
	}
}

// setYes is the result of set for true.
var setYes = map[ptx.Type]uint32{
	ptx.U16: 0xffff, ptx.S16: 0xffff, ptx.U32: ^uint32(0), ptx.S32: ^uint32(0), ptx.F32: math.Float32bits(1),
	ptx.F16: 0x3c00, ptx.BF16: 0x3f80, ptx.F16x2: 0x3c00, ptx.BF16x2: 0x3f80,
}

// setPair is set on f16x2 and bf16x2, which compares both halves.
func setPair(d *code.Inst, combine func(a, b uint32) uint32, yes uint32) Op {
	in := shortIn(d, shortFormats[d.SrcType])
	holds := floatRelation(d.Compare)
	return func(w *Warp, inst *Inst) {
		dst, a, b := regs2[uint32](w, inst)
		c := *Pred(w, inst.C)
		for i := range dst {
			p := c >> (i & 31) & 1
			lo := combine(Bit(holds(in(a[i]&0xffff), in(b[i]&0xffff))), p) & 1
			hi := combine(Bit(holds(in(a[i]>>16), in(b[i]>>16))), p) & 1
			dst[i] = yes&-lo | yes&-hi<<16
		}
	}
}

// setpPair is setp on f16x2 and bf16x2: the first predicate is for the low halves, the second for
// the high ones.
func setpPair(d *code.Inst, combine func(a, b uint32) uint32) Op {
	in := shortIn(d, shortFormats[d.Type])
	holds := floatRelation(d.Compare)
	lo := lanewise(func(a, b uint32) bool { return holds(in(a&0xffff), in(b&0xffff)) })
	hi := lanewise(func(a, b uint32) bool { return holds(in(a>>16), in(b>>16)) })
	return func(w *Warp, inst *Inst) {
		c := *Pred(w, inst.C)
		l, h := lo(w, inst.A, inst.B), hi(w, inst.A, inst.B)
		w.SetPred(inst.D, combine(l, c))
		w.SetPred(inst.E, combine(h, c))
	}
}

// selp is a where the predicate in slot c holds, else b.
func selp[T uint32 | uint64](w *Warp, in *Inst) {
	d, a, b := regs2[T](w, in)
	m := *Pred(w, in.C)
	for i := range d {
		x, y := a[i], b[i]
		d[i] = y ^ (x^y)&-T(m>>(i&31)&1)
	}
}

// slct is a where c is not negative, else b. NaN counts as negative.
func slct[T uint32 | uint64](d *code.Inst) Op {
	if d.SrcType == ptx.S32 {
		return of3(func(a, b T, c int32) T { return choose(c >= 0, a, b) })
	}
	if d.Has(code.FTZ) {
		return of3(func(a, b T, c float32) T { return choose(softfloat.Flush32(c) >= 0, a, b) })
	}
	return of3(func(a, b T, c float32) T { return choose(c >= 0, a, b) })
}

func choose[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

// testp asks what kind of number a float is.
func testp(d *code.Inst) Op {
	kind := d.Class
	smallest := 0x1p-1022
	if d.Type == ptx.F32 {
		smallest = 0x1p-126
	}
	holds := func(x float64) bool {
		m := math.Abs(x)
		switch kind {
		case code.Finite:
			return m <= math.MaxFloat64
		case code.Infinite:
			return m > math.MaxFloat64
		case code.Number:
			return x == x
		case code.NotANumber:
			return x != x
		case code.Subnormal:
			return m > 0 && m < smallest
		}
		return m >= smallest && m <= math.MaxFloat64 || m == 0 // normal, which zero counts as
	}
	cmp := lanewise(func(a, _ float64) bool { return holds(a) })
	if d.Type == ptx.F32 {
		cmp = lanewise(func(a, _ float32) bool { return holds(float64(a)) })
	}
	return func(w *Warp, in *Inst) { w.SetPred(in.D, cmp(w, in.A, in.A)) }
}

func setOf(d *code.Inst) Op {
	combine := boolOps[d.Combine]
	if isPair(d.SrcType) {
		return setPair(d, combine, setYes[d.Type])
	}
	return set(compareBy(d, d.SrcType), combine, setYes[d.Type])
}

func setpOf(d *code.Inst) Op {
	combine := boolOps[d.Combine]
	switch {
	case isPair(d.Type):
		return setpPair(d, combine)
	case len(d.Dst) > 1:
		return setp(compareBy(d, d.Type), combine)
	}
	return setpPlain(compareBy(d, d.Type))
}

func selpOf(d *code.Inst) Op {
	if d.Type.Bits() == 64 {
		return selp[uint64]
	}
	return selp[uint32]
}
