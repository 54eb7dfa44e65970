package host

import "math/bits"

// Select writes the elements of src for which keep holds to dst, in their order, and returns their
// number. dst has room for them, and is not src. Working memory is a bit an element. CUB's
// DeviceSelect::If, C++'s std::copy_if.
//
// Errors: [ErrShort], [ErrOverlap].
func Select[T any](dst, src []T, keep func(T) bool) (count int, err error) {
	const call = "Select"
	if err := apart(call, "dst and src", dst, src); err != nil {
		return 0, err
	}
	return copyMarked(call, dst, src, chosen(src, keep))
}

// Partition writes the elements of src for which before holds to the front of dst, in their order,
// and the others after them, the last one first. It returns the number of the elements in front. dst
// has as many elements as src, and is not src. Working memory is a bit an element. CUB's
// DevicePartition::If.
//
// Errors: [ErrShort], [ErrOverlap].
func Partition[T any](dst, src []T, before func(T) bool) (count int, err error) {
	const call = "Partition"
	n := len(src)
	err = first(atLeast(call, "dst", len(dst), n), apart(call, "dst and src", dst, src))
	if err != nil {
		return 0, err
	}
	m := chosen(src, before)
	m.each(func(from, to, at int) {
		rest := n - 1 - (from - at)
		for w := from / 64; w < ceil(to, 64); w++ {
			others := ^m.words[w]
			if left := to - w*64; left < 64 {
				others &= 1<<left - 1
			}
			for word := m.words[w]; word != 0; word &= word - 1 {
				dst[at] = src[w*64+bits.TrailingZeros64(word)]
				at++
			}
			for ; others != 0; others &= others - 1 {
				dst[rest] = src[w*64+bits.TrailingZeros64(others)]
				rest--
			}
		}
	})
	return m.count(), nil
}

// Unique writes the first element of each run of equal elements of src to dst, and returns their
// number. dst has at least as many elements as there are runs, and is not src. After a sort, these
// are the different elements. Working memory is a bit an element. C++'s std::unique_copy.
//
// Errors: [ErrShort], [ErrOverlap].
func Unique[T any](dst, src []T, equal func(a, b T) bool) (count int, err error) {
	const call = "Unique"
	if err := apart(call, "dst and src", dst, src); err != nil {
		return 0, err
	}
	return copyMarked(call, dst, src, heads(src, equal))
}

// RunLengthEncode writes the first element of each run of equal elements of src to dst, the run's
// number of elements to lengths, and returns the number of runs. dst and lengths have at least as many
// elements as there are runs, and are not src. Working memory is a bit an element. CUB's
// DeviceRunLengthEncode::Encode.
//
// Errors: [ErrShort], [ErrOverlap].
func RunLengthEncode[T any](dst []T, lengths []int, src []T, equal func(a, b T) bool) (count int, err error) {
	const call = "RunLengthEncode"
	err = first(apart(call, "dst and src", dst, src), apart(call, "lengths and src", lengths, src),
		apart(call, "dst and lengths", dst, lengths))
	if err != nil {
		return 0, err
	}
	m := heads(src, equal)
	if err := atLeast(call, "lengths", len(lengths), m.count()); err != nil {
		return 0, err
	}
	count, err = copyMarked(call, dst, src, m)
	if err != nil {
		return 0, err
	}
	m.each(func(from, to, at int) {
		before := -1 // the part's last head so far
		for w := from / 64; w < ceil(to, 64); w++ {
			for word := m.words[w]; word != 0; word &= word - 1 {
				i := w*64 + bits.TrailingZeros64(word)
				if before >= 0 {
					lengths[at] = i - before
					at++
				}
				before = i
			}
		}
		if before >= 0 {
			lengths[at] = m.next(to) - before
		}
	})
	return count, nil
}

// chosen marks the elements for which holds does.
func chosen[T any](src []T, holds func(T) bool) *marks {
	return markAll(len(src), func(from, to int) (word uint64) {
		for k, x := range src[from:to] {
			word |= bit(holds(x)) << k
		}
		return word
	})
}

// heads marks the elements that begin runs.
func heads[T any](src []T, equal func(a, b T) bool) *marks {
	return markAll(len(src), func(from, to int) (word uint64) {
		before := src[max(from-1, 0)]
		for k, x := range src[from:to] {
			word |= bit(!equal(before, x)) << k
			before = x
		}
		if from == 0 {
			word |= 1
		}
		return word
	})
}

// copyMarked writes the marked elements of src to dst.
func copyMarked[T any](call string, dst, src []T, m *marks) (count int, err error) {
	if err := atLeast(call, "dst", len(dst), m.count()); err != nil {
		return 0, err
	}
	m.each(func(from, to, at int) {
		for w := from / 64; w < ceil(to, 64); w++ {
			word := m.words[w]
			if word == ^uint64(0) {
				at += copy(dst[at:at+64], src[w*64:])
				continue
			}
			for ; word != 0; word &= word - 1 {
				dst[at] = src[w*64+bits.TrailingZeros64(word)]
				at++
			}
		}
	})
	return m.count(), nil
}
