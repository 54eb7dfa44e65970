package math64

import "github.com/gridstride/gridstride/internal/math/ieee"

// Log is the natural logarithm of x.
//
// x = m * 2^n with m from 43/64 to 43/32, by the bits of x; log(x) = log(m) + n*ln2, where log(1+f)
// is f + f^2 times a polynomial (J.-M. Muller, Elementary Functions, 3rd ed., 2016, chapter 11).
// n*ln2 + f is a sum of two numbers, by Dekker's Fast2Sum.
func Log(x float64) float64 {
	bits := ieee.Float64bits(x)
	if !isNormalPositive(bits) {
		if !isSubnormal(x) {
			return logSpecial(x)
		}
		bits = normalBits(x)
	}
	f, n := split(bits)
	p := 0x1.2dc8a1f1d357ep-4
	p = ieee.FMA(p, f, -0x1.5a72ee0e84e8p-4)
	p = ieee.FMA(p, f, 0x1.850e67e9da14cp-5)
	p = ieee.FMA(p, f, -0x1.7d781e81e95a9p-5)
	p = ieee.FMA(p, f, 0x1.e5ba1dad02c0ap-5)
	p = ieee.FMA(p, f, -0x1.050f2507af7dbp-4)
	p = ieee.FMA(p, f, 0x1.10ff3827825c4p-4)
	p = ieee.FMA(p, f, -0x1.2428856d40b1dp-4)
	p = ieee.FMA(p, f, 0x1.3b134e38f9bf6p-4)
	p = ieee.FMA(p, f, -0x1.555aa495bd84p-4)
	p = ieee.FMA(p, f, 0x1.745d265811f03p-4)
	p = ieee.FMA(p, f, -0x1.999970254775p-4)
	p = ieee.FMA(p, f, 0x1.c71c713ce67cp-4)
	p = ieee.FMA(p, f, -0x1.0000005d0e794p-3)
	p = ieee.FMA(p, f, 0x1.24924925a99a3p-3)
	p = ieee.FMA(p, f, -0x1.5555555480086p-3)
	p = ieee.FMA(p, f, 0x1.9999999997c87p-3)
	p = ieee.FMA(p, f, -0x1.0000000000607p-2)
	p = ieee.FMA(p, f, 0x1.555555555555cp-2)
	p = ieee.FMA(p, f, -0x1.fffffffffffffp-2)
	high := ieee.FMA(n, ln2Hi*0x1p-20, f)
	low := f - ieee.FMA(n, -ln2Hi*0x1p-20, high)
	low = ieee.FMA(n, ln2Lo*0x1p-20, low)
	return high + ieee.FMA(float64(f*f), p, low)
}

// Log2 is the binary logarithm of x, exact where x is a power of 2. It is computed as Log is.
func Log2(x float64) float64 {
	const log2ELo = 0x1.777d0ffda0d24p-56
	bits := ieee.Float64bits(x)
	if !isNormalPositive(bits) {
		if !isSubnormal(x) {
			return logSpecial(x)
		}
		bits = normalBits(x)
	}
	f, n := split(bits)
	p := 0x1.b0292b2d0a34fp-4
	p = ieee.FMA(p, f, -0x1.f22061eeee9dep-4)
	p = ieee.FMA(p, f, 0x1.1a3f882ae70c3p-4)
	p = ieee.FMA(p, f, -0x1.140d27e67e13ep-4)
	p = ieee.FMA(p, f, 0x1.5e0b12e66431ap-4)
	p = ieee.FMA(p, f, -0x1.786fad0b0055bp-4)
	p = ieee.FMA(p, f, 0x1.89e3adb4fe70ep-4)
	p = ieee.FMA(p, f, -0x1.a584b4c2a798fp-4)
	p = ieee.FMA(p, f, 0x1.c68e2095df0b8p-4)
	p = ieee.FMA(p, f, -0x1.ec77daeb45cffp-4)
	p = ieee.FMA(p, f, 0x1.0c9a92d3da7fcp-3)
	p = ieee.FMA(p, f, -0x1.2776a97b767e6p-3)
	p = ieee.FMA(p, f, 0x1.484b136009906p-3)
	p = ieee.FMA(p, f, -0x1.715476c9d9d34p-3)
	p = ieee.FMA(p, f, 0x1.a61762a980174p-3)
	p = ieee.FMA(p, f, -0x1.ec709dc2a1d28p-3)
	p = ieee.FMA(p, f, 0x1.2776c50ef8452p-2)
	p = ieee.FMA(p, f, -0x1.71547652b8904p-2)
	p = ieee.FMA(p, f, 0x1.ec709dc3a0408p-2)
	p = ieee.FMA(p, f, -0x1.71547652b82fep-1)
	n = float64(n * 0x1p-20)
	high := ieee.FMA(f, log2E, n)
	low := ieee.FMA(f, log2E, n-high)
	low = ieee.FMA(f, log2ELo, low)
	return high + ieee.FMA(float64(f*f), p, low)
}

// Log10 is the decimal logarithm of x. It is computed as Log is.
func Log10(x float64) float64 {
	const (
		log10E     = 0x1.bcb7b1526e50ep-2
		log10ELo   = 0x1.95355baaafad3p-57
		log10Of2   = 0x1.34413509f78p-2 // a multiple by an exponent is exact
		log10Of2Lo = 0x1.fef311f12b358p-46
	)
	bits := ieee.Float64bits(x)
	if !isNormalPositive(bits) {
		if !isSubnormal(x) {
			return logSpecial(x)
		}
		bits = normalBits(x)
	}
	f, n := split(bits)
	p := 0x1.070fb3927d867p-5
	p = ieee.FMA(p, f, -0x1.2d5ef8fb3e4c6p-5)
	p = ieee.FMA(p, f, 0x1.50fca3da02ef9p-6)
	p = ieee.FMA(p, f, -0x1.4adfbafe406e1p-6)
	p = ieee.FMA(p, f, 0x1.a618dfa77be3ep-6)
	p = ieee.FMA(p, f, -0x1.c59baabbac23dp-6)
	p = ieee.FMA(p, f, 0x1.da3899238b2fap-6)
	p = ieee.FMA(p, f, -0x1.fb84cbd6b8abbp-6)
	p = ieee.FMA(p, f, 0x1.11abfcb4c036p-5)
	p = ieee.FMA(p, f, -0x1.287f2f4951945p-5)
	p = ieee.FMA(p, f, 0x1.436e5d5317059p-5)
	p = ieee.FMA(p, f, -0x1.63c60239b63a2p-5)
	p = ieee.FMA(p, f, 0x1.8b4df2899d78ap-5)
	p = ieee.FMA(p, f, -0x1.bcb7b1fc091a6p-5)
	p = ieee.FMA(p, f, 0x1.fc3fa616c66c2p-5)
	p = ieee.FMA(p, f, -0x1.287a76362cf4cp-4)
	p = ieee.FMA(p, f, 0x1.63c62775239f2p-4)
	p = ieee.FMA(p, f, -0x1.bcb7b1526f0edp-4)
	p = ieee.FMA(p, f, 0x1.287a7636f4364p-3)
	p = ieee.FMA(p, f, -0x1.bcb7b1526e50dp-3)
	m := float64(n * (log10Of2 * 0x1p-20))
	high := ieee.FMA(f, log10E, m)
	low := ieee.FMA(f, log10E, m-high)
	low = ieee.FMA(n, log10Of2Lo*0x1p-20, ieee.FMA(f, log10ELo, low))
	return high + ieee.FMA(float64(f*f), p, low)
}

// Log1p is log(1 + x), also where x is small. It is computed as Log is, of 1+x as a sum of two
// numbers.
func Log1p(x float64) float64 {
	if !(x > -1 && x < ieee.Inf[float64](1)) {
		return logSpecial(1 + x)
	}
	f, rest, n, _ := splitOnePlus(x)
	return ieee.Copysign(logOfSum(f, rest, n), x) // x may be -0
}

// splitOnePlus is split for 1+x, with x from -1 to the greatest number: that is (1 + f + rest) *
// 2^(n/2^20), where rest is small relative to f, and f is x where x is small. scale is 4 *
// 2^(-n/2^20).
func splitOnePlus(x float64) (f, rest, n, scale float64) {
	const least = 0x3fe58000 // 43/64
	exponent := (upper(1+x) - least) & 0xfff00000
	part := ieee.Float64frombits(ieee.Float64bits(x) - uint64(exponent)<<32)
	scale = ieee.Float64frombits(uint64(0x40100000-exponent) << 32)
	one := ieee.FMA(scale, 0.25, -1)
	f = part + one
	return f, part - (f - one), float64(int32(exponent)), scale
}

// logOfSum is log((1 + f + rest) * 2^(n/2^20)).
func logOfSum(f, rest, n float64) float64 {
	p := 0x1.2dc8a1f1d357ep-4
	p = ieee.FMA(p, f, -0x1.5a72ee0e84e8p-4)
	p = ieee.FMA(p, f, 0x1.850e67e9da14cp-5)
	p = ieee.FMA(p, f, -0x1.7d781e81e95a9p-5)
	p = ieee.FMA(p, f, 0x1.e5ba1dad02c0ap-5)
	p = ieee.FMA(p, f, -0x1.050f2507af7dbp-4)
	p = ieee.FMA(p, f, 0x1.10ff3827825c4p-4)
	p = ieee.FMA(p, f, -0x1.2428856d40b1dp-4)
	p = ieee.FMA(p, f, 0x1.3b134e38f9bf6p-4)
	p = ieee.FMA(p, f, -0x1.555aa495bd84p-4)
	p = ieee.FMA(p, f, 0x1.745d265811f03p-4)
	p = ieee.FMA(p, f, -0x1.999970254775p-4)
	p = ieee.FMA(p, f, 0x1.c71c713ce67cp-4)
	p = ieee.FMA(p, f, -0x1.0000005d0e794p-3)
	p = ieee.FMA(p, f, 0x1.24924925a99a3p-3)
	p = ieee.FMA(p, f, -0x1.5555555480086p-3)
	p = ieee.FMA(p, f, 0x1.9999999997c87p-3)
	p = ieee.FMA(p, f, -0x1.0000000000607p-2)
	p = ieee.FMA(p, f, 0x1.555555555555cp-2)
	high := ieee.FMA(n, ln2Hi*0x1p-20, f)
	low := f - ieee.FMA(n, -ln2Hi*0x1p-20, high)
	low = ieee.FMA(n, ln2Lo*0x1p-20, low) + ieee.FMA(-f, rest, rest)
	p = ieee.FMA(p, f, -0x1.fffffffffffffp-2)
	z := float64(f * f)
	low = ieee.FMA(ieee.FMA(f, f, -z), -0.45, low) // what z has rounded off
	return high + ieee.FMA(z, p, low)
}

// isNormalPositive reports whether these are the bits of a normal number above 0.
func isNormalPositive(bits uint64) bool { return uint32(bits>>32)-0x00100000 < 0x7fe00000 }

// isSubnormal reports whether x, which is not a normal number above 0, is a subnormal one.
func isSubnormal(x float64) bool { return x > 0 && x < 1 }

// logSpecial is the logarithm of what has no exponent.
func logSpecial(x float64) float64 {
	if x == 0 {
		return ieee.Inf[float64](-1)
	}
	if x < 0 {
		return ieee.NaN[float64]()
	}
	return x
}

// normalBits are the bits of a subnormal number above 0 as if it were normal: with an exponent
// below all others.
func normalBits(x float64) uint64 { return ieee.Float64bits(float64(x*0x1p52)) - 52<<52 }

// split takes a number above 0 apart: it is (1+f) * 2^(n/2^20), where 1+f is from 43/64 to 43/32. f
// is exact.
func split(bits uint64) (f, n float64) { return splitAt(bits, 0x3fe58000) }

// splitAt is split for another least 1+f, by its upper bits, and a greatest of twice that.
func splitAt(bits uint64, least uint32) (f, n float64) {
	exponent := (uint32(bits>>32) - least) & 0xfff00000
	return ieee.Float64frombits(bits-uint64(exponent)<<32) - 1, float64(int32(exponent))
}
