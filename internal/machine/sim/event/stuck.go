package event

import (
	"errors"
	"fmt"
	"strings"
)

// The causes of a Stuck error.
var (
	// ErrDeadlock: every live thread of a block waits for something that cannot happen any more.
	ErrDeadlock = errors.New("threads wait for each other")
	// ErrNoProgress: the grid ran its budget of instructions without a memory change, a completed
	// barrier or a thread's end.
	ErrNoProgress = errors.New("no progress")
	// ErrTimeLimit: the launch took longer than its context allows, see sim.WithTimeLimit.
	ErrTimeLimit = errors.New("over the time limit")
	// ErrTooManyFaults: the threads made as many faults as the launch allows.
	ErrTooManyFaults = errors.New("too many faults to go on")
)

// Stuck is the error of a launch whose threads do not come to an end: a barrier that cannot
// complete, a spin beyond the budget, a context that was cancelled. It unwraps to its Cause.
type Stuck struct {
	Kernel string
	Cause  error // ErrDeadlock, ErrNoProgress, or the context's error
	Blocks []StuckBlock
	More   int // further blocks in flight that are not listed
	Ended  int // for ErrTimeLimit, the blocks that had ended
	Total  int // for ErrTimeLimit, all blocks
}

// StuckBlock says where the threads of one block are.
type StuckBlock struct {
	Block   [3]int
	Threads []StuckThreads
}

// StuckThreads is a set of threads of a block that do the same at one instruction.
type StuckThreads struct {
	State  WaitState
	Site   *Site    // the instruction at which they wait, run or ended; nil when they have not started
	Ranges [][2]int // ranges of linear thread indices, both ends included
	Count  int
	Detail string // which barrier, which lanes are waited for
	// Mbarrier is for AtMbarrier the mbarrier's offset in the block's shared memory.
	Mbarrier uint64
}

// WaitState says what a thread of a stuck block does.
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
		fmt.Fprintf(&b, "\n  block %s", Dims(blk.Block))
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
	s := fmt.Sprintf("%d %s (%s) %s %s", t.Count, noun, RangesText(t.Ranges), t.State, t.Site)
	if t.Detail != "" {
		s += ": " + t.Detail
	}
	return s
}

// RangesText is the text of ranges: "0..3, 7".
func RangesText(list [][2]int) string {
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

// Dims is the text of an index of a block or a thread: "(1,0,0)".
func Dims(d [3]int) string { return fmt.Sprintf("(%d,%d,%d)", d[0], d[1], d[2]) }

// Ranges joins sorted numbers that follow each other.
func Ranges(list []int) [][2]int {
	var r [][2]int
	for _, n := range list {
		if last := len(r) - 1; last >= 0 && r[last][1] == n-1 {
			r[last][1] = n
		} else {
			r = append(r, [2]int{n, n})
		}
	}
	return r
}
