// Package softfloat is the arithmetic of PTX that the host's floating point does not have: every
// rounding mode, the formats shorter than float32, and the NaNs that an NVIDIA GPU gives. All
// functions are pure. Their results equal an H200's, bit for bit.
//
// An operation in a format is computed in double precision, rounded to odd where that is not exact,
// and rounded once more to the format. That gives what one rounding of the exact value would.
package softfloat

import "math"

// Rounding is one of PTX's rounding modes.
type Rounding uint8

// The rounding modes.
const (
	Nearest Rounding = iota // .rn: to nearest, ties to even
	ToZero                  // .rz
	Down                    // .rm
	Up                      // .rp
	Away                    // .rna: to nearest, ties away from zero
)

// Roundings are the rounding modes by the modifier of PTX. An instruction without one rounds to
// nearest.
var Roundings = map[string]Rounding{
	"": Nearest, "rn": Nearest, "rz": ToZero, "rm": Down, "rp": Up, "rna": Away,
	"rni": Nearest, "rzi": ToZero, "rmi": Down, "rpi": Up,
}

// The result of an operation that is not a number. Single precision loses the payload (CUDA C++
// Programming Guide, "Floating-Point Standard"). Double precision keeps the payload of a NaN
// operand, as measured on an H200: see NaNOf.
const (
	NaN32 = 0x7fffffff
	NaN64 = 0xfff8_0000_0000_0000
)

// Canonical32 is the NaN that single precision gives.
var Canonical32 = math.Float32frombits(NaN32)

// NaNOf is the NaN that an operation in double precision gives: the last of the operands here that
// is one, made quiet, or the default. The order is the H200's: b counts before a, in fma b before c
// before a, in div a before b.
func NaNOf(operands ...float64) float64 {
	r := uint64(NaN64)
	for _, x := range operands {
		if x != x {
			r = math.Float64bits(x) | 1<<51
		}
	}
	return math.Float64frombits(r)
}

// odd64 is a sum's or product's rounding to odd: s is the result rounded to nearest, e has the sign
// of what is missing from it. Rounded once more, to a format at least two bits shorter, it gives
// what one rounding of the exact value would (Boldo, Melquiond: Emulation of FMA and correctly
// rounded sums: proved algorithms using rounding to odd, 2008).
func odd64(s, e float64) float64 {
	bits := math.Float64bits(s)
	if e == 0 || bits&1 == 1 || math.IsInf(s, 0) || math.IsNaN(e) {
		return s
	}
	if (e > 0) == (s > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}

// AddOdd is a+b rounded to odd, for doubles whose sum does not overflow (Knuth's TwoSum gives the
//
// error).
func AddOdd(a, b float64) float64 {
	s := a + b
	t := s - a
	e := (a - (s - t)) + (b - t)
	return odd64(s, e)
}

// DivOdd is a/b rounded to odd, for singles.
func DivOdd(a, b float64) float64 {
	q := a / b
	r := math.FMA(-q, b, a)
	if b < 0 {
		r = -r
	}
	return odd64(q, r)
}

// SqrtOdd is the square root rounded to odd, for singles.
func SqrtOdd(a float64) float64 {
	q := math.Sqrt(a)
	return odd64(q, math.FMA(-q, q, a))
}

// FMA32 is a*b+c with one rounding. The product of two singles is exact in double precision.
func FMA32(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	return float32(AddOdd(p, float64(c)))
}

// Delicate reports whether rounding a sum of double precision once more, to single, may go wrong.
// That is so only if it seems to be half-way between two singles, or where singles are denormal.
// (An exact zero is neither.)
func Delicate(s float64) bool {
	bits := math.Float64bits(s)
	return bits&(1<<29-1) == 1<<28 || bits>>52&0x7ff-1 < 1023-126-1
}

// Format is a binary interchange format shorter than double.
type Format struct {
	Mant, Exp int // bits of the stored significand and of the exponent
	NaN       uint32
}

// The formats of PTX.
var (
	Half   = &Format{10, 5, 0x7fff}
	BFloat = &Format{7, 8, 0x7fff}
	Single = &Format{23, 8, NaN32}
	TF32   = &Format{10, 8, NaN32 >> 13} // tf32, stored in the high bits of 32
)

// Round rounds a double that was rounded to odd, or is exact, to the format. The result is its
// bits.
func (f *Format) Round(x float64, mode Rounding) uint32 {
	b := math.Float64bits(x)
	negative := b>>63 != 0
	sign := uint32(b>>63) << (f.Mant + f.Exp)
	infinity := uint32(1<<f.Exp-1) << f.Mant
	bias := 1<<(f.Exp-1) - 1
	e := int(b >> 52 & 0x7ff)
	sig := b & (1<<52 - 1)
	switch {
	case e == 0x7ff && sig != 0:
		return f.NaN
	case e == 0x7ff:
		return sign | infinity
	case e == 0 && sig == 0:
		return sign
	case e == 0:
		e++ // a denormal double
	default:
		sig |= 1 << 52
	}
	e += bias - 1023    // the exponent as the format stores it, if it is from 1 on
	drop := 52 - f.Mant // bits of the significand that do not fit
	if e < 1 {
		drop += 1 - e // denormal
		e = 0
	}
	var kept, rest, mid uint64 = 0, 1, 2 // far below half of the smallest number
	if drop <= 54 {
		kept, rest, mid = sig>>drop, sig&(1<<drop-1), 1<<(drop-1)
	}
	if roundsUp(mode, negative, kept&1 != 0, rest, mid) {
		kept++
	}
	bits := uint32(kept) // with its leading bit when normal: adding it carries into the exponent
	if e > 0 {
		bits += uint32(min(e, 1<<f.Exp)-1) << f.Mant
	}
	if bits >= infinity {
		bits = infinity
		if mode == ToZero || mode == Down && !negative || mode == Up && negative {
			bits--
		}
	}
	return sign | bits
}

// roundsUp says whether a magnitude grows when the bits rest are dropped, whose half is mid.
func roundsUp(mode Rounding, negative, odd bool, rest, mid uint64) bool {
	switch mode {
	case Nearest:
		return rest > mid || rest == mid && odd
	case Away:
		return rest >= mid
	case Down:
		return negative && rest != 0
	case Up:
		return !negative && rest != 0
	}
	return false
}

// Value is the number that bits stand for.
func (f *Format) Value(bits uint32) float64 {
	exp := bits >> f.Mant & (1<<f.Exp - 1)
	sig := uint64(bits) & (1<<f.Mant - 1)
	sign := uint64(bits>>(f.Mant+f.Exp)&1) << 63
	bias := 1<<(f.Exp-1) - 1
	switch {
	case exp == 1<<f.Exp-1 && sig != 0:
		return math.NaN()
	case exp == 1<<f.Exp-1:
		return math.Float64frombits(sign | 0x7ff<<52)
	case exp == 0:
		unit := math.Float64frombits(sign | uint64(1023+1-bias-f.Mant)<<52) // of the smallest denormal
		return float64(sig) * unit
	}
	return math.Float64frombits(sign | uint64(int(exp)+1023-bias)<<52 | sig<<(52-f.Mant))
}

// Flush replaces a denormal by zero of its sign.
func (f *Format) Flush(x uint32) uint32 {
	if x>>f.Mant&(1<<f.Exp-1) == 0 {
		x &= 1 << (f.Mant + f.Exp)
	}
	return x
}

// Add is a+b for bits of the format, rounded to nearest.
func (f *Format) Add(a, b uint32) uint32 {
	return f.Round(AddOdd(f.Value(a), f.Value(b)), Nearest)
}

// Round32 rounds a double that was rounded to odd, or is exact, to single precision.
func Round32(x float64, mode Rounding) float32 {
	if mode == Nearest {
		if x != x {
			return Canonical32
		}
		return float32(x)
	}
	return math.Float32frombits(Single.Round(x, mode))
}

// SumZero gives a sum that is exactly zero its sign: -0 when rounding down, or when both terms are.
func SumZero(sum, a, b float64, mode Rounding) float64 {
	if sum == 0 && mode == Down && (math.Signbit(a) || math.Signbit(b)) {
		return math.Copysign(0, -1)
	}
	return sum
}

// Flush32 replaces a denormal by zero of its sign.
func Flush32(x float32) float32 {
	if x > -0x1p-126 && x < 0x1p-126 {
		return math.Float32frombits(math.Float32bits(x) & (1 << 31))
	}
	return x
}

// Saturate clamps to [0, 1], and NaN to +0.
func Saturate[F float32 | float64](x F) F {
	switch {
	case x >= 1:
		return 1
	case x > 0:
		return x
	}
	return 0
}

// Integral rounds to an integral value.
func Integral(x float64, mode Rounding) float64 {
	switch mode {
	case Nearest:
		return math.RoundToEven(x)
	case ToZero:
		return math.Trunc(x)
	case Down:
		return math.Floor(x)
	case Up:
		return math.Ceil(x)
	}
	return math.Round(x)
}
