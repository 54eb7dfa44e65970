package p

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
)

// Fast fuses what is not converted, has reciprocals in place of divisions, one of them before the
// loop, and takes the unit's functions with .ftz.
//
//gpu:kernel fast
func Fast(a, b []float32, c, d float32) {
	most := float32(math.Inf(-1))
	for i, x := range a {
		y := x*c + d
		y -= float32(x*d) - x*x
		y = y/c + x/gpu.Sqrt(y) + y/3
		y += gpu.Exp(x) * gpu.ApproxRcp(x)
		if y > most {
			most = y
		}
		b[i] = max(y, c) + gpu.Rsqrt(d)
	}
	b[int(most)] = min(most, 3)
}

// Double fuses float64, and divides exactly.
//
//gpu:kernel fast
func Double(a []float64, c float64) {
	for i, x := range a {
		a[i] = c - x*x/c + max(x*c, float64(int(x)))
	}
}

// Partly is exact, except for what it calls.
//
//gpu:kernel
func Partly(a []float32, c float32) {
	for i, x := range a {
		a[i] = x*c + mixed(x, c)/c
	}
}

// mixed is x*c + x/c, with an exact division.
//
//gpu:fast
func mixed(x, c float32) float32 { return x*c + float32(x/c) }
