package parallel

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/parallel/internal/kernels"
)

// ReduceByKey combines the values of each run of equal keys. It writes the first key of each run to
// keysTo, what its values combine to, in their order, to valuesTo, and the number of runs to count[0].
// keysTo and valuesTo have at least as many elements as there are runs, and overlap with no other
// operand. CUB's DeviceReduce::ReduceByKey.
//
//gpu:needs kernels.ReduceRuns[K,T,kernels.Heads[K,E],O]
func ReduceByKey[K, T any, E Equality[K], O Operator[T]](w *Workspace, to Runs[K, T], keys gridstride.Buffer[K], values gridstride.Buffer[T], equal E, op O) error {
	return w.queue("ReduceByKey", func() error {
		k, err := kernelOf[func(K, T, E, O)](w, "ReduceByKey", kernels.LoadReduceRuns[K, T, kernels.Heads[K, E], O])
		if err != nil {
			return err
		}
		n := keys.Len()
		if err := to.check(keys, values); err != nil {
			return err
		}
		if n == 0 {
			return to.Count.Slice(0, 1).Zero(w.stream)
		}
		tiles := kernels.SegmentTiles[T](n)
		r, err := w.room(chainRoom[kernels.Segment[T]](tiles))
		if err != nil {
			return err
		}
		chain, err := chainOf[kernels.Segment[T]](w, r, tiles)
		if err != nil {
			return err
		}
		grid := gridstride.Grid(tiles).Shared(kernels.ScanShared[kernels.Segment[T]]())
		return k.Launch(w.stream, grid, to.Keys, to.Values, keys, values.Slice(0, n), to.Count, chain, kernels.Of(kernels.Heads[K, E]{Of: equal}), kernels.Of(op))
	})
}

// Runs is where [ReduceByKey] writes a key and a value for each run, and in Count[0] their number.
type Runs[K, T any] struct {
	Keys   gridstride.Buffer[K]
	Values gridstride.Buffer[T]
	Count  gridstride.Buffer[int]
}

func (to *Runs[K, T]) check(keys gridstride.Buffer[K], values gridstride.Buffer[T]) error {
	if err := atLeast("values", values, keys.Len()); err != nil {
		return err
	}
	if err := atLeast("Count", to.Count, 1); err != nil {
		return err
	}
	for _, err := range []error{
		apart("Keys and keys", to.Keys, keys), apart("Keys and values", to.Keys, values),
		apart("Values and keys", to.Values, keys), apart("Values and values", to.Values, values),
		apart("Keys and Values", to.Keys, to.Values),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// InclusiveScanByKey is [InclusiveScan], begun anew at each run of equal keys. dst may be values.
// CUB's DeviceScan::InclusiveScanByKey. An instance is one of [ExclusiveScanByKey], too.
//
//gpu:needs kernels.ScanSegments[K,T,kernels.Heads[K,E],O]
func InclusiveScanByKey[K, T any, E Equality[K], O Operator[T]](w *Workspace, dst gridstride.Buffer[T], keys gridstride.Buffer[K], values gridstride.Buffer[T], equal E, op O) error {
	return scanByKey(w, "InclusiveScanByKey", dst, keys, values, equal, op)
}

// ExclusiveScanByKey is [ExclusiveScan], begun anew at each run of equal keys. dst may be values.
//
//gpu:needs kernels.ScanSegments[K,T,kernels.Heads[K,E],O]
func ExclusiveScanByKey[K, T any, E Equality[K], O Operator[T]](w *Workspace, dst gridstride.Buffer[T], keys gridstride.Buffer[K], values gridstride.Buffer[T], equal E, op O) error {
	return scanByKey(w, "ExclusiveScanByKey", dst, keys, values, equal, op)
}

func scanByKey[K, T any, E Equality[K], O Operator[T]](w *Workspace, name string, dst gridstride.Buffer[T], keys gridstride.Buffer[K], values gridstride.Buffer[T], equal E, op O) error {
	return w.queue(name, func() error {
		k, err := kernelOf[func(K, T, E, O)](w, name, kernels.LoadScanSegments[K, T, kernels.Heads[K, E], O])
		if err == nil {
			err = atLeast("values", values, keys.Len())
		}
		if err == nil {
			err = atLeast("dst", dst, keys.Len())
		}
		if err == nil {
			err = apart("dst and keys", dst, keys)
		}
		if err != nil || keys.Len() == 0 {
			return err
		}
		tiles := kernels.SegmentTiles[T](keys.Len())
		r, err := w.room(chainRoom[kernels.Segment[T]](tiles))
		if err != nil {
			return err
		}
		chain, err := chainOf[kernels.Segment[T]](w, r, tiles)
		if err != nil {
			return err
		}
		s := segmentScan[K, T, kernels.Heads[K, E], O]{w, k, keys, chain, kernels.Heads[K, E]{Of: equal}, op}
		return s.run(dst, values.Slice(0, keys.Len()), name[0] == 'E')
	})
}

// segmentScan is a scan of segments, whose heads are chosen by keys.
type segmentScan[K, T any, C kernels.Chooser[K], O Operator[T]] struct {
	w     *Workspace
	k     *kernels.ScanSegmentsKernel[K, T, C, O]
	keys  gridstride.Buffer[K]
	chain kernels.ChainBuffers[kernels.Segment[T]]
	head  C
	op    O
}

func (s *segmentScan[K, T, C, O]) run(dst, src gridstride.Buffer[T], exclusive bool) error {
	if src.Len() == 0 {
		return nil
	}
	grid := gridstride.Grid(kernels.SegmentTiles[T](src.Len())).Shared(kernels.ScanShared[kernels.Segment[T]]())
	return s.k.Launch(s.w.stream, grid, dst, src, s.keys, exclusive, s.chain, kernels.Of(s.head), kernels.Of(s.op))
}

// InclusiveScanSegments is [InclusiveScan] of each segment: segment s is the elements of src from
// offsets[s] to before offsets[s+1]. offsets begin with 0, increase, and end with src.Len(), or the
// kernel fails. dst may be src. An instance is one of [ExclusiveScanSegments], too.
//
//gpu:needs kernels.ScanSegments[uint8,T,kernels.Flagged,O]
func InclusiveScanSegments[T any, O Operator[T]](w *Workspace, dst, src gridstride.Buffer[T], offsets gridstride.Buffer[int], op O) error {
	return scanSegments(w, "InclusiveScanSegments", dst, src, offsets, op)
}

// ExclusiveScanSegments is [ExclusiveScan] of each segment, as [InclusiveScanSegments] has them.
//
//gpu:needs kernels.ScanSegments[uint8,T,kernels.Flagged,O]
func ExclusiveScanSegments[T any, O Operator[T]](w *Workspace, dst, src gridstride.Buffer[T], offsets gridstride.Buffer[int], op O) error {
	return scanSegments(w, "ExclusiveScanSegments", dst, src, offsets, op)
}

func scanSegments[T any, O Operator[T]](w *Workspace, name string, dst, src gridstride.Buffer[T], offsets gridstride.Buffer[int], op O) error {
	return w.queue(name, func() error {
		if err := atLeast("dst", dst, src.Len()); err != nil {
			return err
		}
		s, _, err := flagged(w, name, src, offsets, op)
		if err != nil {
			return err
		}
		return s.run(dst, src, name[0] == 'E')
	})
}

// flagged is a scan of segments of src, whose first elements it marks. More working memory follows
// its own.
func flagged[T any, O Operator[T]](w *Workspace, name string, src gridstride.Buffer[T], offsets gridstride.Buffer[int], op O, more ...part) (s segmentScan[uint8, T, kernels.Flagged, O], r *room, err error) {
	s.w, s.op = w, op
	if s.k, err = kernelOf[func(T, O)](w, name, kernels.LoadScanSegments[uint8, T, kernels.Flagged, O]); err != nil {
		return s, nil, err
	}
	mark, err := kernelOf[func(T, O)](w, name, kernels.LoadMarkSegments)
	if err == nil {
		err = atLeast("offsets", offsets, 1)
	}
	if err != nil {
		return s, nil, err
	}
	n := src.Len()
	tiles := kernels.SegmentTiles[T](n)
	parts := []part{chainRoom[kernels.Segment[T]](tiles), partOf[uint8](n)}
	if r, err = w.room(append(parts, more...)...); err != nil {
		return s, nil, err
	}
	if s.chain, err = chainOf[kernels.Segment[T]](w, r, tiles); err != nil {
		return s, nil, err
	}
	if s.keys = take[uint8](r, n); r.err != nil {
		return s, nil, r.err
	}
	if err := s.keys.Zero(w.stream); err != nil {
		return s, nil, err
	}
	return s, r, mark.Launch(w.stream, gridstride.Grid(kernels.Blocks(offsets.Len())), s.keys, offsets)
}

// ReduceSegments sets dst[s] to what the elements of segment s of src combine to, in their order, and
// to the operator's identity if it has none. [InclusiveScanSegments] says what offsets are. dst is
// not src. Working memory is as much as src. CUB's DeviceSegmentedReduce.
//
//gpu:needs kernels.ScanSegments[uint8,T,kernels.Flagged,O] kernels.SegmentSums[T,O]
func ReduceSegments[T any, O Operator[T]](w *Workspace, dst, src gridstride.Buffer[T], offsets gridstride.Buffer[int], op O) error {
	const name = "ReduceSegments"
	return w.queue(name, func() error {
		sums, err := kernelOf[func(T, O)](w, name, kernels.LoadSegmentSums[T, O])
		if err == nil {
			err = atLeast("dst", dst, offsets.Len()-1)
		}
		if err == nil {
			err = apart("dst and src", dst, src)
		}
		if err != nil {
			return err
		}
		s, r, err := flagged(w, name, src, offsets, op, partOf[T](src.Len()))
		if err != nil {
			return err
		}
		scan := take[T](r, src.Len())
		if r.err != nil {
			return r.err
		}
		if err := s.run(scan, src, false); err != nil {
			return err
		}
		return sums.Launch(w.stream, gridstride.Grid(kernels.Blocks(offsets.Len())), dst, scan, offsets, kernels.Of(op))
	})
}

// SortSegments sorts the elements of each segment of x in place by an order, stably.
// [InclusiveScanSegments] says what offsets are. It is a merge sort of the elements and the numbers
// of their segments, and needs working memory for two of each.
//
//gpu:needs kernels.PlaceSegments[T] kernels.Transform[kernels.Placed[T],T,kernels.Unplaced[T]]
//gpu:needs SortBy[kernels.Placed[T],kernels.BySegment[T,O]]
func SortSegments[T any, O Order[T]](w *Workspace, x gridstride.Buffer[T], offsets gridstride.Buffer[int], by O) error {
	const name = "SortSegments"
	return w.queue(name, func() error {
		place, err := kernelOf[func(T, O)](w, name, kernels.LoadPlaceSegments[T])
		if err != nil {
			return err
		}
		back, err := kernelOf[func(T, O)](w, name, kernels.LoadTransform[kernels.Placed[T], T, kernels.Unplaced[T]])
		if err != nil {
			return err
		}
		if err := atLeast("offsets", offsets, 1); err != nil {
			return err
		}
		n := x.Len()
		r, err := w.room(partOf[kernels.Placed[T]](n), partOf[kernels.Placed[T]](n))
		if err != nil {
			return err
		}
		placed, other := take[kernels.Placed[T]](r, n), take[kernels.Placed[T]](r, n)
		if r.err != nil {
			return r.err
		}
		grid := gridstride.Grid(kernels.Blocks(max(n, offsets.Len())))
		if err := place.Launch(w.stream, grid, placed, x, offsets); err != nil {
			return err
		}
		if err := mergeSort[func(T, O)](w, name, placed, other, kernels.BySegment[T, O]{Of: by}); err != nil {
			return err
		}
		return back.Launch(w.stream, grid, x, placed, kernels.Of(kernels.Unplaced[T]{}))
	})
}
