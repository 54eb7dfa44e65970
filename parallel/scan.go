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
		tiles := kernels.ScanTiles(n)
		if tiles == 0 {
			return nil
		}
		groups := kernels.Groups(tiles)
		r, err := w.room(partOf[T](tiles+groups), partOf[T](groups))
		if err != nil {
			return err
		}
		chain := kernels.ChainBuffers[T]{Sums: take[T](r, tiles+groups), Through: take[T](r, groups), Ticket: w.ticket}
		if r.err != nil {
			return r.err
		}
		if err := grow(w, &w.flags, tiles+groups); err != nil {
			return err
		}
		chain.Flags = w.flags
		if chain.Epoch, err = w.next(); err != nil {
			return err
		}
		return k.Launch(w.stream, gridstride.Grid(tiles), dst, src, exclusive, chain, kernels.Of(op))
	})
}
