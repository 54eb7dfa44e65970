package parallel

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/parallel/internal/kernels"
)

// InclusiveSum sets dst[i] to src[0] + … + src[i]. dst may be src. The order of the additions depends
// on i alone.
//
//gpu:needs InclusiveScan[T,Plus[T]]
func InclusiveSum[T Number](w *Workspace, dst, src gridstride.Buffer[T]) error {
	return InclusiveScan(w, dst, src, Plus[T]{})
}

// ExclusiveSum sets dst[i] to src[0] + … + src[i-1], and dst[0] to 0. dst may be src. The order of
// the additions depends on i alone.
//
//gpu:needs InclusiveScan[T,Plus[T]]
func ExclusiveSum[T Number](w *Workspace, dst, src gridstride.Buffer[T]) error {
	return ExclusiveScan(w, dst, src, Plus[T]{})
}

// InclusiveScan sets dst[i] to what src[0] to src[i] combine to, in that order: the operator need not
// be commutative. dst may be src. It is C++'s std::inclusive_scan. An instance is one of
// [ExclusiveScan], too.
//
//gpu:needs kernels.Scan[T,O]
func InclusiveScan[T any, O Operator[T]](w *Workspace, dst, src gridstride.Buffer[T], op O) error {
	return scan(w, "InclusiveScan", dst, src, false, op)
}

// ExclusiveScan sets dst[i] to what src[0] to src[i-1] combine to, in that order, and dst[0] to the
// operator's identity. dst may be src. It is C++'s std::exclusive_scan.
//
//gpu:needs kernels.Scan[T,O]
func ExclusiveScan[T any, O Operator[T]](w *Workspace, dst, src gridstride.Buffer[T], op O) error {
	return scan(w, "ExclusiveScan", dst, src, true, op)
}

func scan[T any, O Operator[T]](w *Workspace, name string, dst, src gridstride.Buffer[T], exclusive bool, op O) error {
	return w.queue(name, func() error {
		k, err := kernelOf[func(T, O)](w, name, kernels.LoadScan[T, O])
		if err != nil {
			return err
		}
		n := src.Len()
		if err := atLeast("dst", dst, n); err != nil {
			return err
		}
		tiles := kernels.ScanTiles[T](n)
		if tiles == 0 {
			return nil
		}
		r, err := w.room(chainRoom[T](tiles))
		if err != nil {
			return err
		}
		chain, err := chainOf[T](w, r, tiles)
		if err != nil {
			return err
		}
		grid := gridstride.Grid(tiles).Shared(kernels.ScanShared[T]())
		return k.Launch(w.stream, grid, dst, src, exclusive, chain, kernels.Of(op))
	})
}

// chainRoom is the working memory of a chain of tiles.
func chainRoom[T any](tiles int) part {
	_, values := kernels.ChainWords[T](kernels.ChainPlaces(tiles))
	return partOf[T](values)
}

// chainOf returns a chain of tiles for a launch.
func chainOf[T any](w *Workspace, r *room, tiles int) (c kernels.ChainBuffers[T], err error) {
	words, values := kernels.ChainWords[T](kernels.ChainPlaces(tiles))
	c.Values = take[T](r, values)
	if r.err != nil {
		return c, r.err
	}
	if err := grow(w, &w.words, words); err != nil {
		return c, err
	}
	c.Words, c.Ticket = w.words, w.ticket
	c.Epoch, err = w.next()
	return c, err
}
