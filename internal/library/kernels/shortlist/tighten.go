package shortlist

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
)

// tightenBlock is the number of threads of a block of tighten, and each how many places of a list
// one of them has.
const (
	tightenBlock = 256
	each         = Length / tightenBlock
)

// tighten raises the limit of each query to the k-th largest of the scores that the copies on its
// list have at least, and takes those off that cannot have it. There are all copies of a first
// portion on each list, or, where all is 0, as many as its count says. A list that has run over
// gets a limit that nothing reaches.
//
// Launch with one block for each query.
//
//gpu:kernel block=256
func tighten(all, k int, slacks, sizes []float32, l list) {
	keys := gpu.Shared[[Length]uint32]()
	kept := gpu.Shared[int32]()
	query := gpu.BlockIdx.X
	count, slack := int(l.Counts[query]), slacks[query]
	gpu.SyncThreads() // all have read the count
	if count > Length {
		if gpu.ThreadIdx.X == 0 {
			l.Counts[query], l.Limits[query] = overrun, float32(math.Inf(1))
		}
		return
	}
	count = max(count, all)
	var scores [each]float32
	var copies [each]int32
	for j := range each {
		if i := j*tightenBlock + gpu.ThreadIdx.X; i < count {
			scores[j], copies[j] = l.Scores[query*Length+i], l.Copies[query*Length+i]
			keys[i] = keyOf(gpu.FMA(-slack, sizes[copies[j]], scores[j]))
		}
	}
	if gpu.ThreadIdx.X == 0 {
		*kept = 0
	}
	limit := float32(math.Inf(-1))
	if count >= k {
		limit = numberOf(kth(keys[:count], k))
	}
	gpu.SyncThreads()
	for j := range each {
		if i := j*tightenBlock + gpu.ThreadIdx.X; i < count && gpu.FMA(slack, sizes[copies[j]], scores[j]) >= limit {
			at := query*Length + int(gpu.AtomicAdd(kept, 1))
			l.Scores[at], l.Copies[at] = scores[j], copies[j]
		}
	}
	gpu.SyncThreads()
	if gpu.ThreadIdx.X == 0 {
		l.Counts[query], l.Limits[query] = *kept, limit
	}
}

// keyOf is an unsigned number in the order of x, and numberOf its x.
func keyOf(x float32) uint32 {
	bits := math.Float32bits(x)
	return bits ^ (uint32(int32(bits)>>31) | 1<<31)
}

func numberOf(key uint32) float32 {
	return math.Float32frombits(key ^ (uint32(int32(^key)>>31) | 1<<31))
}

// digit is how many bits of a key are looked at at a time.
const digit = 8

// kth is the k-th largest of at least k keys in shared memory: digit by digit, the largest one that
// k keys reach. All threads of the block make the call, and get it.
func kth(keys []uint32, k int) (key uint32) {
	bins := gpu.Shared[[1 << digit]int32]()
	digitFound := gpu.Shared[[2]int32]() // and how many keys are above it
	for shift := 32 - digit; shift >= 0; shift -= digit {
		bins[gpu.ThreadIdx.X] = 0
		gpu.SyncThreads()
		for i := gpu.ThreadIdx.X; i < len(keys); i += tightenBlock {
			if uint64(keys[i])>>(shift+digit) == uint64(key)>>(shift+digit) {
				gpu.AtomicAdd(&bins[keys[i]>>shift&(1<<digit-1)], 1)
			}
		}
		gpu.SyncThreads()
		if gpu.WarpID() == 0 {
			findDigit(bins, int32(k), digitFound)
		}
		gpu.SyncThreads()
		key |= uint32(digitFound[0]) << shift
		k -= int(digitFound[1])
	}
	return key
}

// findDigit leaves the bin with the k-th element of the bins, from the last bin on, and the number
// above it. A warp makes the call, and each lane has some bins.
func findDigit(bins *[1 << digit]int32, k int32, found *[2]int32) {
	const perLane = len(bins) / gpu.WarpSize
	var sum int32
	last := len(bins) - 1 - gpu.LaneID()*perLane
	for i := range perLane {
		sum += bins[last-i]
	}
	above := sum
	for d := 1; d < gpu.WarpSize; d *= 2 {
		if before := gpu.ShflUpSync(gpu.FullMask, above, d); gpu.LaneID() >= d {
			above += before
		}
	}
	above -= sum
	for i := range perLane {
		n := bins[last-i]
		if above < k && k <= above+n {
			found[0], found[1] = int32(last-i), above
		}
		above += n
	}
}
