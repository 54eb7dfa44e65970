package onepass

import "github.com/gridstride/gridstride/gpu"

// What [Update] does with the vectors.
const (
	ReadX = 1 << iota
	ReadY
	WriteX
	WriteY
	All = ReadX | ReadY | WriteX | WriteY
)

// Update replaces the caller's elements of two vectors by f of them: one vector of 16 bytes of
// each, and one of the rest. what says which are read and written. It is constant when the kernel
// is compiled. Elements that are not read are 0 for f. Parts.Grid gives the grid.
func Update[T gpu.Float, V gpu.FloatVector[T, V]](xv, yv []V, x, y []T, rest Rest, f func(v, w T) (T, T), what int) {
	i := gpu.BlockIdx.X*Block + gpu.ThreadIdx.X
	xv = xv[:len(yv)]
	if i < len(yv) {
		var v, w V
		if what&ReadX != 0 {
			v = xv[i]
		}
		if what&ReadY != 0 {
			w = yv[i]
		}
		for l := range v.Lanes() {
			a, b := f(v.Lane(l), w.Lane(l))
			v, w = v.With(l, a), w.With(l, b)
		}
		if what&WriteX != 0 {
			xv[i] = v
		}
		if what&WriteY != 0 {
			yv[i] = w
		}
	}
	if i < rest.N {
		place := rest.place(i)
		var v, w T
		atX, atY := rest.X+place*rest.IncX, rest.Y+place*rest.IncY
		if what&ReadX != 0 {
			v = x[atX]
		}
		if what&ReadY != 0 {
			w = y[atY]
		}
		v, w = f(v, w)
		if what&WriteX != 0 {
			x[atX] = v
		}
		if what&WriteY != 0 {
			y[atY] = w
		}
	}
}
