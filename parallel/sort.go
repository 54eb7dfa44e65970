package parallel

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/parallel/internal/kernels"
)

// Sort sorts keys in place. Floating-point numbers are in IEEE 754's totalOrder: -0 precedes +0, and
// NaN is first if its sign bit is set, else last. It is a radix sort, and needs working memory for
// the keys, and half a byte for each.
//
//gpu:needs kernels.RadixOne[K] kernels.RadixCounts[K] kernels.RadixKeys[K]
func Sort[K Number](w *Workspace, keys gridstride.Buffer[K]) error {
	return radixSort(w, "Sort", keys, 0)
}

// SortDescending is [Sort] with the largest key first.
//
//gpu:needs kernels.RadixOne[K] kernels.RadixCounts[K] kernels.RadixKeys[K]
func SortDescending[K Number](w *Workspace, keys gridstride.Buffer[K]) error {
	return radixSort(w, "SortDescending", keys, ^uint64(0))
}

// SortPairs sorts keys as [Sort] does, and moves values[i] as keys[i]. The values of equal keys stay
// in their order. There are as many values as keys.
//
//gpu:needs kernels.RadixCounts[K] kernels.RadixPairs[K,V]
func SortPairs[K Number, V any](w *Workspace, keys gridstride.Buffer[K], values gridstride.Buffer[V]) error {
	return w.queue("SortPairs", func() error {
		n := keys.Len()
		if err := atLeast("values", values, n); err != nil {
			return err
		}
		k, err := kernelOf[func(K, V)](w, "SortPairs", kernels.LoadRadixPairs[K, V])
		if err != nil || n < 2 {
			return err
		}
		s := radix[K]{w: w, keys: keys}
		r, err := w.room(s.room(partOf[V](n))...)
		if err != nil {
			return err
		}
		v := [2]gridstride.Buffer[V]{values.Slice(0, n), take[V](r, n)}
		shared := kernels.RadixShared[K, V]()
		err = s.run(r, func(p radixPart[K]) error {
			return k.Launch(w.stream, gridstride.Grid(p.tiles).Shared(shared), p.to, p.from.Slice(p.first, p.end), v[1-p.side], v[p.side].Slice(p.first, p.end), p.pass)
		})
		if err != nil || kernels.Passes[K]()%2 == 0 {
			return err
		}
		return gridstride.Copy(w.stream, v[0], v[1])
	})
}

// radixSort sorts keys.
func radixSort[K Number](w *Workspace, name string, keys gridstride.Buffer[K], flip uint64) error {
	return w.queue(name, func() error {
		k, err := kernelOf[func(K)](w, name, kernels.LoadRadixKeys[K])
		if err != nil || keys.Len() < 2 {
			return err
		}
		shared := kernels.RadixShared[K, K]()
		if keys.Len() <= kernels.RadixTile {
			one, err := kernelOf[func(K)](w, name, kernels.LoadRadixOne[K])
			if err != nil {
				return err
			}
			return one.Launch(w.stream, gridstride.Grid(1).Shared(shared), keys, flip)
		}
		s := radix[K]{w: w, keys: keys, flip: flip}
		r, err := w.room(s.room()...)
		if err != nil {
			return err
		}
		return s.run(r, func(p radixPart[K]) error {
			return k.Launch(w.stream, gridstride.Grid(p.tiles).Shared(shared), p.to, p.from.Slice(p.first, p.end), p.pass)
		})
	})
}

// SortBy sorts x in place by an order. Equal elements stay in their order, as slices.SortStableFunc
// has them. It is a merge sort, and needs working memory for the elements.
//
//gpu:needs kernels.SortTiles[T,O] kernels.MergePass[T,O]
func SortBy[T any, O Order[T]](w *Workspace, x gridstride.Buffer[T], by O) error {
	return w.queue("SortBy", func() error {
		r, err := w.room(partOf[T](x.Len()))
		if err != nil {
			return err
		}
		other := take[T](r, x.Len())
		if r.err != nil {
			return r.err
		}
		return mergeSort[func(T, O)](w, "SortBy", x, other, by)
	})
}

// mergeSort sorts x, with the help of as many other elements, for a function of some name and types.
func mergeSort[F, T any, O Order[T]](w *Workspace, name string, x, other gridstride.Buffer[T], by O) error {
	tiles, err := kernelOf[F](w, name, kernels.LoadSortTiles[T, O])
	if err != nil {
		return err
	}
	pass, err := kernelOf[F](w, name, kernels.LoadMergePass[T, O])
	n := x.Len()
	if err != nil || n < 2 {
		return err
	}
	from, to := other, x
	passes := 0
	for width := kernels.MergeTile; width < n; width *= 2 {
		passes++
	}
	if passes%2 == 0 { // the last one ends in x
		from, to = x, other
	}
	grid, op := gridstride.Grid(kernels.MergeTiles(n)), kernels.Of(by)
	if err := tiles.Launch(w.stream, grid, from, x, op); err != nil {
		return err
	}
	for width := kernels.MergeTile; width < n; width *= 2 {
		if err := pass.Launch(w.stream, grid, to, from, width, op); err != nil {
			return err
		}
		from, to = to, from
	}
	return nil
}

// TopK writes the first dst.Len() elements of x in an order to dst, sorted and stably: of equal
// elements, those that are first in x. dst has at most as many elements as x, and is not x. Up to
// 1,024 elements are selected without sorting x. C++'s std::partial_sort_copy.
//
//gpu:needs SortBy[T,O] kernels.TopTiles[T,O]
func TopK[T any, O Order[T]](w *Workspace, dst, x gridstride.Buffer[T], by O) error {
	return w.queue("TopK", func() error {
		top, err := kernelOf[func(T, O)](w, "TopK", kernels.LoadTopTiles[T, O])
		if err != nil {
			return err
		}
		k := dst.Len()
		if err := atLeast("x", x, k); err != nil {
			return err
		}
		if err := apart("dst and x", dst, x); err != nil || k == 0 {
			return err
		}
		n := x.Len()
		most := n
		if k <= kernels.MergeTile/2 {
			most = kernels.MergeTiles(n) * k
		}
		r, err := w.room(partOf[T](most), partOf[T](most))
		if err != nil {
			return err
		}
		to, other := take[T](r, most), take[T](r, most)
		if r.err != nil {
			return r.err
		}
		if k > kernels.MergeTile/2 {
			if err := gridstride.Copy(w.stream, to, x); err != nil {
				return err
			}
			if err := mergeSort[func(T, O)](w, "TopK", to, other, by); err != nil {
				return err
			}
			return gridstride.Copy(w.stream, dst, to.Slice(0, k))
		}
		op := kernels.Of(by)
		for n > kernels.MergeTile { // each tile's first ones stay
			tiles := kernels.MergeTiles(n)
			if err := top.Launch(w.stream, gridstride.Grid(tiles), to, x.Slice(0, n), k, op); err != nil {
				return err
			}
			n = (tiles-1)*k + min(k, n-(tiles-1)*kernels.MergeTile)
			x, to, other = to, other, to
		}
		return top.Launch(w.stream, gridstride.Grid(1), dst, x.Slice(0, n), k, op)
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
