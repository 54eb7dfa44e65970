package host

import (
	"math/bits"
	"sync"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/order"
)

// Transform sets dst[i] to what m makes of src[i]. dst may be src. C++'s std::transform.
//
// Errors: [ErrShort].
func Transform[T, U any](dst []U, src []T, m func(T) U) error {
	if err := atLeast("Transform", "dst", len(dst), len(src)); err != nil {
		return err
	}
	each(len(src), Part, func(from, to int) {
		dst := dst[from:to]
		for i, x := range src[from:to] {
			dst[i] = m(x)
		}
	})
	return nil
}

// ForEach has change change each element of x, which has index i. C++'s std::for_each.
func ForEach[T any](x []T, change func(x *T, i int)) {
	each(len(x), Part, func(from, to int) {
		for i := from; i < to; i++ {
			change(&x[i], i)
		}
	})
}

// Gather sets dst[i] to src[index[i]]. dst is not src.
//
// Errors: [ErrShort], [ErrOverlap], and [ErrRange] for an index that src does not have.
func Gather[T any, I gpu.Integer](dst, src []T, index []I) error {
	const call = "Gather"
	err := first(atLeast(call, "dst", len(dst), len(index)), apart(call, "dst and src", dst, src), inRange(call, index, len(src)))
	if err != nil {
		return err
	}
	each(len(index), Part, func(from, to int) {
		dst := dst[from:to]
		for i, at := range index[from:to] {
			dst[i] = src[at]
		}
	})
	return nil
}

// Scatter sets dst[index[i]] to src[i], for indices that differ. dst is not src.
//
// Errors: [ErrShort], [ErrOverlap], and [ErrRange] for an index that dst does not have.
func Scatter[T any, I gpu.Integer](dst, src []T, index []I) error {
	const call = "Scatter"
	err := first(atLeast(call, "src", len(src), len(index)), apart(call, "dst and src", dst, src), inRange(call, index, len(dst)))
	if err != nil {
		return err
	}
	each(len(index), Part, func(from, to int) {
		src := src[from:to]
		for i, at := range index[from:to] {
			dst[at] = src[i]
		}
	})
	return nil
}

// inRange is the error for an index below 0, or of n and above.
func inRange[I gpu.Integer](call string, index []I, n int) error {
	var mu sync.Mutex
	wrong := len(index)
	each(len(index), wide, func(from, to int) {
		for i, at := range index[from:to] {
			if at < 0 || uint64(at) >= uint64(n) {
				mu.Lock()
				wrong = min(wrong, from+i)
				mu.Unlock()
				return
			}
		}
	})
	switch {
	case wrong < len(index) && n == 0:
		return errorf(ErrRange, "%s: index[%d] is %d; want none, since there are no elements", call, wrong, index[wrong])
	case wrong < len(index):
		return errorf(ErrRange, "%s: index[%d] is %d; want 0 to %d", call, wrong, index[wrong], n-1)
	}
	return nil
}

// Iota sets dst[i] to start+i. C++'s std::iota.
func Iota[T Number](dst []T, start T) {
	each(len(dst), wide, func(from, to int) {
		for i := from; i < to; i++ {
			dst[i] = start + T(i)
		}
	})
}

// Shuffle writes the elements of src to dst in an order that depends on their number and the seed
// alone. dst has as many elements, and is not src. It cannot make every order: it is a Feistel
// network of 12 rounds, keyed by the seed. C++'s std::shuffle.
//
// Errors: [ErrShort], [ErrOverlap].
func Shuffle[T any](dst, src []T, seed uint64) error {
	const call = "Shuffle"
	if err := first(atLeast(call, "dst", len(dst), len(src)), apart(call, "dst and src", dst, src)); err != nil {
		return err
	}
	p := order.PermutationOf(len(src), seed)
	each(len(src), Part, func(from, to int) {
		for i := from; i < to; i += several {
			var x [several]uint64
			for k := range x {
				x[k] = uint64(i + k)
			}
			rounds(p, &x)
			for k, place := range x[:min(several, to-i)] {
				if place >= uint64(p.N) {
					place = uint64(p.Of(int(place)))
				}
				dst[i+k] = src[place]
			}
		}
	})
	return nil
}

// several numbers go through the network together, since each step of one waits for the step before.
const several = 4

// rounds sends numbers through a permutation's network once.
func rounds(p order.Permutation, x *[several]uint64) {
	mask := uint64(1)<<p.Half - 1
	for r := range order.Rounds {
		for k, v := range x {
			low, high := p.Round(r, v&mask, v>>p.Half)
			x[k] = high<<p.Half | low
		}
	}
}

// LowerBound sets dst[i] to the number of elements of sorted that are before values[i]. sorted is
// sorted by less. C++'s std::lower_bound.
//
// Errors: [ErrShort].
func LowerBound[T any](dst []int, sorted, values []T, less func(a, b T) bool) error {
	return search("LowerBound", dst, values, len(sorted), func(v T, i int) bool { return !less(sorted[i], v) })
}

// UpperBound sets dst[i] to the number of elements of sorted that values[i] is not before. sorted is
// sorted by less. C++'s std::upper_bound.
//
// Errors: [ErrShort].
func UpperBound[T any](dst []int, sorted, values []T, less func(a, b T) bool) error {
	return search("UpperBound", dst, values, len(sorted), func(v T, i int) bool { return less(v, sorted[i]) })
}

// search finds for each value the first of n indices for which after holds.
func search[T any](call string, dst []int, values []T, n int, after func(v T, i int) bool) error {
	if err := atLeast(call, "dst", len(dst), len(values)); err != nil {
		return err
	}
	each(len(values), max(Part/bits.Len(uint(n)|1), 64), func(from, to int) {
		for k, v := range values[from:to] {
			low, high := 0, n
			for low < high {
				if middle := int(uint(low+high) / 2); after(v, middle) {
					high = middle
				} else {
					low = middle + 1
				}
			}
			dst[from+k] = low
		}
	})
	return nil
}

// Histogram sets bins[b] to the number of elements of src that bin maps to b. Elements that are
// mapped below 0 or to len(bins) and above are not counted. Working memory is the bins for each core
// whose elements outnumber them. CUB's DeviceHistogram, with any bins.
func Histogram[T any](bins []uint64, src []T, bin func(T) int) {
	clear(bins)
	var mu sync.Mutex
	size := max(ceil(len(src), cores()), 4*len(bins), Part)
	each(len(src), size, func(from, to int) {
		counts := bins
		if to-from < len(src) {
			counts = make([]uint64, len(bins))
		}
		for _, x := range src[from:to] {
			if b := bin(x); uint(b) < uint(len(counts)) {
				counts[b]++
			}
		}
		if to-from == len(src) {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for b, n := range counts {
			bins[b] += n
		}
	})
}
