package gpu

import (
	"reflect"
	"unsafe"
)

// The special registers about clusters, which are of ClusterDim.X blocks in a row. The runner sets
// ClusterDim.
var ClusterIdx, ClusterDim, BlockIdxInCluster Dim3

// placeInClusters is the cluster of a block, and where in it the block is.
func placeInClusters(index Dim3) (cluster, in Dim3) {
	n := ClusterDim.X
	return Dim3{index.X / n, index.Y, index.Z}, Dim3{index.X % n, 0, 0}
}

// clustersOf tells the blocks of a grid which are of their cluster, and lists the clusters.
func clustersOf(grid []*threadBlock) (clusters [][]*threadBlock) {
	for i := 0; i < len(grid); i += ClusterDim.X {
		cluster := grid[i:][:ClusterDim.X]
		for _, b := range cluster {
			b.cluster = cluster
		}
		clusters = append(clusters, cluster)
	}
	return clusters
}

// releaseClusters lets the threads of clusters go on that have all come or ended, and reports
// whether there were any.
func releaseClusters(clusters [][]*threadBlock) bool {
	some := false
	for _, c := range clusters {
		if every(c, func(t *thread) bool { return t.ended || t.waits == ofCluster }) && !every(c, func(t *thread) bool { return t.ended }) {
			goOn(c)
			some = true
		}
	}
	return some
}

// BlockRank is the number of the block in its cluster.
func BlockRank() int { return BlockIdxInCluster.X }

// ClusterSize is how many blocks the cluster has.
func ClusterSize() int { return ClusterDim.X }

// SyncCluster waits for the cluster.
func SyncCluster() { wait(ofCluster, 0, nil) }

// ArriveCluster does nothing: what comes between it and WaitCluster concerns no other thread.
func ArriveCluster() {}

// WaitCluster waits for the cluster.
func WaitCluster() { SyncCluster() }

// MapSharedRank is the address in another block's shared memory that p is in the block's own.
func MapSharedRank[T any](p *T, rank int) *T {
	for key, variable := range block.shared {
		mine := reflect.ValueOf(variable)
		t := mine.Type().Elem()
		if offset := uintptr(unsafe.Pointer(p)) - mine.Pointer(); offset < t.Size() {
			other := reflect.ValueOf(block.cluster[rank].variable(key, t))
			return (*T)(unsafe.Add(other.UnsafePointer(), offset))
		}
	}
	panic("a pointer that is not into shared memory")
}
