// Package tool is what the tools of package check share: the interface behind which they stand, the
// run of a launch that they watch, and the book in which they put what they find, with the words
// for it.
package tool

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// Tool is one of the checks, at work on one run of a launch.
type Tool interface {
	// Name is the tool's name in reports.
	Name() report.Tool
	// Watch adds what the tool does at the events that it judges.
	Watch(on *Events)
	// Seen is how much the tool has looked at: accesses of lanes, or barriers and warp operations.
	Seen() uint64
	// Pending is how many findings the tool has that it puts into the book when the run ends.
	Pending() int
	// Finish puts them there. It says why the tool could not decide, "" where it could.
	Finish() (undecided string)
}

// Events are what tools do, by kind of event: a tool that does not judge a kind of event costs it
// nothing. The tools are called in the order in which they were added, for a block in flight.
type Events struct {
	Start []func(b *Block)
	// of shared or global memory; lanes whose access was no fault
	Access   []func(b *Block, e *sim.Access, lanes uint32)
	Atomic   []func(b *Block, e *sim.Atomic, lanes uint32) // likewise
	Local    []func(b *Block, e *sim.Access)               // of a thread's own memory
	Step     []func(b *Block, e *sim.Step)
	Skip     []func(b *Block, e *sim.Skip) // sent when steps are
	Branch   []func(b *Block, e *sim.Branch)
	Call     []func(b *Block, e *sim.Call)
	Return   []func(b *Block, e *sim.Return)
	Arrive   []func(b *Block, e *sim.BarrierArrive)
	Complete []func(b *Block, e *sim.BarrierComplete)
	Grid     []func()                // the threads of the grid have met
	Cluster  []func(blocks []*Block) // those of a cluster, in these blocks
	Pass     []func(b *Block, e *sim.ClusterPass)
	WarpSync []func(b *Block, e *sim.WarpSync)
	Fence    []func(b *Block, e *sim.Fence)
	Proxy    []func(b *Block, e *sim.ProxyFence)
	AgentOp  []func(b *Block, e *sim.AgentOp)
	Exit     []func(b *Block, e *sim.Exit)
	Malloc   []func(b *Block, e *sim.Malloc)
	Fault    []func(e *sim.Fault)
	Stuck    []func(e *sim.Stuck)

	// StepWhile says, for each of Step, while what the tool needs steps; nil is always.
	StepWhile []*bool
}

// LaneOf is the lowest lane of a mask that has one.
func LaneOf(m uint32) int { return bits.TrailingZeros32(m) & 31 }
