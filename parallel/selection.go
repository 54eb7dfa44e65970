package parallel

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/parallel/internal/kernels"
)

// Select writes the elements of src for which keep holds to dst, in their order, and their number to
// count[0]. dst has room for them, and is not src. CUB's
// DeviceSelect::If, C++'s std::copy_if.
//
//gpu:needs kernels.Select[T,kernels.Each[T,P]]
func Select[T any, P Predicate[T]](w *Workspace, dst, src gridstride.Buffer[T], keep P, count gridstride.Buffer[int]) error {
	return choose[func(T, P)](w, "Select", src, kernels.Each[T, P]{Of: keep}, chosen[T]{dst: dst, count: count})
}

// Partition writes the elements of src for which first holds to the front of dst, in their order, and
// the others after them, the last one first. The number of the elements in front becomes
// count[0]. dst has as many elements as src, and is not src. CUB's DevicePartition::If.
//
//gpu:needs kernels.Select[T,kernels.Each[T,P]]
func Partition[T any, P Predicate[T]](w *Workspace, dst, src gridstride.Buffer[T], first P, count gridstride.Buffer[int]) error {
	if err := w.queue("Partition", func() error { return atLeast("dst", dst, src.Len()) }); err != nil {
		return err
	}
	dst = dst.Slice(0, src.Len())
	return choose[func(T, P)](w, "Partition", src, kernels.Each[T, P]{Of: first}, chosen[T]{dst: dst, rest: dst, count: count})
}

// Unique writes the first element of each run of equal elements of src to dst, and their number to
// count[0]. dst has at least as many elements as there are runs, and is not src. After a sort, these
// are the different elements. C++'s std::unique_copy.
//
//gpu:needs kernels.Select[T,kernels.Heads[T,E]]
func Unique[T any, E Equality[T]](w *Workspace, dst, src gridstride.Buffer[T], equal E, count gridstride.Buffer[int]) error {
	return choose[func(T, E)](w, "Unique", src, kernels.Heads[T, E]{Of: equal}, chosen[T]{dst: dst, count: count})
}

// RunLengthEncode writes the first element of each run of equal elements of src to dst, the run's
// number of elements to lengths, and the number of runs to count[0]. dst and lengths have at least as
// many elements as there are runs, and are not src. CUB's DeviceRunLengthEncode::Encode.
//
//gpu:needs kernels.Select[T,kernels.Heads[T,E]]
func RunLengthEncode[T any, E Equality[T]](w *Workspace, dst gridstride.Buffer[T], lengths gridstride.Buffer[int], src gridstride.Buffer[T], equal E, count gridstride.Buffer[int]) error {
	const name = "RunLengthEncode"
	if lengths.Len() == 0 && src.Len() > 0 {
		return w.queue(name, func() error { return atLeast("lengths", lengths, 1) })
	}
	return choose[func(T, E)](w, name, src, kernels.Heads[T, E]{Of: equal}, chosen[T]{dst: dst, lengths: lengths, count: count})
}

// chosen is where a selection goes. Buffers without elements are not wanted.
type chosen[T any] struct {
	dst, rest gridstride.Buffer[T]
	lengths   gridstride.Buffer[int] // of runs
	count     gridstride.Buffer[int]
}

// choose selects for a function of some name and types.
func choose[F, T any, C kernels.Chooser[T]](w *Workspace, name string, src gridstride.Buffer[T], by C, to chosen[T]) error {
	return w.queue(name, func() error {
		k, err := kernelOf[F](w, name, kernels.LoadSelect[T, C])
		if err != nil {
			return err
		}
		if err := to.check(src); err != nil {
			return err
		}
		n := src.Len()
		if n == 0 {
			return to.count.Slice(0, 1).Zero(w.stream)
		}
		tiles := kernels.SelectTiles[T](n)
		r, err := w.room(chainRoom[kernels.Count](tiles), partOf[int](to.lengths.Len()))
		if err != nil {
			return err
		}
		counts, err := chainOf[kernels.Count](w, r, tiles)
		if err != nil {
			return err
		}
		starts := take[int](r, to.lengths.Len())
		if r.err != nil {
			return r.err
		}
		err = k.Launch(w.stream, gridstride.Grid(tiles).Shared(kernels.SelectShared[T]()), to.dst, starts, to.rest, src, to.count, counts, kernels.Of(by))
		if err != nil || to.lengths.Len() == 0 {
			return err
		}
		lengths, err := kernelOf[func(T)](w, name, kernels.LoadRunLengths)
		if err != nil {
			return err
		}
		return lengths.Launch(w.stream, gridstride.Grid(kernels.Blocks(min(n, to.lengths.Len()))), to.lengths, starts, to.count, n)
	})
}

// check checks where a selection of src goes.
func (to *chosen[T]) check(src gridstride.Buffer[T]) error {
	if err := atLeast("count", to.count, 1); err != nil {
		return err
	}
	if src.Len() > 0 {
		if err := atLeast("dst", to.dst, 1); err != nil {
			return err
		}
	}
	return apart("dst and src", to.dst, src)
}
