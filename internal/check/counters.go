package check

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/sim"
)

// profiler counts what instructions do.
type profiler struct {
	s      *session
	counts []Counts // by site
}

func newProfiler(s *session) *profiler { return &profiler{s: s} }

func (p *profiler) at(site *sim.Site) *Counts {
	id := int(p.s.site(site))
	for id >= len(p.counts) {
		p.counts = append(p.counts, Counts{})
	}
	return &p.counts[id]
}

func (p *profiler) step(e *sim.Step) {
	c := p.at(e.Site)
	c.Instructions++
	c.LaneInstructions += uint64(bits.OnesCount32(e.Mask))
}

func (p *profiler) branch(e *sim.Branch) {
	c := p.at(e.Site)
	c.Branches++
	if e.Taken != 0 && e.Taken != e.Mask {
		c.Divergent++
	}
}

func (p *profiler) arrive(e *sim.BarrierArrive) {
	if e.Kind != sim.BarrierNoWait {
		p.at(e.Site).BarrierWaits++
	}
}

func (p *profiler) atomic(e *sim.Atomic) {
	p.at(e.Site).Atomics++
	p.access(&e.Warp, e.Space, e.Addrs, e.Size)
}

// access counts a request to global or shared memory.
func (p *profiler) access(w *sim.Warp, space ptx.Space, addrs *[sim.WarpSize]uint64, size int) {
	c := p.at(w.Site)
	switch space {
	case ptx.GlobalSpace:
		c.GlobalRequests++
		touched, ideal := sectors(w.Mask, addrs, size)
		c.GlobalSectors += uint64(touched)
		c.GlobalIdealSectors += uint64(ideal)
	case ptx.SharedSpace:
		c.SharedRequests++
		passes, ideal := sharedPasses(w.Mask, addrs, size)
		c.SharedPasses += uint64(passes)
		c.SharedIdealPasses += uint64(ideal)
	}
}

const sectorSize = 32

// sectors counts the sectors that lanes touch, and the fewest that could hold what they touch.
// Accesses are aligned, so that two lanes touch the same bytes or none in common.
func sectors(lanes uint32, addrs *[sim.WarpSize]uint64, size int) (touched, ideal int) {
	var list, elems [sim.WarpSize]uint64
	n := 0
	for m := lanes; m != 0; m &= m - 1 {
		elems[n] = addrs[laneOf(m)]
		list[n] = elems[n] / sectorSize
		n++
	}
	bytes := distinct(elems[:n]) * size
	return distinct(list[:n]), (bytes + sectorSize - 1) / sectorSize
}

// distinct counts the different numbers of a list, which it sorts.
func distinct(list []uint64) int {
	slices.Sort(list)
	n := 0
	for i := range list {
		if i == 0 || list[i] != list[i-1] {
			n++
		}
	}
	return n
}

const banks = 32

// sharedPasses counts the turns that a request to shared memory takes: in one, each of 32 banks
// gives one word of 4 bytes, to all lanes that want it. Lanes that access 8 bytes are served half a
// warp at a time, those that access 16 a quarter (CUDA C++ Programming Guide, Shared Memory, 32-bit
// and wider strided access).
func sharedPasses(lanes uint32, addrs *[sim.WarpSize]uint64, size int) (passes, ideal int) {
	group := sim.WarpSize / max(size/4, 1)
	for first := 0; first < sim.WarpSize; first += group {
		part := lanes >> first & uint32(1<<group-1)
		if part == 0 {
			continue
		}
		var words []uint64
		for ; part != 0; part &= part - 1 {
			word := addrs[first+laneOf(part)] / 4
			for k := range uint64(max(size/4, 1)) {
				words = append(words, word+k)
			}
		}
		slices.Sort(words)
		words = slices.Compact(words)
		var use [banks]int
		most := 0
		for _, word := range words {
			use[word%banks]++
			most = max(most, use[word%banks])
		}
		passes += most
		ideal += (len(words) + banks - 1) / banks
	}
	return passes, ideal
}

// addProfile puts a profile into the report.
func (r *Report) addProfile(p *profiler) {
	if p == nil {
		return
	}
	out := &Profile{Kernel: p.s.o.Kernel, File: p.kernelFile(), Grid: p.s.l.Grid, Block: p.s.l.Block}
	lines := map[string]*LineProfile{}
	for id := range p.counts {
		if p.counts[id] == (Counts{}) {
			continue
		}
		site := p.s.siteAt[id]
		line := LineProfile{Source: sim.Source{File: site.Source.File, Line: site.Source.Line}, Func: site.Func, Text: p.s.book.text(site.Source)}
		key := site.Source.File + "\x00" + lineOf(site)
		if site.Source.Line == 0 && site.Instr != nil {
			line.Text = site.Instr.String()
			line.Source.Line = site.Instr.Pos.Line
		}
		if lines[key] == nil {
			lines[key] = &line
		}
		lines[key].Add(&p.counts[id])
		out.Total.Add(&p.counts[id])
	}
	for _, l := range lines {
		out.Lines = append(out.Lines, *l)
	}
	slices.SortFunc(out.Lines, func(x, y LineProfile) int {
		return cmp.Or(cmp.Compare(x.Source.File, y.Source.File), cmp.Compare(x.Source.Line, y.Source.Line), cmp.Compare(x.Func, y.Func))
	})
	r.Profiles = append(r.Profiles, out)
}

// kernelFile is the source file of the kernel itself, and not that of a function that it calls.
func (p *profiler) kernelFile() string {
	for id := range p.counts {
		at := p.s.siteAt[id]
		if at == nil || at.Func != p.s.entry.Name || at.Source.Line == 0 {
			continue
		}
		if n := len(at.Stack); n > 0 {
			return at.Stack[n-1].File
		}
		return at.Source.File
	}
	return ""
}
