package math32

import "github.com/gridstride/gridstride/internal/math/mathcommon"

// Jn is the Bessel function of the first kind and order n of x, computed as math64's. Its time
// grows with n, but not beyond |x| by much.
func Jn(n int, x float32) float32 { return mathcommon.Jn(n, x, J0, j1Positive) }

// Yn is the Bessel function of the second kind and order n of x, NaN for a negative x. Its time
// grows with n. It is the recurrence from Y0 and Y1, which is stable.
func Yn(n int, x float32) float32 { return mathcommon.Yn(n, x, Y0, Y1) }
