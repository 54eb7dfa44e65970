package host

import "unsafe"

// SortBy sorts x in place by an order. Equal elements stay in their order, as slices.SortStableFunc
// has them. less is a strict weak order. If it is none, x has its elements in some order. It is a
// merge sort, and allocates as many elements. Passes are cut into equal parts by merge path: O. Green,
// R. McColl and D. Bader, "GPU Merge Path: A GPU Merging Algorithm", ICS 2012.
func SortBy[T any](x []T, less func(a, b T) bool) {
	if len(x) < 2 || unsafe.Sizeof(x[0]) == 0 {
		return
	}
	sortBy(x, make([]T, len(x)), less)
}

// sortBy sorts x, with the help of as many other elements.
func sortBy[T any](x, other []T, less func(a, b T) bool) {
	n := len(x)
	width := max(ceil(n, 4*cores()), Part)
	if cores() == 1 {
		width = n
	}
	each(n, width, func(from, to int) { mergeSort(x[from:to], other[from:to], less, false) })
	from, to := x, other
	for ; width < n; width *= 2 {
		var cuts []merging[T]
		for first := 0; first < n; first += 2 * width {
			middle, end := min(first+width, n), min(first+2*width, n)
			cuts = cut(cuts, to[first:end], from[first:middle], from[middle:end], less)
		}
		each(len(cuts), 1, func(c, _ int) { cuts[c].merge(less) })
		from, to = to, from
	}
	if &from[0] != &x[0] {
		each(n, wide, func(first, end int) { copy(x[first:end], from[first:end]) })
	}
}

// few is how many elements are sorted by insertion.
const few = 12

// mergeSort sorts x on one core, into other if away is set. other has as many elements.
func mergeSort[T any](x, other []T, less func(a, b T) bool, away bool) {
	n := len(x)
	if n <= few {
		for i := 1; i < n; i++ {
			v, j := x[i], i
			for ; j > 0 && less(v, x[j-1]); j-- {
				x[j] = x[j-1]
			}
			x[j] = v
		}
		if away {
			copy(other, x)
		}
		return
	}
	half := n / 2
	mergeSort(x[:half], other[:half], less, !away)
	mergeSort(x[half:], other[half:], less, !away)
	if away {
		mergeTwo(other, x[:half], x[half:], less)
	} else {
		mergeTwo(x, other[:half], other[half:], less)
	}
}

// mergeTwo merges a and b. Of equal elements a's are first.
func mergeTwo[T any](dst, a, b []T, less func(a, b T) bool) {
	dst = dst[:len(a)+len(b)]
	if len(a) > 0 && len(b) > 0 && less(b[0], a[len(a)-1]) {
		i, j := 0, 0
		for k := range dst {
			if i >= len(a) || j >= len(b) {
				break
			}
			if less(b[j], a[i]) {
				dst[k] = b[j]
				j++
			} else {
				dst[k] = a[i]
				i++
			}
		}
		dst, a, b = dst[i+j:], a[i:], b[j:]
	}
	copy(dst[copy(dst, a):], b)
}

// Merge writes the elements of a and b, which are sorted by less, to dst, sorted. Of equal elements
// a's are first. dst is neither a nor b. C++'s std::merge.
//
// Errors: [ErrShort], [ErrOverlap].
func Merge[T any](dst, a, b []T, less func(a, b T) bool) error {
	const call = "Merge"
	n := len(a) + len(b)
	err := first(atLeast(call, "dst", len(dst), n), apart(call, "dst and a", dst, a), apart(call, "dst and b", dst, b))
	if err != nil {
		return err
	}
	cuts := cut(nil, dst[:n], a, b, less)
	each(len(cuts), 1, func(c, _ int) { cuts[c].merge(less) })
	return nil
}

// merging is a part of a merge.
type merging[T any] struct{ dst, a, b []T }

func (m *merging[T]) merge(less func(a, b T) bool) { mergeTwo(m.dst, m.a, m.b, less) }

// cut adds the parts of a merge of a and b. They are of equal size, and have each element once, even
// if less is no order.
func cut[T any](parts []merging[T], dst, a, b []T, less func(a, b T) bool) []merging[T] {
	size := len(dst)
	if cores() > 1 {
		size = max(ceil(len(dst), 4*cores()), Part)
	}
	for len(dst) > 0 {
		size := min(size, len(dst))
		ofA := split(a, b, size, less)
		ofB := size - ofA
		parts = append(parts, merging[T]{dst[:size], a[:ofA], b[:ofB]})
		dst, a, b = dst[size:], a[ofA:], b[ofB:]
	}
	return parts
}

// split is how many of the first elements of the merged a and b are of a: merge path's search on a
// diagonal. Of equal elements a's are first.
func split[T any](a, b []T, first int, less func(a, b T) bool) int {
	low, high := max(first-len(b), 0), min(first, len(a))
	for low < high {
		middle := int(uint(low+high) / 2)
		if less(b[first-1-middle], a[middle]) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// SortSegments sorts the elements of each segment of x in place by an order, stably.
// [InclusiveScanSegments] says what offsets are. It is a merge sort, and allocates as many elements.
//
// Errors: [ErrShort], [ErrOverlap], and [ErrRange] for other offsets.
func SortSegments[T any](x []T, offsets []int, less func(a, b T) bool) error {
	const call = "SortSegments"
	if err := first(checkOffsets(call, offsets, len(x)), apart(call, "x and offsets", x, offsets)); err != nil {
		return err
	}
	if unsafe.Sizeof(*new(T)) == 0 {
		return nil
	}
	other := make([]T, len(x))
	large := max(len(x)/(4*cores()), 4*Part) // segments that are worth all cores
	for s, from := range offsets[:len(offsets)-1] {
		if to := offsets[s+1]; to-from > large {
			sortBy(x[from:to], other[from:to], less)
		}
	}
	average := max(len(x)/len(offsets), 1)
	each(len(offsets)-1, max(Part/average, 1), func(s, end int) {
		for ; s < end; s++ {
			if from, to := offsets[s], offsets[s+1]; to-from <= large {
				mergeSort(x[from:to], other[from:to], less, false)
			}
		}
	})
	return nil
}

// TopK writes the first len(dst) elements of x in an order to dst, sorted and stably: of equal
// elements, those that are first in x. dst has at most as many elements as x, and is not x. Each core
// keeps the first ones of its part in a heap. Working memory is len(dst) elements a core, or twice
// len(x) if that is less: then x is sorted. C++'s std::partial_sort_copy.
//
// Errors: [ErrShort], [ErrOverlap].
func TopK[T any](dst, x []T, less func(a, b T) bool) error {
	const call = "TopK"
	n, k := len(x), len(dst)
	if err := first(atLeast(call, "x", n, k), apart(call, "dst and x", dst, x)); err != nil || k == 0 {
		return err
	}
	if k > n/16 {
		all := append([]T(nil), x...)
		SortBy(all, less)
		copy(dst, all)
		return nil
	}
	size := max(ceil(n, cores()), Part, 16*k)
	heaps := make([]top[T], ceil(n, size))
	each(n, size, func(from, to int) {
		h := top[T]{less: less, all: make([]placed[T], 0, k)}
		for i, v := range x[from:to] {
			h.offer(v, from+i, k)
		}
		heaps[from/size] = h
	})
	var all []placed[T]
	for _, h := range heaps {
		all = append(all, h.all...)
	}
	mergeSort(all, make([]placed[T], len(all)), heaps[0].before, false)
	for i := range dst {
		dst[i] = all[i].v
	}
	return nil
}

// placed is an element with its index.
type placed[T any] struct {
	v T
	i int
}

// top is a heap of the first elements in an order, with the last of them on top.
type top[T any] struct {
	less func(a, b T) bool
	all  []placed[T]
}

// before reports whether a is before b: of equal elements, the one with the smaller index.
func (h *top[T]) before(a, b placed[T]) bool {
	return h.less(a.v, b.v) || a.i < b.i && !h.less(b.v, a.v)
}

// offer keeps the first k of the heap's elements and v, whose index is larger than theirs.
func (h *top[T]) offer(v T, i, k int) {
	if len(h.all) < k {
		h.all = append(h.all, placed[T]{v, i})
		if len(h.all) == k {
			for at := k/2 - 1; at >= 0; at-- {
				h.down(at)
			}
		}
		return
	}
	if h.less(v, h.all[0].v) {
		h.all[0] = placed[T]{v, i}
		h.down(0)
	}
}

// down moves an element down until it is before no element below it.
func (h *top[T]) down(at int) {
	for {
		child := 2*at + 1
		if child >= len(h.all) {
			return
		}
		if child+1 < len(h.all) && h.before(h.all[child], h.all[child+1]) {
			child++
		}
		if !h.before(h.all[at], h.all[child]) {
			return
		}
		h.all[at], h.all[child] = h.all[child], h.all[at]
		at = child
	}
}
