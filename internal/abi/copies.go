package abi

// CacheOp is a constant of gpu.CacheOp: the caches that an asynchronous copy goes through.
type CacheOp uint8

// The caches, numbered as in package gpu.
const (
	CacheAll CacheOp = iota + 1
	CacheGlobal
)

// MaxGroups is how many groups of asynchronous copies a wait may leave in flight.
const MaxGroups = 1<<31 - 1

// WGMMAOption is a constant of gpu.WGMMAOption.
type WGMMAOption uint8

// The options of a product of a warpgroup.
const (
	NegateA WGMMAOption = iota + 1
	NegateB
	TransposeA
	TransposeB
)

// MBarrierMax is the most arrivals in a phase of an mbarrier, and the most bytes that it expects.
const MBarrierMax = 1<<20 - 1
