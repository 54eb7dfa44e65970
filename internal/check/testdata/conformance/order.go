package conformance

import "github.com/gridstride/gridstride/gpu"

// Tickets gives every thread a cell of its own.
//
//gpu:kernel
func Tickets(p, a []int32) {
	j := gpu.AtomicAdd(&p[0], 1)
	a[j] = int32(gpu.ThreadIdx.X)
}

// TicketsZero gives them all the same.
//
//gpu:kernel
func TicketsZero(p, a []int32) {
	j := gpu.AtomicAdd(&p[0], 0)
	a[j] = int32(gpu.ThreadIdx.X)
}

// TicketsThread adds the thread's number: whether two get one cell depends on the order.
//
//gpu:kernel
func TicketsThread(p, a []int32) {
	t := gpu.ThreadIdx.X
	j := gpu.AtomicAdd(&p[0], int32(t))
	a[j] = int32(t)
}

// LastBlock is the reduction of one pass: the block that finishes last adds up what all blocks have written.
//
//gpu:kernel
func LastBlock(in, partial, out []int32, count []uint32) {
	lastBlock(in, partial, out, count, true)
}

// LastBlockNoFence is the same, and hands the partial sums over without a fence.
//
//gpu:kernel
func LastBlockNoFence(in, partial, out []int32, count []uint32) {
	lastBlock(in, partial, out, count, false)
}

func lastBlock(in, partial, out []int32, count []uint32, fence bool) {
	s := gpu.Shared[[64]int32]()
	last := gpu.Shared[bool]()
	t := gpu.ThreadIdx.X
	var sum int32
	for i := range gpu.GridStride(len(in)) {
		sum += in[i]
	}
	s[t] = sum
	gpu.SyncThreads()
	for d := 32; d > 0; d /= 2 {
		if t < d {
			s[t] += s[t+d]
		}
		gpu.SyncThreads()
	}
	if t == 0 {
		partial[gpu.BlockIdx.X] = s[0]
		if fence {
			gpu.ThreadFence()
		}
		*last = gpu.AtomicInc(&count[0], uint32(gpu.GridDim.X)) == uint32(gpu.GridDim.X-1)
	}
	gpu.SyncThreads()
	if !*last {
		return
	}
	if t == 0 {
		var all int32
		for b := range gpu.GridDim.X {
			all += partial[b]
		}
		out[0] = all
		count[0] = 0
	}
}

// WarpLeader lets the first lane of each warp add up the slots of its lanes.
//
//gpu:kernel
func WarpLeader(out []int32) {
	s := gpu.Shared[[64]int32]()
	t := gpu.ThreadIdx.X
	s[t] = int32(t)
	if gpu.LaneID() == 0 {
		var sum int32
		for i := range 32 {
			sum += s[t+i]
		}
		out[gpu.WarpID()] = sum
	}
}

// WarpTree reduces in a warp and synchronises it between reading and writing, and between rounds.
//
//gpu:kernel
func WarpTree(in, out []int32) {
	s := gpu.Shared[[64]int32]()
	t := gpu.ThreadIdx.X
	v := in[t]
	s[t], s[t+32] = v, 0
	gpu.SyncWarp(0xffffffff)
	for d := 16; d > 0; d /= 2 {
		v += s[t+d]
		gpu.SyncWarp(0xffffffff)
		s[t] = v
		gpu.SyncWarp(0xffffffff)
	}
	out[t] = v
}

// WarpTreeRace reads and writes in one statement.
//
//gpu:kernel
func WarpTreeRace(in, out []int32) {
	s := gpu.Shared[[64]int32]()
	t := gpu.ThreadIdx.X
	s[t], s[t+32] = in[t], 0
	gpu.SyncWarp(0xffffffff)
	for d := 16; d > 0; d /= 2 {
		s[t] += s[t+d]
		gpu.SyncWarp(0xffffffff)
	}
	out[t] = s[t]
}

// Shuffle writes to a cell that another lane wrote, with nothing but a shuffle between.
//
//gpu:kernel
func Shuffle(out []int32) {
	s := gpu.Shared[[32]int32]()
	k := gpu.ThreadIdx.X
	s[k] = int32(k)
	k = int(gpu.ShflUpSync(0xffffffff, int32(k), 1))
	s[k] += int32(k)
}

// ShuffleSync has a SyncWarp there, and each lane a cell of its own: lane 0 keeps out of lane 1's way.
//
//gpu:kernel
func ShuffleSync(out []int32) {
	s := gpu.Shared[[32]int32]()
	t := gpu.ThreadIdx.X
	s[t] = int32(t)
	k := int(gpu.ShflUpSync(0xffffffff, int32(t), 1))
	gpu.SyncWarp(0xffffffff)
	if t > 0 {
		s[k] += int32(k)
	}
	gpu.SyncWarp(0xffffffff)
	out[t] = s[t]
}
