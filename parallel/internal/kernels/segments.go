package kernels

import "github.com/gridstride/gridstride/gpu"

// Segment is a part of a sequence that is cut into segments: Heads segments begin in it, and V
// combines the elements from its last head on.
type Segment[T any] struct {
	V     T
	Heads int
}

// join combines two parts, a and the part b that follows it.
func join[T any, O Operator[T]](op O) func(a, b Segment[T]) Segment[T] {
	return func(a, b Segment[T]) Segment[T] {
		if b.Heads == 0 {
			b.V = op.Combine(a.V, b.V)
		}
		b.Heads += a.Heads
		return b
	}
}

// SegmentTiles is the grid of [ScanSegments] and [ReduceRuns] for n elements.
func SegmentTiles[T any](n int) int { return ScanTiles[Segment[T]](n) }

// ScanSegments is [Scan], begun anew at each element that head chooses of keys, and at the first.
//
//gpu:kernel open block=256 minblocks=4
//gpu:nobounds
func ScanSegments[K, T any, C Chooser[K], O Operator[T]](dst, src []T, keys []K, exclusive bool, chain Chain[Segment[T]], head With[C], o With[O]) {
	scanTile(len(src), exclusive, &chain, Segment[T]{V: o.Op.Identity()}, join[T](o.Op),
		func(i int) Segment[T] { return Segment[T]{src[i], heads(keys, i, head.Op)} },
		func(i int, s Segment[T]) {
			if exclusive && heads(keys, i, head.Op) > 0 {
				s.V = o.Op.Identity()
			}
			dst[i] = s.V
		})
}

// heads is 1 where a segment begins, else 0.
func heads[K any, C Chooser[K]](keys []K, i int, head C) int {
	if chosen := head.Chooses(keys, i, keys[i]); i == 0 || chosen {
		return 1
	}
	return 0
}

// ReduceRuns combines the values of each run of keys, whose heads are chosen. count[0] becomes the
// number of runs.
//
//gpu:kernel open block=256 minblocks=4
//gpu:nobounds
func ReduceRuns[K, T any, C Chooser[K], O Operator[T]](keysTo []K, valuesTo []T, keys []K, values []T, count []int, chain Chain[Segment[T]], head With[C], o With[O]) {
	n := len(values)
	scanTile(n, false, &chain, Segment[T]{V: o.Op.Identity()}, join[T](o.Op),
		func(i int) Segment[T] { return Segment[T]{values[i], heads(keys, i, head.Op)} },
		func(i int, s Segment[T]) {
			run := s.Heads - 1
			if run >= min(len(keysTo), len(valuesTo)) {
				panic("keysTo or valuesTo has too few elements for the runs")
			}
			if heads(keys, i, head.Op) > 0 {
				keysTo[run] = keys[i]
			}
			if i == n-1 || heads(keys, i+1, head.Op) > 0 {
				valuesTo[run] = s.V
			}
			if i == n-1 {
				count[0] = s.Heads
			}
		})
}

// Flagged chooses elements with a flag.
type Flagged struct{}

// Chooses reports whether x is a flag.
func (Flagged) Chooses(_ []uint8, _ int, x uint8) bool { return x != 0 }

// MarkSegments sets the flag of the first element of each segment that has elements. The segments of
// n elements are from an offset to before the next.
//
//gpu:kernel block=256
func MarkSegments(flags []uint8, offsets []int) {
	for s := range gpu.GridStride(len(offsets)) {
		checkOffset(offsets, s, len(flags))
		if s < len(offsets)-1 && offsets[s] < offsets[s+1] {
			flags[offsets[s]] = 1
		}
	}
}

// checkOffset fails where offsets are none of segments of n elements.
func checkOffset(offsets []int, s, n int) {
	o, last := offsets[s], len(offsets)-1
	if s == 0 && o != 0 || s == last && o != n || s < last && o > offsets[s+1] {
		panic("offsets do not begin with 0, increase, and end with the number of elements")
	}
}

// SegmentSums sets dst[s] to the last element of segment s of a scan, and to the identity if it has
// none.
//
//gpu:kernel open block=256
func SegmentSums[T any, O Operator[T]](dst, scan []T, offsets []int, o With[O]) {
	for s := range gpu.GridStride(len(offsets) - 1) {
		sum := o.Op.Identity()
		if end := offsets[s+1]; end > offsets[s] {
			sum = scan[end-1]
		}
		dst[s] = sum
	}
}

// Placed is an element with the number of its segment.
type Placed[T any] struct {
	V       T
	Segment int
}

// PlaceSegments sets dst[i] to src[i] with its segment.
//
//gpu:kernel open block=256
func PlaceSegments[T any](dst []Placed[T], src []T, offsets []int) {
	for s := range gpu.GridStride(len(offsets)) {
		checkOffset(offsets, s, len(src))
	}
	for i := range gpu.GridStride(len(src)) {
		low, high := 0, len(offsets)-1 // the offsets to low are at most i, those from high on above it
		for high-low > 1 {
			if middle := int(uint(low+high) / 2); offsets[middle] <= i {
				low = middle
			} else {
				high = middle
			}
		}
		dst[i] = Placed[T]{src[i], low}
	}
}

// Unplaced is the mapping back to elements.
type Unplaced[T any] struct{}

// Apply returns the element.
func (Unplaced[T]) Apply(x Placed[T]) T { return x.V }

// BySegment orders elements by their segment, and elements of one segment by an order.
type BySegment[T any, O Order[T]] struct{ Of O }

// Less reports whether a is before b.
func (o BySegment[T, O]) Less(a, b Placed[T]) bool {
	return a.Segment < b.Segment || a.Segment == b.Segment && o.Of.Less(a.V, b.V)
}
