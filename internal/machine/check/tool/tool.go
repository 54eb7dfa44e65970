// Package tool has the parts that the tools of package check share: their interface, the run of a
// launch that they watch, and the book that collects their findings, with the words for them.
package tool

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// Tool is one of the checks, at work on one run of a launch.
type Tool interface {
	// Name is the tool's name in reports.
	Name() report.Tool
	// Watch adds what the tool does at the events that it judges.
	Watch(on *Events)
	// Seen is how much the tool has looked at: accesses of lanes, or barriers and warp operations.
	Seen() uint64
	// Pending is the number of findings that the tool will put into the book when the run ends.
	Pending() int
	// Finish puts them there. It says why the tool could not decide, or returns "".
	Finish() (undecided string)
}

// Events are the functions of the tools, by kind of event. A tool that does not judge a kind of
// event costs it nothing. The functions are called in the order in which the tools were added, for
// a block in flight.
type Events struct {
	Start []func(b *Block)
	// Access is called for accesses to shared or global memory. lanes are the lanes whose access
	// was no fault.
	Access   []func(b *Block, e *event.Access, lanes uint32)
	Atomic   []func(b *Block, e *event.Atomic, lanes uint32) // the same for atomics
	Local    []func(b *Block, e *event.Access)               // for accesses to a thread's own memory
	Step     []func(b *Block, e *event.Step)
	Product  []func(b *Block, e *event.Step) // for at least the steps of sites with Site.Product
	Skip     []func(b *Block, e *event.Skip) // sent whenever Step is
	Branch   []func(b *Block, e *event.Branch)
	Call     []func(b *Block, e *event.Call)
	Return   []func(b *Block, e *event.Return)
	Arrive   []func(b *Block, e *event.BarrierArrive)
	Complete []func(b *Block, e *event.BarrierComplete)
	Grid     []func()                // all threads of the grid have met
	Cluster  []func(blocks []*Block) // all threads of the cluster of these blocks have met
	Pass     []func(b *Block, e *event.ClusterPass)
	WarpSync []func(b *Block, e *event.WarpSync)
	Fence    []func(b *Block, e *event.Fence)
	Proxy    []func(b *Block, e *event.ProxyFence)
	AgentOp  []func(b *Block, e *event.AgentOp)
	Exit     []func(b *Block, e *event.Exit)
	Malloc   []func(b *Block, e *event.Malloc)
	Fault    []func(e *event.Fault)
	Stuck    []func(e *event.Stuck)

	// StepWhile says, for each of Step, while what the tool needs steps; nil is always.
	StepWhile []*bool
}

// LaneOf is the lowest lane of a mask that has one.
func LaneOf(m uint32) int { return bits.TrailingZeros32(m) & 31 }
