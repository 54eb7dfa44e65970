package comm

import (
	"math"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/fold"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Float is the types of elements that can be added reproducibly: floats of 16, 32 and 64 bits.
type Float = fold.Float

// AllReduceReproducible adds vectors of all ranks, element by element, and gives every rank the sum
// in dst. With dst of n elements, src of a rank has any number of vectors of n elements, one after
// the other: also none, and another number than other ranks. The sum has the same bits for any number
// of ranks, for every way to share the vectors out among them, in any order, on every device. dst[r]
// may be the first n elements of src[r].
//
// The elements i of all vectors are added as by gpublas.SumReproducible: exactly in three bins, and
// rounded once. So the error is at most half a unit in the last place, and the number of vectors
// times the largest element times 2^-32 for float32 and 2^-64 for float64. Floats of 16 bits are added
// as float32, and that sum is rounded.
//
// Every vector travels as it is: with one vector a rank as much as [AllReduce] without NCCL, and
// with k vectors k times as much of it before the sum, whose work is proportional to k as well. On
// each device it needs working memory: the size of the device's part times the number of vectors of
// the other ranks, and at most 32 MB, or an element of each vector if that is more.
//
// Errors: ErrRank, ErrSize, ErrOverlap, ErrAborted, gridstride.ErrClosed, and the errors of
// [gridstride.Buffer.Check] and [gridstride.Make].
func AllReduceReproducible[T Float](g *Group, dst, src []gridstride.Buffer[T]) error {
	const call = "AllReduceReproducible"
	if err := g.hold(call); err != nil {
		return err
	}
	defer g.release()
	if err := checkCount(g, call, "dst", len(dst)); err != nil {
		return err
	}
	n, ranks := dst[0].Len(), g.Ranks()
	if err := checkAll(g, call, "dst", dst, n); err != nil {
		return err
	}
	if err := checkVectors(g, call, src, n); err != nil {
		return err
	}
	for rank := range ranks {
		if err := checkFirst(call, rank, dst[rank], src[rank], 0); err != nil {
			return err
		}
	}
	bounds := func(rank int) (from, to int) { return part(n, rank, ranks) }
	of := func(rank, of int) gridstride.Buffer[T] { return dst[rank].Slice(part(n, of, ranks)) }
	err := addParts(g, src, n, bounds, func(rank int) gridstride.Buffer[T] { return of(rank, rank) })
	if err != nil {
		return err
	}
	return g.collective(func(rank int) error {
		return g.others(rank, func(other int) error {
			return gridstride.Copy(g.streams[rank], of(rank, other), of(other, other))
		})
	})
}

// ReduceScatterReproducible adds vectors of all ranks as [AllReduceReproducible], and gives each rank
// a part of the sum in dst: rank 0 the first elements, rank 1 the next. With dst of n elements, src of
// a rank has any number of vectors of n elements for each rank. dst[r] may be the elements that rank r
// gets of the first vector of src[r].
//
// Errors: as for [AllReduceReproducible].
func ReduceScatterReproducible[T Float](g *Group, dst, src []gridstride.Buffer[T]) error {
	const call = "ReduceScatterReproducible"
	if err := g.hold(call); err != nil {
		return err
	}
	defer g.release()
	if err := checkCount(g, call, "dst", len(dst)); err != nil {
		return err
	}
	n := dst[0].Len()
	if err := checkAll(g, call, "dst", dst, n); err != nil {
		return err
	}
	if n > math.MaxInt/g.Ranks() {
		return operand.Errorf(ErrSize, "comm: %s: dst of rank 0 has %d elements; want at most %d", call, n, math.MaxInt/g.Ranks())
	}
	if err := checkVectors(g, call, src, n*g.Ranks()); err != nil {
		return err
	}
	for rank := range dst {
		if err := checkFirst(call, rank, dst[rank], src[rank], rank*n); err != nil {
			return err
		}
	}
	bounds := func(rank int) (from, to int) { return rank * n, (rank + 1) * n }
	return addParts(g, src, n*g.Ranks(), bounds, func(rank int) gridstride.Buffer[T] { return dst[rank] })
}

// ReduceReproducible adds vectors of all ranks as [AllReduceReproducible], and gives the rank root the
// sum in dst. dst may be the first vector of src[root].
//
// Errors: as for [AllReduceReproducible].
func ReduceReproducible[T Float](g *Group, root int, dst gridstride.Buffer[T], src []gridstride.Buffer[T]) error {
	const call = "ReduceReproducible"
	if err := g.hold(call); err != nil {
		return err
	}
	defer g.release()
	if err := g.checkRank(call, "root", root); err != nil {
		return err
	}
	n := dst.Len()
	if err := checkOne(g, call, "dst", dst, root, n); err != nil {
		return err
	}
	if err := checkVectors(g, call, src, n); err != nil {
		return err
	}
	if err := checkFirst(call, root, dst, src[root], 0); err != nil {
		return err
	}
	bounds := func(rank int) (from, to int) {
		if rank != root {
			return 0, 0
		}
		return 0, n
	}
	return addParts(g, src, n, bounds, func(rank int) gridstride.Buffer[T] { return dst.Slice(bounds(rank)) })
}

// checkVectors checks that the source of each rank is a number of vectors of n elements.
func checkVectors[T Float](g *Group, call string, src []gridstride.Buffer[T], n int) error {
	if err := checkCount(g, call, "src", len(src)); err != nil {
		return err
	}
	for rank, b := range src {
		if n == 0 && b.Len() > 0 || n > 0 && b.Len()%n != 0 {
			return operand.Errorf(ErrSize, "comm: %s: src of rank %d has %d elements; want a multiple of %d, a vector's", call, rank, b.Len(), n)
		}
		if err := checkOne(g, call, "src", b, rank, b.Len()); err != nil {
			return err
		}
	}
	return nil
}

// checkFirst checks that dst of a rank does not overlap src, unless it is the elements of the first
// vector that begin at from.
func checkFirst[T Float](call string, rank int, dst, src gridstride.Buffer[T], from int) error {
	if !dst.Overlaps(src) {
		return nil
	}
	return checkApart(call, rank, dst, src, dst, src.Slice(from, from+dst.Len()))
}

// sumOf is a part of a reproducible sum of vectors of n elements: a rank's elements, from bounds'
// first to the last.
type sumOf[T Float] struct {
	g      *Group
	rank   int
	src    []gridstride.Buffer[T]
	n      int
	kernel fold.Reproducible[T]
}

// addParts has each rank add its part of all vectors into its dst.
func addParts[T Float](g *Group, src []gridstride.Buffer[T], n int, bounds func(rank int) (from, to int),
	dst func(rank int) gridstride.Buffer[T],
) error {
	sums := make([]sumOf[T], g.Ranks())
	for rank, s := range g.streams { // first whatever may fail
		kernel, err := fold.LoadReproducible[T](s.Device())
		if err != nil {
			return err
		}
		sums[rank] = sumOf[T]{g, rank, src, n, kernel}
		size := min(dst(rank).Len(), sums[rank].piece()) * sums[rank].foreign() * int(unsafe.Sizeof(*new(T)))
		if err := g.reserve(rank, size); err != nil {
			return err
		}
	}
	return g.collective(func(rank int) error {
		from, _ := bounds(rank)
		return sums[rank].add(dst(rank), from)
	})
}

// foreign is how many vectors other ranks have.
func (p *sumOf[T]) foreign() (count int) {
	for rank, b := range p.src {
		if rank != p.rank && p.n > 0 {
			count += b.Len() / p.n
		}
	}
	return count
}

// piece is how many elements are added at once.
func (p *sumOf[T]) piece() int {
	return max(1, maxWork/int(unsafe.Sizeof(*new(T)))/max(1, p.foreign()))
}

// add queues what adds the elements of all vectors from first on into dst, piece by piece.
func (p *sumOf[T]) add(dst gridstride.Buffer[T], first int) error {
	size, s := p.piece(), p.g.streams[p.rank]
	own := p.src[p.rank]
	for from := 0; from < dst.Len(); from += size {
		to := min(from+size, dst.Len())
		others, err := p.fetch(first+from, first+to)
		if err != nil {
			return err
		}
		mine, count := own, 0
		if own.Len() > 0 {
			mine, count = own.Slice(first+from, own.Len()), own.Len()/p.n
		}
		if err := fold.Add(p.kernel, s, dst.Slice(from, to), mine, others, count, p.n); err != nil {
			return err
		}
	}
	return nil
}

// fetch queues copies of the elements [from, to) of the vectors of the other ranks, one after the
// other.
func (p *sumOf[T]) fetch(from, to int) (gridstride.Buffer[T], error) {
	n := to - from
	work, err := gridstride.Cast[T](p.g.work[p.rank].Slice(0, n*p.foreign()*int(unsafe.Sizeof(*new(T)))))
	if err != nil {
		return work, err
	}
	at := 0
	return work, p.g.others(p.rank, func(other int) error {
		for begin := 0; begin < p.src[other].Len(); begin += p.n {
			vector := p.src[other].Slice(begin+from, begin+to)
			if err := gridstride.Copy(p.g.streams[p.rank], work.Slice(at, at+n), vector); err != nil {
				return err
			}
			at += n
		}
		return nil
	})
}
