package sim

import (
	"math"
	"math/big"
)

// rounding is one of PTX's rounding modes.
type rounding uint8

const (
	nearest rounding = iota // .rn: to nearest, ties to even
	toZero                  // .rz
	down                    // .rm
	up                      // .rp
	away                    // .rna: to nearest, ties away from zero
)

var roundings = map[string]rounding{
	"": nearest, "rn": nearest, "rz": toZero, "rm": down, "rp": up, "rna": away,
	"rni": nearest, "rzi": toZero, "rmi": down, "rpi": up,
}

// What operations give when the result is not a number. Single precision loses the payload (CUDA
// C++ Programming Guide, "Floating-Point Standard"); double precision keeps that of a NaN operand,
// as measured on an H200: see nanOf and convertNaN.
const (
	nan32 = 0x7fffffff
	nan64 = 0xfff8_0000_0000_0000
)

var canonical32 = math.Float32frombits(nan32)

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

// addOdd is a+b rounded to odd, for doubles whose sum does not overflow (Knuth's TwoSum gives the
// error).
func addOdd(a, b float64) float64 {
	s := a + b
	t := s - a
	e := (a - (s - t)) + (b - t)
	return odd64(s, e)
}

// divOdd is a/b rounded to odd, for singles.
func divOdd(a, b float64) float64 {
	q := a / b
	r := math.FMA(-q, b, a)
	if b < 0 {
		r = -r
	}
	return odd64(q, r)
}

// sqrtOdd is the square root rounded to odd, for singles.
func sqrtOdd(a float64) float64 {
	q := math.Sqrt(a)
	return odd64(q, math.FMA(-q, q, a))
}

// fma32 is a*b+c with one rounding. The product of two singles is exact in double precision.
func fma32(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	return float32(addOdd(p, float64(c)))
}

// delicate says that rounding a sum of double precision once more, to single, may go wrong: only
// when it seems to lie half-way between two singles, or where singles are denormal. (An exact zero
// is neither.)
func delicate(s float64) bool {
	bits := math.Float64bits(s)
	return bits&(1<<29-1) == 1<<28 || bits>>52&0x7ff-1 < 1023-126-1
}

// format is a binary interchange format shorter than double.
type format struct {
	mant, exp int // bits of the stored significand and of the exponent
	nan       uint32
}

var (
	half     = &format{10, 5, 0x7fff}
	bfloat   = &format{7, 8, 0x7fff}
	single   = &format{23, 8, nan32}
	tensor32 = &format{10, 8, nan32 >> 13} // tf32, stored in the high bits of 32
)

// round rounds a double that was rounded to odd, or is exact, to the format; the result is its
// bits.
func (f *format) round(x float64, mode rounding) uint32 {
	b := math.Float64bits(x)
	negative := b>>63 != 0
	sign := uint32(b>>63) << (f.mant + f.exp)
	infinity := uint32(1<<f.exp-1) << f.mant
	bias := 1<<(f.exp-1) - 1
	e := int(b >> 52 & 0x7ff)
	sig := b & (1<<52 - 1)
	switch {
	case e == 0x7ff && sig != 0:
		return f.nan
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
	drop := 52 - f.mant // bits of the significand that do not fit
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
		bits += uint32(min(e, 1<<f.exp)-1) << f.mant
	}
	if bits >= infinity {
		bits = infinity
		if mode == toZero || mode == down && !negative || mode == up && negative {
			bits--
		}
	}
	return sign | bits
}

// roundsUp says whether a magnitude grows when the bits rest are dropped, whose half is mid.
func roundsUp(mode rounding, negative, odd bool, rest, mid uint64) bool {
	switch mode {
	case nearest:
		return rest > mid || rest == mid && odd
	case away:
		return rest >= mid
	case down:
		return negative && rest != 0
	case up:
		return !negative && rest != 0
	}
	return false
}

// value is the number that bits stand for.
func (f *format) value(bits uint32) float64 {
	exp := bits >> f.mant & (1<<f.exp - 1)
	sig := uint64(bits) & (1<<f.mant - 1)
	sign := uint64(bits>>(f.mant+f.exp)&1) << 63
	bias := 1<<(f.exp-1) - 1
	switch {
	case exp == 1<<f.exp-1 && sig != 0:
		return math.NaN()
	case exp == 1<<f.exp-1:
		return math.Float64frombits(sign | 0x7ff<<52)
	case exp == 0:
		unit := math.Float64frombits(sign | uint64(1023+1-bias-f.mant)<<52) // of the smallest denormal
		return float64(sig) * unit
	}
	return math.Float64frombits(sign | uint64(int(exp)+1023-bias)<<52 | sig<<(52-f.mant))
}

// round32 rounds a double that was rounded to odd, or is exact, to single precision.
func round32(x float64, mode rounding) float32 {
	if mode == nearest {
		if x != x {
			return canonical32
		}
		return float32(x)
	}
	return math.Float32frombits(single.round(x, mode))
}

// sumZero gives a sum that is exactly zero its sign: -0 when rounding down, or when both terms are.
func sumZero(sum, a, b float64, mode rounding) float64 {
	if sum == 0 && mode == down && (math.Signbit(a) || math.Signbit(b)) {
		return math.Copysign(0, -1)
	}
	return sum
}

// direct64 moves r, a result rounded to nearest, to where a directed mode wants it; exact computes
// the exact result, or one with the same order to r.
func direct64(r float64, mode rounding, exact func() *big.Float) float64 {
	if math.IsNaN(r) {
		return r
	}
	var cmp int // of r to the exact value
	if math.IsInf(r, 0) {
		x := exact()
		if x.IsInf() {
			return r
		}
		cmp = x.Sign()
	} else {
		cmp = new(big.Float).SetFloat64(r).Cmp(exact())
	}
	if mode == toZero {
		mode = down
		if math.Signbit(r) {
			mode = up
		}
	}
	switch {
	case mode == down && cmp > 0:
		return math.Nextafter(r, math.Inf(-1))
	case mode == up && cmp < 0:
		return math.Nextafter(r, math.Inf(1))
	}
	return r
}

func exactly(x float64) *big.Float { return new(big.Float).SetPrec(53).SetFloat64(x) }

// exactPrec holds any sum of a product of two doubles and a double.
const exactPrec = 4400

func fma64(a, b, c float64, mode rounding) float64 {
	r := math.FMA(a, b, c)
	if mode == nearest || math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsInf(c, 0) {
		return r
	}
	if r == 0 && a*b == -c { // an exact zero; a product that underflows is not equal to -c unless c is zero too
		if x := new(big.Float).SetPrec(106).Mul(exactly(a), exactly(b)); x.Cmp(exactly(-c)) == 0 {
			return sumZero(r, a*b, c, mode)
		}
	}
	return direct64(r, mode, func() *big.Float {
		p := new(big.Float).SetPrec(106).Mul(exactly(a), exactly(b))
		return p.SetPrec(exactPrec).Add(p, exactly(c))
	})
}

func add64(a, b float64, mode rounding) float64 { return fma64(a, 1, b, mode) }

func mul64(a, b float64, mode rounding) float64 {
	r := a * b
	if mode == nearest || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return r
	}
	return direct64(r, mode, func() *big.Float { return new(big.Float).SetPrec(106).Mul(exactly(a), exactly(b)) })
}

func div64(a, b float64, mode rounding) float64 {
	r := a / b
	if mode == nearest || b == 0 || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return r
	}
	// A quotient of two doubles that is not a double differs from all of them by more than 2^-256
	// of itself.
	return direct64(r, mode, func() *big.Float { return new(big.Float).SetPrec(256).Quo(exactly(a), exactly(b)) })
}

func sqrt64(a float64, mode rounding) float64 {
	r := math.Sqrt(a)
	if mode == nearest || a <= 0 || math.IsInf(a, 0) {
		return r
	}
	return direct64(r, mode, func() *big.Float { return new(big.Float).SetPrec(300).Sqrt(exactly(a)) })
}

// flush32 replaces a denormal by zero of its sign.
func flush32(x float32) float32 {
	if x > -0x1p-126 && x < 0x1p-126 {
		return math.Float32frombits(math.Float32bits(x) & (1 << 31))
	}
	return x
}

// saturate clamps to [0, 1]; NaN becomes +0.
func saturate[F float32 | float64](x F) F {
	switch {
	case x >= 1:
		return 1
	case x > 0:
		return x
	}
	return 0
}

// integral rounds to an integral value.
func integral(x float64, mode rounding) float64 {
	switch mode {
	case nearest:
		return math.RoundToEven(x)
	case toZero:
		return math.Trunc(x)
	case down:
		return math.Floor(x)
	case up:
		return math.Ceil(x)
	}
	return math.Round(x)
}
