package host

import (
	"github.com/gridstride/gridstride/internal/library/order"
)

// InclusiveSum sets dst[i] to src[0] + … + src[i]. dst may be src. The order of the additions depends
// on i alone. For integers it is a loop with up to two cores.
//
// Errors: [ErrShort].
func InclusiveSum[T Number](dst, src []T) error { return sums("InclusiveSum", dst, src, false) }

// ExclusiveSum sets dst[i] to src[0] + … + src[i-1], and dst[0] to 0. dst may be src. The order of
// the additions depends on i alone.
//
// Errors: [ErrShort].
func ExclusiveSum[T Number](dst, src []T) error { return sums("ExclusiveSum", dst, src, true) }

// InclusiveScan sets dst[i] to what src[0] to src[i] combine to, in that order: the operator is
// associative, up to rounding, and need not be commutative. dst may be src. It is C++'s
// std::inclusive_scan. Each element takes part in two to five combinations, more if it is larger. With
// few cores and a fast operator a loop is faster.
//
// Errors: [ErrShort].
func InclusiveScan[T any](dst, src []T, identity T, combine func(a, b T) T) error {
	return scanSlice("InclusiveScan", dst, src, false, identity, combine)
}

// ExclusiveScan sets dst[i] to what src[0] to src[i-1] combine to, in that order, and dst[0] to the
// operator's identity. dst may be src. It is C++'s std::exclusive_scan. [InclusiveScan] says more.
//
// Errors: [ErrShort].
func ExclusiveScan[T any](dst, src []T, identity T, combine func(a, b T) T) error {
	return scanSlice("ExclusiveScan", dst, src, true, identity, combine)
}

// sums is a scan by the operator +.
func sums[T Number](call string, dst, src []T, exclusive bool) error {
	if err := atLeast(call, "dst", len(dst), len(src)); err != nil {
		return err
	}
	s := scan[T]{n: len(src), items: order.ScanItems[T](), operator: adding[T]()}
	if !isFloat[T]() { // the order does not matter
		if s.items = 4 * rows; cores() <= 2 || s.n <= Part { // a loop reads elements once
			s.items = max(s.n, 1)
		}
	}
	s.sum = func(from, to int, own []T) { sumRows(own, src[from:to], s.items) }
	s.write = func(from, to int, through []T) { writeRows(dst[from:to], src[from:to], through, s.items, exclusive) }
	s.run()
	return nil
}

// sumRows sets own[t] to the sum of row t of x. Rows have some items, the last one perhaps fewer. Four
// rows are added up at a time, since a sum waits for the one before it.
func sumRows[T Number](own, x []T, items int) {
	for ; len(x) >= 4*items; own, x = own[4:], x[4*items:] {
		a, b, c, d := x[:items], x[items:][:items], x[2*items:][:items], x[3*items:][:items]
		var s, t, u, v T
		for i := range a {
			s += a[i]
			t += b[i]
			u += c[i]
			v += d[i]
		}
		own[0], own[1], own[2], own[3] = s, t, u, v
	}
	for t := range own {
		own[t] = sumOf(x[t*items : min((t+1)*items, len(x))])
	}
}

// writeRows writes the sums of rows, from through[t] on in row t.
func writeRows[T Number](dst, src, through []T, items int, exclusive bool) {
	for ; len(src) >= 4*items && !exclusive; dst, src, through = dst[4*items:], src[4*items:], through[4:] {
		a, b, c, d := src[:items], src[items:][:items], src[2*items:][:items], src[3*items:][:items]
		ta, tb, tc, td := dst[:items], dst[items:][:items], dst[2*items:][:items], dst[3*items:][:items]
		s, t, u, v := through[0], through[1], through[2], through[3]
		for i := range a {
			s += a[i]
			t += b[i]
			u += c[i]
			v += d[i]
			ta[i], tb[i], tc[i], td[i] = s, t, u, v
		}
	}
	for t, v := range through {
		first, end := t*items, min((t+1)*items, len(src))
		addThrough(dst[first:end], src[first:end], v, exclusive)
	}
}

// addThrough writes the sums of v and elements.
func addThrough[T Number](dst, src []T, v T, exclusive bool) {
	dst = dst[:len(src)]
	if exclusive {
		for i, x := range src {
			dst[i] = v
			v += x
		}
		return
	}
	for i, x := range src {
		v += x
		dst[i] = v
	}
}

func scanSlice[T any](call string, dst, src []T, exclusive bool, identity T, combine func(a, b T) T) error {
	if err := atLeast(call, "dst", len(dst), len(src)); err != nil {
		return err
	}
	s := scan[T]{n: len(src), items: order.ScanItems[T](), operator: operatorOf(identity, combine)}
	s.sum = func(from, to int, own []T) {
		for t := range own {
			sum := identity
			for _, v := range src[from+t*s.items : min(from+(t+1)*s.items, to)] {
				sum = combine(sum, v)
			}
			own[t] = sum
		}
	}
	s.write = func(from, to int, through []T) {
		for t, v := range through {
			for i := from + t*s.items; i < min(from+(t+1)*s.items, to); i++ {
				next := combine(v, src[i])
				if dst[i] = next; exclusive {
					dst[i] = v
				}
				v = next
			}
		}
	}
	s.run()
	return nil
}

// scan is a scan of n elements in two passes: one sums up tiles, one writes. (G. Blelloch, "Prefix
// Sums and Their Applications", 1990.) A thread has items elements, and a tile has the elements of a block.
type scan[S any] struct {
	n, items int
	*operator[S]
	sum   func(from, to int, own []S)     // combines the elements of each thread
	write func(from, to int, through []S) // writes the results, from what is before each thread on
}

// stretch is how many elements a core sums up before it writes results: they stay in its cache.
const stretch = 1 << 17

// run scans a stretch of the elements after the other.
func (s *scan[S]) run() {
	size := block * s.items
	if s.n <= s.items { // one thread has them all, and nobody asks for their sum
		if s.n > 0 {
			s.write(0, s.n, []S{s.identity})
		}
		return
	}
	tiles := 1
	if cores() > 1 {
		tiles = min(max(stretch/size, 1)*cores(), ceil(s.n, size))
	}
	part, through, totals := max(Part/size, 1), make([]S, tiles*block), make([]S, tiles)
	c := chain[S]{operator: s.operator}
	for first := 0; first < s.n; first += tiles * size {
		tiles := min(tiles, ceil(s.n-first, size))
		all := func(do func(t, from, to int, threads []S)) {
			each(tiles, part, func(t, end int) {
				for ; t < end; t++ {
					from := first + t*size
					to := min(from+size, s.n)
					do(t, from, to, through[t*block:][:ceil(to-from, s.items)])
				}
			})
		}
		all(func(t, from, to int, threads []S) {
			s.sum(from, to, threads)
			totals[t] = s.scanBlock(threads)
		})
		for t := range tiles {
			totals[t] = c.next(totals[t])
		}
		all(func(t, from, to int, threads []S) {
			if from > 0 {
				s.after(totals[t], threads)
			}
			s.write(from, to, threads)
		})
	}
}
