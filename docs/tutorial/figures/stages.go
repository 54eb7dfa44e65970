package main

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/internal/tools/figure"
)

// placeSpan is when something is done with a place, by the instructions of a warp.
type placeSpan struct{ place, from, to int }

// useOfPlaces is a warp's use of its places.
type useOfPlaces struct {
	copies, products []placeSpan
	instructions     int
}

// stages draws when copies to the places of a block are under way, and when a place is multiplied.
func stages(r *repository) (picture, error) {
	const left, top, wide, row, panel = 86.0, 40.0, 640.0, 24.0, 46.0
	kernels := []struct {
		entry, title string
		places       int
	}{
		{"Shared", "shared: a place is copied, then multiplied", 1},
		{"Double", "double: the next place is copied while one is multiplied", 2},
		{"Stages", "stages: two are copied while one is multiplied", 3},
	}
	lines, longest := make([]useOfPlaces, len(kernels)), 0
	for i, k := range kernels {
		var err error
		if lines[i], err = placesOf(r, k.entry, k.places); err != nil {
			return nil, err
		}
		longest = max(longest, lines[i].products[len(lines[i].products)-1].to) // without what writes C
	}
	c := figure.New(left+wide+16, top+3*panel+6*row+30,
		"A warp's instructions from left to right, with what is done with each place in shared memory meanwhile")
	y := top
	for i, k := range kernels {
		at := func(clock int) float64 { return left + wide*float64(clock)/float64(longest) }
		c.Text(12, y-12, k.title, figure.Letters{Size: 13, Bold: true})
		for place := range k.places {
			c.Text(12, y+float64(place)*row+14, fmt.Sprintf("place %d", place), figure.Letters{Size: 12})
			c.Rect(left, y+float64(place)*row, wide, row-6, figure.Shape{Fill: figure.Idle})
		}
		for _, s := range lines[i].copies {
			c.Rect(at(s.from), y+float64(s.place)*row, at(s.to)-at(s.from), row-6, figure.Shape{Fill: figure.Tints[2]})
		}
		for _, s := range lines[i].products {
			c.Rect(at(s.from), y+float64(s.place)*row, at(s.to)-at(s.from), row-6, figure.Shape{Fill: figure.Tints[7]})
		}
		y += float64(k.places)*row + panel
	}
	for i, what := range []string{"copies under way", "products"} {
		x0 := left + 170*float64(i)
		c.Rect(x0, y-20, 16, 16, figure.Shape{Fill: figure.Tints[2+5*i]})
		c.Text(x0+24, y-7, what, figure.Letters{Size: 12})
	}
	c.Text(left+wide, y-7, count.Of(longest, "instruction"), figure.Letters{Size: 12, Anchor: figure.End})
	return c, nil
}

// placesOf runs a kernel of examples/ladder/tensor for a tile of C with five rounds, and gives what
// its first warp does.
func placesOf(r *repository, entry string, places int) (t useOfPlaces, err error) {
	const side, n, placeBytes = 128, 320, 1 << 15
	factor := slice{side * n, 2}
	l := launch{file: "examples/ladder/tensor/kernels_gen_sm_80.ptx.zst", entry: entry, grid: x(1), block: x(128), steps: true,
		args: []any{factor, factor, slice{side * side, 4}, side, n, side}}
	if places > 1 {
		l.shared = places * placeBytes
	}
	var groups []placeSpan // the copies of each group that was committed, and of the one that is not yet
	next := placeSpan{place: -1}
	err = r.run(l, func([]buffer) observe {
		return func(e event.Event) {
			switch e := e.(type) {
			case *event.Step:
				if e.Index == 0 {
					t.instructions++
				}
			case *event.Access:
				place := int(e.Addrs[0]) / placeBytes
				switch {
				case e.Index != 0 || e.Space != ptx.SharedSpace:
				case e.Agent == nil:
					t.multiplied(place)
				case next.place < 0:
					next = placeSpan{place: place, from: t.instructions}
				}
			case *event.AgentOp:
				if e.Index == 0 && e.Kind == event.AgentCommit {
					groups = append(groups, next)
					next.place = -1
				} else if e.Index == 0 && e.Kind == event.AgentWait {
					done := len(groups) - e.Groups
					t.arrived(groups[:done])
					clear(groups[:done])
					for i := range groups[:done] {
						groups[i].place = -1
					}
				}
			case *event.WarpSync:
				if e.Index == 0 && e.Op == "mma" {
					t.products[len(t.products)-1].to = t.instructions
				}
			}
		}
	})
	return t, err
}

// arrived ends the copies of groups that a wait was for.
func (t *useOfPlaces) arrived(groups []placeSpan) {
	for _, g := range groups {
		if g.place >= 0 {
			t.copies = append(t.copies, placeSpan{g.place, g.from, t.instructions})
		}
	}
}

// multiplied notes that the warp reads a place.
func (t *useOfPlaces) multiplied(place int) {
	last := len(t.products) - 1
	if last >= 0 && t.products[last].place == place && !t.copiedSince(t.products[last]) {
		return
	}
	t.products = append(t.products, placeSpan{place, t.instructions, t.instructions})
}

// copiedSince says whether a copy to a place has ended after a product of it.
func (t *useOfPlaces) copiedSince(s placeSpan) bool {
	for _, c := range t.copies {
		if c.place == s.place && c.to > s.from {
			return true
		}
	}
	return false
}
