package portable

import "math"

// DotExact64 writes 16 sums of x*y and after them the errors of each.
func DotExact64(x, y []float64, sums *[32]float64) {
	clear(sums[:])
	each(x, y, 2, func(i int, x, y float64) {
		h := float64(x * y) // which no compiler fuses with the addition
		s := sums[i] + h
		z := s - sums[i]
		sums[16+i] += math.FMA(x, y, -h)
		sums[16+i] += (sums[i] - (s - z)) + (h - z)
		sums[i] = s
	})
}

// DotExact32 is the sum of x*y in float64, where the products are exact. The length is a multiple
// of 8.
func DotExact32(x, y []float32) float64 {
	var acc lanes[float64]
	for i, v := range x {
		acc[i%32] += float64(v) * float64(y[i])
	}
	return acc.total(maxUnits)
}
