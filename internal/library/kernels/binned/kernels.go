package binned

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/math/binned"
)

//go:generate go tool gridstride build

// sum adds the elements of x reproducibly.
//
// Launch with any grid of one dimension. xv is the elements of x that are read as vectors of 16
// bytes. rest says where the others are. partial has an element a block, ticket[0] is 0 before, and
// after.
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
