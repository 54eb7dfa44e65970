package parallel

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/parallel/internal/kernels"
)

// Sort sorts keys in place. Floating-point numbers are in IEEE 754's totalOrder: -0 precedes +0, and
// NaN is first if its sign bit is set, else last. It is a radix sort, and needs working memory for
// the keys, and half a byte for each.
//
//gpu:needs SortPairs[K,uint32]
func Sort[K Number](w *Workspace, keys gridstride.Buffer[K]) error {
	return radixSort(w, "Sort", keys, gridstride.Buffer[uint32]{}, 0)
}

// SortDescending is [Sort] with the largest key first.
//
//gpu:needs SortPairs[K,uint32]
func SortDescending[K Number](w *Workspace, keys gridstride.Buffer[K]) error {
	return radixSort(w, "SortDescending", keys, gridstride.Buffer[uint32]{}, ^uint64(0))
}

// SortPairs sorts keys as [Sort] does, and moves values[i] as keys[i]. The values of equal keys stay
// in their order. There are as many values as keys.
//
//gpu:needs kernels.RadixCounts[K] kernels.RadixPass[K,V]
func SortPairs[K Number, V any](w *Workspace, keys gridstride.Buffer[K], values gridstride.Buffer[V]) error {
	if err := w.queue("SortPairs", func() error { return atLeast("values", values, keys.Len()) }); err != nil {
		return err
	}
	return radixSort(w, "SortPairs", keys, values.Slice(0, keys.Len()), 0)
}

// radixSort sorts keys, and values if there are any.
func radixSort[K Number, V any](w *Workspace, name string, keys gridstride.Buffer[K], values gridstride.Buffer[V], flip uint64) error {
	return w.queue(name, func() error {
		s := radix[K, V]{w: w, keys: keys, values: values, flip: flip}
		if err := s.load(name); err != nil {
			return err
		}
		if keys.Len() < 2 {
			return nil
		}
		return s.run()
	})
}

// radix is a radix sort.
type radix[K Number, V any] struct {
	w      *Workspace
	keys   gridstride.Buffer[K]
	values gridstride.Buffer[V]
	flip   uint64

	counts *kernels.RadixCountsKernel[K]
	starts *kernels.RadixStartsKernel
	pass   *kernels.RadixPassKernel[K, V]
}

func (s *radix[K, V]) load(name string) (err error) {
	if s.counts, err = kernelOf[func(K, V)](s.w, name, kernels.LoadRadixCounts[K]); err != nil {
		return err
	}
	if s.pass, err = kernelOf[func(K, V)](s.w, name, kernels.LoadRadixPass[K, V]); err != nil {
		return err
	}
	s.starts, err = kernelOf[func(K, V)](s.w, name, kernels.LoadRadixStarts)
	return err
}

// countBlocks is the most blocks that count digits: they wait for memory, and each adds its counts to
// all others'.
const countBlocks = 1024

func (s *radix[K, V]) run() error {
	n, passes := s.keys.Len(), kernels.Passes[K]()
	r, err := s.w.room(partOf[K](n), partOf[V](s.values.Len()), partOf[uint64](passes*kernels.Digits))
	if err != nil {
		return err
	}
	keys, values := take[K](r, n), take[V](r, s.values.Len())
	bins := take[uint64](r, passes*kernels.Digits)
	if r.err != nil {
		return r.err
	}
	if err := bins.Zero(s.w.stream); err != nil {
		return err
	}
	if err := s.counts.Launch(s.w.stream, gridstride.Grid(min(kernels.Blocks(n), countBlocks)), bins, s.keys, s.flip); err != nil {
		return err
	}
	if err := s.starts.Launch(s.w.stream, gridstride.Grid(passes), bins); err != nil {
		return err
	}
	tiles := kernels.RadixTiles(n)
	from, fromValues := s.keys, s.values
	for p := range passes {
		counts, err := s.w.counts(tiles * kernels.Digits)
		if err != nil {
			return err
		}
		starts := bins.Slice(p*kernels.Digits, (p+1)*kernels.Digits)
		if err := s.pass.Launch(s.w.stream, gridstride.Grid(tiles), keys, from, values, fromValues, starts, p, s.flip, counts); err != nil {
			return err
		}
		keys, from, values, fromValues = from, keys, fromValues, values
	}
	if passes%2 == 0 {
		return nil
	}
	if err := gridstride.Copy(s.w.stream, s.keys, from); err != nil || s.values.Len() == 0 {
		return err
	}
	return gridstride.Copy(s.w.stream, s.values, fromValues)
}

// SortBy sorts x in place by an order. Equal elements stay in their order, as slices.SortStableFunc
// has them. It is a merge sort, and needs working memory for the elements.
//
//gpu:needs kernels.SortTiles[T,O] kernels.MergePass[T,O]
func SortBy[T any, O Order[T]](w *Workspace, x gridstride.Buffer[T], by O) error {
	return w.queue("SortBy", func() error {
		tiles, err := kernelOf[func(T, O)](w, "SortBy", kernels.LoadSortTiles[T, O])
		if err != nil {
			return err
		}
		pass, err := kernelOf[func(T, O)](w, "SortBy", kernels.LoadMergePass[T, O])
		if err != nil {
			return err
		}
		n := x.Len()
		if n < 2 {
			return nil
		}
		r, err := w.room(partOf[T](n))
		if err != nil {
			return err
		}
		from, to := take[T](r, n), x
		passes := 0
		for width := kernels.MergeTile; width < n; width *= 2 {
			passes++
		}
		if passes%2 == 0 { // the last one ends in x
			from, to = x, from
		}
		grid, op := gridstride.Grid(kernels.MergeTiles(n)), kernels.Of(by)
		if err := tiles.Launch(w.stream, grid, from, x, op); r.err != nil || err != nil {
			return err
		}
		for width := kernels.MergeTile; width < n; width *= 2 {
			if err := pass.Launch(w.stream, grid, to, from, width, op); err != nil {
				return err
			}
			from, to = to, from
		}
		return nil
	})
}

// Merge writes the elements of a and b, which are sorted by an order, to dst, sorted. Of equal
// elements a's are first. dst is neither a nor b. C++'s std::merge.
//
//gpu:needs kernels.MergeTwo[T,O]
func Merge[T any, O Order[T]](w *Workspace, dst, a, b gridstride.Buffer[T], by O) error {
	return w.queue("Merge", func() error {
		k, err := kernelOf[func(T, O)](w, "Merge", kernels.LoadMergeTwo[T, O])
		if err != nil {
			return err
		}
		n := a.Len() + b.Len()
		if err := atLeast("dst", dst, n); err != nil {
			return err
		}
		if err := apart("dst and a", dst, a); err != nil {
			return err
		}
		if err := apart("dst and b", dst, b); err != nil || n == 0 {
			return err
		}
		return k.Launch(w.stream, gridstride.Grid(kernels.MergeTiles(n)), dst, a, b, kernels.Of(by))
	})
}
