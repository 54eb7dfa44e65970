// Package memcheck finds accesses that are out of bounds, misaligned, or to freed memory, and
// checks of a kernel's own that fail.
package memcheck

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// faultKinds say what a fault of the simulator is to people.
var faultKinds = map[event.FaultKind]report.Kind{
	event.BadDescriptor: report.OutOfBounds,
	event.BadTensorMap:  report.OutOfBounds,
	event.BadTexture:    report.OutOfBounds,
	event.BadSurface:    report.OutOfBounds,
	event.BadMatrix:     report.BadAddress,
	event.OutOfBounds:   report.OutOfBounds, event.Misaligned: report.Misaligned, event.NullPointer: report.NullPointer,
	event.UseAfterFree: report.UseAfterFree, event.WrongSpace: report.BadAddress, event.ReadOnly: report.BadAddress,
	event.Trap: report.Trap, event.StackOverflow: report.Trap, event.BadTarget: report.Trap,
	event.BadFree: report.BadFree, event.NoPeer: report.NoPeer,
}

// Check is memcheck at work on one run.
type Check struct {
	run    *tool.Run
	seen   uint64
	pieces pieces
}

// New makes memcheck for a run.
func New(run *tool.Run) *Check { return &Check{run: run} }

// Name implements tool.Tool.
func (c *Check) Name() report.Tool { return report.Memcheck }

// Watch implements tool.Tool.
func (c *Check) Watch(on *tool.Events) {
	on.Start = append(on.Start, c.pieces.start)
	on.Access = append(on.Access, func(b *tool.Block, e *event.Access, lanes uint32) {
		c.seen += uint64(bits.OnesCount32(e.Mask))
		if e.Factor != nil {
			c.factor(b, e, lanes)
		}
		c.swizzled(b, e, lanes)
	})
	on.Atomic = append(on.Atomic, func(_ *tool.Block, e *event.Atomic, _ uint32) {
		c.seen += uint64(bits.OnesCount32(e.Mask))
	})
	on.Fault = append(on.Fault, c.fault)
}

// Seen implements tool.Tool.
func (c *Check) Seen() uint64 { return c.seen }

// Pending implements tool.Tool.
func (c *Check) Pending() int { return 0 }

// Finish implements tool.Tool.
func (c *Check) Finish() string { return "" }

// fault makes a finding of a fault.
func (c *Check) fault(e *event.Fault) {
	if kind, ok := faultKinds[e.Kind]; ok {
		c.run.AddFault(e, report.Memcheck, kind)
	}
}
