package event

import "github.com/gridstride/gridstride/internal/abi"

// Warpgroup is how many warps are a warpgroup.
const Warpgroup = abi.WarpgroupSize / abi.WarpSize

// Engine is a kind of work that agents do. Each engine has its own groups: a thread commits what it
// has issued since the last commit as a group, and waits for all groups except the last few.
type Engine uint8

// The engines.
const (
	CopyEngine Engine = iota // cp.async
	BulkEngine               // cp.async.bulk, also of tensors
	// MatrixEngine runs wgmma.mma_async. Each product is ordered after the products before it.
	MatrixEngine
	Engines // the number of engines
)

// Proxy is a way to memory. Only a proxy fence orders accesses by different proxies.
type Proxy uint8

// The proxies.
const (
	GenericProxy Proxy = iota // the proxy of the threads
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

// AgentOpKind tells the operations of a thread on its agent apart.
type AgentOpKind string

// The kinds of operation on an agent.
const (
	// AgentCommit makes a group of everything issued since the last commit.
	AgentCommit AgentOpKind = "commit"
	AgentWait   AgentOpKind = "wait" // for all groups except the last few
	// AgentArrive asks for an arrival at an mbarrier that follows the copies issued so far. The
	// arrival itself is an Atomic with the same number.
	AgentArrive AgentOpKind = "arrive"
)

// AgentOp is lanes that tell their agent something, or have waited for it. There is none for
// issuing: an agent's accesses are events at that moment.
type AgentOp struct {
	Warp
	Agent
	Kind   AgentOpKind
	Groups int  // the number of groups that a wait leaves in flight
	Reads  bool // the wait is only for the sources to be read
}
