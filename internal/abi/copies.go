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

// MBarrierMax is the most arrivals in a phase of an mbarrier, and the most bytes that it expects.
const MBarrierMax = 1<<20 - 1
