// Package rotation is the plane rotation of BLAS's rotg, which the host and kernels compute alike.
package rotation

import "github.com/gridstride/gridstride/internal/math/ieee"

// Of is the rotation that turns (a, b) into (r, 0): c*a + s*b = r and c*b - s*a = 0. From z alone c
// and s can be computed again: it is s if |a| > |b|, and otherwise 1/c, or 1 if c is 0. smallest is
// the smallest normal number of T. The algorithm is Anderson's, "Algorithm 978: Safe Scaling in the
// Level 1 BLAS" (TOMS 2017).
func Of[T ieee.Float](a, b, smallest T) (c, s, r, z T) {
	switch {
	case b == 0:
		return 1, 0, a, 0
	case a == 0:
		return 0, 1, b, 1
	}
	absA, absB := ieee.Abs(a), ieee.Abs(b)
	scale := min(max(smallest, max(absA, absB)), 1/smallest)
	sign := T(1)
	if absA > absB && a < 0 || absA <= absB && b < 0 {
		sign = -1
	}
	as, bs := a/scale, b/scale
	r = sign * (scale * ieee.Sqrt(T(as*as)+T(bs*bs)))
	c, s = a/r, b/r
	switch {
	case absA > absB:
		z = s
	case c != 0:
		z = 1 / c
	default:
		z = 1
	}
	return c, s, r, z
}
