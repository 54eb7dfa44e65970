// Package portable holds the kernels in Go. They run on machines without assembly, and the tests
// compare the assembly with them, bit for bit.
package portable

import (
	"math"
	"unsafe"

	"github.com/gridstride/gridstride/internal/library/asm"
)

// fma is x*y + z, rounded once.
func fma[T asm.Float](x, y, z T) T {
	if unsafe.Sizeof(x) == 4 {
		return T(fma32(float32(x), float32(y), float32(z)))
	}
	return T(math.FMA(float64(x), float64(y), float64(z)))
}

// fma32 is x*y + z, rounded once. The product is exact in float64. The sum is rounded there once
// and to float32 once more, which is only wrong where the first rounding ends halfway between two
// float32: then the sum is rounded to odd first (Boldo and Melquiond, "Emulation of FMA and
// correctly rounded sums", IEEE TC 2008).
func fma32(x, y, z float32) float32 {
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	bits := math.Float64bits(s)
	if bits&(1<<29-1) != 1<<28 && math.Abs(s) >= 0x1p-125 {
		return float32(s)
	}
	t := s - p
	if err := float64(p-float64(s-t)) + float64(c-t); err != 0 && bits&1 == 0 {
		if (err > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
		s = math.Float64frombits(bits)
	}
	return float32(s)
}
