package sim

import (
	"encoding/binary"
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Observer sees a launch as one stream of events. A launch with an observer runs on one goroutine,
// the one that called Launch, and its stream is the same for the same Order and Seed. An event is
// only valid during the call.
type Observer interface {
	Observe(Event)
}

// Observers sends every event to each of several observers in turn.
type Observers []Observer

// Observe implements Observer.
func (o Observers) Observe(e Event) {
	for _, x := range o {
		x.Observe(e)
	}
}

// Event is *BlockStart, *BlockEnd, *Access, *Atomic, *Fence, *ProxyFence, *BarrierArrive,
// *BarrierComplete, *ClusterComplete, *ClusterPass, *GridComplete, *WarpSync, *AgentOp, *Branch,
// *Call, *Return, *Malloc, *Exit, *Step, *Skip, or *Fault and *Stuck, which are errors that a
// launch with KeepGoing survives.
type Event interface{ event() }

// Warp is the part that most events share: which lanes of which warp did something where.
type Warp struct {
	Block *Block
	Index int    // warp in the block; thread Index*32+lane
	Mask  uint32 // the lanes that did it
	Site  *Site  // the instruction
	Frame uint64 // identity of the call frame whose registers the instruction uses; the kernel's own frame is 0
	Seq   uint64 // warp instructions run by the launch so far: orders events in reports
}

// Thread returns the linear thread index of a lane.
func (w *Warp) Thread(lane int) int { return w.Index*WarpSize + lane }

// Block is one block of the grid while it is in flight.
type Block struct {
	Kernel *Entry
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
func (b *Block) Thread(linear int) [3]int { return unflatten(linear, b.Dim) }

func unflatten(i int, dim [3]int) [3]int {
	return [3]int{i % dim[0], i / dim[0] % dim[1], i / (dim[0] * dim[1])}
}

// BlockStart is a block that becomes resident, with shared memory poisoned and no thread started.
type BlockStart struct{ Block *Block }

// BlockEnd is a block whose threads have all ended.
type BlockEnd struct{ Block *Block }

// AccessKind is what an access does.
type AccessKind string

// The kinds of access.
const (
	Load      AccessKind = "read"
	Store     AccessKind = "write"
	AtomicRMW AccessKind = "atomic"
)

// MemOrder is the order of a memory access or fence; Weak is an ordinary access.
type MemOrder string

// The memory orders of the PTX memory consistency model; Volatile is treated as relaxed with system
// scope.
const (
	Weak     MemOrder = "weak"
	Volatile MemOrder = "volatile"
	Relaxed  MemOrder = "relaxed"
	Acquire  MemOrder = "acquire"
	Release  MemOrder = "release"
	AcqRel   MemOrder = "acq_rel"
	SeqCst   MemOrder = "sc"
)

// Scope is a set of threads that an ordered access or a fence concerns. Weak accesses have none.
type Scope string

// The scopes.
const (
	NoScope Scope = ""
	CTA     Scope = "cta"
	Cluster Scope = "cluster"
	GPU     Scope = "gpu"
	System  Scope = "sys"
)

// Access is a load or store that has been performed. Space is never generic: a generic access whose
// lanes meet several spaces gives one event for each.
type Access struct {
	Warp
	Kind  AccessKind // Load or Store
	Space ptx.Space  // global, shared, local, param or const
	Home  *Block     // of shared: the block whose memory it is, the lanes' own or another of the cluster
	Size  int        // bytes a lane, of a vector all elements
	Order MemOrder
	Scope Scope
	// Addrs are the lanes' addresses, valid under Mask: flat ones for global and const, offsets
	// from the start of the block's, thread's or launch's own memory for shared, local and param.
	Addrs *[WarpSize]uint64
	// Lanes are the running lanes, those of Mask among them, in the order they went; nil unless
	// some of them stored to one address.
	Lanes []uint8
	// Part is, of wmma, whose lanes make several accesses, where in a lane's registers of the
	// instruction the bytes lie, one register after the other.
	Part int
	// Agent says that an agent does it: the access has been issued, and is performed at some moment
	// from now to the wait for it. nil for the threads themselves.
	Agent *Agent
	// Reduces says, of an agent's store, that it combines what is in memory with what it copies: it
	// reads as well, and each of its elements is an atomic.
	Reduces bool
	// Factor says what a product of a warpgroup reads here; nil for all other accesses.
	Factor *Factor
	// Texel says what a fetch of a texture makes of what it reads; nil for all other accesses. A
	// fetch with a filter makes an access for each of the texels around its point.
	Texel *Texel

	w    *warp
	in   *inst
	flat *[WarpSize]uint64
}

// Factor says which lines of a factor the agent of a warp reads for a product. Each lane of the
// access stands for a line of 16 bytes.
type Factor struct {
	Name  string // "A" or "B"
	Start uint64 // where it begins by its descriptor, as in Access.Addrs
	Adds  bool   // the product adds to what the registers of its sum hold
	// Swizzle is that of its lines, in bytes, 0 for none.
	Swizzle int
	// First is the row of the warp's 16 of A, or the column of B, that a line's first element is
	// of, and Along how many of them have elements in the line, one after the other.
	First [WarpSize]int
	Along int
}

// Texel says which results of a fetch depend on a texel that it reads: Count results, from result
// First on. The bytes of the texel are Count equal parts, one for each.
type Texel struct{ First, Count int }

// Bytes returns what a lane loaded or stored. They are zeros after a fault. Of an agent's access
// they are what memory held when it was issued.
func (a *Access) Bytes(lane int) []byte {
	if a.Lanes != nil {
		return a.w.wk.events.after[lane&31][:a.Size]
	}
	return unsafe.Slice((*byte)(a.w.peek(a.in, lane, a.flat[lane&31])), a.Size)
}

// Before returns what memory held at a lane's address before it stored.
func (a *Access) Before(lane int) []byte { return a.w.wk.events.before[lane&31][:a.Size] }

// Atomic is an atomic operation that has been performed by each lane of Mask, in the order of
// Lanes.
type Atomic struct {
	Warp
	Op    string // "add", "min", "inc", "exch", "cas", …
	Red   bool   // no result is used: red, or atom to "_"
	Space ptx.Space
	Home  *Block // as of an Access
	Size  int
	// Element says of which element of a vector of Elements it is: an instruction on a vector is an
	// atomic for each. Elements is 0 where there is no vector.
	Element, Elements int
	Order             MemOrder
	Scope             Scope
	Addrs             *[WarpSize]uint64
	Lanes             []uint8           // the lanes of Mask in the order they went
	Old               *[WarpSize]uint64 // what each lane found, of 16 bytes the lower half
	New               *[WarpSize]uint64 // what each lane left
	// OldHigh and NewHigh are the upper halves.
	OldHigh, NewHigh *[WarpSize]uint64
	// Wrote are the lanes that wrote: all, but for cas those that succeeded. A failed cas is a
	// read, as is a test of an mbarrier.
	Wrote uint32
	// Passed are, for a test of an mbarrier, the lanes whose phase is over.
	Passed uint32
	// Agent says that an agent did it, on behalf of the threads; nil for the threads themselves.
	Agent *Agent
}

// Found returns the bytes that a lane found.
func (a *Atomic) Found(lane int) []byte { return a.bytes(lane, a.Old, a.OldHigh) }

// Left returns the bytes that a lane left.
func (a *Atomic) Left(lane int) []byte { return a.bytes(lane, a.New, a.NewHigh) }

func (a *Atomic) bytes(lane int, low, high *[WarpSize]uint64) []byte {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, maxAccess), low[lane&31])
	if a.Size > 8 {
		b = binary.LittleEndian.AppendUint64(b, high[lane&31])
	}
	return b[:a.Size]
}

// Fence is a membar or fence instruction.
type Fence struct {
	Warp
	Order MemOrder // SeqCst or AcqRel (or Acquire, Release)
	Scope Scope
	Inits bool // fence.mbarrier_init, which is for inits of mbarriers alone
}

// ProxyFence is a fence between what threads and what agents do, each by its proxy: the one in
// memory of a space, GenericSpace for all.
type ProxyFence struct {
	Warp
	Space ptx.Space
}

// BarrierKind is what a thread does at a block barrier.
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

// ClusterComplete is the barrier of a cluster, at which all threads have arrived that have not
// ended: those of Blocks. It comes behind the BarrierComplete of each block.
type ClusterComplete struct{ Blocks []*Block }

// ClusterPass is lanes that have waited for the barrier of their cluster and go on.
type ClusterPass struct{ Warp }

// GridComplete is the barrier of the grid, at which all threads have arrived. It comes behind the
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
	Sources *[WarpSize]uint8
	// Sites are the lanes' instructions when they are not all Site, else nil.
	Sites *[WarpSize]*Site
}

// Branch is a conditional branch, or an indexed one; lanes of Mask that are not in Taken fall
// through. Lanes that an indexed branch sends to different places have an event for each.
type Branch struct {
	Warp
	Taken uint32
	Entry int // of the table of an indexed branch; 0 for the others
}

// Call is lanes that enter a function, Frame being the caller's; Callee and CalleeFrame are what
// they enter.
type Call struct {
	Warp
	Callee      string
	CalleeFrame uint64
	Local       int    // where the callee's local memory begins, as in Access.Addrs
	Copies      []Copy // the arguments
}

// Return is lanes that go back to a caller, whose frame is CallerFrame; Frame is the one they
// leave. A function of the device's own, such as malloc, has none: there both are the caller's.
type Return struct {
	Warp
	CallerFrame uint64
	Copies      []Copy // the results
}

// Copy is a parameter on its way between the frames of a call, without a memory access.
type Copy struct{ From, To CallOperand }

// CallOperand is where a parameter is in a frame: a register, or bytes of each thread's local
// memory.
type CallOperand struct {
	Reg       int // number of the register; -1 for a constant or for memory
	Offset    int // in local memory, as in Access.Addrs
	Size      int // bytes in memory; 0 for a register, a constant, or a result that is thrown away
	Immediate bool
}

// Malloc is a lane to which malloc gave fresh memory.
type Malloc struct {
	Warp
	Addr uint64
	Size int64
}

// Exit is lanes that end.
type Exit struct{ Warp }

// Step is an instruction about to be run by the lanes of Mask, sent only when Launch.Steps is set.
// Site has the registers it reads and writes. Lanes whose guard is false are in a Skip.
type Step struct {
	Warp

	w *warp
}

// Skip is lanes that do not run an instruction, as its guard is false for them. It comes before the
// Step of the others, and when that does.
type Skip struct{ Warp }

// Predicate returns what the predicate register of a number of Site.Reads holds, a bit a lane.
func (s *Step) Predicate(reg int) uint32 {
	slot, ok := s.w.fr.fn.predicates[reg]
	if !ok {
		return 0
	}
	return *predicate(s.w, slot.Off)
}

func (*BlockStart) event()      {}
func (*BlockEnd) event()        {}
func (*Access) event()          {}
func (*Atomic) event()          {}
func (*Fence) event()           {}
func (*ProxyFence) event()      {}
func (*BarrierArrive) event()   {}
func (*BarrierComplete) event() {}
func (*ClusterComplete) event() {}
func (*ClusterPass) event()     {}
func (*GridComplete) event()    {}
func (*WarpSync) event()        {}
func (*AgentOp) event()         {}
func (*Branch) event()          {}
func (*Call) event()            {}
func (*Return) event()          {}
func (*Malloc) event()          {}
func (*Exit) event()            {}
func (*Step) event()            {}
func (*Skip) event()            {}
func (*Fault) event()           {}
func (*Stuck) event()           {}

// Site is one instruction of a loaded module. Sites are compared by identity.
type Site = code.Site

// Position is a position in a source file.
type Position = code.Position

// Matrix is how the lanes of a warp hold one of the matrices of a product.
type Matrix = lanes.Matrix

// MatricesOf are A, B, C and D of an instruction mma or wmma.mma.
func MatricesOf(in *ptx.Instr) (a, b, c, d Matrix) {
	form, err := ptx.Decode(in, nil)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return lanes.Matrices(in.Op, form.Type, form.SrcType, form.Modifiers)
}
