package host

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/library/order"
)

// Runs is where [ReduceByKey] writes a key and a value for each run.
type Runs[K, T any] struct {
	Keys   []K
	Values []T
}

// ReduceByKey combines the values of each run of equal keys. It writes the first key of each run to
// to.Keys, what its values combine to, in their order, to to.Values, and returns the number of runs.
// There are as many values as keys. to.Keys and to.Values have at least as many elements as there are
// runs, and overlap with no other operand. The operator is [InclusiveScan]'s. Working memory is a bit
// a key. CUB's DeviceReduce::ReduceByKey.
//
// Errors: [ErrShort], [ErrOverlap].
func ReduceByKey[K, T any](to Runs[K, T], keys []K, values []T, equal func(a, b K) bool, identity T, combine func(a, b T) T) (count int, err error) {
	const call = "ReduceByKey"
	err = first(atLeast(call, "values", len(values), len(keys)),
		apart(call, "Keys and keys", to.Keys, keys), apart(call, "Keys and values", to.Keys, values),
		apart(call, "Values and keys", to.Values, keys), apart(call, "Values and values", to.Values, values),
		apart(call, "Keys and Values", to.Keys, to.Values))
	if err != nil {
		return 0, err
	}
	m := heads(keys, equal)
	err = first(atLeast(call, "Keys", len(to.Keys), m.count()), atLeast(call, "Values", len(to.Values), m.count()))
	if err != nil {
		return 0, err
	}
	reduceMarked(values[:len(keys)], m, identity, combine, func(run int, v T) { to.Values[run] = v })
	return copyMarked(call, to.Keys, keys, m)
}

// InclusiveScanByKey is [InclusiveScan], begun anew at each run of equal keys. There are as many
// values as keys. dst may be values. Working memory is a bit a key. CUB's
// DeviceScan::InclusiveScanByKey.
//
// Errors: [ErrShort], [ErrOverlap].
func InclusiveScanByKey[K, T any](dst []T, keys []K, values []T, equal func(a, b K) bool, identity T, combine func(a, b T) T) error {
	const call = "InclusiveScanByKey"
	if err := byKey(call, dst, keys, values); err != nil {
		return err
	}
	scanMarked(dst, values[:len(keys)], heads(keys, equal), false, identity, combine)
	return nil
}

// ExclusiveScanByKey is [ExclusiveScan], begun anew at each run of equal keys. There are as many
// values as keys. dst may be values. Working memory is a bit a key.
//
// Errors: [ErrShort], [ErrOverlap].
func ExclusiveScanByKey[K, T any](dst []T, keys []K, values []T, equal func(a, b K) bool, identity T, combine func(a, b T) T) error {
	const call = "ExclusiveScanByKey"
	if err := byKey(call, dst, keys, values); err != nil {
		return err
	}
	scanMarked(dst, values[:len(keys)], heads(keys, equal), true, identity, combine)
	return nil
}

// byKey checks the operands of a scan by key.
func byKey[K, T any](call string, dst []T, keys []K, values []T) error {
	return first(atLeast(call, "values", len(values), len(keys)), atLeast(call, "dst", len(dst), len(keys)),
		apart(call, "dst and keys", dst, keys))
}

// InclusiveScanSegments is [InclusiveScan] of each segment: segment s is the elements of src from
// offsets[s] to before offsets[s+1]. offsets begin with 0, increase, and end with len(src). dst may be
// src. Working memory is a bit an element.
//
// Errors: [ErrShort], [ErrOverlap], and [ErrRange] for other offsets.
func InclusiveScanSegments[T any](dst, src []T, offsets []int, identity T, combine func(a, b T) T) error {
	m, err := bySegment("InclusiveScanSegments", dst, src, offsets)
	if err != nil {
		return err
	}
	scanMarked(dst, src, m, false, identity, combine)
	return nil
}

// ExclusiveScanSegments is [ExclusiveScan] of each segment, as [InclusiveScanSegments] has them.
//
// Errors: [ErrShort], [ErrOverlap], and [ErrRange] for other offsets.
func ExclusiveScanSegments[T any](dst, src []T, offsets []int, identity T, combine func(a, b T) T) error {
	m, err := bySegment("ExclusiveScanSegments", dst, src, offsets)
	if err != nil {
		return err
	}
	scanMarked(dst, src, m, true, identity, combine)
	return nil
}

// bySegment checks the operands of a scan of segments, and marks their first elements.
func bySegment[T any](call string, dst, src []T, offsets []int) (*marks, error) {
	err := first(atLeast(call, "dst", len(dst), len(src)), checkOffsets(call, offsets, len(src)),
		apart(call, "dst and offsets", dst, offsets))
	if err != nil {
		return nil, err
	}
	return starts(offsets, len(src)), nil
}

// ReduceSegments sets dst[s] to what the elements of segment s of src combine to, in their order, and
// to the operator's identity if it has none. [InclusiveScanSegments] says what offsets are, and what
// the operator is. dst is not src. Working memory is a bit an element and a word a segment. CUB's
// DeviceSegmentedReduce.
//
// Errors: [ErrShort], [ErrOverlap], and [ErrRange] for other offsets.
func ReduceSegments[T any](dst, src []T, offsets []int, identity T, combine func(a, b T) T) error {
	const call = "ReduceSegments"
	err := first(checkOffsets(call, offsets, len(src)), atLeast(call, "dst", len(dst), len(offsets)-1),
		apart(call, "dst and src", dst, src), apart(call, "dst and offsets", dst, offsets))
	if err != nil {
		return err
	}
	m := starts(offsets, len(src))
	numbers := make([]int, m.count()) // of the segments that have elements
	at := 0
	for s := range len(offsets) - 1 {
		if dst[s] = identity; offsets[s] < offsets[s+1] {
			numbers[at] = s
			at++
		}
	}
	reduceMarked(src, m, identity, combine, func(run int, v T) { dst[numbers[run]] = v })
	return nil
}

// checkOffsets is the error for offsets that are none of segments of n elements.
func checkOffsets(call string, offsets []int, n int) error {
	if err := atLeast(call, "offsets", len(offsets), 1); err != nil {
		return err
	}
	if offsets[0] != 0 {
		return errorf(ErrRange, "%s: offsets[0] is %d; want 0", call, offsets[0])
	}
	for s, o := range offsets[1:] {
		if o < offsets[s] {
			return errorf(ErrRange, "%s: offsets[%d] is %d; want %d or more, the offset before it", call, s+1, o, offsets[s])
		}
	}
	if last := len(offsets) - 1; offsets[last] != n {
		return errorf(ErrRange, "%s: the last offset is %d; want %d, the number of elements", call, offsets[last], n)
	}
	return nil
}

// starts marks the first elements of segments.
func starts(offsets []int, n int) *marks {
	m := &marks{n: n, words: make([]uint64, ceil(n, 64))}
	count := 0
	for s, o := range offsets[:len(offsets)-1] {
		if o < offsets[s+1] {
			m.words[o/64] |= 1 << (o % 64)
			count++
		}
	}
	m.before = []int{count}
	return m
}

// segment is a part of a sequence that is cut into segments: heads segments begin in it, and v
// combines the elements from its last head on.
type segment[T any] struct {
	v     T
	heads int
}

// scanMarked scans the segments of src whose first elements are marked.
func scanMarked[T any](dst, src []T, m *marks, exclusive bool, identity T, combine func(a, b T) T) {
	x := segmentsOf(src, m, identity, combine)
	x.write = func(from, to int, through []segment[T]) {
		for t, s := range through {
			v, first := s.v, from+t*x.items
			heads := m.from(first)
			for i := first; i < min(first+x.items, to); i, heads = i+1, heads>>1 {
				before, next := v, src[i]
				if heads&1 != 0 {
					before = identity
				} else {
					next = combine(v, next)
				}
				if dst[i] = next; exclusive {
					dst[i] = before
				}
				v = next
			}
		}
	}
	x.run()
}

// reduceMarked calls put with what each segment combines to.
func reduceMarked[T any](src []T, m *marks, identity T, combine func(a, b T) T, put func(segment int, v T)) {
	x := segmentsOf(src, m, identity, combine)
	x.write = func(from, to int, through []segment[T]) {
		for t, s := range through {
			first := from + t*x.items
			end, heads := min(first+x.items, to), m.from(first)
			for i := first; i < end; i++ {
				if heads&1 != 0 {
					s = segment[T]{src[i], s.heads + 1}
				} else {
					s.v = combine(s.v, src[i])
				}
				if heads >>= 1; i+1 == end && end < len(src) {
					heads = m.from(end)
				}
				if heads&1 != 0 || i+1 == len(src) {
					put(s.heads-1, s.v)
				}
			}
		}
	}
	x.run()
}

// segmentsOf is a scan of segments, which lacks what it writes. The elements of a thread are in one
// word of the marks.
func segmentsOf[T any](src []T, m *marks, identity T, combine func(a, b T) T) *scan[segment[T]] {
	join := func(a segment[T], b *segment[T]) {
		if b.heads == 0 {
			b.v = combine(a.v, b.v)
		}
		b.heads += a.heads
	}
	x := &scan[segment[T]]{n: len(src), items: order.ScanItems[segment[T]]()}
	x.operator = &operator[segment[T]]{segment[T]{v: identity},
		func(a, b segment[T]) segment[T] {
			join(a, &b)
			return b
		},
		func(lanes []segment[T], d int) {
			for l := len(lanes) - 1; l >= d; l-- {
				join(lanes[l-d], &lanes[l])
			}
		},
		func(v segment[T], lanes []segment[T]) {
			for l := range lanes {
				join(v, &lanes[l])
			}
		}}
	x.sum = func(from, to int, own []segment[T]) {
		for t := range own {
			first := from + t*x.items
			end := min(first+x.items, to)
			s, heads := x.identity, m.from(first)&(1<<(end-first)-1)
			if heads != 0 { // the elements before the last head do not matter
				first += bits.Len64(heads)
				s = segment[T]{src[first-1], bits.OnesCount64(heads)}
			}
			for _, v := range src[first:end] {
				s.v = combine(s.v, v)
			}
			own[t] = s
		}
	}
	return x
}
