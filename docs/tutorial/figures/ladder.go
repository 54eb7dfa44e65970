package main

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/internal/tools/figure"
)

// rung is a launch of a kernel of examples/ladder/dot with one block and one element a thread.
func rung(entry string, threads int) launch {
	return launch{file: "examples/ladder/dot/kernels_gen.ptx.zst", entry: entry, grid: x(1), block: x(threads),
		args: []any{slice{threads, 4}, slice{threads, 4}, slice{1, 4}}}
}

// divergence draws which threads of a block add in each step of the tree.
func divergence(r *repository) (picture, error) {
	const threads, left, top, px, row, gap, panel = 128, 12.0, 34.0, 4.9, 17.0, 8.0, 164.0
	c := figure.New(2*left+threads*px+3*gap+190, 2*panel+6,
		"The threads that add in each step of two trees: neighbours first, spread over all warps; halves first, "+
			"side by side")
	for p, k := range []struct{ entry, title string }{
		{"Divergent_float32", "Divergent: every second thread, then every fourth, …"},
		{"Sequential_float32", "Sequential: the first half of the threads, then the first quarter, …"},
	} {
		steps, err := reduction(r, rung(k.entry, threads))
		if err != nil {
			return nil, err
		}
		y0 := top + float64(p)*panel
		c.Text(left, y0-12, k.title, figure.Letters{Size: 13, Bold: true})
		for s, sums := range steps[1:] {
			y := y0 + float64(s)*row
			at := func(thread int) float64 { return left + float64(thread)*px + float64(thread/abi.WarpSize)*gap }
			for warp := range threads / abi.WarpSize {
				c.Rect(at(warp*abi.WarpSize), y, abi.WarpSize*px, row-5, figure.Shape{Fill: figure.Idle})
			}
			warps := map[int]bool{}
			for _, sum := range sums {
				warps[sum.thread/abi.WarpSize] = true
				c.Rect(at(sum.thread), y, px, row-5,
					figure.Shape{Fill: figure.Tints[7], Stroke: figure.Paper, Width: 0.5})
			}
			c.Text(at(threads-1)+px+10, y+11,
				fmt.Sprintf("%s in %s", count.Of(len(sums), "thread"), count.Of(len(warps), "warp")),
				figure.Letters{Size: 12})
		}
	}
	return c, nil
}

// banks draws the banks of shared memory that the lanes of a warp meet in, in the third step of two
// trees.
func banks(r *repository) (picture, error) {
	const threads, step, left, wide, high = 256, 3, 52.0, 24.0, 21.0
	c := figure.New(left+32*wide+12, 336,
		"One load of a warp from shared memory: lanes that want different words of one bank wait for one another")
	y := 30.0
	for _, k := range []struct{ entry, title string }{
		{"Conflicting_float32", "Conflicting"},
		{"Sequential_float32", "Sequential"},
	} {
		words, err := firstLoad(r, rung(k.entry, threads), step)
		if err != nil {
			return nil, err
		}
		passes, used := 1, [32]int{}
		for lane, word := range words {
			bank := word % 32
			used[bank]++
			passes = max(passes, used[bank])
			c.Cell(left+float64(bank)*wide, y+24+float64(used[bank]-1)*high, wide, high, fmt.Sprint(lane),
				figure.Shape{Fill: figure.Tints[1], Stroke: figure.Paper}, figure.Letters{Size: 12})
		}
		c.Text(12, y-8, fmt.Sprintf("%s: the lanes' words are %d apart, so the load takes %s", k.title,
			words[1]-words[0], count.Of(passes, "pass")), figure.Letters{Size: 13, Bold: true})
		c.Text(12, y+14, "bank", figure.Letters{Size: 11, Color: figure.Faint})
		c.Text(12, y+39, "lanes", figure.Letters{Size: 12})
		for bank := range 32 {
			c.Text(left+(float64(bank)+0.5)*wide, y+14, fmt.Sprint(bank),
				figure.Letters{Size: 11, Color: figure.Faint, Anchor: figure.Middle})
			c.Rect(left+float64(bank)*wide, y+22, wide, float64(passes)*high+4, figure.Shape{Stroke: figure.Rule})
		}
		y += float64(passes)*high + 74
	}
	return c, nil
}

// firstLoad runs a launch of one block and repasses the words of shared memory, by lane, that the
// first full load after a number of barriers reads.
func firstLoad(r *repository, l launch, barriers int) ([]int, error) {
	var words []int
	err := r.run(l, func([]buffer) observe {
		return func(e event.Event) {
			switch e := e.(type) {
			case *event.BarrierComplete:
				barriers--
			case *event.Access:
				if barriers != 0 || words != nil || e.Space != ptx.SharedSpace || e.Mask != 1<<abi.WarpSize-1 {
					return
				}
				for lane := range lanes(e.Mask) {
					words = append(words, int(e.Addrs[lane]/4))
				}
			}
		}
	})
	return words, err
}
