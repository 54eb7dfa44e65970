package gpu

import (
	"cmp"
	"math"
)

// Numbers of 16 bits are computed in float64, rounded to odd where that is not exact, and rounded
// once more: to a whole number of the units of the result's last digit.

// number is a floating-point number of 16 bits in a format.
type number[F format] struct{ bits uint16 }

// format says how many digits a number has, and the exponents of its last digit, from subnormal
// numbers to the largest.
type format interface {
	digits() int
	least() int
	most() int
}

type (
	binary16 struct{}
	brain16  struct{}
)

func (binary16) digits() int { return 11 }
func (binary16) least() int  { return -24 }
func (binary16) most() int   { return 5 }
func (brain16) digits() int  { return 8 }
func (brain16) least() int   { return -133 }
func (brain16) most() int    { return 120 }

// The types of the real package.
type (
	Float16    = number[binary16]
	BFloat16   = number[brain16]
	Float16x2  = pair[binary16]
	BFloat16x2 = pair[brain16]
	Float16x8  = eight[binary16]
	BFloat16x8 = eight[brain16]
)

// The constraints of the real package.
type (
	Real interface {
		Float | Float16 | BFloat16
	}
	Half[H any] interface {
		Float16 | BFloat16
		Add(y H) H
		FMA(y, z H) H
		Neg() H
		Max(y H) H
		Less(y H) bool
	}
)

// Rounding is how a number is rounded.
type Rounding uint8

// The roundings.
const (
	ToNearestEven Rounding = iota
	ToZero
	ToNegativeInf
	ToPositiveInf
)

func (r Rounding) apply(x float64) float64 {
	switch r {
	case ToZero:
		return math.Trunc(x)
	case ToNegativeInf:
		return math.Floor(x)
	case ToPositiveInf:
		return math.Ceil(x)
	}
	return math.RoundToEven(x)
}

// round is the number of a format that x, which is exact or rounded to odd, becomes.
func round[F format](x float64, r Rounding) number[F] {
	var f F
	sign := uint16(math.Float64bits(x) >> 48 & 0x8000)
	inf := uint16(f.most()-f.least()+2) << (f.digits() - 1)
	switch {
	case math.IsNaN(x):
		return number[F]{0x7fff}
	case math.IsInf(x, 0):
		return number[F]{sign | inf}
	}
	unit := f.least()
	if x != 0 {
		unit = max(math.Ilogb(x)-f.digits()+1, unit)
	}
	units := int(math.Abs(r.apply(math.Ldexp(x, -unit))))
	if units == 1<<f.digits() {
		units, unit = units/2, unit+1
	}
	switch {
	case unit <= f.most(): // the leading digit adds to the exponent
		return number[F]{sign | uint16(units+(unit-f.least())<<(f.digits()-1))}
	case r == ToZero, r == ToNegativeInf && x > 0, r == ToPositiveInf && x < 0:
		return number[F]{sign | inf - 1}
	}
	return number[F]{sign | inf}
}

// value is x as a float64.
func (x number[F]) value() float64 {
	var f F
	exponent, digits := int(x.bits&0x7fff)>>(f.digits()-1), int(x.bits)&(1<<(f.digits()-1)-1)
	v := 0.0
	switch {
	case exponent > f.most()-f.least()+1 && digits != 0:
		return math.NaN()
	case exponent > f.most()-f.least()+1:
		v = math.Inf(1)
	case exponent == 0:
		v = math.Ldexp(float64(digits), f.least())
	default:
		v = math.Ldexp(float64(digits+1<<(f.digits()-1)), f.least()+exponent-1)
	}
	if x.bits>>15 != 0 {
		return -v
	}
	return v
}

// sum is x + y rounded to odd.
func sum(x, y float64) float64 {
	s := x + y
	t := s - x
	e := (x - (s - t)) + (y - t)
	if b := math.Float64bits(s); b&1 == 0 && (e > 0 || e < 0) {
		if (e > 0) == (s > 0) {
			return math.Float64frombits(b + 1)
		}
		return math.Float64frombits(b - 1)
	}
	return s
}

// wide is a number as a float64, rounded to odd.
func wide[T Number](x T) float64 {
	switch {
	case T(1)/2 != 0:
		return float64(x)
	case x < 0:
		return -wide(-uint64(x))
	}
	return sum(float64(uint64(x)>>32)*0x1p32, float64(uint64(x)&0xffffffff))
}

// Float16Of is the nearest Float16.
func Float16Of[T Number](x T) Float16 { return round[binary16](wide(x), ToNearestEven) }

// BFloat16Of is the nearest BFloat16.
func BFloat16Of[T Number](x T) BFloat16 { return round[brain16](wide(x), ToNearestEven) }

// RoundFloat16 is a Float16.
func RoundFloat16[T Number](x T, r Rounding) Float16 { return round[binary16](wide(x), r) }

// RoundBFloat16 is a BFloat16.
func RoundBFloat16[T Number](x T, r Rounding) BFloat16 { return round[brain16](wide(x), r) }

// Float16FromBits is the number of some bits.
func Float16FromBits(bits uint16) Float16 { return Float16{bits} }

// BFloat16FromBits is the number of some bits.
func BFloat16FromBits(bits uint16) BFloat16 { return BFloat16{bits} }

// ToFloat64 is x as a float64.
func ToFloat64[T Real](x T) float64 {
	switch x := any(x).(type) {
	case float32:
		return float64(x)
	case Float16:
		return x.value()
	case BFloat16:
		return x.value()
	}
	return any(x).(float64)
}

// FromFloat64 is x as a T.
func FromFloat64[T Real](x float64) T {
	var y T
	switch p := any(&y).(type) {
	case *float32:
		*p = float32(x)
	case *float64:
		*p = x
	case *Float16:
		*p = Float16Of(x)
	case *BFloat16:
		*p = BFloat16Of(x)
	}
	return y
}

// ToFloat32 is x as a float32.
func ToFloat32[T Real](x T) float32 { return float32(ToFloat64(x)) }

// FromFloat32 is x as a T.
func FromFloat32[T Real](x float32) T { return FromFloat64[T](float64(x)) }

// The methods of numbers.

func (x number[F]) Bits() uint16           { return x.bits }
func (x number[F]) Float32() float32       { return float32(x.value()) }
func (x number[F]) Float64() float64       { return x.value() }
func (x number[F]) Neg() number[F]         { return number[F]{x.bits ^ 0x8000} }
func (x number[F]) Abs() number[F]         { return number[F]{x.bits & 0x7fff} }
func (x number[F]) Equal(y number[F]) bool { return x.value() == y.value() }
func (x number[F]) Less(y number[F]) bool  { return x.value() < y.value() }
func (x number[F]) LessEqual(y number[F]) bool {
	return x.value() <= y.value()
}
func (x number[F]) Compare(y number[F]) int { return cmp.Compare(x.value(), y.value()) }
func (x number[F]) IsNaN() bool             { return math.IsNaN(x.value()) }
func (x number[F]) IsInf(sign int) bool     { return math.IsInf(x.value(), sign) }
func (x number[F]) Signbit() bool           { return x.bits >= 0x8000 }

func (x number[F]) Add(y number[F]) number[F] { return nearest[F](sum(x.value(), y.value())) }
func (x number[F]) Sub(y number[F]) number[F] { return nearest[F](sum(x.value(), -y.value())) }
func (x number[F]) Mul(y number[F]) number[F] { return nearest[F](x.value() * y.value()) }
func (x number[F]) Div(y number[F]) number[F] { return nearest[F](x.value() / y.value()) }
func (x number[F]) Sqrt() number[F]           { return nearest[F](math.Sqrt(x.value())) }
func (x number[F]) FMA(y, z number[F]) number[F] {
	return nearest[F](sum(x.value()*y.value(), z.value()))
}
func (x number[F]) Min(y number[F]) number[F] { return nearest[F](min(x.value(), y.value())) }
func (x number[F]) Max(y number[F]) number[F] { return nearest[F](max(x.value(), y.value())) }

func nearest[F format](x float64) number[F] { return round[F](x, ToNearestEven) }

// pair is two numbers.
type pair[F format] struct{ X, Y number[F] }

func (v pair[F]) Add(w pair[F]) pair[F]    { return pair[F]{v.X.Add(w.X), v.Y.Add(w.Y)} }
func (v pair[F]) Sub(w pair[F]) pair[F]    { return pair[F]{v.X.Sub(w.X), v.Y.Sub(w.Y)} }
func (v pair[F]) Mul(w pair[F]) pair[F]    { return pair[F]{v.X.Mul(w.X), v.Y.Mul(w.Y)} }
func (v pair[F]) FMA(x, y pair[F]) pair[F] { return pair[F]{v.X.FMA(x.X, y.X), v.Y.FMA(x.Y, y.Y)} }
func (v pair[F]) Neg() pair[F]             { return pair[F]{v.X.Neg(), v.Y.Neg()} }
func (v pair[F]) Abs() pair[F]             { return pair[F]{v.X.Abs(), v.Y.Abs()} }
func (v pair[F]) Min(w pair[F]) pair[F]    { return pair[F]{v.X.Min(w.X), v.Y.Min(w.Y)} }
func (v pair[F]) Max(w pair[F]) pair[F]    { return pair[F]{v.X.Max(w.X), v.Y.Max(w.Y)} }
func (v pair[F]) Float32x2() Float32x2     { return Float32x2{v.X.Float32(), v.Y.Float32()} }
func (v pair[F]) Sum() number[F]           { return v.X.Add(v.Y) }
func (v pair[F]) Lanes() int               { return 2 }
func (v pair[F]) Lane(i int) number[F]     { return [2]number[F]{v.X, v.Y}[i] }

// Float16x2 rounds the lanes.
func (v Float32x2) Float16x2() Float16x2 { return Float16x2{Float16Of(v.X), Float16Of(v.Y)} }

// BFloat16x2 rounds the lanes.
func (v Float32x2) BFloat16x2() BFloat16x2 { return BFloat16x2{BFloat16Of(v.X), BFloat16Of(v.Y)} }

// eight is eight numbers.
type eight[F format] struct{ X, Y, Z, W pair[F] }

func (v eight[F]) FMA(x, y eight[F]) eight[F] {
	return eight[F]{v.X.FMA(x.X, y.X), v.Y.FMA(x.Y, y.Y), v.Z.FMA(x.Z, y.Z), v.W.FMA(x.W, y.W)}
}
func (v eight[F]) Sum() number[F]       { return v.X.Add(v.Y).Add(v.Z.Add(v.W)).Sum() }
func (v eight[F]) Lanes() int           { return 8 }
func (v eight[F]) Lane(i int) number[F] { return [4]pair[F]{v.X, v.Y, v.Z, v.W}[i/2].Lane(i % 2) }
