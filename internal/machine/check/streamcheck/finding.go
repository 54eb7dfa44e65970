package streamcheck

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// Place names the memory of a conflict for reports.
type Place struct {
	Name   string         // "buffer"
	Offset int64          // of the byte in it
	Made   event.Position // the call that made it; its Line is 0 where that is not known
}

// words say what a kind of use does.
var words = [kinds]string{Read: "read", Atomic: "atomic", Write: "write"}

// Finding is the finding of a conflict. text returns a line of a source file; nil is no text.
func (c *Conflict) Finding(p Place, text func(file string, line int) string) *report.Finding {
	if c.First.serial > c.Second.serial { // in the program's order, since the order in which they ran is chance
		c = &Conflict{First: c.Second, Second: c.First, FirstKind: c.SecondKind, SecondKind: c.FirstKind, Addr: c.Addr}
	}
	first, second := words[c.FirstKind], words[c.SecondKind]
	made := ""
	if p.Made.Line > 0 {
		made = fmt.Sprintf(" made at %s:%d", report.Base(p.Made.File), p.Made.Line)
	}
	between, why := "two streams with no event between", "two streams run at the same time, and neither an event nor a wait of the host orders the two"
	fix := fmt.Sprintf("let the second stream wait for the first: %s; or queue both on one stream, or wait on the host between them",
		waitFor(c.Second.At.File))
	if c.sameGraph() {
		between, why = "two nodes of a graph with no dependency between", "they run at the same time, as neither depends on the other"
		fix = fmt.Sprintf("let the second depend on the first: %s", dependOn(c.Second.At.File))
	}
	return &report.Finding{
		Tool: report.Racecheck, Kind: report.Race, Level: report.Error, Cause: report.StreamsUnordered,
		Summary: fmt.Sprintf("%s/%s, global memory, %s", first, second, between),
		Space:   "global", Count: 1, Blocks: 1,
		Witnesses: []report.Witness{HostCall(first, c.First, text), HostCall(second, c.Second, text)},
		Why:       fmt.Sprintf("both use byte %d of the %s%s; %s", p.Offset, p.Name, made, why),
		Fix:       fix,
	}
}

// dependOn is how a node of a graph depends on another in the language of a file.
func dependOn(file string) string {
	if file == "" || strings.HasSuffix(file, ".go") {
		return "graph.Add(work, first), or in a capture second.After(first.Record())"
	}
	return "cuGraphAddDependencies, or in a capture an event of the first stream that the second waits for (cuStreamWaitEvent)"
}

// waitFor is how a stream waits for another in the language of a file. What is no file of Go calls the
// driver.
func waitFor(file string) string {
	if file == "" || strings.HasSuffix(file, ".go") {
		return "second.After(first.Record())"
	}
	return "an event that is recorded on the first (cuEventRecord) and that the second waits for (cuStreamWaitEvent)"
}

// Touched is the finding of pinned memory that the host has changed while a copy of it was queued.
func (x *Op) Touched(text func(file string, line int) string) *report.Finding {
	return &report.Finding{
		Tool: report.Racecheck, Kind: report.Race, Level: report.Error, Cause: report.HostTooEarly,
		Summary: "pinned memory changed by the host while a copy of it is queued", Count: 1, Blocks: 1,
		Witnesses: []report.Witness{HostCall(x.Name, x, text)},
		Why:       "the copy runs at any time until the host has waited for it; the memory then no longer held what it was queued with",
		Fix:       "wait for the stream, or for an event recorded after the copy, before Data is used again",
	}
}

// HostCall is the witness of an operation: the call that has queued it.
func HostCall(role string, op *Op, text func(file string, line int) string) report.Witness {
	w := report.Witness{Role: role, Host: true, Source: op.At}
	if op.Name != role {
		w.Note = op.Name
	}
	if text != nil && op.At.Line > 0 {
		w.Text = strings.TrimSpace(text(op.At.File, op.At.Line))
	}
	return w
}
