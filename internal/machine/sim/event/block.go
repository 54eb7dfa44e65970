package event

// Block is one block of the grid while it is in flight.
type Block struct {
	Kernel *Kernel
	Grid   [3]int
	Dim    [3]int
	Index  [3]int
	Linear int    // Index as one number, x fastest
	Shared int    // bytes of shared memory, static and dynamic
	Memory []byte // the shared memory itself
	// ClusterDim is the blocks of its cluster in each dimension.
	ClusterDim [3]int
}

// Threads is the number of threads of the block.
func (b *Block) Threads() int { return b.Dim[0] * b.Dim[1] * b.Dim[2] }

// Thread returns the index of the linear-th thread.
func (b *Block) Thread(linear int) [3]int { return Unflatten(linear, b.Dim) }

// Unflatten is the index, of something with dimensions dim, that as one number is i, x fastest.
func Unflatten(i int, dim [3]int) [3]int {
	return [3]int{i % dim[0], i / dim[0] % dim[1], i / (dim[0] * dim[1])}
}

// BlockStart is a block that becomes resident, with shared memory poisoned and no thread started.
type BlockStart struct{ Block *Block }

// BlockEnd is a block whose threads have all ended.
type BlockEnd struct{ Block *Block }

// ClusterSize is how many blocks the block's cluster has.
func (b *Block) ClusterSize() int { return b.ClusterDim[0] * b.ClusterDim[1] * b.ClusterDim[2] }

// Rank is the number of the block in its cluster.
func (b *Block) Rank() int {
	at := b.InCluster()
	return at[0] + b.ClusterDim[0]*(at[1]+b.ClusterDim[1]*at[2])
}

// InCluster is the index of the block in its cluster.
func (b *Block) InCluster() (at [3]int) {
	for i := range at {
		at[i] = b.Index[i] % b.ClusterDim[i]
	}
	return at
}

// Cluster is the index of the block's cluster in the grid's clusters.
func (b *Block) Cluster() (at [3]int) {
	for i := range at {
		at[i] = b.Index[i] / b.ClusterDim[i]
	}
	return at
}

// ClusterNumbers gives for each block of the grid, by its linear index, the number of its cluster.
func (b *Block) ClusterNumbers() []int32 {
	list, n := make([]int32, b.Grid[0]*b.Grid[1]*b.Grid[2]), b.ClusterGrid()
	for i := range list {
		at := Unflatten(i, b.Grid)
		for axis := range at {
			at[axis] /= b.ClusterDim[axis]
		}
		list[i] = int32(at[0] + n[0]*(at[1]+n[1]*at[2]))
	}
	return list
}

// IndexOf is the index of a block of the grid by its linear index.
func (b *Block) IndexOf(linear int) [3]int { return Unflatten(linear, b.Grid) }

// ClusterGrid is how many clusters the grid has in each dimension.
func (b *Block) ClusterGrid() (n [3]int) {
	for i := range n {
		n[i] = b.Grid[i] / b.ClusterDim[i]
	}
	return n
}
