package tensor

import (
	"math"
	"math/bits"
	"slices"
)

// Format is a floating-point format of factors and sums. The zero Format is none.
type Format uint8

// The formats. An element of TF32 is a float32 whose low bits count for nothing.
const (
	F32 Format = iota + 1
	F16
	BF16
	TF32
	E5M2
	E4M3
)

// layouts are the parts of the formats' elements.
var layouts = [...]struct {
	exponent int // bits
	mantissa int // bits that are stored
	unused   int // low bits of an element that take no part
	// infinity says that the largest exponent is used for infinities and NaN. Otherwise it has one
	// NaN and numbers.
	infinity bool
}{
	F32:  {exponent: 8, mantissa: 23, infinity: true},
	F16:  {exponent: 5, mantissa: 10, infinity: true},
	BF16: {exponent: 8, mantissa: 7, infinity: true},
	TF32: {exponent: 8, mantissa: 10, unused: 13, infinity: true},
	E5M2: {exponent: 5, mantissa: 2, infinity: true},
	E4M3: {exponent: 4, mantissa: 3},
}

// names are the formats' names in PTX.
var names = [...]string{F32: "f32", F16: "f16", BF16: "bf16", TF32: "tf32", E5M2: "e5m2", E4M3: "e4m3"}

// String is the format's name in PTX.
func (f Format) String() string { return names[f] }

// FormatOf is the format with a name, or the zero Format.
func FormatOf(name string) Format { return Format(max(0, slices.Index(names[:], name))) }

func (f Format) exponent() int  { return layouts[f].exponent }
func (f Format) mantissa() int  { return layouts[f].mantissa }
func (f Format) unused() int    { return layouts[f].unused }
func (f Format) infinity() bool { return layouts[f].infinity }

func (f Format) bias() int { return 1<<(f.exponent()-1) - 1 }

// class tells finite numbers from the others.
type class uint8

const (
	finite class = iota
	infinite
	notANumber
)

// number is significand * 2^(exponent - mantissa bits of its format). The significand of a
// subnormal number has leading zeros, and its exponent is the least. Infinities and NaN have only
// the sign in their significand.
type number struct {
	significand int32
	exponent    int16
	class       class
}

// number takes an element apart.
func (f Format) number(element uint32) number {
	element >>= f.unused()
	m := int32(element & (1<<f.mantissa() - 1))
	e, top := int(element>>f.mantissa()&(1<<f.exponent()-1)), 1<<f.exponent()-1
	n := number{significand: m, exponent: int16(e - f.bias())}
	switch {
	case e == top && f.infinity() && m == 0:
		n.class, n.significand = infinite, 1
	case e == top && (f.infinity() || m == 1<<f.mantissa()-1):
		n.class = notANumber
	case e == 0:
		n.exponent++
	default:
		n.significand |= 1 << f.mantissa()
	}
	if element>>(f.mantissa()+f.exponent())&1 != 0 {
		n.significand = -n.significand
	}
	return n
}

// none is the exponent of a zero, which is below all other exponents with any other factor.
const none = -1 << 20

// term takes an element apart, as a float64.
func (f Format) term(element uint32) term {
	switch f {
	case BF16:
		return termF32(element << 16)
	case F32, TF32:
		return termF32(element &^ (1<<f.unused() - 1))
	}
	switch n := f.number(element); {
	case n.class == notANumber:
		return term{value: math.NaN()}
	case n.class == infinite:
		return term{value: math.Inf(int(n.significand))}
	case n.significand == 0:
		return term{exponent: none}
	default:
		return term{float64(n.significand) * power(int(n.exponent)-f.mantissa()), int64(n.exponent)}
	}
}

// termF32 takes a float32 apart.
func termF32(element uint32) term {
	e := int64(element >> 23 & 0xff)
	switch {
	case element<<1 == 0:
		return term{exponent: none}
	case e == 0:
		e = 1
	}
	return term{float64(math.Float32frombits(element)), e - 127}
}

// power is 2^n, for a float64 that is not subnormal.
func power(n int) float64 { return math.Float64frombits(uint64(n+1023) << 52) }

// roundF32 is x * 2^exponent as a float32, rounded toward zero.
func roundF32(x int64, exponent int) uint32 {
	wide := float64(x) * power(exponent) // exact: x has less than 53 bits
	if size := math.Abs(wide); size < 1<<127 && size >= 1.0/(1<<126) {
		const dropped = 1<<29 - 1 // the bits of a float64 that a float32 does not have
		return math.Float32bits(float32(math.Float64frombits(math.Float64bits(wide) &^ dropped)))
	}
	if x == 0 {
		return 0
	}
	return F32.round(x, exponent, F32.mantissa())
}

// from is an element of another format in this one.
func (f Format) from(other Format, element uint32) uint32 {
	if f == other {
		return element
	}
	switch n := other.number(element); {
	case n.class == notANumber:
		return f.nan()
	case n.class == infinite:
		return f.inf(n.significand < 0)
	default: // its sign stays, of zero too
		magnitude := f.round(int64(n.significand), int(n.exponent)-other.mantissa(), f.mantissa()) &^ f.signed(0, true)
		return f.signed(magnitude, element>>(other.exponent()+other.mantissa()) != 0)
	}
}

// half is an element of 8 bits as a float16, which has all its values.
func (f Format) half(element uint32) uint32 {
	switch n := f.number(element); {
	case f == E5M2:
		return element << 8
	case n.class == notANumber:
		return F16.nan()
	default:
		return F16.round(int64(n.significand), int(n.exponent)-f.mantissa(), F16.mantissa())
	}
}

// nan is the NaN that a sum gives.
func (f Format) nan() uint32 { return 1<<(f.exponent()+f.mantissa()) - 1 }

// inf is an infinity.
func (f Format) inf(negative bool) uint32 {
	return f.signed((1<<f.exponent()-1)<<f.mantissa(), negative)
}

func (f Format) signed(magnitude uint32, negative bool) uint32 {
	if negative {
		magnitude |= 1 << (f.exponent() + f.mantissa())
	}
	return magnitude
}

// round is x * 2^exponent with kept bits of the mantissa, rounded to nearest even to float16, and
// toward zero to float32. Zero has no sign.
func (f Format) round(x int64, exponent, kept int) uint32 {
	negative := x < 0
	if negative {
		x = -x
	}
	least := 1 - f.bias()
	e := max(bits.Len64(uint64(x))-1+exponent, least) // of the leading bit
	x, rest := cut(x, e-kept-exponent)
	if f == F16 && (rest > 1<<63 || rest == 1<<63 && x&1 == 1) {
		if x++; x == 1<<(kept+1) {
			x >>= 1
			e++
		}
	}
	x <<= f.mantissa() - kept
	switch {
	case x == 0:
		return 0
	case e > f.bias():
		return f.inf(negative)
	case x>>f.mantissa() == 0: // subnormal
		return f.signed(uint32(x), negative)
	}
	return f.signed(uint32(e+f.bias())<<f.mantissa()|uint32(x)&(1<<f.mantissa()-1), negative)
}

// cut is x / 2^n without its fraction, for x >= 0, and the fraction in 64 bits.
func cut(x int64, n int) (whole int64, fraction uint64) {
	switch {
	case n <= 0:
		return x << -n, 0
	case n >= 64:
		return 0, min(uint64(x), 1)
	}
	return x >> n, uint64(x) << (64 - n)
}
