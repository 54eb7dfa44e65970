package picture

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Pipeline says when warps ask for copies and products, when they wait, and what is under way
// meanwhile. Work of an agent is under way from the instruction that asks for it to the first wait
// that needs it: the latest that a GPU may be done with it.
type Pipeline struct {
	Tracks  []Track `json:"tracks"`
	Dropped int     `json:"dropped"` // works beyond MaxWorks
}

// Track is a warp, or one of its agents.
type Track struct {
	Block int    `json:"block"`
	Warp  int    `json:"warp"`
	Agent string `json:"agent,omitempty"` // cp.async, bulk or wgmma; "" for the warp itself
	Slots int    `json:"slots"`           // the most works at once
	Works []Work `json:"works"`
}

// Work is work of one kind. Works of a warp follow each other, and works of an agent overlap, each in
// its own slot.
type Work struct {
	At    int    `json:"at"`
	Count int    `json:"n"`
	Line  int    `json:"line"`
	Kind  string `json:"kind"` // copy, store, product, load (of a fragment), wait or other
	Bytes int    `json:"bytes,omitempty"`
	Slot  int    `json:"slot"`
	Open  bool   `json:"open,omitempty"` // nothing has waited for it
}

// MaxWorks is how many works a Pipeline has.
const MaxWorks = 8192

// engines are the names of agents.
var engines = [event.Engines]string{event.CopyEngine: "cp.async", event.BulkEngine: "bulk", event.MatrixEngine: "wgmma"}

// pipeline makes a Pipeline of events.
type pipeline struct {
	lines  Lines
	tracks map[trackKey]*track
	works  int
	// bars are the mbarriers, by place.
	bars    map[place]*bar
	running bool // there is a product, or work of an agent
	dropped int
}

type trackKey struct {
	key
	engine int // -1 for the warp itself
}

type track struct {
	Track
	open   map[uint64]int // the works under way, by the number of the copy or of the group
	groups uint64         // committed
}

// bar is an mbarrier: the clock of the last arrival, and the works that have arrived in its phase.
type bar struct {
	clock  int
	landed []landed
}

type landed struct {
	track *track
	work  int
}

func newPipeline(lines Lines) *pipeline {
	return &pipeline{lines: lines, tracks: map[trackKey]*track{}, bars: map[place]*bar{}}
}

func (p *pipeline) track(w *event.Warp, engine int) *track {
	k := trackKey{key{w.Block.Linear, w.Index}, engine}
	t := p.tracks[k]
	if t == nil {
		t = &track{Track: Track{Block: w.Block.Linear, Warp: w.Index, Works: []Work{}}, open: map[uint64]int{}}
		if engine >= 0 {
			t.Agent = engines[engine]
		}
		p.tracks[k] = t
	}
	return t
}

// add adds a work, and returns its index; -1 if there is no room.
func (p *pipeline) add(t *track, w Work) int {
	if p.works == MaxWorks {
		p.dropped++
		return -1
	}
	p.works++
	t.Works = append(t.Works, w)
	return len(t.Works) - 1
}

// kindOf is the kind of an instruction.
func kindOf(s *event.Site) string {
	switch op := s.Instr.Op; {
	case strings.HasPrefix(op, "mma") || strings.HasPrefix(op, "wmma") && slices.Contains(s.Instr.Mods, "mma"),
		op == "wgmma" && slices.Contains(s.Instr.Mods, "mma_async"):
		return "product"
	case op == "ldmatrix":
		return "load"
	case s.Does.Kind == ptx.Copies:
		return "copy"
	case s.Does.Kind == ptx.Awaits, s.Does.Kind == ptx.Barriers:
		return "wait"
	}
	return "other"
}

// step adds an instruction to the track of its warp.
func (p *pipeline) step(w *event.Warp, at int) {
	if w.Site == nil || w.Site.Instr == nil {
		return
	}
	kind := kindOf(w.Site)
	p.running = p.running || kind == "product" || kind == "copy"
	p.run(w, Work{At: at, Count: 1, Line: p.lines(w.Site), Kind: kind})
}

// run adds work of a warp itself. Other work between two of a kind that lasts for a few instructions
// belongs to them: addresses are computed between.
func (p *pipeline) run(w *event.Warp, x Work) {
	t := p.track(w, -1)
	if n := len(t.Works); n > 0 {
		last := &t.Works[n-1]
		if last.At+last.Count == x.At && last.Kind == x.Kind {
			last.Count += x.Count
			return
		}
		const few = 4
		if n > 1 && last.Kind == "other" && last.Count <= few && t.Works[n-2].Kind == x.Kind && x.Kind != "wait" && last.At+last.Count == x.At {
			t.Works[n-2].Count += last.Count + x.Count
			t.Works = t.Works[:n-1]
			p.works--
			return
		}
	}
	p.add(t, x)
}

// access notes an access of an agent: its work has been asked for.
func (p *pipeline) access(e *event.Access, at int) {
	t := p.track(&e.Warp, int(e.Agent.Engine))
	number := t.groups
	if e.Agent.AtMbarrier {
		number = e.Agent.Number | 1<<63
	}
	i, ok := t.open[number]
	if !ok {
		w := Work{At: at, Count: 1, Line: p.lines(e.Site), Kind: "copy"}
		if e.Agent.Engine == event.MatrixEngine {
			w.Kind = "product"
		}
		i = p.add(t, w)
		t.open[number] = i
	}
	if i < 0 {
		return
	}
	if w := &t.Works[i]; e.Kind == event.Store || e.Agent.Engine == event.MatrixEngine {
		w.Bytes += bits.OnesCount32(e.Mask) * e.Size
		if e.Space == ptx.GlobalSpace {
			w.Kind = "store"
		}
	}
}

// told notes a commit, or a wait that is over.
func (p *pipeline) told(e *event.AgentOp, at int) {
	t := p.track(&e.Warp, int(e.Engine))
	switch e.Kind {
	case event.AgentCommit:
		t.groups++
	case event.AgentWait:
		for number, i := range t.open {
			if number>>63 == 0 && number+uint64(e.Groups) < t.groups {
				t.end(i, at)
				delete(t.open, number)
			}
		}
	}
}

// end ends a work.
func (t *track) end(i, at int) {
	if i >= 0 {
		t.Works[i].Count = max(at-t.Works[i].At, 1)
	}
}

func (p *pipeline) bar(e *event.Atomic) *bar {
	for lane := range e.Addrs {
		if e.Mask>>lane&1 != 0 {
			at := where(&e.Warp, e.Space, e.Home, e.Addrs[lane])
			if p.bars[at] == nil {
				p.bars[at] = &bar{}
			}
			return p.bars[at]
		}
	}
	return &bar{}
}

// arrived notes that an agent arrives at an mbarrier.
func (p *pipeline) arrived(e *event.Atomic) {
	b, t := p.bar(e), p.track(&e.Warp, int(e.Agent.Engine))
	for number, i := range t.open {
		copies := e.Agent.Engine == event.CopyEngine
		if copies || number == e.Agent.Number|1<<63 {
			b.landed = append(b.landed, landed{t, i})
			delete(t.open, number)
		}
	}
}

// signal notes an operation of threads on an mbarrier. It returns the clock before which none of the
// lanes can go on: of the last arrival in the phase that they have waited for.
func (p *pipeline) signal(e *event.Atomic, at int) int {
	b := p.bar(e)
	if e.Passed == 0 {
		if e.Wrote != 0 {
			b.clock = max(b.clock, at)
		}
		return at
	}
	at = max(at, b.clock)
	for _, l := range b.landed {
		l.track.end(l.work, at)
	}
	b.landed = nil
	return at
}

// pipeline is the picture; nil if no agent works and there is no product. length is the latest clock.
func (p *pipeline) pipeline(length int) *Pipeline {
	if !p.running {
		return nil
	}
	out := &Pipeline{Tracks: []Track{}, Dropped: p.dropped}
	for k, t := range p.tracks {
		for _, i := range t.open {
			if i >= 0 {
				t.end(i, length)
				t.Works[i].Open = true
			}
		}
		t.stack(k.engine < 0)
		out.Tracks = append(out.Tracks, t.Track)
	}
	slices.SortFunc(out.Tracks, func(a, b Track) int {
		return cmp.Or(a.Block-b.Block, a.Warp-b.Warp, strings.Compare(a.Agent, b.Agent))
	})
	return out
}

// stack gives works that overlap different slots.
func (t *track) stack(warp bool) {
	t.Slots = 1
	if warp {
		return
	}
	slices.SortStableFunc(t.Works, func(a, b Work) int { return a.At - b.At })
	var free []int // from when on each slot is
	for i := range t.Works {
		w := &t.Works[i]
		slot := slices.IndexFunc(free, func(at int) bool { return at <= w.At })
		if slot < 0 {
			slot = len(free)
			free = append(free, 0)
		}
		w.Slot, free[slot] = slot, w.At+w.Count
	}
	t.Slots = max(len(free), 1)
}
