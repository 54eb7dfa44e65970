package picture

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Race is the two accesses of a race, as they went in orders of the launch.
type Race struct {
	Sides  [2]Side  `json:"sides"`
	Orders []Order  `json:"orders"` // at most one in which each side is first
	Names  []string `json:"tried"`  // the names of the orders that were run
}

// Side is one access.
type Side struct {
	Kind   string `json:"kind"`
	Line   int    `json:"line"`
	Text   string `json:"text"`
	Block  [3]int `json:"block"`
	Thread [3]int `json:"thread"`
	Warp   int    `json:"warp"`
}

// Order is how the accesses went in one order of the launch.
type Order struct {
	Name  string    `json:"name"`
	First int       `json:"first"` // the index of the side that went first
	Bytes [2][]byte `json:"-"`     // what each side read or left
	// Values are Bytes as text, and Result the kernel's results in that order.
	Values [2]string `json:"values"`
	Result string    `json:"result"`
}

// maxAccessesOfSide is how many accesses of a thread at a line are looked at.
const maxAccessesOfSide = 4096

// NewRace makes the race of a finding; nil if the finding is no race of two threads.
func NewRace(f *report.Finding, line func(report.Witness) int) *Race {
	if f.Kind != report.Race || len(f.Witnesses) < 2 {
		return nil
	}
	r := &Race{Orders: []Order{}, Names: []string{}}
	for i := range r.Sides {
		w := &f.Witnesses[i]
		if w.Thread == nil || w.Host {
			return nil
		}
		r.Sides[i] = Side{Kind: w.Role, Line: line(*w), Text: w.Text, Block: w.Thread.Block, Thread: w.Thread.Thread, Warp: w.Thread.Warp}
	}
	return r
}

// Sighting observes a run of the launch of a race, and notes how its two accesses go.
type Sighting struct {
	race  *Race
	at    [2]report.Witness
	seen  [2]map[place]sight
	count [2]int
	now   int
}

type place struct {
	home int // of shared memory the block, else -1
	addr uint64
}

type sight struct {
	at    int
	bytes []byte
}

// Sight makes a Sighting of the race of a finding.
func (r *Race) Sight(f *report.Finding) *Sighting {
	return &Sighting{
		race: r, at: [2]report.Witness{f.Witnesses[0], f.Witnesses[1]},
		seen: [2]map[place]sight{{}, {}},
	}
}

// Observe implements event.Observer.
func (s *Sighting) Observe(e event.Event) {
	switch e := e.(type) {
	case *event.Access:
		s.note(&e.Warp, e.Space, e.Home, e.Addrs, e.Bytes)
	case *event.Atomic:
		s.note(&e.Warp, e.Space, e.Home, e.Addrs, e.Left)
	}
}

func (s *Sighting) note(w *event.Warp, space ptx.Space, home *event.Block, addrs *[abi.WarpSize]uint64, bytes func(int) []byte) {
	if space != ptx.GlobalSpace && space != ptx.SharedSpace || w.Site == nil {
		return
	}
	s.now++
	for i := range s.race.Sides {
		side := &s.race.Sides[i]
		if !isAt(w.Site, &s.at[i]) || w.Block.Index != side.Block || s.count[i] == maxAccessesOfSide {
			continue
		}
		eachLane(w.Mask, func(lane int) {
			if w.Block.Thread(w.Thread(lane)) != side.Thread {
				return
			}
			p := place{-1, addrs[lane]}
			if home != nil {
				p.home = home.Linear
			}
			if _, again := s.seen[i][p]; !again {
				s.count[i]++
				s.seen[i][p] = sight{s.now, append([]byte(nil), bytes(lane)...)}
			}
		})
	}
}

// isAt reports whether an instruction is the instruction of a witness: by its source, or by its line of
// PTX if it has no source.
func isAt(site *event.Site, w *report.Witness) bool {
	if site.Source.File != "" {
		return site.Source == w.Source
	}
	return strings.HasPrefix(w.PTX, fmt.Sprintf("ptx:%d:", site.Instr.Pos.Line))
}

// Order says how the accesses went. ok is false if they did not both come to one place.
func (s *Sighting) Order() (o Order, ok bool) {
	best := -1
	for p, a := range s.seen[0] {
		b, both := s.seen[1][p]
		if !both || a.at == b.at || best >= 0 && min(a.at, b.at) >= best {
			continue
		}
		best = min(a.at, b.at)
		o.First = 0
		if b.at < a.at {
			o.First = 1
		}
		o.Bytes = [2][]byte{a.bytes, b.bytes}
	}
	return o, best >= 0
}

// Add adds an order, unless the race has one already in which the same side is first.
func (r *Race) Add(o Order) {
	for _, have := range r.Orders {
		if have.First == o.First {
			return
		}
	}
	r.Orders = append(r.Orders, o)
}
