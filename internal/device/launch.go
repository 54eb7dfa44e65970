package device

import (
	"github.com/gridstride/gridstride/internal/abi"

	"github.com/gridstride/gridstride/internal/language/message"
)

// KernelID and EventID name a kernel and an event of a backend.
type (
	KernelID uint32
	EventID  uint32
)

// Kernel is a kernel as its host knows it. A backend may keep it.
type Kernel struct {
	ID      KernelID
	Name    string // as messages have it
	FaultAt int    // offset of the hidden fault parameter, -1 if there is none
	// Cooperative says that all blocks of a launch must run at once, as the kernel calls
	// abi.SyncGrid.
	Cooperative bool
	Module      string         // the name of the PTX text
	Files       map[int]string // of the module, by the number of their .file directive
	// Formats are the formats that the module's kernels print with, by number.
	Formats map[int]abi.Format
	// Prints says that the kernel may print.
	Prints bool
}

// Launch is one grid to run.
type Launch struct {
	Kernel      *Kernel
	Grid, Block [3]int
	Cluster     [3]int // blocks of a cluster, zero where the launch does not say
	Shared      int    // bytes of dynamic shared memory of a block
	Params      []byte // the parameter block
}

// Failure describes a kernel that failed.
type Failure struct {
	Kernel  string
	Message string
	// File, Line and Col are the position in the source, or in the PTX where that names none. Line
	// is 0 where neither is known.
	File      string
	Line, Col int
	// Located reports that Block and Thread are known.
	Located       bool
	Block, Thread [3]int
	// Cause is the cause of the failure, nil for a failed check.
	Cause error
}

// Failure decodes a fault record that k wrote. msg is the string the record points to, if any.
func (k *Kernel) Failure(r abi.FaultRecord, msg string) *Failure {
	return &Failure{
		Kernel:  k.Name,
		Message: message.Of(r, msg, k.Formats),
		File:    k.Files[r.File],
		Line:    r.Line,
		Col:     r.Col,
		Located: true,
		Block:   r.Block,
		Thread:  r.Thread,
	}
}
