package comm

import (
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/fold"
)

// maxWork is the most working memory of a rank, in bytes.
const maxWork = 32 << 20

// AllReduce combines the vectors src of all ranks, element by element, and gives every rank the
// result in dst. All have the same length. dst[r] may be src[r].
//
// Errors: ErrOp, ErrRank, ErrSize, ErrOverlap, gridstride.ErrClosed, and the errors of
// [gridstride.Buffer.Check] and [gridstride.Make].
func AllReduce[T Number](g *Group, op Op, dst, src []gridstride.Buffer[T]) error {
	const call = "AllReduce"
	if err := g.hold(call); err != nil {
		return err
	}
	defer g.release()
	if err := checkReduction(g, call, op, src); err != nil {
		return err
	}
	n, ranks := src[g.near(0)].Len(), g.Ranks()
	if err := checkAll(g, call, "dst", dst, n); err != nil {
		return err
	}
	for _, rank := range g.here() {
		if err := checkApart(call, rank, dst[rank], src[rank], dst[rank], src[rank]); err != nil {
			return err
		}
	}
	if r, ok := reductionOf[T](g, op); ok {
		return g.queue(call, n, g.here(), func(rank int, stream uintptr) error {
			return g.lib.comms.AllReduce(rank, dst[rank].DevicePtr(), src[rank].DevicePtr(), n, r.of, r.op, stream)
		})
	}
	of := func(b gridstride.Buffer[T], rank int) gridstride.Buffer[T] { return b.Slice(part(n, rank, ranks)) }
	if err := reduceParts(g, op, src, of, func(rank int) gridstride.Buffer[T] { return of(dst[rank], rank) }); err != nil {
		return err
	}
	return g.collective(func(rank int) error {
		return g.others(rank, func(other int) error {
			return gridstride.Copy(g.streams[rank], of(dst[rank], other), of(dst[other], other))
		})
	})
}

// ReduceScatter combines the vectors src of all ranks, element by element, and gives each rank a
// part of the result in dst: rank 0 the first elements, rank 1 the next. With dst of n elements,
// src has n for each rank. dst[r] may be the elements of src[r] that rank r gets.
//
// Errors: as for [AllReduce].
func ReduceScatter[T Number](g *Group, op Op, dst, src []gridstride.Buffer[T]) error {
	const call = "ReduceScatter"
	if err := g.hold(call); err != nil {
		return err
	}
	defer g.release()
	if err := checkReduction(g, call, op, src); err != nil {
		return err
	}
	n, err := shareOf(g, call, "src", src[g.near(0)].Len())
	if err != nil {
		return err
	}
	if err := checkAll(g, call, "dst", dst, n); err != nil {
		return err
	}
	of := func(b gridstride.Buffer[T], rank int) gridstride.Buffer[T] { return b.Slice(rank*n, (rank+1)*n) }
	for _, rank := range g.here() {
		if err := checkApart(call, rank, dst[rank], src[rank], dst[rank], of(src[rank], rank)); err != nil {
			return err
		}
	}
	if r, ok := reductionOf[T](g, op); ok {
		return g.queue(call, n, g.here(), func(rank int, stream uintptr) error {
			return g.lib.comms.ReduceScatter(rank, dst[rank].DevicePtr(), src[rank].DevicePtr(), n, r.of, r.op, stream)
		})
	}
	return reduceParts(g, op, src, of, func(rank int) gridstride.Buffer[T] { return dst[rank] })
}

// Reduce combines the vectors src of all ranks, element by element, and gives the rank root the
// result in dst. All have the same length. dst may be src[root].
//
// Errors: as for [AllReduce].
func Reduce[T Number](g *Group, op Op, root int, dst gridstride.Buffer[T], src []gridstride.Buffer[T]) error {
	const call = "Reduce"
	if err := g.hold(call); err != nil {
		return err
	}
	defer g.release()
	if err := g.checkRank(call, "root", root); err != nil {
		return err
	}
	if err := checkReduction(g, call, op, src); err != nil {
		return err
	}
	n := src[g.near(root)].Len()
	if g.near(root) == root {
		if err := checkOne(g, call, "dst", dst, root, n); err != nil {
			return err
		}
		if err := checkApart(call, root, dst, src[root], dst, src[root]); err != nil {
			return err
		}
	}
	if r, ok := reductionOf[T](g, op); ok {
		return g.queue(call, n, g.here(), func(rank int, stream uintptr) error {
			var to uintptr
			if rank == root {
				to = dst.DevicePtr()
			}
			return g.lib.comms.Reduce(rank, to, src[rank].DevicePtr(), n, r.of, r.op, root, stream)
		})
	}
	of := func(b gridstride.Buffer[T], rank int) gridstride.Buffer[T] {
		if rank != root {
			return b.Slice(0, 0)
		}
		return b
	}
	return reduceParts(g, op, src, of, func(rank int) gridstride.Buffer[T] { return of(dst, rank) })
}

// checkReduction checks the operation and the sources of a reduction.
func checkReduction[T Number](g *Group, call string, op Op, src []gridstride.Buffer[T]) error {
	if err := checkOp(call, op); err != nil {
		return err
	}
	if err := checkCount(g, call, "src", len(src)); err != nil {
		return err
	}
	return checkAll(g, call, "src", src, src[g.near(0)].Len())
}

// reduceParts has each rank combine its part of all sources, which of cuts out, into its dst.
func reduceParts[T Number](g *Group, op Op, src []gridstride.Buffer[T], of func(b gridstride.Buffer[T], rank int) gridstride.Buffer[T],
	dst func(rank int) gridstride.Buffer[T],
) error {
	kernels := make([]fold.Kernel[T], g.Ranks())
	for rank, s := range g.streams { // first whatever may fail
		var err error
		if kernels[rank], err = fold.Load[T](s.Device()); err != nil {
			return err
		}
		size := min(dst(rank).Len(), piece[T](g)) * (g.Ranks() - 1) * int(unsafe.Sizeof(*new(T)))
		if err := g.reserve(rank, size); err != nil {
			return err
		}
	}
	return g.collective(func(rank int) error {
		parts := make([]gridstride.Buffer[T], g.Ranks())
		for other := range parts {
			parts[other] = of(src[other], rank)
		}
		return combine(g, kernels[rank], op, rank, dst(rank), parts)
	})
}

// reserve gives a rank working memory of a number of bytes.
func (g *Group) reserve(rank, size int) error {
	if size <= g.work[rank].Len() {
		return nil
	}
	work, err := gridstride.Make[byte](g.streams[rank].Device(), size)
	if err != nil {
		return err
	}
	old := g.work[rank]
	g.work[rank] = work
	return old.Free()
}

// piece is how many elements a rank combines at once.
func piece[T Number](g *Group) int {
	return maxWork / int(unsafe.Sizeof(*new(T))) / max(g.Ranks()-1, 1)
}

// combine queues on rank's stream what combines src of all ranks into dst, piece by piece.
func combine[T Number](g *Group, k fold.Kernel[T], op Op, rank int, dst gridstride.Buffer[T], src []gridstride.Buffer[T]) error {
	s, size := g.streams[rank], int(unsafe.Sizeof(*new(T)))
	for from := 0; from < dst.Len(); from += piece[T](g) {
		to := from + min(piece[T](g), dst.Len()-from)
		n := to - from
		work, err := gridstride.Cast[T](g.work[rank].Slice(0, n*(g.Ranks()-1)*size))
		if err != nil {
			return err
		}
		err = g.others(rank, func(other int) error {
			at := other * n
			if other > rank {
				at -= n
			}
			return gridstride.Copy(s, work.Slice(at, at+n), src[other].Slice(from, to))
		})
		if err != nil {
			return err
		}
		if err := fold.Launch(k, s, dst.Slice(from, to), src[rank].Slice(from, to), work, rank, g.Ranks(), int(op)); err != nil {
			return err
		}
	}
	return nil
}
