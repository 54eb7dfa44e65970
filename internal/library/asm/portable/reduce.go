package portable

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/library/asm"
)

// A unit is 64 bytes of a vector. Element i of a unit is added to sum i of an accumulator, and the
// units take turns at the accumulators of a reduction, at most 4. The last unit is filled with
// zeros. This is the order of the assembly.
const maxUnits = 4

// lanes are the sums of a reduction side by side: unit u's begin at u*unit.
type lanes[T asm.Float] [maxUnits * 16]T

// unit is how many elements 64 bytes are.
func unit[T asm.Float]() int {
	var v T
	return int(64 / unsafe.Sizeof(v))
}

// total adds up the accumulators of units: the units in pairs, and then the upper half of a unit to
// the lower half.
func (l *lanes[T]) total(units int) T { return l.fold(units, func(x, y T) T { return x + y }) }

func (l *lanes[T]) fold(units int, op func(x, y T) T) T {
	u := unit[T]()
	for i := range u {
		switch units {
		case 2:
			l[i] = op(l[i], l[u+i])
		case 4:
			l[i] = op(op(l[i], l[u+i]), op(l[2*u+i], l[3*u+i]))
		}
	}
	for n := u / 2; n >= 1; n /= 2 {
		for i := range n {
			l[i] = op(l[i], l[n+i])
		}
	}
	return l[0]
}

// each calls step for every element, and for the zeros that fill the last unit, with the lane that
// it belongs to.
func each[T asm.Float](x, y []T, units int, step func(lane int, x, y T)) {
	all := units * unit[T]()
	for i, v := range x {
		var w T
		if y != nil {
			w = y[i]
		}
		step(i%all, v, w)
	}
	for i := len(x); i%unit[T]() != 0; i++ {
		step(i%all, 0, 0)
	}
}

// Dot is the sum of x*y.
func Dot[T asm.Float](x, y []T) T {
	var acc lanes[T]
	all := maxUnits * unit[T]()
	for len(x) >= all {
		a, b, s := x[:all], y[:all], acc[:all]
		for i, v := range a {
			s[i] = fma(v, b[i], s[i])
		}
		x, y = x[all:], y[all:]
	}
	each(x, y, maxUnits, func(i int, x, y T) { acc[i] = fma(x, y, acc[i]) })
	return acc.total(maxUnits)
}

// Sum is the sum of x.
func Sum[T asm.Float](x []T) T {
	var acc lanes[T]
	each(x, nil, maxUnits, func(i int, x, _ T) { acc[i] += x })
	return acc.total(maxUnits)
}

// Asum is the sum of |x|.
func Asum[T asm.Float](x []T) T {
	var acc lanes[T]
	each(x, nil, maxUnits, func(i int, x, _ T) { acc[i] += abs(x) })
	return acc.total(maxUnits)
}

// SquaredDistance is the sum of (x-y)*(x-y).
func SquaredDistance[T asm.Float](x, y []T) T {
	var acc lanes[T]
	each(x, y, maxUnits, func(i int, x, y T) { acc[i] = fma(x-y, x-y, acc[i]) })
	return acc.total(maxUnits)
}

// Differences are the largest of |x-y|, except NaN, and the sum of them.
func Differences[T asm.Float](x, y []T, sums *[2]T) {
	var largest, sum lanes[T]
	each(x, y, 2, func(i int, x, y T) {
		d := abs(x - y)
		largest[i] = greater(d, largest[i])
		sum[i] += d
	})
	sums[0], sums[1] = largest.fold(2, greater), sum.total(2)
}

// Cosine are the sums of x*y, x*x and y*y.
func Cosine[T asm.Float](x, y []T, sums *[3]T) {
	var xy, xx, yy lanes[T]
	each(x, y, 2, func(i int, x, y T) {
		xy[i], xx[i], yy[i] = fma(x, y, xy[i]), fma(x, x, xx[i]), fma(y, y, yy[i])
	})
	sums[0], sums[1], sums[2] = xy.total(2), xx.total(2), yy.total(2)
}

// Compare are the sums of x*y, x*x, y*y, (x-y)*(x-y) and |x-y|.
func Compare[T asm.Float](x, y []T, sums *[5]T) {
	var acc [5]lanes[T]
	each(x, y, 1, func(i int, x, y T) {
		acc[0][i], acc[1][i], acc[2][i] = fma(x, y, acc[0][i]), fma(x, x, acc[1][i]), fma(y, y, acc[2][i])
		d := x - y
		acc[3][i] = fma(d, d, acc[3][i])
		acc[4][i] += abs(d)
	})
	for i := range acc {
		sums[i] = acc[i].total(1)
	}
}

// Moments are the sums of u, v, u*u, v*v and u*v, with u = x-x[0] and v = y-y[0].
func Moments[T asm.Float](x, y []T, sums *[5]T) {
	var acc [5]lanes[T]
	n := 0
	each(x, y, 1, func(i int, u, v T) {
		if n++; n <= len(x) { // what fills the last unit counts as the first elements
			u, v = u-x[0], v-y[0]
		}
		acc[0][i] += u
		acc[1][i] += v
		acc[2][i], acc[3][i], acc[4][i] = fma(u, u, acc[2][i]), fma(v, v, acc[3][i]), fma(u, v, acc[4][i])
	})
	for i := range acc {
		sums[i] = acc[i].total(1)
	}
}

// abs is |x|.
func abs[T asm.Float](x T) T {
	if x < 0 {
		return -x
	}
	return x + 0 // which makes 0 of -0
}

// greater is the larger one, and y where one is NaN.
func greater[T asm.Float](x, y T) T {
	if x > y {
		return x
	}
	return y
}
