package event

import (
	"encoding/binary"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/ptx"
)

// MaxAccess is the most bytes that a lane accesses at once.
const MaxAccess = 16

// AccessKind tells reads, writes and atomics apart.
type AccessKind string

// The kinds of access.
const (
	Load      AccessKind = "read"
	Store     AccessKind = "write"
	AtomicRMW AccessKind = "atomic"
)

// MemOrder is the order of a memory access or fence. Weak is an ordinary access.
type MemOrder string

// The memory orders of the PTX memory consistency model. Volatile is treated as relaxed with system
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
	Addrs *[abi.WarpSize]uint64
	// Rows divides the lanes of Mask into a few rows, if they are that. It is nil if that is not known.
	Rows []Row
	// Lanes are the running lanes, including the lanes of Mask, in the order they went. It is nil
	// unless some of them stored to one address.
	Lanes []uint8
	// Part is set for wmma's loads and stores, whose lanes make several accesses: the place of the
	// bytes in the lane's registers of the instruction, one register after the other.
	Part int
	// Agent is set if an agent makes the access: the access has been issued, and is performed at
	// some moment from now to the wait for it. nil for the threads themselves.
	Agent *Agent
	// Reduces says that an agent's store combines what is in memory with what it copies. It reads
	// as well, and each of its elements is an atomic.
	Reduces bool
	// Factor says what a product of a warpgroup reads here; nil for all other accesses.
	Factor *Factor
	// Texel says what a fetch of a texture makes of what it reads. It is nil for all other
	// accesses. A fetch with a filter makes an access for each of the texels around its point.
	Texel *Texel

	Data // of the lanes, in memory
}

// Row describes lanes that follow each other, from lane First on, and access elements that follow each
// other, or one element.
type Row struct {
	First, Lanes int
	Step         uint64 // from a lane's address to the next lane's: Access.Size, or 0 for one element
}

// Range is the memory of a row, from its first lane's address on, and its size in bytes. size is what a
// lane accesses.
func (r *Row) Range(addrs *[abi.WarpSize]uint64, size int) (from, n uint64) {
	return addrs[r.First&31], r.Step*uint64(r.Lanes-1) + uint64(size)
}

// Factor says which lines of a factor the agent of a warp reads for a product. Each lane of the
// access stands for a line of 16 bytes.
type Factor struct {
	Name  string // "A" or "B"
	Start uint64 // the factor's first byte by its descriptor, as in Access.Addrs
	Adds  bool   // the product adds to what the registers of its sum hold
	// Swizzle is the swizzle of the factor's lines in bytes, 0 for none.
	Swizzle int
	// First is the row (of the warp's 16 rows of A) or the column of B that a line's first element
	// belongs to. Along is how many rows or columns have elements in the line, one after the other.
	First [abi.WarpSize]int
	Along int
}

// Texel says which results of a fetch depend on a texel that it reads: Count results, from result
// First on. The bytes of the texel are Count equal parts, one for each.
type Texel struct{ First, Count int }

// Data has the bytes that the lanes of an access loaded or stored.
type Data interface {
	// Bytes returns the bytes that a lane loaded or stored. They are zeros after a fault. For an
	// agent's access they are the memory's contents when it was issued.
	Bytes(lane int) []byte
	// Before returns the memory's contents at a lane's address before it stored.
	Before(lane int) []byte
}

// Atomic is an atomic operation that has been performed by each lane of Mask, in the order of
// Lanes.
type Atomic struct {
	Warp
	Op    string // "add", "min", "inc", "exch", "cas", …
	Red   bool   // no result is used: red, or atom to "_"
	Space ptx.Space
	Home  *Block // as of an Access
	Size  int
	// Element is the index of the vector's element that the atomic is for: an instruction on a
	// vector is an atomic for each. Elements is the length of the vector, 0 if there is none.
	Element, Elements int
	Order             MemOrder
	Scope             Scope
	Addrs             *[abi.WarpSize]uint64
	Lanes             []uint8               // the lanes of Mask in the order they went
	Old               *[abi.WarpSize]uint64 // what each lane found, of 16 bytes the lower half
	New               *[abi.WarpSize]uint64 // what each lane left
	// OldHigh and NewHigh are the upper halves.
	OldHigh, NewHigh *[abi.WarpSize]uint64
	// Wrote are the lanes that wrote: all lanes, except for cas only those that succeeded. A failed
	// cas is a read, as is a test of an mbarrier.
	Wrote uint32
	// Passed are, for a test of an mbarrier, the lanes whose phase is over.
	Passed uint32
	// Agent is set if an agent did it for the threads.
	Agent *Agent
}

// Found returns the bytes that a lane found.
func (a *Atomic) Found(lane int) []byte { return a.bytes(lane, a.Old, a.OldHigh) }

// Left returns the bytes that a lane left.
func (a *Atomic) Left(lane int) []byte { return a.bytes(lane, a.New, a.NewHigh) }

func (a *Atomic) bytes(lane int, low, high *[abi.WarpSize]uint64) []byte {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, MaxAccess), low[lane&31])
	if a.Size > 8 {
		b = binary.LittleEndian.AppendUint64(b, high[lane&31])
	}
	return b[:a.Size]
}
