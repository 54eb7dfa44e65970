package checked

import (
	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// Ordered reports whether the device compares what operations of its streams use.
func (d *Device) Ordered() bool { return tool.Asked(d.cfg.Options.Tools, report.Racecheck) }

// Queued tells of an operation that will use memory of the device.
func (d *Device) Queued(op *streamcheck.Op) { d.memory.Queued(op) } // without d.mu: a launch may hold it for long

// Used tells that an operation has used n bytes of memory at addr, and reports the uses of other
// streams that nothing orders with it.
func (d *Device) Used(m *sim.Machine, op *streamcheck.Op, kind streamcheck.Kind, addr uint64, n int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.unordered(m, d.memory.Use(op, kind, addr, n))
}

// Ran tells that an operation has run.
func (d *Device) Ran(op *streamcheck.Op) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.memory.Ran(op)
}

// unordered reports conflicts. It needs d.mu.
func (d *Device) unordered(m *sim.Machine, conflicts []streamcheck.Conflict) error {
	if len(conflicts) == 0 {
		return nil
	}
	r := &report.Report{Tools: []report.ToolRun{{Tool: report.Racecheck, Seen: 1, Findings: len(conflicts)}}}
	for _, c := range conflicts {
		p := streamcheck.Place{Name: "memory", Offset: int64(c.Addr)}
		if base, a := d.allocation(m, c.Addr); a != nil {
			p = streamcheck.Place{Name: "buffer", Offset: int64(c.Addr - base), Made: a.made}
		}
		r.Findings = append(r.Findings, c.Finding(p, d.cfg.Options.Text))
	}
	return d.cfg.Report(r)
}

// PinnedTouched reports that the host has changed the pinned memory of a copy that was queued.
func (d *Device) PinnedTouched(op *streamcheck.Op) {
	_ = d.cfg.Report(&report.Report{
		Tools:    []report.ToolRun{{Tool: report.Racecheck, Seen: 1, Findings: 1}},
		Findings: []*report.Finding{op.Touched(d.cfg.Options.Text)},
	})
}
