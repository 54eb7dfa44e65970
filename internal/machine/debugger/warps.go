package debugger

import (
	"cmp"
	"slices"

	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// Warp is where a warp of a block in flight is.
type Warp struct {
	Block, Index int
	Exist        uint32 // the lanes that have a thread
	Ended        uint32 // those that have ended
	Groups       []Group
	Flight       []Flight
}

// Group is lanes of a warp that are at one instruction and do the same.
type Group struct {
	Lanes   uint32
	Site    *event.Site     // the instruction that they run next, or wait at; nil before the first
	State   event.WaitState // event.Running, or what they wait for
	Detail  string          // for whom they wait
	Running bool            // the next instruction is theirs
}

// Flight is work that lanes have asked for and that is not visible yet, as a copy.
type Flight struct {
	Lanes uint32
	Site  *event.Site // that asked for it
}

// Positions are the warps in flight, at most that many, in the order of blocks; more says how many are
// left out. What they refer to is valid until the session goes elsewhere.
func (s *Session) Positions(most int) (list []Warp, more int) {
	blocks := s.line.Blocks()
	slices.SortFunc(blocks, func(a, b sim.BlockView) int { return cmp.Compare(a.Linear, b.Linear) })
	for _, b := range blocks {
		for i := range b.Warps {
			v := &b.Warps[i]
			if len(list) == most {
				more++
				continue
			}
			w := Warp{Block: b.Linear, Index: v.Index, Exist: v.Exist, Ended: v.Exist &^ v.Live}
			for _, g := range v.Groups {
				g = s.exact(g)
				w.Groups = append(w.Groups, Group{g.Mask, g.Site, g.State, g.Detail, g.Running})
			}
			for _, f := range v.Flight {
				w.Flight = append(w.Flight, Flight{f.Lanes, f.Site})
			}
			list = append(list, w)
		}
	}
	return list, more
}
