package threads

import "github.com/gridstride/gridstride/gpu"

// Mixed is a value of small and large parts, of 32 bytes.
type Mixed struct {
	Flag  bool
	Small int8
	Short uint16
	Wide  int64
	Half  [3]int16
	Yes   bool
	F     float32
	Tag   uint8
}

// Shuffles hands values round each warp, by every kind of shuffle, as bytes and all together.
//
//gpu:kernel
func Shuffles(in, out []Mixed, bytes []int8, bools []bool) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	v := in[i]
	out[4*i] = gpu.ShflSync(gpu.FullMask, v, 5)
	out[4*i+1] = gpu.ShflUpSync(gpu.FullMask, v, 3)
	out[4*i+2] = gpu.ShflDownSync(gpu.FullMask, v, 7)
	out[4*i+3] = gpu.ShflXorSync(gpu.FullMask, v, 9)
	bytes[i] = gpu.ShflXorSync(gpu.FullMask, v.Small, 1)
	bools[i] = gpu.ShflDownSync(gpu.FullMask, v.Flag, 1)
}

// Key is the value by which lanes are grouped.
type Key struct {
	A    uint8
	B    int64
	C, D bool
}

// Matches finds the lanes with the same key, in the whole warp and among the lanes of a mask, and
// whether all have one.
//
//gpu:kernel block=32
func Matches(keys []Key, f []float32, out []uint32, all []bool, mask uint32) {
	lane := gpu.LaneID()
	out[4*lane] = gpu.MatchAnySync(gpu.FullMask, keys[lane])
	out[4*lane+1] = gpu.MatchAnySync(gpu.FullMask, f[lane])
	all[4*lane] = gpu.MatchAllSync(gpu.FullMask, keys[lane])
	all[4*lane+1] = gpu.MatchAllSync(gpu.FullMask, keys[lane].B)
	here := mask>>lane&1 != 0
	lanes := gpu.BallotSync(gpu.FullMask, here)
	if here {
		out[4*lane+2] = gpu.MatchAnySync(lanes, keys[lane].A)
		all[4*lane+2] = gpu.MatchAllSync(lanes, keys[lane].C)
		all[4*lane+3] = gpu.MatchAllSync(lanes, struct{}{})
	}
}

// Reductions is every reduction of the lanes of a mask, and of those there are.
//
//gpu:kernel T=int8,uint16,int32,uint32,int64,uint64
func Reductions[T gpu.Integer](in, out []T, mask uint32) { reductions(in, out, mask) }

// ReductionsRedux is Reductions with the instruction.
//
//gpu:kernel T=int8,uint16,int32,uint32,int64,uint64 target=sm_80
func ReductionsRedux[T gpu.Integer](in, out []T, mask uint32) { reductions(in, out, mask) }

func reductions[T gpu.Integer](in, out []T, mask uint32) {
	i := gpu.ThreadIdx.X
	here := mask>>gpu.LaneID()&1 != 0
	if mask != gpu.FullMask { // which also names lanes that there are not, in a part of a warp
		mask = gpu.BallotSync(gpu.FullMask, here)
	}
	if !here {
		return
	}
	v := in[i]
	o := out[6*i:]
	o[0] = gpu.ReduceAddSync(mask, v)
	o[1] = gpu.ReduceMinSync(mask, v)
	o[2] = gpu.ReduceMaxSync(mask, v)
	o[3] = gpu.ReduceAndSync(mask, v)
	o[4] = gpu.ReduceOrSync(mask, v)
	o[5] = gpu.ReduceXorSync(mask, v)
}

// Votes counts and asks the threads of a block, again and again.
//
//gpu:kernel
func Votes(in []int32, counts []int32, all, some []bool) {
	for round := range counts {
		v := in[gpu.ThreadIdx.X]
		n := gpu.SyncThreadsCount(int(v) <= round)
		every, any := gpu.SyncThreadsAnd(int(v) <= round), gpu.SyncThreadsOr(int(v) == round)
		if gpu.ThreadIdx.X == 0 {
			counts[round], all[round], some[round] = int32(n), every, any
		}
	}
}

// Pipeline has the first warp produce values that the others consume, each in its turn, in two
// buffers. The producer arrives when a buffer is full, and waits until it is empty.
//
//gpu:kernel block=96
func Pipeline(out []int32, rounds int) {
	buffers := gpu.Shared[[2][32]int32]()
	const full, empty = 1, 3 // the barriers of the first buffer. The second's follow
	lane := gpu.LaneID()
	if gpu.WarpID() == 0 {
		for r := range rounds {
			b := r & 1
			if r >= 2 {
				gpu.SyncBarrier(empty+b, 96)
			}
			buffers[b][lane] = int32(100*r + lane)
			gpu.ArriveBarrier(full+b, 96)
		}
		return
	}
	sum := int32(0)
	for r := range rounds {
		b := r & 1
		gpu.SyncBarrier(full+b, 96)
		sum += buffers[b][31-lane]
		if r+2 < rounds {
			gpu.ArriveBarrier(empty+b, 96)
		}
	}
	out[(gpu.WarpID()-1)*32+lane] = sum
}

// HalfBlocks has two groups of warps exchange values, each at its barrier. Only the kernel knows
// the barriers' numbers.
//
//gpu:kernel
func HalfBlocks(in, out []int32, warps int) {
	s := gpu.Shared[[256]int32]()
	group := gpu.WarpID() / warps
	i := gpu.ThreadIdx.X
	s[i] = in[i]
	gpu.SyncBarrier(group+1, warps*gpu.WarpSize)
	n := warps * gpu.WarpSize
	out[i] = s[group*n+n-1-i%n]
}

// AnyBarrier comes to a barrier that the host names.
//
//gpu:kernel block=32
func AnyBarrier(id, threads int) {
	gpu.SyncBarrier(id, threads)
}

// Times reads the clocks before and after a rest.
//
//gpu:kernel
func Times(out []int64) {
	start, begin := gpu.Clock(), gpu.GlobalTimer()
	gpu.Nanosleep(2000)
	for i := range 100 {
		gpu.AtomicAdd(&out[4], int64(i))
	}
	out[0], out[1], out[2], out[3] = start, gpu.Clock(), begin, gpu.GlobalTimer()
}
