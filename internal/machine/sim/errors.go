package sim

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Errors of the host's calls, for errors.Is.
var (
	ErrOutOfMemory  = memory.ErrOutOfMemory
	ErrDoubleFree   = memory.ErrDoubleFree
	ErrNotAllocated = memory.ErrNotAllocated
	ErrNoEntry      = errors.New("no such kernel")
	ErrNoGlobal     = errors.New("no such variable")
	ErrUnloaded     = errors.New("module is unloaded")
)

// LimitError is a launch refused before it starts because a size is over, or under, a limit.
type LimitError struct {
	Kernel string
	What   string // "block size", "grid y dimension", "shared memory", "parameter bytes", …
	Got    int64
	Limit  int64
	Exact  bool // Got must equal Limit (parameter bytes, a fixed block size); else it must be from 1 (or 0) to Limit
}

func (e *LimitError) Error() string {
	switch {
	case e.Exact:
		return fmt.Sprintf("launch %s: %s is %d, the kernel needs %d", e.Kernel, e.What, e.Got, e.Limit)
	case e.Got <= 0:
		return fmt.Sprintf("launch %s: %s is %d, must be at least 1", e.Kernel, e.What, e.Got)
	}
	return fmt.Sprintf("launch %s: %s is %d, the limit is %d", e.Kernel, e.What, e.Got, e.Limit)
}

// FaultKind says what went wrong in a Fault. It is an error, so errors.Is(err, sim.UseAfterFree)
// works.
type FaultKind = memory.FaultKind

// The kinds of fault that a thread's instruction can raise.
const (
	OutOfBounds   FaultKind = "out of bounds"
	Misaligned    FaultKind = "misaligned address"
	NullPointer   FaultKind = "null pointer"
	UseAfterFree            = memory.UseAfterFree
	WrongSpace    FaultKind = "wrong address space"
	ReadOnly      FaultKind = "write to constant memory"
	Trap          FaultKind = "trap"
	StackOverflow FaultKind = "stack overflow"
	BadTarget     FaultKind = "bad branch or call target"
	BadMask       FaultKind = "bad lane mask"
	PartOfWarp    FaultKind = "part of a warp"
	BadRegisters  FaultKind = "bad count of registers"
	BadDescriptor FaultKind = "bad matrix descriptor"
	BadTensorMap  FaultKind = "bad tensor map"
	BadTexture    FaultKind = "bad texture" // no texture, or one of another shape than the instruction reads
	BadSurface    FaultKind = "bad surface" // no surface, or one of another shape
	BadMatrix     FaultKind = "bad matrix"
	BadBarrier    FaultKind = "bad barrier"
	BadFree       FaultKind = "bad free"
	NoPeer        FaultKind = "no such block of the cluster" // or one that has ended
)

// ErrUseAfterFree is UseAfterFree under the name that host accesses use.
var ErrUseAfterFree error = UseAfterFree

// Allocation is a range of memory as a message names it.
type Allocation = memory.Allocation

// Extent is a live allocation or module variable.
type Extent = memory.Extent

// Fault is an instruction that a thread could not execute: a bad access, a trap, a bad barrier
// operand. It ends the launch and is the launch's error. It unwraps to its Kind.
type Fault struct {
	Kind   FaultKind
	Kernel string
	Site   *Site
	Block  [3]int // block index
	Thread [3]int // thread index in the block
	Lane   int

	// Of a bad access:
	Access AccessKind
	Space  ptx.Space // where the address points, as far as known; GenericSpace when nowhere
	Addr   uint64    // as the instruction has it: an address of its own space, or generic
	Size   int       // bytes of the access
	Near   *Allocation

	Detail string // more, for kinds that are no accesses
}

// Unwrap returns the kind.
func (f *Fault) Unwrap() error { return f.Kind }

func (f *Fault) Error() string {
	return fmt.Sprintf("%s: %s; thread %s block %s; %s", f.Kernel, f.What(), dims(f.Thread), dims(f.Block), f.Site)
}

// What is the error without the kernel and the position.
func (f *Fault) What() string {
	var b strings.Builder
	b.WriteString(string(f.Kind))
	if f.Size > 0 {
		space := string(f.Space)
		if space == "" {
			space = "generic"
		}
		fmt.Fprintf(&b, ": %s of %d bytes at %s address %#x%s", f.Access, f.Size, space, f.Addr,
			f.Near.Describe(f.Addr))
	}
	if f.Detail != "" {
		fmt.Fprintf(&b, ": %s", f.Detail)
	}
	return b.String()
}

// The causes of a Stuck error.
var (
	// ErrDeadlock: every live thread of a block waits for something that cannot happen any more.
	ErrDeadlock = errors.New("threads wait for each other")
	// ErrNoProgress: the grid ran Launch.Budget instructions without a memory change, a completed
	// barrier or a thread's end.
	ErrNoProgress = errors.New("no progress")
	// ErrTimeLimit: the launch took longer than its context allows, see WithTimeLimit.
	ErrTimeLimit = errors.New("over the time limit")
	// ErrTooManyFaults: the threads made Launch.MaxFaults faults.
	ErrTooManyFaults = errors.New("too many faults to go on")
)

// Stuck is the error of a launch whose threads do not come to an end: a barrier that cannot
// complete, a spin beyond the budget, a context that was cancelled. It unwraps to its Cause.
type Stuck struct {
	Kernel string
	Cause  error // ErrDeadlock, ErrNoProgress, or the context's error
	Blocks []StuckBlock
	More   int // further blocks in flight that are not listed
	Ended  int // of ErrTimeLimit, the blocks that had ended,
	Total  int // of so many
}

// StuckBlock says where the threads of one block are.
type StuckBlock struct {
	Block   [3]int
	Threads []StuckThreads
}

// StuckThreads is a set of threads of a block that do the same at one instruction.
type StuckThreads struct {
	State  WaitState
	Site   *Site    // where they wait, run or ended; nil when they have not started
	Ranges [][2]int // ranges of linear thread indices, both ends included
	Count  int
	Detail string // which barrier, which lanes are waited for
	// Mbarrier is, of AtMbarrier, where in the block's shared memory the mbarrier lies.
	Mbarrier uint64
}

// WaitState is what a thread of a stuck block does.
type WaitState string

// The states.
const (
	Running      WaitState = "run at"
	AtBarrier    WaitState = "wait at"
	AtCluster    WaitState = "wait for the cluster at"
	AtGrid       WaitState = "wait for the grid at"
	AtWarpSync   WaitState = "wait for lanes at"
	AtMbarrier   WaitState = "test in vain at" // an mbarrier
	AtRegisters  WaitState = "wait for registers at"
	AtProducts   WaitState = "wait for the warpgroup at"
	HaveFinished WaitState = "finished at"
)

// Unwrap returns the cause.
func (s *Stuck) Unwrap() error { return s.Cause }

func (s *Stuck) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %v", s.Kernel, s.Cause)
	if s.Total > 0 {
		fmt.Fprintf(&b, ", when %d of %d blocks had ended", s.Ended, s.Total)
	}
	for _, blk := range s.Blocks {
		fmt.Fprintf(&b, "\n  block %s", dims(blk.Block))
		for _, t := range blk.Threads {
			fmt.Fprintf(&b, "\n    %s", t)
		}
	}
	if s.More > 0 {
		fmt.Fprintf(&b, "\n  and %d more blocks", s.More)
	}
	return b.String()
}

// String is "32 threads (0..31) wait at dot.go:58:4 …".
func (t StuckThreads) String() string {
	noun := "threads"
	if t.Count == 1 {
		noun = "thread"
	}
	s := fmt.Sprintf("%d %s (%s) %s %s", t.Count, noun, rangesText(t.Ranges), t.State, t.Site)
	if t.Detail != "" {
		s += ": " + t.Detail
	}
	return s
}

// rangesText is "0..3, 7".
func rangesText(list [][2]int) string {
	var s []string
	for _, r := range list {
		if r[0] == r[1] {
			s = append(s, fmt.Sprint(r[0]))
		} else {
			s = append(s, fmt.Sprintf("%d..%d", r[0], r[1]))
		}
	}
	return strings.Join(s, ", ")
}

func dims(d [3]int) string { return fmt.Sprintf("(%d,%d,%d)", d[0], d[1], d[2]) }
