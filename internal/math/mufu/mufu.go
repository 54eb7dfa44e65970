// Package mufu is a GPU's unit for functions, bit for bit. NVIDIA's machine code calls its
// instruction MUFU.
//
// The unit takes the exponent off its argument and approximates the rest by a polynomial of second
// degree, whose coefficients it looks up by the upper bits of the argument. The square is
// shortened, the sum is exact, and bits below the result's last bit are cut off (Oberman and Siu, A
// high-performance area-efficient multifunction interpolator, 2005). Kościelnicki has described how
// a G80 of 2006 does that (envytools, 2015). The steps here are the same.
//
// The coefficients are solved from all results of an H200. For these steps there are no others that
// give those results. The hyperbolic tangent and the square root are newer than the G80 and have
// the same form. The test holds every function to hashes of what an H200 gives for all arguments.
// No other GPU was tried.
package mufu

import (
	"math"
	"math/bits"
)

// A curve is a function on an interval, in pieces of equal length. Within a piece x goes from 0 to
// 2^17, and the function, in some unit, is c0<<shift + c1*x + c2*square(x)<<shift2 + bias.
type curve struct {
	pieces []piece
	shift  uint
	shift2 uint
	bias   int64
}

type piece struct{ c0, c1, c2 int32 }

var (
	ex2   = curve{ex2Pieces, 13, 0, 0x77e2}
	lg2   = curve{lg2Pieces, 12, 1, 0x3345}
	sine  = curve{sinePieces, 12, 0, 0}
	rsqrt = curve{rsqrtPieces, 14, 2, 0x7fff}
	rcp   = curve{rcpPieces, 14, 1, 0x8fce}
	sqrt  = curve{sqrtPieces, 15, 1, 0x7fff}
	tanh  = curve{tanhPieces, 15, 0, 0}
)

// at is the function at x in the piece with number i, where x has 17 bits.
func (c *curve) at(i, x uint32) int64 {
	p := &c.pieces[i]
	return int64(p.c0)<<c.shift + int64(p.c1)*int64(x) + int64(p.c2)*int64(square(x))<<c.shift2 + c.bias
}

// square is about x*x / 2^19: the sum of the shifted x leaves out the bits below its last one.
func square(x uint32) uint32 {
	sum := uint32(0)
	for i, rest := 18, x; rest != 0; i, rest = i-1, rest>>1 {
		sum += x >> i & -(rest & 1)
	}
	return sum >> 1
}

const (
	signBit  = 1 << 31
	one      = 1 << 23 // a fraction of 1, in the unit of the bits of a float32
	fraction = one - 1
	low17    = 1<<17 - 1
)

var (
	infinity = float32(math.Inf(1))
	notANum  = math.Float32frombits(canonical)
)

// canonical is every function's result for NaN.
const canonical = 1<<31 - 1

// A format is a float32, or the upper half of a float64: how many bits its fraction has, and what
// the bits of its exponent are larger by.
type format struct {
	digits uint
	bias   int
}

var single, upper = format{23, 127}, format{20, 1023}

// exponent is the exponent of a number that has these bits: 0 for those from 1 to 2, -bias for 0
// and subnormal numbers, bias + 1 for infinities and NaN.
func (f format) exponent(b uint32) int { return int(b&^signBit>>f.digits) - f.bias }

// fraction is the 23 bits of a number's fraction.
func (f format) fraction(b uint32) uint32 { return b << (23 - f.digits) & fraction }

// infinity is the bits of an infinity.
func (f format) infinity() uint32 { return uint32(2*f.bias+1) << f.digits }

// assemble is m * 2^(e-23) with a sign, for m from 2^23 to 2^24, toward zero.
func (f format) assemble(sign uint32, e int, m int64) uint32 {
	b := int64(e+f.bias-1)<<f.digits + m>>(23-f.digits)
	if b < 1<<f.digits {
		b = 0
	}
	return sign | uint32(b)
}

// truncate is n * 2^-point toward zero, with a sign.
func truncate(sign uint32, n int64, point int) float32 {
	if n == 0 {
		return math.Float32frombits(sign)
	}
	length := bits.Len64(uint64(n))
	return math.Float32frombits(single.assemble(sign, length-1-point, n<<(63-length)>>(63-24)))
}

// RCP is about 1/x.
func RCP(x float32) float32 { return math.Float32frombits(single.rcp(math.Float32bits(x))) }

// RCP64H is about 1/x for a float64, given and returned as the upper half.
func RCP64H(b uint32) uint32 { return upper.rcp(b) }

func (f format) rcp(b uint32) uint32 {
	sign := b & signBit
	switch e := f.exponent(b); {
	case b&^signBit > f.infinity():
		return canonical
	case e == -f.bias:
		return sign | f.infinity()
	case e > f.bias:
		return sign
	default:
		x := f.fraction(b)
		return f.assemble(sign, -e-1, rcp.at(x>>16, x<<1&low17)>>16)
	}
}

// RSQ is about 1/sqrt(x).
func RSQ(x float32) float32 { return math.Float32frombits(single.rsq(math.Float32bits(x))) }

// RSQ64H is about 1/sqrt(x) for a float64, given and returned as the upper half.
func RSQ64H(b uint32) uint32 { return upper.rsq(b) }

func (f format) rsq(b uint32) uint32 {
	e := f.exponent(b)
	switch {
	case e == -f.bias:
		return b&signBit | f.infinity()
	case b > f.infinity(): // NaN or negative
		return canonical
	case e > f.bias:
		return 0
	}
	x := f.root(b)
	if x == 0 {
		return f.assemble(0, -(e >> 1), one)
	}
	return f.assemble(0, -(e>>1)-1, rsqrt.at(x>>17, x&low17)>>16)
}

// root is where on the curves of the roots a number is: its fraction, and above that whether its
// exponent is odd.
func (f format) root(b uint32) uint32 { return f.fraction(b) | uint32(f.exponent(b)&1)<<23 }

// SQRT is about the root of x.
func SQRT(x float32) float32 {
	b := math.Float32bits(x)
	e := single.exponent(b)
	switch {
	case e < -126:
		return math.Float32frombits(b & signBit)
	case !(x > 0):
		return notANum
	case e > 127:
		return x
	}
	f := single.root(b)
	return math.Float32frombits(single.assemble(0, e>>1, sqrt.at(f>>17, f&low17)>>17))
}

// EX2 is about 2^x.
func EX2(x float32) float32 {
	b := math.Float32bits(x)
	switch e := single.exponent(b); {
	case x != x:
		return notANum
	case e >= 7 && x < 0:
		return 0
	case e >= 7:
		return infinity
	default:
		n := int32(fixed(b, e))
		if x < 0 && n&fraction != 0 {
			n = ^n // one less than -n
		} else if x < 0 {
			n = -n
		}
		f := uint32(n) & fraction
		return math.Float32frombits(single.assemble(0, int(n>>23), ex2.at(f>>17, f&low17)>>15))
	}
}

// fixed is |x| * 2^23 of the number x with these bits and this exponent, toward zero and modulo
// 2^32.
func fixed(b uint32, e int) uint32 {
	m := b&fraction | one
	if e < 0 {
		return m >> -e
	}
	return m << e
}

// LG2 is about the logarithm of x to the base 2.
func LG2(x float32) float32 {
	b := math.Float32bits(x)
	e := single.exponent(b)
	switch {
	case e < -126 && x == x:
		return -infinity
	case !(x > 0):
		return notANum
	case e > 127 || x == 1:
		return x - 1 // +Inf or 0
	}
	f := b & fraction
	n := lg2.at(f>>17, f&low17)>>2 + int64(e)<<36
	if n < 0 {
		return truncate(signBit, ^n, 36)
	}
	return truncate(0, n, 36)
}

// SIN is about the sine of x turns, 2*pi*x.
func SIN(x float32) float32 {
	b := math.Float32bits(x)
	return quadrant(b&signBit, b, 0)
}

// COS is about the cosine of x turns.
func COS(x float32) float32 { return quadrant(0, math.Float32bits(x), 1) }

// quadrant is the sine of some quarters of a turn more than the turns in b, whose sign does not
// count, times a sign.
func quadrant(sign, b, more uint32) float32 {
	e := single.exponent(b)
	if e > 127 {
		return notANum
	}
	f := fixed(b, e+2)
	q := f>>23 + more
	if q&1 != 0 {
		f = ^f
	}
	return truncate(sign^q>>1<<31, sine.at(f>>17&63, f&low17), 37)
}

// tanhPieceBits is the logarithm of how many pieces of tanh there are for an exponent, from TanhLeast up.
var tanhPieceBits = [...]uint{0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3}

// TANH is about the hyperbolic tangent of x. It is the one function that leaves subnormal numbers
// as they are.
func TANH(x float32) float32 {
	b := math.Float32bits(x)
	sign, e := b&signBit, single.exponent(b)-TanhLeast
	switch {
	case x != x:
		return notANum
	case e < 0:
		return x
	case e >= len(tanhPieceBits):
		return math.Float32frombits(sign | math.Float32bits(1))
	}
	first := uint32(0)
	for _, n := range tanhPieceBits[:e] {
		first += 1 << n
	}
	f, n := b&fraction, tanhPieceBits[e]
	return truncate(sign, tanh.at(first+f>>(23-n), f>>(6-n)&low17), 39)
}

// Curve is a function's pieces, for a processor that computes many results at a time: see curve. C0 to
// C2 have an element for each piece.
type Curve struct {
	C0, C1, C2    []int32
	Shift, Shift2 uint
	Bias          int64
}

// CurveOf is the curve of "rcp", "rsqrt", "sqrt", "ex2", "lg2", "sin", which is cos's too, or "tanh".
func CurveOf(name string) (t Curve) {
	c := map[string]*curve{"rcp": &rcp, "rsqrt": &rsqrt, "sqrt": &sqrt, "ex2": &ex2, "lg2": &lg2, "sin": &sine, "tanh": &tanh}[name]
	t.Shift, t.Shift2, t.Bias = c.shift, c.shift2, c.bias
	for _, p := range c.pieces {
		t.C0, t.C1, t.C2 = append(t.C0, p.c0), append(t.C1, p.c1), append(t.C2, p.c2)
	}
	return t
}

// TanhPieces is, for each exponent from TanhLeast up, the number of the first piece of the curve of tanh
// and the logarithm of how many pieces there are.
func TanhPieces() (first, bits []int32) {
	n := int32(0)
	for _, b := range tanhPieceBits {
		first, bits = append(first, n), append(bits, int32(b))
		n += 1 << b
	}
	return first, bits
}

// TanhLeast is the least exponent of the numbers that tanh changes.
const TanhLeast = -8
