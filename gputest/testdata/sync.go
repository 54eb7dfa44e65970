package sync

import "github.com/gridstride/gridstride/gpu"

func wait() { gpu.SyncThreads() }

// TwoCalls has a barrier for the first threads and, of the same source place, another for the rest.
//
//gpu:kernel
func TwoCalls(x, y []int32, first int) {
	t := gpu.ThreadIdx.X
	if t < first {
		wait()
		y[t] = x[t]
	} else {
		wait()
		y[t] = 2
	}
}

// DeadLane takes a value from a lane 8 above it, which may have returned.
//
//gpu:kernel
func DeadLane(x, y []int32, first int) {
	t := gpu.ThreadIdx.X
	if t >= first {
		return
	}
	y[t] = gpu.ShflDownSync(gpu.FullMask, x[t], 8)
}

// LiveLane adds the value of the lane above only if there is one.
//
//gpu:kernel
func LiveLane(x, y []int32, first int) {
	t := gpu.ThreadIdx.X
	if t >= first {
		return
	}
	v := x[t]
	if other := gpu.ShflDownSync(gpu.FullMask, v, 1); t+1 < first {
		v += other
	}
	y[t] = v
}

// Handover has the first thread of the second warp set a flag behind a value, for which thread 0 waits.
//
//gpu:kernel
func Handover(x, y []int32, first int) {
	switch gpu.ThreadIdx.X {
	case first:
		y[0] = 7
		gpu.ThreadFence()
		gpu.AtomicExch(&x[0], 1)
	case 0:
		for gpu.AtomicAdd(&x[0], 0) == 0 {
		}
		y[1] = y[0]
	}
}

// Returns has threads from first on return before a barrier.
//
//gpu:kernel
func Returns(x, y []int32, first int) {
	t := gpu.ThreadIdx.X
	if t >= first {
		return
	}
	gpu.SyncThreads()
	y[t] = x[t]
}
