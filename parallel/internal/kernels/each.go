package kernels

import "github.com/gridstride/gridstride/gpu"

// Blocks is the grid of kernels that take an element after the other.
func Blocks(n int) int { return min(max(ceil(n, Block), 1), 1<<16) }

// Transform maps every element of src. dst may be src.
//
//gpu:kernel open block=256
func Transform[T, U any, M Mapping[T, U]](dst []U, src []T, m With[M]) {
	for i := range gpu.GridStride(len(src)) {
		dst[i] = m.Op.Apply(src[i])
	}
}

// ForEach has each element of x changed.
//
//gpu:kernel open block=256
func ForEach[T any, A Action[T]](x []T, do With[A]) {
	for i := range gpu.GridStride(len(x)) {
		do.Op.Do(&x[i], i)
	}
}

// Gather sets dst[i] to src[index[i]].
//
//gpu:kernel open block=256
func Gather[T any, I gpu.Integer](dst, src []T, index []I) {
	for i := range gpu.GridStride(len(index)) {
		dst[i] = src[index[i]]
	}
}

// Scatter sets dst[index[i]] to src[i].
//
//gpu:kernel open block=256
func Scatter[T any, I gpu.Integer](dst, src []T, index []I) {
	for i := range gpu.GridStride(len(index)) {
		dst[index[i]] = src[i]
	}
}

// Iota sets dst[i] to start+i.
//
//gpu:kernel open block=256
func Iota[T gpu.Number](dst []T, start T) {
	for i := range gpu.GridStride(len(dst)) {
		dst[i] = start + T(i)
	}
}

// RunLengths sets lengths[r] to the number of elements of run r, which begins at starts[r]. count[0]
// is the number of runs, and n the number of elements.
//
//gpu:kernel block=256
func RunLengths(lengths, starts, count []int, n int) {
	runs := count[0]
	for r := range gpu.GridStride(runs) {
		end := n
		if r+1 < runs {
			end = starts[r+1]
		}
		lengths[r] = end - starts[r]
	}
}

// Search sets dst[i] to the number of elements of sorted that are before values[i] in an order, or
// not after it if upper is set.
//
//gpu:kernel open block=256
func Search[T any, O Order[T]](dst []int, sorted, values []T, upper bool, o With[O]) {
	for i := range gpu.GridStride(len(values)) {
		v, low, high := values[i], 0, len(sorted)
		for low < high {
			middle := int(uint(low+high) / 2)
			var after bool
			if upper {
				after = o.Op.Less(v, sorted[middle])
			} else {
				after = !o.Op.Less(sorted[middle], v)
			}
			if after {
				high = middle
			} else {
				low = middle + 1
			}
		}
		dst[i] = low
	}
}
