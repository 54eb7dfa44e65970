package abi

// ActiveBlocks is the number of blocks, each of threads and of shared bytes of shared memory, that a
// multiprocessor runs at a time, as far as threads, blocks and shared memory limit it (CUDA C++
// Programming Guide, "Occupancy Calculator"). It ignores registers: PTX does not say how many a
// kernel takes. See ActiveBlocksOf.
func (l Limits) ActiveBlocks(threads, shared int) int {
	if threads < 1 || threads > l.Threads || shared < 0 || shared > l.Shared {
		return 0
	}
	blocks := min(l.Blocks, l.Resident/WarpSize/warpsOf(threads))
	if each := shared + l.Reserved; each > 0 {
		blocks = min(blocks, (l.Shared+l.Reserved)/each)
	}
	return blocks
}

// A warp takes registers in units of warpRegisters, from one of the quarters of a multiprocessor.
const (
	warpRegisters = 256
	quarters      = 4
)

// ActiveBlocksOf is ActiveBlocks of a kernel of which a thread takes a number of registers.
func (l Limits) ActiveBlocksOf(threads, shared, registers int) int {
	blocks := l.ActiveBlocks(threads, shared)
	if blocks == 0 || registers < 1 {
		return blocks
	}
	each := (registers*WarpSize + warpRegisters - 1) / warpRegisters * warpRegisters
	return min(blocks, RegistersPerSM/quarters/each*quarters/warpsOf(threads))
}

// MostRegistersOf is how many registers each of a number of threads, which run on a multiprocessor at a
// time, has at most.
func MostRegistersOf(threads int) int {
	each := RegistersPerSM / quarters / ((warpsOf(threads) + quarters - 1) / quarters)
	return min(MostRegisters-1, each/warpRegisters*warpRegisters/WarpSize)
}

func warpsOf(threads int) int { return (threads + WarpSize - 1) / WarpSize }

// PotentialBlock is the largest number of threads of a block, of most at most, with which the most
// threads run on a multiprocessor at a time; 0 where shared memory allows no block.
func (l Limits) PotentialBlock(shared, most int) (threads int) {
	best := 0
	for t := min(most, l.Threads); t > 0; t = (t - 1) / WarpSize * WarpSize {
		if active := l.ActiveBlocks(t, shared) * t; active > best {
			best, threads = active, t
		}
	}
	return threads
}
