package event

import "github.com/gridstride/gridstride/internal/abi"

// Warpgroup is how many warps are a warpgroup.
const Warpgroup = abi.WarpgroupSize / abi.WarpSize

// Engine is a kind of work that agents do. Each has groups of its own: a thread commits what it has
// issued since the last commit as a group, and waits for all groups but the last few.
type Engine uint8

// The engines.
const (
	CopyEngine   Engine = iota // cp.async
	BulkEngine                 // cp.async.bulk, also of tensors
	MatrixEngine               // wgmma.mma_async; one product comes behind those before it
	Engines                    // how many there are
)

// Proxy is a way to memory. What goes different ways is ordered by a proxy fence only.
type Proxy uint8

// The proxies.
const (
	GenericProxy Proxy = iota // that of the threads
	AsyncProxy
)

// Proxy is the way that an engine takes.
func (e Engine) Proxy() Proxy {
	if e == CopyEngine {
		return GenericProxy
	}
	return AsyncProxy
}

// Agent says of an event that an agent did it, on behalf of the threads of the event.
type Agent struct {
	// Number counts what the warp has issued, from 1.
	Number uint64
	Engine Engine
	// AtMbarrier says that it completes at an mbarrier, and not in a group.
	AtMbarrier bool
	// Part is, of an access by a copy in bulk to a part of 16 bytes, where in them the part begins.
	// The accesses of the two ends of such 16 bytes follow each other.
	Part int
	// Box says that it copies a box of a tensor to shared memory, whose lines have a swizzle of so
	// many bytes, 0 for none.
	Box     bool
	Swizzle int
}

// AgentOpKind is what a thread has to do with its agent.
type AgentOpKind string

// The kinds of operation on an agent.
const (
	AgentCommit AgentOpKind = "commit" // what was issued since the last commit becomes a group
	AgentWait   AgentOpKind = "wait"   // for all groups but the last few
	// AgentArrive asks for an arrival at an mbarrier behind the copies issued so far. The arrival
	// itself is an Atomic with the same number.
	AgentArrive AgentOpKind = "arrive"
)

// AgentOp is lanes that tell their agent something, or have waited for it. What they issue is told
// of by its accesses, at that moment.
type AgentOp struct {
	Warp
	Agent
	Kind   AgentOpKind
	Groups int  // of a wait: how many groups it leaves in flight
	Reads  bool // of a wait: it waits until the sources have been read, and for nothing else
}
