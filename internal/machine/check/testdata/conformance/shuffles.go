package conformance

import "github.com/gridstride/gridstride/gpu"

// ReturnedLane has lanes without data return before a shuffle that reads from them.
//
//gpu:kernel
func ReturnedLane(x, y []int32, n int) {
	i := gpu.ThreadIdx.X
	if i >= n {
		return
	}
	y[i] = gpu.ShflDownSync(gpu.FullMask, x[i], 8)
}

// ReturnedSum is the usual sum of a warp, with lanes that have returned: the first lane's result is undefined.
//
//gpu:kernel
func ReturnedSum(x, y []int32, n int) {
	i := gpu.ThreadIdx.X
	if i >= n {
		return
	}
	v := x[i]
	for d := gpu.WarpSize / 2; d > 0; d /= 2 {
		v += gpu.ShflDownSync(gpu.FullMask, v, d)
	}
	if i == 0 {
		y[0] = v
	}
}

// ReturnedSumGuarded adds only what lanes that are there gave, by a condition that becomes a select.
//
//gpu:kernel
func ReturnedSumGuarded(x, y []int32, n int) {
	i := gpu.ThreadIdx.X
	if i >= n {
		return
	}
	v := x[i]
	for d := gpu.WarpSize / 2; d > 0; d /= 2 {
		if other := gpu.ShflDownSync(gpu.FullMask, v, d); i+d < n {
			v += other
		}
	}
	y[i] = v
}

// ReturnedMax compares what it shuffled only behind a condition.
//
//gpu:kernel
func ReturnedMax(x, y []int32, n int) {
	i := gpu.ThreadIdx.X
	if i >= n {
		return
	}
	v, at := x[i], int32(i)
	for d := gpu.WarpSize / 2; d > 0; d /= 2 {
		other := gpu.ShflDownSync(gpu.FullMask, v, d)
		otherAt := gpu.ShflDownSync(gpu.FullMask, at, d)
		if i+d < n && (other > v || other == v && otherAt < at) {
			v, at = other, otherAt
		}
	}
	y[i] = at
}

// ReturnedBranch branches on it, and ReturnedIndex takes it for an index.
//
//gpu:kernel
func ReturnedBranch(x, y []int32, n int) {
	i := gpu.ThreadIdx.X
	if i >= n {
		return
	}
	if gpu.ShflSync(gpu.FullMask, x[i], 31) > 0 {
		gpu.AtomicAdd(&y[i], 1)
	}
}

//gpu:kernel
func ReturnedIndex(x, y []int32, n int) {
	i := gpu.ThreadIdx.X
	if i >= n {
		return
	}
	y[i] = x[gpu.ShflSync(gpu.FullMask, int32(i), 31)]
}

// MaskedSum has a mask of the lanes that have data, and shuffles from outside it; the first lane's result does not depend on that.
//
//gpu:kernel
func MaskedSum(x, y []int32, n int) {
	i := gpu.ThreadIdx.X
	if i < 16 {
		v := x[i]
		for d := 8; d > 0; d /= 2 {
			v += gpu.ShflDownSync(0xffff, v, d)
		}
		if i < n {
			y[i] = v
		}
	}
}

// BlockSum leaves the sums of all lanes in shared memory and uses the first of each warp; its last warp may be a part of one.
//
//gpu:kernel
func BlockSum(x, y []int32, used int) {
	sums := gpu.Shared[[128]int32]()
	t := gpu.ThreadIdx.X
	v := x[t]
	for d := gpu.WarpSize / 2; d > 0; d /= 2 {
		v += gpu.ShflDownSync(gpu.FullMask, v, d)
	}
	sums[t] = v
	gpu.SyncThreads()
	if t == 0 {
		var sum int32
		for w := range used {
			sum += sums[w*gpu.WarpSize]
		}
		y[0] = sum
	}
}
