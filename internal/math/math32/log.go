package math32

import "github.com/gridstride/gridstride/internal/math/ieee"

// Log is the natural logarithm of x.
//
// x = m * 2^n with m from 43/64 to 43/32, by the bits of x; log(x) = log(m) + n*ln2, where log(1+f)
// is f + f^2 times a polynomial (J.-M. Muller, Elementary Functions, 3rd ed., 2016, chapter 11).
func Log(x float32) float32 {
	const ln2 = 0x1.62e43p-1
	f, n := split(ieee.Float32bits(x))
	if !isUsual(n) {
		if !isPositive(x) {
			return logSpecial(x)
		}
		f, n = split(anyBits(x))
	}
	return ieee.FMA(n, ln2*0x1p-23, ieee.FMA(float32(f*f), logTail(f), f))
}

// Log2 is the binary logarithm of x, exact where x is a power of 2. It is computed as Log is,
// except for m from sqrt(1/2) to sqrt(2): log2(m) is 1/2 at most, and its rounding small relative
// to n. It is f + f*q, where q is too small for its rounding to show.
func Log2(x float32) float32 {
	const least = 0x3f3504f3 // sqrt(1/2)
	f, n := splitAt(ieee.Float32bits(x), least)
	if !isUsual(n) {
		if !isPositive(x) {
			return logSpecial(x)
		}
		f, n = splitAt(anyBits(x), least)
	}
	p := float32(-0x1.d15b52p-4)
	p = ieee.FMA(p, f, 0x1.7d030cp-3)
	p = ieee.FMA(p, f, -0x1.835ef2p-3)
	p = ieee.FMA(p, f, 0x1.a2a408p-3)
	p = ieee.FMA(p, f, -0x1.eb407ep-3)
	p = ieee.FMA(p, f, 0x1.2785ccp-2)
	p = ieee.FMA(p, f, -0x1.715764p-2)
	p = ieee.FMA(p, f, 0x1.ec7048p-2)
	p = ieee.FMA(p, f, -0x1.715476p-1)
	p = ieee.FMA(p, f, 0x1.c551dap-2)
	return ieee.FMA(n, 0x1p-23, ieee.FMA(f, p, f))
}

// Log10 is the decimal logarithm of x, computed as Log2 is, as h + h*q with h = f/2.
func Log10(x float32) float32 {
	const (
		log10Of2   = 0x1.3442p-2 // a multiple by an exponent is exact
		log10Of2Lo = -0x1.95ec1p-19
	)
	f, n := split(ieee.Float32bits(x))
	if !isUsual(n) {
		if !isPositive(x) {
			return logSpecial(x)
		}
		f, n = split(anyBits(x))
	}
	h := float32(0.5 * f)
	p := float32(-0x1.926ebep+5)
	p = ieee.FMA(p, h, 0x1.f34974p+4)
	p = ieee.FMA(p, h, -0x1.bdec6cp+3)
	p = ieee.FMA(p, h, 0x1.f1b514p+2)
	p = ieee.FMA(p, h, -0x1.284ce4p+2)
	p = ieee.FMA(p, h, 0x1.63fd12p+1)
	p = ieee.FMA(p, h, -0x1.bcb8ep+0)
	p = ieee.FMA(p, h, 0x1.287a1p+0)
	p = ieee.FMA(p, h, -0x1.bcb7b2p-1)
	p = ieee.FMA(p, h, -0x1.0d213ap-3)
	g := ieee.FMA(h, p, ieee.FMA(n, log10Of2Lo*0x1p-23, h))
	return ieee.FMA(n, log10Of2*0x1p-23, g)
}

// Log1p is log(1 + x), also where x is small. It is computed as Log is, for m from 3/4 to 3/2: f is
// exact there, if 1+x is rounded down before its exponent is read.
func Log1p(x float32) float32 {
	const (
		ln2   = 0x1.62e43p-1
		least = 0x3f400000 // 3/4
	)
	down := 1<<31 - ieee.Float32bits(ieee.FMAUp(x, -1, -1)) // the opposite of the bits of 1+x
	less := (down + least + 1<<23 - 1) & 0xff800000         // the opposite of the exponent
	n := float32(int32(less))
	if !isUsual(n) && !(x > -1 && x < ieee.Inf[float32](1)) {
		return logSpecial(1 + x)
	}
	part := ieee.Float32frombits(ieee.Float32bits(x) + less)
	f := part - ieee.FMA(ieee.Float32frombits(0x40800000+less), -0.25, 1) // -0 of -0
	p := float32(-0x1.7b983cp-5)
	p = ieee.FMA(p, f, 0x1.b1e142p-4)
	p = ieee.FMA(p, f, -0x1.0df624p-3)
	p = ieee.FMA(p, f, 0x1.2839fp-3)
	p = ieee.FMA(p, f, -0x1.54de6ap-3)
	p = ieee.FMA(p, f, 0x1.996c64p-3)
	p = ieee.FMA(p, f, -0x1.000082p-2)
	p = ieee.FMA(p, f, 0x1.55559ep-2)
	p = ieee.FMA(p, f, -0x1p-1)
	return ieee.FMA(n, -ln2*0x1p-23, ieee.FMA(float32(f*f), p, f))
}

// splitOnePlus is split for 1+x, with x from -1 to the greatest number: that is (1 + f + rest) *
// 2^(n/2^23), where rest is small relative to f, and f is x where x is small. scale is 4 *
// 2^(-n/2^23).
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

// isUsual reports whether the n of split is the n of a number above 0 that is neither subnormal nor
// close to the ends. It is not, for what is no number above 0.
func isUsual(n float32) bool { return ieee.Abs(n) < 126<<23 }

// isPositive reports whether x is a number above 0.
func isPositive(x float32) bool { return x > 0 && x < ieee.Inf[float32](1) }

// anyBits are the bits of a number above 0, as if it were normal.
func anyBits(x float32) uint32 {
	if isNormalPositive(ieee.Float32bits(x)) {
		return ieee.Float32bits(x)
	}
	return normalBits(x)
}

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
func split(bits uint32) (f, n float32) { return splitAt(bits, 0x3f2c0000) }

// splitAt is split for another least 1+f, by its bits, and a greatest of twice that.
func splitAt(bits, least uint32) (f, n float32) {
	exponent := (bits - least) & 0xff800000
	return ieee.Float32frombits(bits-exponent) - 1, float32(int32(exponent))
}
