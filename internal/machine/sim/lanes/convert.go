package lanes

import (
	"math"

	"github.com/gridstride/gridstride/internal/machine/sim/code"

	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"

	"github.com/gridstride/gridstride/internal/ptx"
)

// convert is a conversion that Go's own does exactly as PTX wants it: between integers of full
// width, and to nearest.
func convert[D, S Word](w *Warp, in *Inst) {
	d, a := Reg[D](w, in.D), Reg[S](w, in.A)
	for i := range d {
		d[i] = D(a[i])
	}
}

// directConversions are the common conversions between registers of the type's own width, by
// destination and origin.
var directConversions = map[[2]ptx.Type]Op{
	{ptx.S64, ptx.S32}: convert[int64, int32], {ptx.U64, ptx.U32}: convert[uint64, uint32],
	{ptx.U64, ptx.S32}: convert[int64, int32], {ptx.S64, ptx.U32}: convert[uint64, uint32],
	{ptx.U32, ptx.U64}: convert[uint32, uint64], {ptx.S32, ptx.S64}: convert[uint32, uint64],
	{ptx.U32, ptx.S64}: convert[uint32, uint64], {ptx.S32, ptx.U64}: convert[uint32, uint64],
	{ptx.U32, ptx.S32}: convert[uint32, uint32], {ptx.S32, ptx.U32}: convert[uint32, uint32],
	{ptx.F32, ptx.S32}: convert[float32, int32], {ptx.F32, ptx.U32}: convert[float32, uint32],
	{ptx.F64, ptx.S32}: convert[float64, int32], {ptx.F64, ptx.U32}: convert[float64, uint32],
	{ptx.F64, ptx.S64}: convert[float64, int64],
}

// intType is the width and signedness of an integer type.
type intType struct {
	bits   int
	signed bool
}

var intTypes = map[ptx.Type]intType{
	ptx.U8: {8, false}, ptx.U16: {16, false}, ptx.U32: {32, false}, ptx.U64: {64, false},
	ptx.S8: {8, true}, ptx.S16: {16, true}, ptx.S32: {32, true}, ptx.S64: {64, true},
}

// read gives a register's low bits as a value of the type, sign- or zero-extended to 64 bits.
func (t intType) read(x uint64) uint64 {
	shift := 64 - t.bits
	if t.signed {
		return uint64(int64(x<<shift) >> shift)
	}
	return x << shift >> shift
}

// least is the smallest value of a signed type.
func (t intType) least() int64 { return -1 << (t.bits - 1) }

// clamp is .sat: a value of type s brought into the range of type t.
func (t intType) clamp(x uint64, s intType) uint64 {
	negative := s.signed && int64(x) < 0
	switch {
	case !t.signed && negative:
		return 0
	case !t.signed:
		return min(x, ^uint64(0)>>(64-t.bits))
	case negative:
		return uint64(max(int64(x), t.least()))
	}
	return min(x, uint64(math.MaxInt64)>>(64-t.bits))
}

// fromFloat converts an integral value, clamped to the range as the GPU does. NaN becomes 0, but
// 1<<63 where a double or a 64-bit integer is involved (PTX ISA, cvt).
func (t intType) fromFloat(x float64, wide bool) uint64 {
	if x != x {
		switch {
		case !wide:
			return 0
		case t.signed:
			return uint64(t.least())
		}
		return 1 << (t.bits - 1)
	}
	if t.signed {
		low, high := -math.Ldexp(1, t.bits-1), math.Ldexp(1, t.bits-1)
		switch {
		case x < low:
			return uint64(t.least())
		case x >= high:
			return uint64(math.MaxInt64) >> (64 - t.bits)
		}
		return uint64(int64(x))
	}
	switch {
	case x <= 0:
		return 0
	case x >= math.Ldexp(1, t.bits):
		return ^uint64(0) >> (64 - t.bits)
	case x >= 1<<63: // Go leaves this conversion open on some machines
		return uint64(int64(x-1<<63)) | 1<<63
	}
	return uint64(int64(x))
}

// toFloat converts to single or a shorter format, or to double, with one rounding. The result is
// the format's bits.
func (t intType) toFloat(x uint64, to floatType, mode softfloat.Rounding) uint64 {
	negative := t.signed && int64(x) < 0
	m := x
	if negative {
		m = -x
	}
	if mode == softfloat.Nearest && to.bits == 64 {
		f := fromUint64(m)
		if negative {
			f = -f
		}
		return math.Float64bits(f)
	}
	// Split into two exact halves and add them with the wanted rounding.
	hi, lo := float64(m>>32)*(1<<32), float64(m&(1<<32-1))
	if negative {
		hi, lo = -hi, -lo
	}
	if to.bits == 64 {
		return math.Float64bits(softfloat.Add64(hi, lo, mode))
	}
	return uint64(to.Round(softfloat.AddOdd(hi, lo), mode))
}

// fromUint64 rounds to nearest even, whatever the host's conversion does.
func fromUint64(x uint64) float64 {
	if int64(x) >= 0 {
		return float64(int64(x))
	}
	return float64(int64(x>>1|x&1)) * 2
}

// floatType is a floating-point type of cvt.
type floatType struct {
	*softfloat.Format
	bits int
}

var floatTypes = map[ptx.Type]floatType{
	ptx.F16: {softfloat.Half, 16}, ptx.BF16: {softfloat.BFloat, 16}, ptx.F32: {softfloat.Single, 32},
	ptx.F64: {bits: 64}, ptx.TF32: {softfloat.TF32, 32},
}

// read gives the value of a register's bits.
func (t floatType) read(x uint64) float64 {
	switch t.bits {
	case 64:
		return math.Float64frombits(x)
	case 32:
		return float64(math.Float32frombits(uint32(x)))
	}
	return t.Value(uint32(x) & 0xffff)
}

// write rounds a value to the type.
func (t floatType) write(x float64, mode softfloat.Rounding) uint64 {
	if t.bits == 64 {
		return math.Float64bits(x)
	}
	if t.Mant == 10 && t.bits == 32 { // tf32
		return uint64(t.Round(x, mode)) << 13
	}
	return uint64(t.Round(x, mode))
}

// conversion is cvt on a register's bits, for every pair of types.
func conversion(d *code.Inst) func(x uint64) uint64 {
	mode := d.Rounding
	toInt, dstInt := intTypes[d.Type]
	fromInt, srcInt := intTypes[d.SrcType]
	to, from := floatTypes[d.Type], floatTypes[d.SrcType]
	sat := d.Has(code.Saturate)
	flushIn := d.Has(code.FTZ) && d.SrcType == ptx.F32
	flushOut := d.Has(code.FTZ) && d.Type == ptx.F32
	switch {
	case srcInt && dstInt && sat:
		return func(x uint64) uint64 { return toInt.clamp(fromInt.read(x), fromInt) }
	case srcInt && dstInt: // the operand's type decides how it is extended, and the result's type how many bits remain
		return func(x uint64) uint64 { return toInt.read(fromInt.read(x)) }
	case srcInt:
		return func(x uint64) uint64 {
			r := fromInt.toFloat(fromInt.read(x), to, mode)
			if sat {
				r = to.write(softfloat.Saturate(to.read(r)), softfloat.Nearest)
			}
			return r
		}
	case dstInt:
		wide := from.bits == 64 || toInt.bits == 64
		return func(x uint64) uint64 {
			v := from.read(x)
			if flushIn {
				v = float64(softfloat.Flush32(float32(v)))
			}
			return toInt.fromFloat(softfloat.Integral(v, mode), wide)
		}
	}
	return floatConversion(d, to, from, flushIn, flushOut)
}

// floatConversion is cvt between floating-point types, or to an integral value of the same type.
func floatConversion(d *code.Inst, to, from floatType, flushIn, flushOut bool) func(x uint64) uint64 {
	mode, whole := d.Rounding, d.Has(code.Integral)
	sat, relu := d.Has(code.Saturate), d.Has(code.ReLU)
	same := d.Type == d.SrcType
	return func(x uint64) uint64 {
		v := from.read(x)
		if v != v && !sat {
			return convertNaN(d.Type, d.SrcType, x)
		}
		if flushIn {
			v = float64(softfloat.Flush32(float32(v)))
		}
		if whole {
			v = softfloat.Integral(v, mode)
		}
		if sat {
			v = softfloat.Saturate(v)
		}
		if relu && v <= 0 {
			v = 0
		}
		if same || whole {
			return to.write(v, softfloat.Nearest)
		}
		r := to.write(v, mode)
		if flushOut {
			r = uint64(math.Float32bits(softfloat.Flush32(math.Float32frombits(uint32(r)))))
		}
		return r
	}
}

// convertNaN converts a NaN, as measured on an H200. To and from double the sign and the upper bits
// of the payload remain, and the NaN becomes quiet. A bf16 that becomes a single, and a single that
// becomes a tf32, keep their bits. Between all other formats a NaN becomes the canonical one.
func convertNaN(to, from ptx.Type, x uint64) uint64 {
	switch {
	case from == ptx.BF16 && to == ptx.F32:
		return x & 0xffff << 16
	case to == ptx.TF32:
		return x & 0xffffe000
	case to != ptx.F64 && from != ptx.F64:
		return uint64(floatTypes[to].NaN)
	}
	src, dst := layoutOf(from), layoutOf(to)
	payload := x & (1<<src.Mant - 1) << (52 - src.Mant) // as in double precision
	sign := x >> (src.Mant + src.Exp) & 1
	exp := uint64(1<<dst.Exp - 1)
	return sign<<(dst.Mant+dst.Exp) | exp<<dst.Mant | 1<<(dst.Mant-1) | payload>>(52-dst.Mant)
}

// layoutOf is the layout of a floating-point type, double precision too.
func layoutOf(t ptx.Type) softfloat.Format {
	if t == ptx.F64 {
		return softfloat.Format{Mant: 52, Exp: 11}
	}
	return *floatTypes[t].Format
}

// pack2 is cvt.f16x2.f32 and cvt.bf16x2.f32: a into the high half, b into the low one.
func pack2(d *code.Inst) Op {
	fm := shortFormats[d.Type]
	mode, relu := d.Rounding, d.Has(code.ReLU)
	one := func(x float32) uint32 {
		if relu && x <= 0 {
			x = 0
		}
		return fm.Round(float64(x), mode)
	}
	return of2(func(a, b float32) uint32 { return one(a)<<16 | one(b) })
}

// byteFormats are the formats of pairs of numbers of 8 bits.
var byteFormats = map[ptx.Type]*softfloat.ByteFormat{ptx.E4M3x2: softfloat.E4M3, ptx.E5M2x2: softfloat.E5M2}

// packBytes is cvt.e4m3x2 and cvt.e5m2x2, of two operands or of a pair of f16.
func packBytes(d *code.Inst) Op {
	fm, relu := byteFormats[d.Type], d.Has(code.ReLU)
	one := func(x float64) uint32 {
		if relu && x <= 0 {
			x = 0
		}
		return fm.Round(x)
	}
	if d.SrcType == ptx.F16x2 {
		return of1(func(a uint32) uint32 {
			return one(softfloat.Half.Value(a>>16))<<8 | one(softfloat.Half.Value(a&0xffff))
		})
	}
	return of2(func(a, b float32) uint32 { return one(float64(a))<<8 | one(float64(b)) })
}

// unpackBytes is cvt.f16x2 of a pair of numbers of 8 bits. All have a value in f16.
func unpackBytes(d *code.Inst) Op {
	fm, relu := byteFormats[d.SrcType], d.Has(code.ReLU)
	one := func(bits uint32) uint32 {
		x := fm.Value(bits)
		if relu && x <= 0 {
			x = 0
		}
		return softfloat.Half.Round(x, softfloat.Nearest)
	}
	return of1(func(a uint32) uint32 { return one(a>>8&0xff)<<16 | one(a&0xff) })
}

// packedInts are the integers that cvt.pack makes.
var packedInts = map[ptx.Type]intType{
	ptx.U16: {16, false}, ptx.U8: {8, false}, ptx.U4: {4, false}, ptx.U2: {2, false},
	ptx.S16: {16, true}, ptx.S8: {8, true}, ptx.S4: {4, true}, ptx.S2: {2, true},
}

// packInts is cvt.pack: it clamps a and b to short integers, and puts a above b. The bits of c move
// up above both.
func packInts(d *code.Inst) Op {
	t := packedInts[d.Type]
	width := t.bits
	s32 := intType{32, true}
	one := func(x int32) uint32 { return uint32(t.clamp(uint64(int64(x)), s32)) & (1<<width - 1) }
	if width == 16 {
		return of2(func(a, b int32) uint32 { return one(a)<<16 | one(b) })
	}
	return of3(func(a, b int32, c uint32) uint32 { return c<<(2*width) | one(a)<<width | one(b) })
}

// cvt chooses a conversion. Without a Width it is between registers of the types' own widths.
func cvt(d *code.Inst) Op {
	switch {
	case d.Has(code.Pack):
		return packInts(d)
	case byteFormats[d.Type] != nil:
		return packBytes(d)
	case byteFormats[d.SrcType] != nil:
		return unpackBytes(d)
	case isPair(d.Type):
		return pack2(d)
	}
	src, dst, width := d.Args[0], d.Dst[0], d.Width
	exact := width == 0 || width == d.Type.Bits() && src.Bits == code.SlotBits(d.SrcType)
	if op := directConversions[[2]ptx.Type{d.Type, d.SrcType}]; op != nil && exact && plain(d) {
		return op
	}
	f := conversion(d)
	if keep := ^uint64(0) >> (64 - width); width < 64 { // the bits of an extended result that the register holds
		whole := f
		f = func(x uint64) uint64 { return whole(x) & keep }
	}
	switch {
	case src.Bits == 64 && dst.Bits == 64:
		return of1(f)
	case src.Bits == 64:
		return of1(func(a uint64) uint32 { return uint32(f(a)) })
	case dst.Bits == 64:
		return of1(func(a uint32) uint64 { return f(uint64(a)) })
	}
	return of1(func(a uint32) uint32 { return uint32(f(uint64(a))) })
}

// Extend converts the memory contents of type t to a register of a width.
func Extend(t ptx.Type, width int) func(uint64) uint64 {
	it := intType{min(t.Bits(), 64), t.Signed()}
	keep := ^uint64(0)
	if width > 0 && width < 64 {
		keep = 1<<width - 1
	}
	return func(x uint64) uint64 { return it.read(x) & keep }
}
