package sim

import (
	"context"
	"errors"
	"time"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Order is the order in which blocks start, warps of a block take turns, and lanes of one instruction act where it
// matters (atomics, stores to one address).
type Order int

// The orders. Random is decided by Launch.Seed, and also interrupts warps at random places.
const (
	Ascending Order = iota
	Descending
	Random
)

// Launch says how to run a kernel.
type Launch struct {
	Grid, Block [3]int // every dimension at least 1
	Shared      int    // bytes of dynamic shared memory
	Params      []byte // Entry.ParamSize bytes
	Seed        uint64 // for Random
	Order       Order
	// Budget is how many warp instructions the grid may run without progress (memory changed, a barrier completed, a
	// thread ended) before the launch ends with ErrNoProgress; 0 is no limit.
	Budget uint64
	// Observer, when not nil, sees every event, and makes the run deterministic.
	Observer Observer
	// Steps sends the observer a Step for every instruction too.
	Steps bool
	// KeepGoing, with an observer, makes a bad access an event and not the end: a bad load gives zero, a bad store or
	// atomic does nothing. Launch still returns the first fault, at the end.
	KeepGoing bool
}

// Stats is what a launch did.
type Stats struct {
	Instructions     uint64 // warp instructions: one counts once, however many lanes run it
	LaneInstructions uint64 // the same, counted for every lane that ran it
	Blocks           int    // blocks that ran to their end
	Elapsed          time.Duration
}

// Launch runs a kernel and returns when it has ended. The error is a *LimitError, *Fault or *Stuck (which wraps ctx.Err() when
// the context ended), or plain. The machine stays usable after any error.
func (m *Machine) Launch(ctx context.Context, e *Entry, l Launch) (Stats, error) {
	return Stats{}, errors.New("launch: not built yet")
}

// Load checks and decodes a module and gives its variables memory. An instruction that the machine does not know is an error
// here, with its text and line: the error is a LoadErrors.
func (m *Machine) Load(mod *ptx.Module) (*Program, error) {
	return nil, errors.New("load: not built yet")
}

// Unload frees the module's variables. Its kernels can no longer be launched.
func (p *Program) Unload() {}

// Global returns the address and size of a module variable.
func (p *Program) Global(name string) (addr uint64, size int64, err error) {
	return 0, 0, ErrNoGlobal
}

func instrText(in *ptx.Instr) string { return in.Op }
