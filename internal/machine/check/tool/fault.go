package tool

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/report"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// AddFault makes a finding, of a tool, of a fault of the simulator.
func (b *Book) AddFault(e *event.Fault, of report.Tool, kind report.Kind) {
	f := &report.Finding{Tool: of, Kind: kind, Level: report.Error, Space: e.Space, Count: 1, Blocks: 1}
	role := "fault"
	if e.Access != "" {
		role = string(e.Access)
	}
	w := b.Witness(role, e.Site)
	linear := e.Thread[0] + b.Block[0]*(e.Thread[1]+b.Block[1]*e.Thread[2])
	w.Thread = &report.Thread{Thread: e.Thread, Block: e.Block, Warp: linear / abi.WarpSize, Lane: e.Lane}
	f.Witnesses = []report.Witness{w}
	f.Object = b.nearObject(e)
	f.Summary = faultText(e, f.Object)
	f.Why, f.Fix = explainFault(e, f.Object)
	if e.Kind == event.BadMask {
		f.Cause = report.NotInMask
	}
	b.Add(f, 0, 0)
}

// faultText is a fault without its kind, which the headline names, and without addresses where a
// name says more.
func faultText(e *event.Fault, o *report.Object) string {
	if o == nil || e.Kind != event.OutOfBounds {
		return strings.TrimPrefix(e.What(), string(e.Kind)+": ")
	}
	where := "past the end of "
	if o.From < 0 {
		where = "before the start of "
	}
	return fmt.Sprintf("%s of %d bytes, %s memory, %s%s", e.Access, e.Size, e.Space, where, o.Name)
}

func explainFault(e *event.Fault, o *report.Object) (why, fix string) {
	switch e.Kind {
	case event.OutOfBounds:
		why, fix = "the address is in nothing that is allocated", "check the index against the length"
		if o != nil {
			why = fmt.Sprintf("%s has %d bytes; the access is of bytes %d..%d", o.Name, o.Size, o.From, o.To)
		}
		if e.Detail != "" { // of a store of a box
			why, fix = why+"; "+e.Detail, "make the buffer longer, up to a multiple of 16 bytes"
		}
		return why, fix
	case event.Misaligned:
		if e.Size == 0 { // of a copy, or of a matrix that a warp shares
			break
		}
		return fmt.Sprintf("an access of %d bytes needs an address that is a multiple of %d", e.Size, e.Size), ""
	case event.UseAfterFree:
		return "the memory was freed before this access", "free it after its last use"
	case event.NoPeer:
		return e.Detail, "let all blocks of the cluster meet, " + WordsOf(e.Site.Source.File).ClusterBarrier +
			", after the last access to another block and before any of them ends"
	case event.NullPointer:
		return "the pointer is null, or near it", ""
	case event.PartOfWarp:
		return "what a warp does as a whole is undefined without all of its lanes",
			"give blocks a multiple of 32 threads, and let all lanes reach it, those without data with zeros"
	case event.BadRegisters:
		return e.Detail + "; what becomes of that, no manual says", "inc to more registers than the warp has, and dec to fewer"
	case event.BadMask:
		return "a lane that calls a warp operation must be in the mask it gives",
			"build the mask from the condition under which the lanes get here"
	}
	return e.Detail, ""
}
