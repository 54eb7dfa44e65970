package initcheck

import (
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
)

// Copy is data that nothing had written and that a kernel has stored, as it was, to global memory.
// It outlives the launch: the host may read it later, or another kernel.
type Copy struct {
	// read is the finding that a use of the copy makes, with the thread that read the data as its
	// only witness.
	read report.Finding
	// what is the name of the element that was read, and where is the line of the read.
	what, where string
}

// copyOf is the copy of what an origin read, which may have been one itself.
func (c *Check) copyOf(o *origin) *Copy {
	if o.past != nil {
		return o.past
	}
	f, what := c.reading(o)
	f.Kernel, f.Grid, f.Block, f.LaunchedFrom = c.run.Kernel, c.run.Grid, c.run.Launch.Block, c.run.LaunchedFrom
	return &Copy{*f, what, tool.LineOf(c.run.SiteAt(o.load))}
}

// reading is a finding of what an origin read, up to its use, and the name of the element read.
func (c *Check) reading(o *origin) (f *report.Finding, what string) {
	b := c.run
	load := b.SiteAt(o.load)
	f = &report.Finding{
		Tool: report.Initcheck, Kind: report.Uninitialized, Level: report.Error, Space: o.space, Count: 1, Blocks: 1,
		Fix: "write every element that is read, also for threads that have no data",
	}
	read := b.Witness("read", load)
	read.Thread = b.Thread(o.block, o.warp, o.lane)
	f.Witnesses = []report.Witness{read}
	if o.absent != nil {
		return f, ""
	}
	f.Object = b.Object(o.space, o.addr, o.size, o.addr, o.addr+uint64(o.size)-1, tool.AccessType(load.Instr),
		tool.IsC(load.Source.File))
	if f.Object == nil {
		return f, "it"
	}
	return f, f.Object.Element(f.Object.Index)
}

// keep makes what a run knows of global memory what is known between launches.
func (c *Check) keep(to *Init) {
	*to = Init{pages: c.global.Clone().pages}
	numbers := map[uint32]uint32{0: 0}
	for k, page := range to.pages {
		if page.from == nil {
			continue
		}
		page = to.own(k, page)
		for i, from := range page.from {
			if page.missing[i/64]>>(i%64)&1 == 0 {
				page.from[i] = 0
				continue
			}
			n, known := numbers[from]
			if !known {
				to.copies = append(to.copies, c.copyOf(&c.origins[from]))
				n = uint32(len(to.copies))
				numbers[from] = n
			}
			page.from[i] = n
		}
	}
}

// Forgive takes copies for written of whose data the function says so of the finding of its read.
func (s *Init) Forgive(explained func(read *report.Finding) bool) {
	forgiven := map[uint32]bool{}
	for i, c := range s.copies {
		forgiven[uint32(i+1)] = explained(&c.read)
	}
	for k, p := range s.pages {
		if p.from == nil {
			continue
		}
		for i, from := range p.from {
			if forgiven[from] {
				s.Wrote(k*initPageSize+uint64(i), 1)
			}
		}
	}
}
