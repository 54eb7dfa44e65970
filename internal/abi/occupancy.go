package abi

// ActiveBlocks is the number of blocks, each of threads and of shared bytes of shared memory, that a
// multiprocessor runs at a time, as far as threads, blocks and shared memory limit it (CUDA C++
// Programming Guide, "Occupancy Calculator"). It ignores registers: PTX does not say how many a
// kernel takes.
func (l Limits) ActiveBlocks(threads, shared int) int {
	if threads < 1 || threads > l.Threads || shared < 0 || shared > l.Shared {
		return 0
	}
	warps := (threads + WarpSize - 1) / WarpSize
	blocks := min(l.Blocks, l.Resident/WarpSize/warps)
	if each := shared + l.Reserved; each > 0 {
		blocks = min(blocks, (l.Shared+l.Reserved)/each)
	}
	return blocks
}

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
