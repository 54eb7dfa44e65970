package check

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/report"
	"github.com/gridstride/gridstride/internal/sim"
)

// faultKinds say what a fault of the simulator is to people, and which tool finds it.
var faultKinds = map[sim.FaultKind]struct {
	tool report.Tool
	kind report.Kind
}{
	sim.OutOfBounds: {report.Memcheck, report.OutOfBounds}, sim.Misaligned: {report.Memcheck, report.Misaligned}, sim.NullPointer: {report.Memcheck, report.NullPointer},
	sim.UseAfterFree: {report.Memcheck, report.UseAfterFree}, sim.WrongSpace: {report.Memcheck, report.BadAddress}, sim.ReadOnly: {report.Memcheck, report.BadAddress},
	sim.Trap: {report.Memcheck, report.Trap}, sim.StackOverflow: {report.Memcheck, report.Trap}, sim.BadTarget: {report.Memcheck, report.Trap},
	sim.BadMask: {report.Synccheck, report.WarpSync}, sim.BadBarrier: {report.Synccheck, report.Barrier},
}

// fault makes a finding of a fault.
func (s *session) fault(e *sim.Fault) {
	k := faultKinds[e.Kind]
	if !s.o.has(k.tool) {
		return
	}
	b := s.book
	f := &report.Finding{Tool: k.tool, Kind: k.kind, Level: report.Error, Space: e.Space, Count: 1, Blocks: 1}
	role := "fault"
	if e.Access != "" {
		role = string(e.Access)
	}
	p := b.place(role, e.Site)
	linear := e.Thread[0] + b.l.Block[0]*(e.Thread[1]+b.l.Block[1]*e.Thread[2])
	p.Thread = &report.Thread{Thread: e.Thread, Block: e.Block, Warp: linear / sim.WarpSize, Lane: e.Lane}
	f.Witnesses = []report.Witness{p}
	f.Object = b.nearObject(e)
	f.Summary = faultText(e, f.Object)
	f.Why, f.Fix = explainFault(e, f.Object)
	if e.Kind == sim.BadMask {
		f.Cause = report.NotInMask
	}
	b.add(f, 0, 0)
}

// nearObject is the buffer that a bad access of global memory just missed.
func (b *book) nearObject(e *sim.Fault) *report.Object {
	if e.Near == nil || e.Near.Freed || e.Near.Size == 0 {
		return nil
	}
	name, start, size, elem := b.buffer(e.Near.Addr)
	if name == "" {
		return nil
	}
	t := elem.Elem
	if t == "" {
		t = accessType(e.Site.Instr)
	}
	o := &report.Object{Name: name, Size: size, Type: elem.Type}
	off := int64(e.Addr - start)
	b.elements(o, t, off, e.Size, off, off, isC(e.Site.Source.File))
	return o
}

// faultText is a fault without its kind, which the headline names, and without addresses where a
// name says more.
func faultText(e *sim.Fault, o *report.Object) string {
	if o == nil || e.Kind != sim.OutOfBounds {
		return strings.TrimPrefix(e.What(), string(e.Kind)+": ")
	}
	where := "past the end of "
	if o.From < 0 {
		where = "before the start of "
	}
	return fmt.Sprintf("%s of %d bytes, %s memory, %s%s", e.Access, e.Size, e.Space, where, o.Name)
}

func explainFault(e *sim.Fault, o *report.Object) (why, fix string) {
	switch e.Kind {
	case sim.OutOfBounds:
		if o != nil {
			return fmt.Sprintf("%s has %d bytes; the access is of bytes %d..%d", o.Name, o.Size, o.From, o.To), "check the index against the length"
		}
		return "the address lies in nothing that is allocated", "check the index against the length"
	case sim.Misaligned:
		return fmt.Sprintf("an access of %d bytes needs an address that is a multiple of %d", e.Size, e.Size), ""
	case sim.UseAfterFree:
		return "the memory was freed before the launch", "free it when the kernel has ended"
	case sim.NullPointer:
		return "the pointer is null, or near it", ""
	case sim.BadMask:
		return "a lane that calls a warp operation must be in the mask it gives", "build the mask from the condition under which the lanes get here"
	}
	return e.Detail, ""
}
