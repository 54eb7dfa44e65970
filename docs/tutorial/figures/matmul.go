package main

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/abi"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/tools/figure"
)

// tiles draws which elements of A and B a block with tiles of 4 by 4 loads in which step, and which
// of C it stores.
func tiles(r *repository) (picture, error) {
	const n, side, gap, left, top = 10, 25.0, 34.0, 12.0, 34.0
	size := n * side
	l := launch{file: "examples/ladder/matmul/kernels_gen.ptx.zst", entry: "Tiled4_float32", grid: [3]int{3, 3, 1},
		block: [3]int{4, 4, 1},
		args:  []any{slice{n * n, 4}, slice{n * n, 4}, slice{n * n, 4}, n, n, n}}
	steps, err := tileSteps(r, l, [3]int{1, 1, 0})
	if err != nil {
		return nil, err
	}
	c := figure.New(2*left+2*size+gap+150, top+2*size+gap+12,
		"For its tile of C a block goes along a row of tiles of A and down a column of tiles of B, one of each in a "+
			"step")
	places := [3][2]float64{{left, top + size + gap}, {left + size + gap, top}, {left + size + gap, top + size + gap}}
	for m, name := range []string{"A", "B", "C"} {
		x0, y0 := places[m][0], places[m][1]
		c.Text(x0, y0-8, fmt.Sprintf("%s, %d×%d", name, n, n), figure.Letters{Size: 14, Bold: true})
		for i := range n * n {
			shape := figure.Shape{Fill: figure.Idle, Stroke: figure.Paper}
			text := ""
			if step, ok := steps[m][i]; ok {
				shape.Fill, text = figure.Tints[2*step+1], fmt.Sprint(step+1)
				if m == 2 {
					shape.Fill, text = figure.Tints[7], ""
				}
			}
			c.Cell(x0+float64(i%n)*side, y0+float64(i/n)*side, side, side, text, shape, figure.Letters{Size: 12})
		}
		for k := 0.0; k <= n; k += 4 {
			c.Line(x0+k*side, y0, x0+k*side, y0+size, figure.Shape{Stroke: figure.Faint})
			c.Line(x0, y0+k*side, x0+size, y0+k*side, figure.Shape{Stroke: figure.Faint})
		}
		c.Rect(x0, y0, size, size, figure.Shape{Stroke: figure.Ink})
	}
	notes := left + 2*size + gap + 14
	for step := range 3 {
		c.Rect(notes, top+float64(step)*30, 20, 20, figure.Shape{Fill: figure.Tints[2*step+1]})
		c.Text(notes+28, top+15+float64(step)*30, fmt.Sprintf("step %d", step+1), figure.Letters{Size: 13})
	}
	c.Rect(notes, top+size+gap, 20, 20, figure.Shape{Fill: figure.Tints[7]})
	c.Text(notes+28, top+size+gap+15, "block (1,1) of C", figure.Letters{Size: 13})
	return c, nil
}

// tileSteps runs a launch and returns, for A, B and C, the elements that one block loads or stores,
// and the step in which it does. A step has two barriers.
func tileSteps(r *repository, l launch, block [3]int) ([3]map[int]int, error) {
	steps := [3]map[int]int{{}, {}, {}}
	barriers := 0
	err := r.run(l, func(buffers []buffer) observe {
		return func(e event.Event) {
			switch e := e.(type) {
			case *event.BarrierComplete:
				if e.Block.Index == block {
					barriers++
				}
			case *event.Access:
				if e.Space != ptx.GlobalSpace || e.Block.Index != block {
					return
				}
				for lane := range lanes(e.Mask) {
					for m, b := range buffers {
						if i, ok := b.index(e.Addrs[lane]); ok {
							steps[m][i] = barriers / 2
						}
					}
				}
			}
		}
	})
	return steps, err
}

// registers draws which warp computes which elements of a tile of C of 128 by 128, and which of
// them one thread has in its registers.
func registers(r *repository) (picture, error) {
	const n, thread, left, top, px = 128, 3*32 + 13, 12.0, 12.0, 3.5
	owner, err := cOwners(r, launch{file: "examples/ladder/matmul/fast/kernels_gen.ptx.zst", entry: "Registers32", grid: x(1),
		block: x(256),
		args:  []any{slice{n * 8 / 4, 16}, slice{8 * n / 4, 16}, slice{n * n, 4}, n, 8, n}}, n*n)
	if err != nil {
		return nil, err
	}
	c := figure.New(2*left+n*px+190, 2*top+n*px,
		"A tile of C of 128 by 128: its 8 warps have a part each, and each thread 8 by 8 elements in its registers")
	for warp := range 8 {
		for _, a := range areas(n, func(i int) bool { return owner[i]/abi.WarpSize == warp }) {
			c.Rect(left+float64(a[0])*px, top+float64(a[1])*px, float64(a[2])*px, float64(a[3])*px,
				figure.Shape{Fill: figure.Tints[warp], Stroke: figure.Paper})
		}
	}
	for _, a := range areas(n, func(i int) bool { return owner[i] == thread }) {
		c.Rect(left+float64(a[0])*px, top+float64(a[1])*px, float64(a[2])*px, float64(a[3])*px,
			figure.Shape{Fill: figure.Ink})
	}
	notes := left + n*px + 18
	for warp := range 8 {
		c.Rect(notes, top+float64(warp)*28, 18, 18, figure.Shape{Fill: figure.Tints[warp]})
		c.Text(notes+26, top+14+float64(warp)*28, fmt.Sprintf("warp %d", warp), figure.Letters{Size: 13})
	}
	c.Rect(notes, top+8*28+8, 18, 18, figure.Shape{Fill: figure.Ink})
	c.Text(notes+26, top+8*28+22, fmt.Sprintf("lane %d of warp %d", thread%abi.WarpSize, thread/abi.WarpSize),
		figure.Letters{Size: 13})
	return c, nil
}

// cOwners runs a launch of one block and returns the thread that stores each element of the third
// slice.
func cOwners(r *repository, l launch, n int) ([]int, error) {
	owner := make([]int, n)
	err := r.run(l, func(buffers []buffer) observe {
		return func(e event.Event) {
			if a, ok := e.(*event.Access); ok && a.Kind == event.Store && a.Space == ptx.GlobalSpace {
				for lane := range lanes(a.Mask) {
					first, ok := buffers[2].index(a.Addrs[lane])
					for k := 0; ok && k < a.Size/4; k++ { // a store may be of several elements
						owner[first+k] = a.Thread(lane)
					}
				}
			}
		}
	})
	return owner, err
}

// areas cuts the elements of an n by n matrix that are in into rectangles: x, y, width, height.
func areas(n int, in func(i int) bool) [][4]int {
	var list [][4]int
	open := map[[2]int]int{} // x and width of the rectangles that reach the row above, to their place in the list
	for y := range n {
		next := map[[2]int]int{}
		for x := 0; x < n; x++ {
			start := x
			for x < n && in(y*n+x) {
				x++
			}
			if x == start {
				continue
			}
			key := [2]int{start, x - start}
			at, ok := open[key]
			if !ok {
				at = len(list)
				list = append(list, [4]int{start, y, x - start, 0})
			}
			list[at][3]++
			next[key] = at
		}
		open = next
	}
	return list
}
