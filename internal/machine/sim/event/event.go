// Package event has what an execution of PTX tells its observers: the events, and what they speak
// of, blocks, instructions, faults and agents. The checks, counters and reports know this package
// and not the machine that sends the events.
package event

import "github.com/gridstride/gridstride/internal/abi"

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

// Warp is the part that most events share: the lanes that did something, and the instruction.
type Warp struct {
	Block *Block
	Index int    // warp in the block; thread Index*32+lane
	Mask  uint32 // the lanes that did it
	Site  *Site  // the instruction
	Frame uint64 // identity of the call frame whose registers the instruction uses; the kernel's own frame is 0
	Seq   uint64 // warp instructions run by the launch so far: orders events in reports
}

// Thread returns the linear thread index of a lane.
func (w *Warp) Thread(lane int) int { return w.Index*abi.WarpSize + lane }

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
