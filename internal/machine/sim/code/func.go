package code

import (
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Kernel is an entry with every function that it can call. Nothing changes it once it is decoded.
type Kernel struct {
	Decl      *ptx.Func
	Funcs     []*Func // the entry first
	Params    []int   // offsets of the entry's parameters
	ParamSize int     // bytes of all parameters
	Memos     int     // accesses that remember an allocation: the numbers of Address.Memo
	// Shared are the variables in shared memory, in the order of their addresses. Static is their
	// size in bytes. Dynamic says that one of them is the dynamic shared memory.
	Shared  []event.Variable
	Static  int
	Dynamic bool
}

// Func is a function, for one kernel.
type Func struct {
	Name   string
	Decl   *ptx.Func
	Addr   uint64 // the value of a pointer to it
	Blocks []*Block
	File   File
	Fills  []Fill
	// Local is how many bytes of a thread's local memory a call takes: local variables, and the
	// parameters of calls. LocalAlign is the alignment of where they begin.
	Local, LocalAlign uint32
	// Results and Params are the formal parameters, of a function that is no entry.
	Results, Params []Param
	// Slots are the registers that its instructions name, by number.
	Slots map[int]Slot
}

// Fill is a slot that gets its value when a call begins: a special register that stays the same
// while a block runs, or an address in local memory.
type Fill struct {
	Slot
	Name  string // the special register, "" for an address
	Local uint64 // the address, for a frame at the start of local memory
}

// EndKind is how a basic block ends.
type EndKind uint8

// The ends.
const (
	EndFall   EndKind = iota // into Next
	EndJump                  // to Target
	EndBranch                // lanes of the predicate to Target, the others into Next
	EndOp                    // by Op, which moves the lanes itself
)

// Block is a basic block. Lanes part and meet only between blocks, so a block that ends in an
// operation that makes lanes wait has no other instructions.
type Block struct {
	Insts []Inst
	N     int    // PTX instructions, the end included: for counting
	Index int    // in the function, in the order of the text
	Order [2]int // of reconvergence, two ways: of groups of lanes, the one with the lowest runs first
	End   EndKind
	Guard Guard // of EndBranch
	// Around says that the branch of EndBranch replaces the guard of the instruction that follows
	// it.
	Around  bool
	Target  *Block
	Next    *Block      // of EndOp: where the lanes go on; nil when they do not
	Targets []*Block    // of the operation brx
	Op      *Inst       // of EndOp
	Site    *event.Site // of the end, nil for EndFall
}

// Successors are where lanes can go from here within the function.
func (b *Block) Successors() []*Block {
	switch {
	case b.Targets != nil:
		return b.Targets
	case b.End == EndJump:
		return []*Block{b.Target}
	case b.End == EndBranch:
		return []*Block{b.Target, b.Next}
	case b.Next != nil:
		return []*Block{b.Next}
	}
	return nil
}
