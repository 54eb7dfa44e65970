package blas

import (
	"math"

	"github.com/gridstride/gridstride/internal/library/asm/cores"
	"github.com/gridstride/gridstride/internal/library/asm/f32"
	"github.com/gridstride/gridstride/internal/library/asm/f64"
	"github.com/gridstride/gridstride/internal/library/asm/kernel"
)

// DotExact is [Dot] as if computed in twice the precision and then rounded: its error is at most
// eps times the result, and n*n*eps*eps times the sum of the |x*y|, with eps as for Dot. For
// float64 it is Dot2 of Ogita, Rump and Oishi, "Accurate Sum and Dot Product" (SIAM J. Sci. Comput.
// 2005). For float32 the sum is computed in float64, which represents each product exactly. If an
// intermediate result overflows, DotExact returns the result of Dot.
func DotExact[T Float](x, y []T) T {
	checkLengths("DotExact", len(x), len(y))
	if kernel.Single[T]() {
		return T(dotExact32(kernel.As32(x), kernel.As32(y)))
	}
	return T(dotExact64(kernel.As64(x), kernel.As64(y)))
}

func dotExact32(x, y []float32) float64 {
	if len(x) > cores.Piece {
		return cores.SumPieces(len(x), func(from, to int) float64 { return dotExact32(x[from:to], y[from:to]) })
	}
	whole := len(x) &^ 7
	sum := f32.DotExact(x[:whole], y[:whole])
	for i, v := range x[whole:] {
		sum += float64(v) * float64(y[whole+i])
	}
	return sum
}

func dotExact64(x, y []float64) float64 {
	var sum, rest float64
	if len(x) <= cores.Piece {
		sum, rest = dot2(x, y)
	} else {
		sums := make([][2]float64, cores.CountPieces(len(x)))
		cores.Pieces(len(x), func(i, from, to int) { sums[i][0], sums[i][1] = dot2(x[from:to], y[from:to]) })
		for _, s := range sums {
			var err float64
			sum, err = twoSum(sum, s[0])
			rest += s[1] + err
		}
	}
	if exact := sum + rest; !math.IsNaN(exact) {
		return exact
	}
	return dot(x, y)
}

// dot2 is the sum of x*y and what it lost by rounding.
func dot2(x, y []float64) (sum, rest float64) {
	var lanes [32]float64
	f64.DotExact(x, y, &lanes)
	sum, rest = lanes[0], lanes[16]
	for i := 1; i < 16; i++ {
		var err float64
		sum, err = twoSum(sum, lanes[i])
		rest += lanes[16+i] + err
	}
	return sum, rest
}

// twoSum is the sum of two numbers and its error, exactly (Knuth).
func twoSum(a, b float64) (sum, err float64) {
	sum = a + b
	z := sum - a
	return sum, (a - (sum - z)) + (b - z)
}
