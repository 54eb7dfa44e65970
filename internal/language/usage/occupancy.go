package usage

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/abi"
)

// usualBlock is the number of threads for which the occupancy of a kernel is told that may be launched
// with any.
const usualBlock = 256

// occupancy says how many blocks run on a multiprocessor at a time, and what keeps more from running:
//
//	6 blocks of 256 threads on a multiprocessor of sm_90, 75% of its threads, limited by registers
//
// threads is 0 for a kernel that may be launched with any number of threads.
func occupancy(u Usage, threads int, target abi.Target) string {
	if threads == 0 {
		threads = usualBlock
	}
	l := abi.LimitsOf(target.SM)
	blocks := l.ActiveBlocksOf(threads, u.Shared, u.Registers)
	noun := "blocks"
	if blocks == 1 {
		noun = "block"
	}
	text := fmt.Sprintf("%d %s of %d threads on a multiprocessor of %v, %d%% of its threads",
		blocks, noun, threads, target, 100*blocks*threads/l.Resident)
	if blocks*threads == l.Resident {
		return text
	}
	return text + ", limited by " + limit(l, u, threads, blocks)
}

// limit names what keeps a further block from running.
func limit(l abi.Limits, u Usage, threads, blocks int) string {
	switch {
	case l.ActiveBlocksOf(threads, u.Shared, 0) > blocks:
		return "registers"
	case l.ActiveBlocks(threads, 0) > blocks:
		return "shared memory"
	case blocks == l.Blocks:
		return "the number of blocks"
	}
	return "the size of the blocks"
}
