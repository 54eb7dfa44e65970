package binned

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/math/binned"
)

//go:generate go tool gridstride build

// sum adds the elements of x reproducibly.
//
// Launch with any grid of one dimension. xv is the elements of x that are read as vectors of 16
// bytes. rest says where the others are. partial has an element a block, and the sum is in partial[0]
// afterwards. ticket[0] is 0 before, and after.
//
//gpu:kernel block=256 minblocks=4 T:V:U:F=float32:gpu.Float32x4:uint32:binned.Single,float64:gpu.Float64x2:uint64:binned.Double
func sum[T gpu.Float, V gpu.FloatVector[T, V], U binned.Word, F binned.Format[T, U]](
	xv []V, x []T, rest onepass.Rest, partial []binned.Sum, ticket []uint32, result []T,
) {
	var a account[T, V, U, F]
	a.begin()
	next := load(xv, gpu.BlockIdx.X*tile)
	for i := range tiles(len(xv)) {
		v := next
		next = load(xv, i+gpu.GridDim.X*tile) // is under way while v is added
		a.takeVectors(v)
	}
	for i := range gpu.GridStride(rest.N) {
		at, _ := rest.At(i)
		a.takeOne(x[at])
	}
	a.end(partial, ticket, result)
}

// dot adds the products of the elements of x and y, which are rounded, reproducibly. It is launched
// as sum is, with yv for y.
//
//gpu:kernel block=256 minblocks=4 T:V:U:F=float32:gpu.Float32x4:uint32:binned.Single,float64:gpu.Float64x2:uint64:binned.Double
func dot[T gpu.Float, V gpu.FloatVector[T, V], U binned.Word, F binned.Format[T, U]](
	xv, yv []V, x, y []T, rest onepass.Rest, partial []binned.Sum, ticket []uint32, result []T,
) {
	yv = yv[:len(xv)]
	var a account[T, V, U, F]
	a.begin()
	for i := range tiles(len(xv)) {
		p, q := load(xv, i), load(yv, i)
		for k := range perThread {
			for l := range p[k].Lanes() {
				p[k] = p[k].With(l, p[k].Lane(l)*q[k].Lane(l))
			}
		}
		a.takeVectors(p)
	}
	for i := range gpu.GridStride(rest.N) {
		atX, atY := rest.At(i)
		a.takeOne(x[atX] * y[atY])
	}
	a.end(partial, ticket, result)
}

// asum adds the absolute values of the elements of x reproducibly. It is launched as sum is.
//
//gpu:kernel block=256 minblocks=4 T:V:U:F=float32:gpu.Float32x4:uint32:binned.Single,float64:gpu.Float64x2:uint64:binned.Double
func asum[T gpu.Float, V gpu.FloatVector[T, V], U binned.Word, F binned.Format[T, U]](
	xv []V, x []T, rest onepass.Rest, partial []binned.Sum, ticket []uint32, result []T,
) {
	var a account[T, V, U, F]
	a.begin()
	for i := range tiles(len(xv)) {
		a.takeVectors(each(load(xv, i), func(x T) T { return gpu.Abs(x) }))
	}
	for i := range gpu.GridStride(rest.N) {
		at, _ := rest.At(i)
		a.takeOne(gpu.Abs(x[at]))
	}
	a.end(partial, ticket, result)
}

// magnitudes leaves the largest magnitude of x in largest[0], as its bits without the sign: NaN is
// above the infinities, and these above all numbers. largest[0] is 0 before.
//
// Launch with any grid of one dimension.
//
//gpu:kernel block=256 T:V:U:F=float32:gpu.Float32x4:uint32:binned.Single,float64:gpu.Float64x2:uint64:binned.Double
func magnitudes[T gpu.Float, V gpu.FloatVector[T, V], U binned.Word, F binned.Format[T, U]](
	xv []V, x []T, rest onepass.Rest, largest []U,
) {
	var most U // twice the magnitude
	var f F
	for i := range tiles(len(xv)) {
		each(load(xv, i), func(x T) T {
			most = max(most, f.Bits(x)<<1)
			return x
		})
	}
	for i := range gpu.GridStride(rest.N) {
		at, _ := rest.At(i)
		most = max(most, f.Bits(x[at])<<1)
	}
	if whole := collective.WarpMax(most); gpu.LaneID() == 0 {
		gpu.AtomicMax(&largest[0], whole>>1)
	}
}

// squares adds the squares of the elements of x, scaled by largest[0] as [scaleOf] says,
// reproducibly. It is launched as sum is.
//
//gpu:kernel block=256 minblocks=4 T:V:U:F=float32:gpu.Float32x4:uint32:binned.Single,float64:gpu.Float64x2:uint64:binned.Double
func squares[T gpu.Float, V gpu.FloatVector[T, V], U binned.Word, F binned.Format[T, U]](
	xv []V, x []T, rest onepass.Rest, largest []U, partial []binned.Sum, ticket []uint32, result []T,
) {
	var f F
	s := scaleOf(f.Float(largest[0]))
	var a account[T, V, U, F]
	a.begin()
	for i := range tiles(len(xv)) {
		a.takeVectors(each(load(xv, i), func(x T) T { return s.square(x) }))
	}
	for i := range gpu.GridStride(rest.N) {
		at, _ := rest.At(i)
		a.takeOne(s.square(x[at]))
	}
	a.end(partial, ticket, result)
}

// whole is the sum of sums, as if their terms were of one vector.
//
// Launch with one thread.
//
//gpu:kernel block=1 T:U:F=float32:uint32:binned.Single,float64:uint64:binned.Double
func whole[T gpu.Float, U binned.Word, F binned.Format[T, U]](sums []binned.Sum, result []T) {
	s := sums[0]
	for i := 1; i < len(sums); i++ {
		s.Merge(sums[i])
	}
	result[0] = binned.Value[T, U, F](s)
}

// root makes the Euclidean norm of the sum of squares that squares has left in result[0].
//
// Launch with one thread.
//
//gpu:kernel block=1 T:U:F=float32:uint32:binned.Single,float64:uint64:binned.Double
func root[T gpu.Float, U binned.Word, F binned.Format[T, U]](largest []U, result []T) {
	var f F
	most := f.Float(largest[0])
	switch s := scaleOf(most); {
	case most == 0 || most-most != 0: // zeros only; an infinity, or NaN
		result[0] = most
	default:
		result[0] = T(gpu.Ldexp(gpu.Sqrt(float64(result[0])), s.exp))
	}
}

// scale is a power of two in two factors, as the power itself may be too large or too small for a T.
type scale[T gpu.Float] struct {
	first, second T
	exp           int
}

// scaleOf is the scale that brings the largest magnitude into [0.5, 1). It is 1 for a magnitude that
// is no number, or 0.
func scaleOf[T gpu.Float](largest T) scale[T] {
	if largest == 0 || largest-largest != 0 {
		return scale[T]{1, 1, 0}
	}
	_, exp := gpu.Frexp(float64(largest))
	half := exp / 2
	return scale[T]{T(gpu.Ldexp(1.0, -half)), T(gpu.Ldexp(1.0, half-exp)), exp}
}

// square is the square of x, scaled. NaN and infinities become 0: root sees them in the largest
// magnitude.
func (s scale[T]) square(x T) T {
	x = T(x*s.first) * s.second
	if x-x != 0 {
		return 0
	}
	return x * x
}

// each replaces the lanes of some vectors by what do makes of them.
func each[T gpu.Float, V gpu.FloatVector[T, V]](v [perThread]V, do func(x T) T) [perThread]V {
	for k := range perThread {
		for l := range v[k].Lanes() {
			v[k] = v[k].With(l, do(v[k].Lane(l)))
		}
	}
	return v
}

// A block takes vectors of 16 bytes in tiles. Each thread loads its perThread vectors of a tile
// before it uses the first, as in package onepass.
const (
	perThread = 4
	tile      = onepass.Block * perThread
)

// tiles is where the tiles of n vectors begin that are the caller's block's.
func tiles(n int) func(yield func(i int) bool) {
	return func(yield func(i int) bool) {
		for i := gpu.BlockIdx.X * tile; i < n; i += gpu.GridDim.X * tile {
			if !yield(i) {
				return
			}
		}
	}
}

// load loads the caller's vectors of a tile, and zeros beyond the last.
func load[V any](x []V, i int) (v [perThread]V) {
	if i+tile <= len(x) { // one check for all
		t := (*[tile]V)(x[i : i+tile])
		for k := range perThread {
			v[k] = t[k*onepass.Block+gpu.ThreadIdx.X]
		}
		return v
	}
	for k := range perThread {
		if j := i + k*onepass.Block + gpu.ThreadIdx.X; j < len(x) {
			v[k] = x[j]
		}
	}
	return v
}
