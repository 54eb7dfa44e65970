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

// FlagRelease hands data from the first thread to the last by a flag that is released and acquired.
//
//gpu:kernel
func FlagRelease(data, flag, out []int32) {
	handOver(data, flag, out, gpu.Release)
}

// FlagAround hands shared data from the first warp of a block to the second through another block:
// each of three threads releases a flag that the next one acquires.
//
//gpu:kernel
func FlagAround(flags, out []int32) {
	s := gpu.Shared[[8]int32]()
	switch thread, block := gpu.ThreadIdx.X, gpu.BlockIdx.X; {
	case block == 0 && thread == 0:
		for i := range int32(8) {
			s[i] = i
		}
		gpu.AtomicStore(&flags[0], 1, gpu.Release)
	case block == 1 && thread == 0:
		for gpu.AtomicLoad(&flags[0], gpu.Acquire) == 0 {
		}
		gpu.AtomicStore(&flags[1], 1, gpu.Release)
	case block == 0 && thread == 32:
		for gpu.AtomicLoad(&flags[1], gpu.Acquire) == 0 {
		}
		out[0] = s[7]
	}
}

// FlagRelaxed does so without release.
//
//gpu:kernel
func FlagRelaxed(data, flag, out []int32) {
	handOver(data, flag, out, gpu.Relaxed)
}

// FlagBlock releases to the threads of its block only.
//
//gpu:kernel
func FlagBlock(data, flag, out []int32) {
	handOver(data, flag, out, gpu.Release, gpu.BlockScope)
}

func handOver(data, flag, out []int32, how ...gpu.Ordering) {
	switch gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X {
	case 0:
		data[0] = 5
		gpu.AtomicStore(&flag[0], 1, how...)
	case gpu.GridDim.X*gpu.BlockDim.X - 1:
		for gpu.AtomicLoad(&flag[0], gpu.Acquire) == 0 {
		}
		out[0] = data[0]
	}
}

// FlagPlain reads the flag with a plain load.
//
//gpu:kernel
func FlagPlain(data, flag, out []int32) {
	switch gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X {
	case 0:
		data[0] = 5
		gpu.AtomicStore(&flag[0], 1, gpu.Release)
	case gpu.GridDim.X*gpu.BlockDim.X - 1:
		if flag[0] != 0 {
			out[0] = data[0]
		}
	}
}

// Peek inserts keys into a table: a plain read passes over what is taken, and a compare-and-swap
// claims what looked empty.
//
//gpu:kernel
func Peek(table []uint32) {
	key := uint32(gpu.BlockIdx.X*gpu.BlockDim.X+gpu.ThreadIdx.X) + 1
	for slot := range len(table) {
		if table[slot] != 0 {
			continue
		}
		if gpu.AtomicCAS(&table[slot], 0, key, gpu.Relaxed) == 0 {
			return
		}
	}
}

// LockAcquire has a thread of each block add under a lock that is acquired and released.
//
//gpu:kernel
func LockAcquire(lock []uint8, sum []int32) {
	underLock(lock, sum, gpu.Acquire, gpu.Release)
}

// LockRelaxed does so with a lock that orders nothing.
//
//gpu:kernel
func LockRelaxed(lock []uint8, sum []int32) {
	underLock(lock, sum, gpu.Relaxed, gpu.Relaxed)
}

func underLock(lock []uint8, sum []int32, take, give gpu.Ordering) {
	if gpu.ThreadIdx.X == 0 {
		for gpu.AtomicCAS(&lock[1], 0, 1, take) != 0 {
		}
		sum[0]++
		gpu.AtomicStore(&lock[1], 0, give)
	}
}

// TicketRelease is the reduction of one pass whose ticket releases and acquires, without a fence.
//
//gpu:kernel
func TicketRelease(partial, out []int32, count []uint32) {
	lastSums(partial, out, count, gpu.AcqRel)
}

// TicketAcquire has a ticket that only acquires.
//
//gpu:kernel
func TicketAcquire(partial, out []int32, count []uint32) {
	lastSums(partial, out, count, gpu.Acquire)
}

func lastSums(partial, out []int32, count []uint32, how gpu.Ordering) {
	if gpu.ThreadIdx.X != 0 {
		return
	}
	partial[gpu.BlockIdx.X] = int32(gpu.BlockIdx.X)
	if gpu.AtomicAdd(&count[0], 1, how) == uint32(gpu.GridDim.X)-1 {
		for _, p := range partial {
			out[0] += p
		}
	}
}

// BytesBeside counts in one byte of four, by all threads, and writes the others, each by a thread.
//
//gpu:kernel
func BytesBeside(a []uint8) {
	bytes(a, 4)
}

// BytesMixed writes the byte that is counted in as well.
//
//gpu:kernel
func BytesMixed(a []uint8) {
	bytes(a, 5)
}

func bytes(a []uint8, n int) {
	t := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	gpu.AtomicAdd(&a[0], 3)
	if t > 0 && t < n {
		a[t%4] = 7
	}
}

// FloatExtremes keeps the smallest and the largest number in places that all threads change.
//
//gpu:kernel
func FloatExtremes(a []float32) {
	t := float32(gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X)
	gpu.AtomicMin(&a[0], t)
	gpu.AtomicMax(&a[1], -t)
}

// FloatExtremesRead reads one of them without an atomic.
//
//gpu:kernel
func FloatExtremesRead(a []float32) {
	gpu.AtomicMax(&a[1], float32(gpu.ThreadIdx.X)+a[0])
	gpu.AtomicMin(&a[0], -1)
}
