package check

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/check/initcheck"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// HostRead is a read of global memory by the host. It is a use of what it reads.
type HostRead struct {
	initcheck.Elements
	Name string         // of the memory in reports
	Type string         // of an element: "float32"
	At   event.Position // the call that reads
	Made event.Position // the call that made the memory
	// Writer is the last launch that wrote there what nothing had written before; nil for none.
	Writer *Writer
}

// Writer is a launch as reports name it.
type Writer struct {
	Kernel       string
	Grid, Block  [3]int
	LaunchedFrom string
}

// Read checks a read of the host, of what Options.Init knows. It returns nil where the read is
// clean. Text and Tools of the Options count, no others.
func Read(h HostRead, o Options) *report.Report {
	if !tool.Asked(o.Tools, report.Initcheck) || o.Init == nil {
		return nil
	}
	r := &report.Report{}
	for _, hole := range o.Init.Holes(h.Elements) {
		r.Findings = append(r.Findings, h.finding(&hole, &o))
	}
	if r.Findings == nil {
		return nil
	}
	places := allowPlaces{text: o.Text, seen: map[event.Position]bool{}}
	for _, f := range r.Findings {
		for _, w := range f.Witnesses {
			places.look(f.Kernel, w.Source, w.Stack)
		}
	}
	r.Allows = places.list
	allow(r.Findings, r.Allows)
	r.Tools = []report.ToolRun{{Tool: report.Initcheck, Seen: uint64(h.N / h.Size), Findings: len(r.Failures())}}
	return r
}

// finding makes the finding of a host read of a hole.
func (h *HostRead) finding(hole *initcheck.Hole, o *Options) *report.Finding {
	f := hole.Read
	if f == nil {
		f = h.unwritten(hole)
	} else {
		f.Summary = fmt.Sprintf("%s memory that nothing has written, copied to what the host reads", f.Space)
		f.Why = fmt.Sprintf("no thread and no copy has written %s before it is read; %s of %d that the host reads hold such copies",
			hole.What, h.elements(hole), h.N/h.Size)
	}
	if h.Made.Line > 0 {
		f.Witnesses = append(f.Witnesses, h.witness("made", h.Made, o))
	}
	f.Witnesses = append(f.Witnesses, h.witness("read", h.At, o))
	return f
}

// unwritten is the finding of what nobody has written.
func (h *HostRead) unwritten(hole *initcheck.Hole) *report.Finding {
	f := &report.Finding{
		Tool: report.Initcheck, Kind: report.Uninitialized, Level: report.Error, Space: "global", Count: 1, Blocks: 1,
		Summary: "global memory that nothing has written, read by the host",
		Object: &report.Object{
			Name: h.Name, Type: h.Type, Index: hole.First, First: hole.First, Last: hole.Last,
			From: hole.From, To: hole.To, Size: h.N,
		},
		Why: fmt.Sprintf("no thread and no copy has written %s of %d", h.elements(hole), h.N/h.Size),
		Fix: "write all that is read: launch a kernel that does, or write, fill or clear the buffer",
	}
	if w := h.Writer; w != nil {
		f.Kernel, f.Grid, f.Block, f.LaunchedFrom = w.Kernel, w.Grid, w.Block, w.LaunchedFrom
		f.Why += fmt.Sprintf("; %s, which has written others, ran %d threads", w.Kernel, w.threads())
		f.Fix = "launch enough threads to write every element, or read a Slice of what they write"
	}
	return f
}

func (w *Writer) threads() int {
	n := 1
	for i := range w.Grid {
		n *= w.Grid[i] * w.Block[i]
	}
	return n
}

// elements is "4 elements (out[96..99])". If written elements are between the unwritten ones, it is
// "4 elements (some of out[90..99])".
func (h *HostRead) elements(hole *initcheck.Hole) string {
	switch {
	case hole.Count == 1:
		return fmt.Sprintf("1 element (%s[%d])", h.Name, hole.First)
	case hole.Count == hole.Last-hole.First+1:
		return fmt.Sprintf("%d elements (%s[%d..%d])", hole.Count, h.Name, hole.First, hole.Last)
	}
	return fmt.Sprintf("%d elements (some of %s[%d..%d])", hole.Count, h.Name, hole.First, hole.Last)
}

// witness is a call of the host.
func (h *HostRead) witness(role string, at event.Position, o *Options) report.Witness {
	w := report.Witness{Role: role, Source: at, Host: true}
	if o.Text != nil && at.Line > 0 {
		w.Text = strings.TrimSpace(o.Text(at.File, at.Line))
	}
	return w
}
