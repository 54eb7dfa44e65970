package main

import (
	"fmt"
	"math"

	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/tools/figure"
)

// act is something that a warp did: an access to shared memory, or its arrival at a barrier.
type act struct {
	warp        int
	kind        string // "write", "read", "waits", and "all are there" where a barrier lets the warps go
	first, last int    // the places it touched
}

func (a act) String() string {
	if a.kind == "write" || a.kind == "read" {
		return fmt.Sprintf("%s [%d..%d]", a.kind, a.first, a.last)
	}
	return a.kind
}

// acts runs a launch of one block of two warps and returns what its warps did with shared memory,
// in order, up to the first level of the tree and the barriers up to there.
func acts(r *repository, l launch) ([]act, error) {
	var list []act
	waited := false
	var read, added [2]bool // by warp
	err := r.run(l, func([]buffer) observe {
		return func(e event.Event) {
			switch e := e.(type) {
			case *event.BarrierArrive:
				if !waited {
					list = append(list, act{warp: e.Index, kind: "waits"})
				}
			case *event.BarrierComplete:
				if !waited && !read[0] {
					list = append(list, act{kind: "all are there"})
				}
				waited = true
			case *event.Access:
				if e.Space == ptx.SharedSpace && !added[e.Index] {
					list = append(list, touch(e))
					read[e.Index] = read[e.Index] || e.Kind == event.Load
					added[e.Index] = read[e.Index] && e.Kind == event.Store
				}
			}
		}
	})
	return list, err
}

// touch is an access to shared memory, words of 4 bytes, as an act.
func touch(e *event.Access) act {
	a := act{warp: e.Index, kind: string(e.Kind), first: math.MaxInt}
	for lane := range lanes(e.Mask) {
		place := int(e.Addrs[lane] / 4)
		a.first, a.last = min(a.first, place), max(a.last, place)
	}
	return a
}

// race draws the sum without its barrier in two orders of warps, and the one with it.
func race(r *repository) (picture, error) {
	const left, top, wide, row, panel = 12.0, 74.0, 122.0, 32.0, 282.0
	c := figure.New(3*panel-6, top+8*row+6,
		"Two warps and one array in shared memory: without a barrier, whether warp 0 reads what warp 1 has written "+
			"depends on which of them is faster")
	for i, p := range []struct {
		title, note string
		entry       string
		order       sim.Order
	}{
		{"no barrier, warp 0 is faster", "reads what is not there yet", "SumNoBarrier", sim.Ascending},
		{"no barrier, warp 1 is faster", "right, by luck", "SumNoBarrier", sim.Descending},
		{"with a barrier, any order", "right", "Sum", sim.Ascending},
	} {
		list, err := acts(r, launch{file: "examples/hazards/kernels_gen.ptx", entry: p.entry, order: p.order,
			grid: x(1), block: x(64), args: []any{slice{64, 4}, slice{1, 4}}})
		if err != nil {
			return nil, err
		}
		at := left + float64(i)*panel
		c.Text(at, 22, p.title, figure.Letters{Size: 14, Bold: true})
		c.Text(at, 40, p.note, figure.Letters{Size: 12, Color: figure.Faint})
		for warp := range 2 {
			c.Text(at+float64(warp)*(wide+8)+wide/2, 62, fmt.Sprintf("warp %d", warp),
				figure.Letters{Size: 12, Anchor: figure.Middle})
		}
		written := map[int]bool{}
		for k, a := range list {
			shape := figure.Shape{Fill: figure.Tints[0]}
			switch {
			case a.kind == "all are there":
				c.Line(at, top+float64(k)*row+10, at+2*wide+8, top+float64(k)*row+10,
					figure.Shape{Stroke: figure.Faint, Dashed: true})
				c.Cell(at+wide-40, top+float64(k)*row, 88, 20, a.kind, figure.Shape{Fill: figure.Paper},
					figure.Letters{Size: 12, Color: figure.Faint})
				continue
			case a.kind == "waits":
				shape = figure.Shape{Fill: figure.Idle, Stroke: figure.Rule, Dashed: true}
			case a.kind == "write":
				written[a.first] = true
				shape.Fill = figure.Tints[2]
			case !written[a.first]:
				shape = figure.Shape{Fill: figure.Tints[7], Stroke: figure.Ink, Width: 1.5}
			}
			c.Cell(at+float64(a.warp)*(wide+8), top+float64(k)*row, wide, row-8, a.String(), shape,
				figure.Letters{Size: 12})
		}
	}
	return c, nil
}
