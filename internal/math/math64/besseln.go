package math64

import "github.com/gridstride/gridstride/internal/math/mathcommon"

// Jn is the Bessel function of the first kind and order n of x. Its time grows with n, but not
// beyond |x| by much.
//
// Up to the order |x| it is the recurrence from J0 and J1. Beyond, where that loses everything, it
// goes on by the ratios of neighbours, which a continued fraction gives from above (Gautschi,
// Computational aspects of three-term recurrence relations, 1967).
func Jn(n int, x float64) float64 { return mathcommon.Jn(n, x, J0, j1Positive) }

// Yn is the Bessel function of the second kind and order n of x, NaN for a negative x. Its time
// grows with n. It is the recurrence from Y0 and Y1, which is stable.
func Yn(n int, x float64) float64 { return mathcommon.Yn(n, x, Y0, Y1) }
