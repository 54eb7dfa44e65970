package pass

import (
	"math"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// foldWidth simplifies conversions between integer widths, and bit casts.
func (r *rewriter) foldWidth(v *ir.Value) *ir.Value {
	x := v.Args[0]
	switch v.Op {
	case ir.Bitcast:
		if x.Op == ir.Bitcast {
			if y := x.Args[0]; y.Type == v.Type {
				return y
			}
		}
	case ir.Trunc:
		switch x.Op {
		case ir.Sext32, ir.Zext32:
			return x.Args[0]
		case ir.Add, ir.Subtract, ir.Mul, ir.And, ir.Or, ir.Xor:
			if y, z := r.lowHalf(x.Args[0]), r.lowHalf(x.Args[1]); y != nil && z != nil {
				return r.emit(x.Op, ir.I32, y, z)
			}
		}
	case ir.Zext32:
		if signKnown(x) {
			return r.emit(ir.Sext32, ir.I64, x) // one form for both if they agree
		}
	case ir.Sext8, ir.Zext8, ir.Sext16, ir.Zext16:
		if normalised(v.Op, x) {
			return x
		}
		if v.Op == ir.Zext16 {
			return r.foldLow(v)
		}
	}
	return v
}

// lowHalf is the low half of an I64 if it is known, else nil.
func (r *rewriter) lowHalf(x *ir.Value) *ir.Value {
	switch x.Op {
	case ir.Const:
		return r.constant(ir.I32, x.Int)
	case ir.Sext32, ir.Zext32:
		return x.Args[0]
	}
	return nil
}

// foldToFloat converts the narrow integer that a wide one was made from: the number is the same.
func (r *rewriter) foldToFloat(v *ir.Value) *ir.Value {
	switch x := v.Args[0]; {
	case v.Op == ir.SToF && x.Op == ir.Sext32:
		return r.emit(ir.SToF, v.Type, x.Args[0])
	case x.Op == ir.Zext32:
		return r.emit(ir.UToF, v.Type, x.Args[0])
	}
	return v
}

// signKnown reports whether an I32 is certainly not negative, from how it is made.
func signKnown(x *ir.Value) bool {
	switch x.Op {
	case ir.Zext8, ir.Zext16, ir.Popc, ir.Clz, ir.FToH, ir.FTo8:
		return true
	case ir.SReg:
		return true // all special registers are below 2^31
	case ir.Load:
		return x.Mem == ir.U8 || x.Mem == ir.U16
	case ir.And:
		c, ok := x.Args[1].IntConst()
		return ok && c >= 0
	case ir.ShrU:
		c, ok := x.Args[1].IntConst()
		return ok && c > 0
	}
	return false
}

// normalised reports whether x is already as Sext8, Zext8, Sext16 or Zext16 would make it.
func normalised(op ir.Op, x *ir.Value) bool {
	width, signed := 8, op == ir.Sext8 || op == ir.Sext16
	if op == ir.Sext16 || op == ir.Zext16 {
		width = 16
	}
	switch x.Op {
	case ir.Sext8:
		return signed
	case ir.Sext16:
		return signed && width == 16
	case ir.Zext8, ir.FTo8:
		return width == 16 || !signed
	case ir.Zext16, ir.FToH:
		return width == 16 && !signed
	case ir.HAdd, ir.HSub, ir.HMul, ir.HFma, ir.HMin, ir.HMax: // of two zeros they make zero
		return width == 16 && !signed && !slices.ContainsFunc(x.Args, func(a *ir.Value) bool { return !normalised(op, a) })
	case ir.Const:
		return width == 16 && !signed && x.Int < 1<<16
	case ir.Load:
		switch x.Mem {
		case ir.U8:
			return width == 16 || !signed
		case ir.S8:
			return signed
		case ir.U16:
			return width == 16 && !signed
		case ir.S16:
			return width == 16 && signed
		}
	case ir.And:
		c, ok := x.Args[1].IntConst()
		limit := int64(1) << width
		if signed {
			limit >>= 1
		}
		return ok && c >= 0 && c < limit
	}
	return false
}

// foldCmp simplifies comparisons: a constant goes to the right, comparisons of widened values
// narrow.
func (r *rewriter) foldCmp(v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	if x.Op == ir.Const && y.Op != ir.Const {
		x, y = y, x
		v.Args[0], v.Args[1] = x, y
		v.Sub = mirrored(v.Sub)
	}
	t := x.Type
	if x == y {
		return r.foldCmpSelf(v)
	}
	if t == ir.Bool {
		return r.foldBoolCmp(v, x, y)
	}
	if x.Op == y.Op && (x.Op == ir.Sext32 || x.Op == ir.Zext32 &&
		(v.Sub == ir.Eq || v.Sub == ir.Ne || v.Sub >= ir.LtU)) {
		return r.emitSub(ir.Cmp, v.Sub, ir.Bool, x.Args[0], y.Args[0])
	}
	if a, b := single(x), single(y); a != nil && b != nil && t == ir.F64 {
		return r.emitSub(ir.Cmp, v.Sub, ir.Bool, r.asSingle(a), r.asSingle(b))
	}
	c, ok := y.IntConst()
	if !ok {
		return v
	}
	if x.Op == ir.Sext32 && v.Sub < ir.LtU {
		if c == int64(int32(c)) {
			return r.emitSub(ir.Cmp, v.Sub, ir.Bool, x.Args[0], r.int(ir.I32, c))
		}
		return r.bool(cmpOutside(v.Sub, c > 0))
	}
	if x.Op == ir.Add && x.Args[1].Op == ir.Const && (v.Sub == ir.Eq || v.Sub == ir.Ne) {
		c1, _ := x.Args[1].IntConst()
		return r.emitSub(ir.Cmp, v.Sub, ir.Bool, x.Args[0], r.int(t, c-c1))
	}
	if isSignBit(x) && (c == 0 || c == 1) && (v.Sub == ir.Eq || v.Sub == ir.Ne) {
		sub := ir.Ge
		if (v.Sub == ir.Eq) == (c == 1) {
			sub = ir.Lt
		}
		return r.emitSub(ir.Cmp, sub, ir.Bool, x.Args[0], r.int(t, 0))
	}
	if x.Op == ir.Sext32 && c >= 0 && c == int64(int32(c)) { // unsigned: a negative x is above c either way
		return r.emitSub(ir.Cmp, v.Sub, ir.Bool, x.Args[0], r.int(ir.I32, c))
	}
	switch {
	case v.Sub == ir.LtU && c == 0:
		return r.bool(false)
	case v.Sub == ir.GeU && c == 0:
		return r.bool(true)
	case v.Sub == ir.LtU && c == 1, v.Sub == ir.LeU && c == 0:
		return r.emitSub(ir.Cmp, ir.Eq, ir.Bool, x, r.int(t, 0))
	case v.Sub == ir.GtU && c == 0:
		return r.emitSub(ir.Cmp, ir.Ne, ir.Bool, x, y)
	}
	return v
}

// isSignBit reports whether v is the highest bit of its operand.
func isSignBit(v *ir.Value) bool {
	return v.Op == ir.ShrU && isInt(v.Args[1], int64(v.Type.Bits())-1)
}

// foldCmpSelf compares a value with itself. Comparisons of floats stay where NaN matters. The
// others must not reach ptxas: CUDA 13.0's makes wrong code of a branch on x < x after other
// branches (the condition of a failing check before it is negated). The fuzzer's programs showed it
// on a GPU.
func (r *rewriter) foldCmpSelf(v *ir.Value) *ir.Value {
	switch v.Sub {
	case ir.Lt, ir.Gt, ir.LtU, ir.GtU:
		return r.bool(false)
	}
	if v.Args[0].Type.IsFloat() {
		return v
	}
	return r.bool(v.Sub != ir.Ne)
}

// cmpOutside is the result of comparing a 32-bit value with a constant outside its range, above or
// below it.
func cmpOutside(sub ir.Sub, above bool) bool {
	switch sub {
	case ir.Lt, ir.Le:
		return above
	case ir.Gt, ir.Ge:
		return !above
	}
	return sub == ir.Ne
}

// foldBoolCmp is x == y or x != y of Bools.
func (r *rewriter) foldBoolCmp(v, x, y *ir.Value) *ir.Value {
	switch {
	case isBool(y, v.Sub == ir.Eq):
		return x
	case y.Op == ir.Const:
		return r.foldAgain(r.emit(ir.Not, ir.Bool, x))
	case v.Sub == ir.Ne:
		return r.emit(ir.Xor, ir.Bool, x, y)
	}
	return r.emit(ir.Not, ir.Bool, r.emit(ir.Xor, ir.Bool, x, y))
}

// foldSelect simplifies c ? x : y.
func (r *rewriter) foldSelect(v *ir.Value) *ir.Value {
	c, x, y := v.Args[0], v.Args[1], v.Args[2]
	switch {
	case isBool(c, true), x == y:
		return x
	case isBool(c, false):
		return y
	case c.Op == ir.Not:
		return r.emit(ir.Select, v.Type, c.Args[0], y, x)
	case v.Type == ir.Bool && isBool(x, true):
		return r.emit(ir.Or, ir.Bool, c, y)
	case v.Type == ir.Bool && isBool(y, false):
		return r.emit(ir.And, ir.Bool, c, x)
	case v.Type == ir.Bool && isBool(x, false):
		return r.emit(ir.And, ir.Bool, r.emit(ir.Not, ir.Bool, c), y)
	case v.Type == ir.Bool && isBool(y, true):
		return r.emit(ir.Or, ir.Bool, r.emit(ir.Not, ir.Bool, c), x)
	}
	if w := r.foldMinMax(v, c, x, y); w != nil {
		return w
	}
	return v
}

// foldMinMax recognises a < b ? a : b on integers, and on floats where the comparison need not care
// for NaN.
func (r *rewriter) foldMinMax(v, c, x, y *ir.Value) *ir.Value {
	if c.Op != ir.Cmp || !v.Type.IsInt() && !c.Fast || c.Sub == ir.Eq || c.Sub == ir.Ne {
		return nil
	}
	sub := c.Sub
	switch {
	case c.Args[0] == x && c.Args[1] == y:
	case c.Args[0] == y && c.Args[1] == x:
		sub = mirrored(sub)
	default:
		return nil
	}
	op := map[ir.Sub]ir.Op{
		ir.Lt: ir.MinS, ir.Le: ir.MinS, ir.Gt: ir.MaxS, ir.Ge: ir.MaxS,
		ir.LtU: ir.MinU, ir.LeU: ir.MinU, ir.GtU: ir.MaxU, ir.GeU: ir.MaxU,
	}[sub]
	if v.Type.IsFloat() {
		w := r.emit(map[ir.Op]ir.Op{ir.MinS: ir.FMin, ir.MaxS: ir.FMax}[op], v.Type, x, y)
		w.Fast = true
		return w
	}
	return r.emit(op, v.Type, x, y)
}

// foldPtrAdd gathers constant offsets: (p+4)+8 is p+12, p+(i+2) is (p+i)+2.
func (r *rewriter) foldPtrAdd(v *ir.Value) *ir.Value {
	p, off := v.Args[0], v.Args[1]
	c, isConst := off.IntConst()
	switch {
	case isConst && c == 0:
		return p
	case isConst && p.Op == ir.PtrAdd && p.Args[1].Op == ir.Const:
		c1, _ := p.Args[1].IntConst()
		w := r.emit(ir.PtrAdd, ir.Ptr, p.Args[0], r.int(ir.I64, c+c1))
		w.Space = v.Space
		return r.foldAgain(w)
	case !isConst && off.Op == ir.Add && off.Args[1].Op == ir.Const:
		w := r.emit(ir.PtrAdd, ir.Ptr, p, off.Args[0])
		w.Space = v.Space
		w = r.emit(ir.PtrAdd, ir.Ptr, w, off.Args[1])
		w.Space = v.Space
		return w
	}
	return v
}

// foldFloat does the few rewrites that are exact.
func (r *rewriter) foldFloat(v *ir.Value) *ir.Value {
	x, t := v.Args[0], v.Type
	switch v.Op {
	case ir.FNeg:
		if x.Op == ir.FNeg {
			return x.Args[0]
		}
		return v
	case ir.FAbs:
		if x.Op == ir.FAbs {
			return x
		}
		if x.Op == ir.FNeg {
			return r.emit(ir.FAbs, t, x.Args[0])
		}
		return v
	}
	y := v.Args[1]
	switch {
	case (v.Op == ir.FMul || v.Op == ir.FDiv) && isFloat(y, 1):
		return x
	case v.Op == ir.FMul && isFloat(y, -1), v.Op == ir.FDiv && isFloat(y, -1):
		return r.emit(ir.FNeg, t, x)
	case v.Op == ir.FAdd && isFloat(y, math.Copysign(0, -1)), v.Op == ir.FSub && isFloat(y, 0):
		return x
	case v.Op == ir.FDiv:
		if c, ok := exactReciprocal(y); ok {
			return r.emit(ir.FMul, t, x, r.constant(t, c))
		}
	}
	return v
}

// exactReciprocal is 1/v for a constant power of two whose reciprocal is normal: multiplying by it
// rounds as dividing by v does.
func exactReciprocal(v *ir.Value) (uint64, bool) {
	if v.Op != ir.Const {
		return 0, false
	}
	x, least := math.Float64frombits(v.Int), 0x1p-1022
	if v.Type == ir.F32 {
		x, least = float64(math.Float32frombits(uint32(v.Int))), 0x1p-126
	}
	frac, _ := math.Frexp(x)
	if math.Abs(frac) != 0.5 || math.Abs(1/x) < least || math.Abs(x) < least {
		return 0, false
	}
	if v.Type == ir.F32 {
		return uint64(math.Float32bits(float32(1 / x))), true
	}
	return math.Float64bits(1 / x), true
}
