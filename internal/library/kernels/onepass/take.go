package onepass

import "github.com/gridstride/gridstride/gpu"

// A block of Block threads takes tiles of 32 KB. A thread loads all its vectors of 16 bytes of a
// tile before it uses the first: as many bytes are under way in a multiprocessor as it takes to
// cover the time that memory needs to answer.
const (
	Block  = 256
	single = 8 // vectors of 16 bytes of a tile that a thread loads of one operand
	double = 4 // and of each of two
	few    = 4 // vectors of a tile that is not full, and elements of the rest, that it loads together
)

// Rest says where the elements outside of the vectors of 16 bytes are. Each operand has N of
// them: the first Head precede the vectors of 16 bytes, and the others are Skip elements
// further on. The element of x with i elements before it is x[X+i*IncX], and of y it is
// y[Y+i*IncY].
type Rest struct {
	N, Head, Skip    int
	X, IncX, Y, IncY int
}

// place is the number of elements before the i-th of the rest.
func (r *Rest) place(i int) int {
	if i >= r.Head {
		i += r.Skip
	}
	return i
}

// Take combines the caller's elements of one vector, which is xv and the rest of x, with start,
// which changes nothing. take adds an element, whose place in the vector is i, to one of several
// results. merge puts these together.
func Take[T gpu.Float, V gpu.FloatVector[T, V], A any](xv []V, x []T, rest Rest, start A,
	take func(a A, v T, i int) A, merge func(a, b A) A,
) A {
	const tile = single * Block
	acc := [4]A{start, start, start, start}
	tid := gpu.ThreadIdx.X
	at := gpu.BlockIdx.X * tile
	for ; at+tile <= len(xv); at += gpu.GridDim.X * tile {
		t := (*[tile]V)(xv[at : at+tile])
		var v [single]V
		for k := range single {
			v[k] = t[k*Block+tid]
		}
		for k := range single {
			first := rest.Head + (at+k*Block+tid)*v[k].Lanes()
			for l := range v[k].Lanes() {
				acc[l] = take(acc[l], v[k].Lane(l), first+l)
			}
		}
	}
	for ; at < len(xv); at += few * Block { // one block has a tile that is not full
		var v [few]V
		for k := range few {
			v[k] = xv[min(at+k*Block+tid, len(xv)-1)] // those after the last are not used
		}
		for k := range few {
			if i := at + k*Block + tid; i < len(xv) {
				for l := range v[k].Lanes() {
					acc[l] = take(acc[l], v[k].Lane(l), rest.Head+i*v[k].Lanes()+l)
				}
			}
		}
	}
	if rest.N > 0 {
		others := [few]A{start, start, start, start} // the rest does not wait for the vectors of 16 bytes
		step := gpu.GridDim.X * Block
		for first := gpu.BlockIdx.X*Block + tid; first < rest.N; first += few * step {
			var v [few]T
			for k := range few {
				if i := first + k*step; i < rest.N {
					v[k] = x[rest.X+rest.place(i)*rest.IncX]
				}
			}
			for k := range few {
				if i := first + k*step; i < rest.N {
					others[k] = take(others[k], v[k], rest.place(i))
				}
			}
		}
		for k := range few {
			acc[k] = merge(acc[k], others[k])
		}
	}
	return merge(merge(acc[0], acc[1]), merge(acc[2], acc[3]))
}

// TakePairs is [Take] of the elements of two vectors at the same places.
func TakePairs[T gpu.Float, V gpu.FloatVector[T, V], A any](xv, yv []V, x, y []T, rest Rest, start A,
	take func(a A, v, w T) A, merge func(a, b A) A,
) A {
	const tile = double * Block
	acc := [4]A{start, start, start, start}
	yv = yv[:len(xv)]
	tid := gpu.ThreadIdx.X
	at := gpu.BlockIdx.X * tile
	for ; at+tile <= len(xv); at += gpu.GridDim.X * tile {
		tx, ty := (*[tile]V)(xv[at:at+tile]), (*[tile]V)(yv[at:at+tile])
		var v, w [double]V
		for k := range double {
			v[k], w[k] = tx[k*Block+tid], ty[k*Block+tid]
		}
		for k := range double {
			for l := range v[k].Lanes() {
				acc[l] = take(acc[l], v[k].Lane(l), w[k].Lane(l))
			}
		}
	}
	for ; at < len(xv); at += few / 2 * Block {
		var v, w [few / 2]V
		for k := range few / 2 {
			i := min(at+k*Block+tid, len(xv)-1)
			v[k], w[k] = xv[i], yv[i]
		}
		for k := range few / 2 {
			if at+k*Block+tid < len(xv) {
				for l := range v[k].Lanes() {
					acc[l] = take(acc[l], v[k].Lane(l), w[k].Lane(l))
				}
			}
		}
	}
	step := gpu.GridDim.X * Block
	for first := gpu.BlockIdx.X*Block + tid; first < rest.N; first += few * step {
		var v, w [few]T
		for k := range few {
			if i := first + k*step; i < rest.N {
				place := rest.place(i)
				v[k], w[k] = x[rest.X+place*rest.IncX], y[rest.Y+place*rest.IncY]
			}
		}
		for k := range few {
			if first+k*step < rest.N {
				acc[k] = take(acc[k], v[k], w[k])
			}
		}
	}
	return merge(merge(acc[0], acc[1]), merge(acc[2], acc[3]))
}
