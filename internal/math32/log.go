package math32

import "github.com/gridstride/gridstride/internal/ieee"

// Log is the natural logarithm of x.
//
// x = m * 2^n with m from 43/64 to 43/32, by the bits of x; log(x) = log(m) + n*ln2, where log(1+f)
// is f + f^2 times a polynomial (J.-M. Muller, Elementary Functions, 3rd ed., 2016, chapter 11).
func Log(x float32) float32 {
	const ln2 = 0x1.62e43p-1
	bits := ieee.Float32bits(x)
	if !isNormalPositive(bits) {
		if !isSubnormal(x) {
			return logSpecial(x)
		}
		bits = normalBits(x)
	}
	f, n := split(bits)
	return ieee.FMA(n, ln2*0x1p-23, ieee.FMA(float32(f*f), logTail(f), f))
}

// Log2 is the binary logarithm of x, exact where x is a power of 2. It is computed as Log is.
// log2(1+f) is a sum of two numbers, by Dekker's Fast2Sum.
func Log2(x float32) float32 {
	const log2ELo = 0x1.4ae0cp-26
	bits := ieee.Float32bits(x)
	if !isNormalPositive(bits) {
		if !isSubnormal(x) {
			return logSpecial(x)
		}
		bits = normalBits(x)
	}
	f, n := split(bits)
	p := float32(-0x1.652846p-3)
	p = ieee.FMA(p, f, 0x1.96ca0ap-3)
	p = ieee.FMA(p, f, -0x1.6cd1p-3)
	p = ieee.FMA(p, f, 0x1.9f2e18p-3)
	p = ieee.FMA(p, f, -0x1.ec8a96p-3)
	p = ieee.FMA(p, f, 0x1.2792fcp-2)
	p = ieee.FMA(p, f, -0x1.715484p-2)
	p = ieee.FMA(p, f, 0x1.ec706p-2)
	p = ieee.FMA(p, f, -0x1.715476p-1)
	n = float32(n * 0x1p-23)
	high := ieee.FMA(f, log2E, n)
	low := ieee.FMA(f, log2E, n-high)
	low = ieee.FMA(f, log2ELo, low)
	return high + ieee.FMA(float32(f*f), p, low)
}

// Log10 is the decimal logarithm of x. It is computed as Log2 is.
func Log10(x float32) float32 {
	const (
		log10E     = 0x1.bcb7b2p-2
		log10ELo   = -0x1.5b235ep-27
		log10Of2   = 0x1.3442p-2 // a multiple by an exponent is exact
		log10Of2Lo = -0x1.95ec1p-19
	)
	bits := ieee.Float32bits(x)
	if !isNormalPositive(bits) {
		if !isSubnormal(x) {
			return logSpecial(x)
		}
		bits = normalBits(x)
	}
	f, n := split(bits)
	p := float32(-0x1.b9b72cp-5)
	p = ieee.FMA(p, f, 0x1.ea55f4p-5)
	p = ieee.FMA(p, f, -0x1.b456cep-5)
	p = ieee.FMA(p, f, 0x1.f3d5d6p-5)
	p = ieee.FMA(p, f, -0x1.28a9dap-4)
	p = ieee.FMA(p, f, 0x1.63e8bap-4)
	p = ieee.FMA(p, f, -0x1.bcb6c4p-4)
	p = ieee.FMA(p, f, 0x1.287a5p-3)
	p = ieee.FMA(p, f, -0x1.bcb7b2p-3)
	m := float32(n * (log10Of2 * 0x1p-23))
	high := ieee.FMA(f, log10E, m)
	low := ieee.FMA(f, log10E, m-high)
	low = ieee.FMA(n, log10Of2Lo*0x1p-23, ieee.FMA(f, log10ELo, low))
	return high + ieee.FMA(float32(f*f), p, low)
}

// Log1p is log(1 + x), also where x is small. It is computed as Log is, of 1+x as a sum of two
// numbers.
func Log1p(x float32) float32 {
	if !(x > -1 && x < ieee.Inf[float32](1)) {
		return logSpecial(1 + x)
	}
	f, rest, n, _ := splitOnePlus(x)
	return ieee.Copysign(logOfSum(f, rest, n), x) // x may be -0
}

// splitOnePlus is split for 1+x, with x from -1 to the greatest number: that is
// (1 + f + rest) * 2^(n/2^23), where rest is small beside f, and f is x where x is small.
// scale is 4 * 2^(-n/2^23).
func splitOnePlus(x float32) (f, rest, n, scale float32) {
	const least = 0x3f2c0000 // 43/64
	exponent := (ieee.Float32bits(1+x) - least) & 0xff800000
	part := ieee.Float32frombits(ieee.Float32bits(x) - exponent)
	scale = ieee.Float32frombits(0x40800000 - exponent)
	one := ieee.FMA(scale, 0.25, -1)
	f = part + one
	return f, part - (f - one), float32(int32(exponent)), scale
}

// logOfSum is log((1 + f + rest) * 2^(n/2^23)).
func logOfSum(f, rest, n float32) float32 {
	high := ieee.FMA(n, ln2Hi*0x1p-23, f)
	low := f - ieee.FMA(n, -ln2Hi*0x1p-23, high)
	low = ieee.FMA(n, ln2Lo*0x1p-23, low) + ieee.FMA(-f, rest, rest)
	return high + ieee.FMA(float32(f*f), logTail(f), low)
}

// logTail is (log(1+f) - f) / f^2 for 1+f from 43/64 to 43/32, a polynomial.
func logTail(f float32) float32 {
	p := float32(-0x1.f4116cp-4)
	p = ieee.FMA(p, f, 0x1.1a15f6p-3)
	p = ieee.FMA(p, f, -0x1.f87f2ep-4)
	p = ieee.FMA(p, f, 0x1.1fc24cp-3)
	p = ieee.FMA(p, f, -0x1.5574cp-3)
	p = ieee.FMA(p, f, 0x1.99c102p-3)
	p = ieee.FMA(p, f, -0x1.ffffa8p-3)
	p = ieee.FMA(p, f, 0x1.55552ap-2)
	return ieee.FMA(p, f, -0x1p-1)
}

// isNormalPositive reports whether these are the bits of a normal number above 0.
func isNormalPositive(bits uint32) bool { return bits-0x00800000 < 0x7f000000 }

// isSubnormal reports whether x, which is not a normal number above 0, is a subnormal one.
func isSubnormal(x float32) bool { return x > 0 && x < 1 }

// logSpecial is the logarithm of what has no exponent.
func logSpecial(x float32) float32 {
	if x == 0 {
		return ieee.Inf[float32](-1)
	}
	if x < 0 {
		return ieee.NaN[float32]()
	}
	return x
}

// normalBits are the bits of a subnormal number above 0 as if it were normal: with an exponent
// below all others.
func normalBits(x float32) uint32 { return ieee.Float32bits(float32(x*0x1p23)) - 23<<23 }

// split takes a number above 0 apart: it is (1+f) * 2^(n/2^23), where 1+f is from 43/64 to 43/32. f
// is exact.
func split(bits uint32) (f, n float32) {
	const least = 0x3f2c0000 // 43/64
	exponent := (bits - least) & 0xff800000
	return ieee.Float32frombits(bits-exponent) - 1, float32(int32(exponent))
}
