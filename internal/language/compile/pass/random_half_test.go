package pass

import (
	"math"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
)

// half is an operation on numbers of 16 bits, or on the bytes they are made of.
func (g *generator) half() *ir.Value {
	x, y := g.value(ir.I32), g.value(ir.I32)
	if g.rng.IntN(2) == 0 { // single numbers
		x, y = g.Emit(ir.Zext16, ir.I32, x), g.Emit(ir.Zext16, ir.I32, y)
	}
	format := []ir.Sub{ir.F16, ir.BF16}[g.rng.IntN(2)]
	switch g.rng.IntN(9) {
	case 0:
		return g.EmitSub(ir.HFma, format, ir.I32, x, y, g.value(ir.I32))
	case 1:
		return g.Emit([]ir.Op{ir.HNeg, ir.HAbs}[g.rng.IntN(2)], ir.I32, x)
	case 2:
		return g.Emit(ir.F16ToF, []ir.Type{ir.F32, ir.F64}[g.rng.IntN(2)], x)
	case 3:
		from := []ir.Type{ir.F32, ir.F64}[g.rng.IntN(2)]
		return g.EmitSub(ir.FToH, ir.F16Nearest+ir.Sub(g.rng.IntN(8)), ir.I32, g.value(from))
	case 4, 5:
		return g.bytes()
	case 6:
		return g.EmitSub(ir.FTo8, []ir.Sub{ir.E4M3, ir.E5M2}[g.rng.IntN(2)], ir.I32, g.value(ir.F32))
	}
	return g.EmitSub([]ir.Op{ir.HAdd, ir.HSub, ir.HMul, ir.HMin, ir.HMax}[g.rng.IntN(5)], format, ir.I32, x, y)
}

// bytes moves the bytes of a few values about.
func (g *generator) bytes() *ir.Value {
	list := []*ir.Value{g.value(ir.I32), g.value(ir.I32), g.value(ir.I32)}
	selectors := []int64{0x5410, 0x7632, 0x7610, 0x3254, 0x1054, 0x3210, 0x7654, 0x0123, 0x8b40, int64(g.rng.IntN(1 << 16))}
	for range 2 + g.rng.IntN(4) {
		x, y := list[g.rng.IntN(len(list))], list[g.rng.IntN(len(list))]
		switch g.rng.IntN(5) {
		case 0:
			x = g.Emit(ir.Zext16, ir.I32, x)
		case 1:
			x = g.Emit([]ir.Op{ir.ShrU, ir.Shl}[g.rng.IntN(2)], ir.I32, x, g.Int(ir.I32, int64(8*g.rng.IntN(4))))
		default:
			x = g.Emit(ir.Prmt, ir.I32, x, y, g.Int(ir.I32, selectors[g.rng.IntN(len(selectors))]))
		}
		list = append(list, x)
	}
	x := list[len(list)-1]
	g.show(x)
	switch g.rng.IntN(3) {
	case 0:
		x = g.Emit(ir.F16ToF, ir.F32, x)
	case 1:
		x = g.EmitSub(ir.HAdd, ir.F16, ir.I32, x, list[g.rng.IntN(len(list))])
		g.show(g.Emit(ir.Zext16, ir.I32, x))
	}
	return x
}

// show stores an I32 where the end of the run shows it.
func (g *generator) show(x *ir.Value) {
	g.Store(ir.B32, g.PtrAddConst(g.buf, int64(4*g.rng.IntN(bufElems))), x)
}

// pair is accesses of a local pair, whole and by its halves, and copies of it.
func (g *generator) pair() {
	a := g.pairs[g.rng.IntN(len(g.pairs))]
	half := g.PtrAddConst(a, int64(2*g.rng.IntN(2)))
	switch g.rng.IntN(6) {
	case 0:
		g.MemCopy(a, g.pairs[g.rng.IntN(len(g.pairs))], 4, 4)
	case 1:
		g.Store(ir.B32, a, g.value(ir.I32))
	case 2, 3, 4:
		g.Store(ir.U16, half, g.value(ir.I32))
	default:
		g.show(g.Load(ir.I32, ir.U16, half))
	}
	g.show(g.Load(ir.I32, ir.B32, a))
}

// adjacentHalves loads or stores neighbours of 16 bits in some order, with a word between them at
// times.
func (g *generator) adjacentHalves() {
	first := g.Emit(ir.And, ir.I64, g.value(ir.I64), g.Int(ir.I64, sharedLen-8))
	base := g.PtrAdd(g.shared, g.Emit(ir.Shl, ir.I64, first, g.Int(ir.I32, 2)))
	mem := []ir.Mem{ir.U16, ir.S16}[g.rng.IntN(2)]
	store := g.rng.IntN(3) == 0
	start := g.rng.IntN(3)
	for _, k := range g.rng.Perm(2 + g.rng.IntN(9)) {
		p := g.PtrAddConst(base, int64(2*(start+k)))
		if g.rng.IntN(12) == 0 {
			g.Store(ir.B32, g.PtrAddConst(base, int64(4*g.rng.IntN(4))), g.value(ir.I32))
		}
		if store {
			g.Store(mem, p, g.value(ir.I32))
		} else {
			g.use(g.Load(ir.I32, mem, p))
		}
	}
}

// halfOp is the interpreter's result of an operation on numbers of 8 and 16 bits. It calls the
// simulator, which shares nothing with the compiler.
func halfOp(v *ir.Value, from ir.Type, x, y, z uint64) uint64 {
	format := softfloat.Half
	if v.Sub == ir.BF16 || v.Sub >= ir.BF16Nearest {
		format = softfloat.BFloat
	}
	switch v.Op {
	case ir.HNeg:
		return x ^ 0x80008000
	case ir.HAbs:
		return x &^ 0x80008000
	case ir.F16ToF:
		d := softfloat.Half.Value(uint32(x & 0xffff))
		return fromFloat(v.Type, d, float32(d))
	case ir.FToH:
		first := ir.F16Nearest
		if format == softfloat.BFloat {
			first = ir.BF16Nearest
		}
		modes := []softfloat.Rounding{softfloat.Nearest, softfloat.ToZero, softfloat.Down, softfloat.Up}
		return uint64(format.Round(toFloat(from, x), modes[v.Sub-first]))
	case ir.FTo8:
		format := map[ir.Sub]*softfloat.ByteFormat{ir.E4M3: softfloat.E4M3, ir.E5M2: softfloat.E5M2}[v.Sub]
		return uint64(format.Round(toFloat(from, x)))
	case ir.Prmt:
		return prmt(x, y, z)
	}
	return lane(v.Op, format, x, y, z) | lane(v.Op, format, x>>16, y>>16, z>>16)<<16
}

func lane(op ir.Op, format *softfloat.Format, x, y, z uint64) uint64 {
	value := func(x uint64) float64 { return format.Value(uint32(x & 0xffff)) }
	a, b, r := value(x), value(y), 0.0
	switch op {
	case ir.HAdd:
		r = softfloat.AddOdd(a, b)
	case ir.HSub:
		r = softfloat.AddOdd(a, -b)
	case ir.HMul:
		r = a * b
	case ir.HFma:
		r = softfloat.AddOdd(a*b, value(z))
	case ir.HMin:
		r = min(a, b)
	case ir.HMax:
		r = max(a, b)
	}
	return uint64(format.Round(r, softfloat.Nearest))
}

// prmt is PTX's prmt.b32 in its default mode.
func prmt(x, y, selector uint64) (result uint64) {
	for i := range 4 {
		n := selector >> (4 * i) & 0xf
		b := x >> (8 * (n & 3)) & 0xff
		if n&4 != 0 {
			b = y >> (8 * (n & 3)) & 0xff
		}
		if n&8 != 0 {
			b = uint64(uint8(int8(b) >> 7))
		}
		result |= b << (8 * i)
	}
	return result & math.MaxUint32
}
