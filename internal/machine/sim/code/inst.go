package code

import (
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Inst is a decoded instruction. Which operands it has and what they mean follows from Op, as the
// instruction's section in the PTX manual says. The package comment lists the operations that PTX
// does not have.
type Inst struct {
	Op            Op
	Type, SrcType ptx.Type  // the types of the opcode, as in ptx.Decoded
	Space         ptx.Space // of cvta and isspacep; an access has it in Mem
	Attributes
	Text string // all modifiers as PTX writes them, for String

	Dst  []Slot // results: of a vector one an element, of 128 bits two of 64
	Args []Slot // inputs, in the order of PTX
	Imm  uint64 // the table of lop3, the lowest bit that extract takes
	// Width is how many bits of a register count, where the slot may have more: of the destination
	// of ld and cvt (0 for no register), of what extract takes, of a part of join.
	Width int
	Mem   []Address // of an access one; of cp.async the destination and the origin; of cp.async.bulk an mbarrier, too
	// Element is the element of a vector of Elements that an atomic is of: each is an atomic by
	// itself. Elements is 0 for one that is of no vector.
	Element, Elements int
	Mask              Slot   // the lanes that wait for each other; none: those that are there
	Guard             *Guard // nil: always
	Call              *Call  // of a call

	Site    *event.Site
	Follows bool // another Inst of the same PTX instruction has announced it, or will
}

// Guard is a predicate under which an instruction runs.
type Guard struct {
	Pred Slot
	Not  bool
}

// Address is where an access goes: the address in slot Base plus Offset, in a state space. A Base
// of 32 bits makes an address of 32 bits.
type Address struct {
	Space  ptx.Space
	Base   Slot
	Offset uint64
	// Align is the alignment of the address, if that is more than the size of the access.
	Align   uint64
	Cluster bool // the space is the shared memory of all blocks of the cluster
	// Memo numbers the accesses of a kernel that can meet more than one allocation, and remember
	// the last one. It is -1 for an access of shared memory.
	Memo int
}

// Call is a call of a function, with the places of its arguments and results.
type Call struct {
	Func          *Func  // nil for an indirect call, and for one of a function without a body
	External      string // a function without a body: one of the device, or missing
	Target        Slot   // the address of an indirect call
	Results, Args []Param
}

// Grid says whether the call is one that makes the threads of the grid meet.
func (c *Call) Grid() bool { return c.Func != nil && c.Func.Name == abi.SyncGrid }

// Param is the place of a parameter of a function, or of an argument or result of a call: a
// register, or bytes of the frame's local memory. The zero Param is a result that is thrown away.
type Param struct {
	Reg  Slot   // none: in memory
	Num  int    // the register's number, -1 for a constant
	Off  uint32 // in the frame
	Size uint32 // bytes
}
