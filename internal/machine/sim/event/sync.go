package event

import (
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Barriers is the number of barriers that the events of a block name: abi.Barriers of the block,
// then the cluster's, then the grid's.
const Barriers = abi.AllBarriers

// ClusterBarrier is the number of the cluster's barrier in the events of each of its blocks.
const ClusterBarrier = abi.BarrierOfCluster

// Fence is a membar or fence instruction.
type Fence struct {
	Warp
	Order MemOrder // SeqCst or AcqRel (or Acquire, Release)
	Scope Scope
	Inits bool // fence.mbarrier_init, which is for inits of mbarriers alone
}

// ProxyFence is a fence between the accesses of threads and of agents, each by its proxy: to memory
// of one space, or GenericSpace for all.
type ProxyFence struct {
	Warp
	Space ptx.Space
}

// BarrierKind says what a thread does at a block barrier.
type BarrierKind string

// The kinds of arrival.
const (
	BarrierSync   BarrierKind = "sync"   // waits
	BarrierRed    BarrierKind = "red"    // waits and reduces a predicate
	BarrierNoWait BarrierKind = "arrive" // does not wait
)

// BarrierArrive is lanes that reach a block barrier.
type BarrierArrive struct {
	Warp
	ID       int
	Kind     BarrierKind
	Expected int  // threads that the instruction names; 0 for the whole block
	Relaxed  bool // it hands nothing over: barrier.cluster.arrive.relaxed
}

// BarrierComplete is a block barrier whose threads have all arrived; those that waited go on.
type BarrierComplete struct {
	Block *Block
	ID    int
	// Arrived are the lanes of each warp that took part; Exited those that had ended before and
	// were not waited for.
	Arrived, Exited []uint32
	// Sites are the distinct instructions at which they arrived, in order of arrival.
	Sites []*Site
}

// ClusterComplete is the barrier of a cluster, when all threads of Blocks that have not ended have
// arrived. It follows the BarrierComplete of each block.
type ClusterComplete struct{ Blocks []*Block }

// ClusterPass is lanes that have waited for the barrier of their cluster and go on.
type ClusterPass struct{ Warp }

// GridComplete is the barrier of the grid, when all threads have arrived. It follows the
// BarrierComplete of each block.
type GridComplete struct{}

// WarpSync is a warp-level operation with a lane mask that has completed: bar.warp.sync, shfl,
// vote, match, redux, elect, setmaxnreg, mma, wmma, ldmatrix, stmatrix. Mask are the lanes that
// took part. Only "bar" and "tensormap" order memory.
type WarpSync struct {
	Warp
	// Op is "bar", "shfl", "vote", "match", "redux", "elect", "setmaxnreg", "mma", "wmma",
	// "tensormap", "ldmatrix", "stmatrix" or "activemask".
	Op     string
	Member uint32 // the mask operand, exited lanes included
	// Sources are, for shfl, the lanes that the values came from.
	Sources *[abi.WarpSize]uint8
	// Sites are the lanes' instructions when they are not all Site, else nil.
	Sites *[abi.WarpSize]*Site
}
