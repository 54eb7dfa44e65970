package gpu

import "math"

// Numbers of 8 bits are found among all that their format has.

// tiny is a floating-point number of 8 bits in a format.
type tiny[F tinyFormat] struct{ bits uint8 }

// tinyFormat says how many bits of fraction a number has, the bias of its exponent, and the bits of
// the largest number.
type tinyFormat interface {
	fraction() int
	bias() int
	last() uint8
}

type (
	e4m3 struct{}
	e5m2 struct{}
)

func (e4m3) fraction() int { return 3 }
func (e4m3) bias() int     { return 7 }
func (e4m3) last() uint8   { return 0x7e }
func (e5m2) fraction() int { return 2 }
func (e5m2) bias() int     { return 15 }
func (e5m2) last() uint8   { return 0x7b }

// The types of the real package.
type (
	E4M3 = tiny[e4m3]
	E5M2 = tiny[e5m2]
)

// value is x as a float64.
func (x tiny[F]) value() float64 {
	var f F
	magnitude := x.bits & 0x7f
	exponent, digits := int(magnitude>>f.fraction()), int(magnitude)&(1<<f.fraction()-1)
	v := 0.0
	switch {
	case magnitude > f.last() && digits == 0:
		v = math.Inf(1)
	case magnitude > f.last():
		return math.NaN()
	case exponent == 0:
		v = math.Ldexp(float64(digits), 1-f.bias()-f.fraction())
	default:
		v = math.Ldexp(float64(digits+1<<f.fraction()), exponent-f.bias()-f.fraction())
	}
	if x.bits >= 0x80 {
		return -v
	}
	return v
}

// tinyOf is the number nearest to x, the even one of two, and the largest where x is larger.
func tinyOf[F tinyFormat](x float64) tiny[F] {
	var f F
	if math.IsNaN(x) {
		return tiny[F]{0x7f}
	}
	magnitude := min(math.Abs(x), tiny[F]{f.last()}.value())
	best, distance := uint8(0), magnitude
	for bits := range f.last() + 1 {
		if d := math.Abs(tiny[F]{bits}.value() - magnitude); d < distance || d == distance && bits&1 == 0 {
			best, distance = bits, d
		}
	}
	if math.Signbit(x) {
		best |= 0x80
	}
	return tiny[F]{best}
}

// E4M3Of is the nearest E4M3.
func E4M3Of[T Number](x T) E4M3 { return tinyOf[e4m3](wide(x)) }

// E5M2Of is the nearest E5M2.
func E5M2Of[T Number](x T) E5M2 { return tinyOf[e5m2](wide(x)) }

// E4M3FromBits is the number of some bits.
func E4M3FromBits(bits uint8) E4M3 { return E4M3{bits} }

// E5M2FromBits is the number of some bits.
func E5M2FromBits(bits uint8) E5M2 { return E5M2{bits} }

// The methods of numbers.

func (x tiny[F]) Bits() uint8         { return x.bits }
func (x tiny[F]) Float32() float32    { return float32(x.value()) }
func (x tiny[F]) IsNaN() bool         { return math.IsNaN(x.value()) }
func (x tiny[F]) IsInf(sign int) bool { return math.IsInf(x.value(), sign) }
