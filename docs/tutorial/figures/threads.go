package main

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/abi"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/tools/figure"
)

const threadsPTX = "docs/tutorial/threads/kernels_gen.ptx"

// stride draws who has which element: a grid-stride loop, and chunks.
func stride(r *repository) (picture, error) {
	const n, blocks, threads, side, left = 27, 2, 4, 28.0, 12.0
	c := figure.New(left*2+n*side, 232, "27 elements, coloured by the thread that writes them: in a grid-stride "+
		"loop the threads take turns, with chunks each has a run")
	for i := range blocks * threads {
		at := left + float64(i)*94.5
		c.Cell(at, 12, 90, 24, fmt.Sprintf("block %d thread %d", i/threads, i%threads),
			figure.Shape{Fill: figure.Tints[i]}, figure.Letters{Size: 11})
	}
	for row, entry := range []string{"Stride", "Chunk"} {
		owner, err := owners(r, launch{file: threadsPTX, entry: entry, grid: x(blocks), block: x(threads),
			args: []any{slice{n, 4}}})
		if err != nil {
			return nil, err
		}
		y := 84 + float64(row)*92
		c.Text(left, y-10, []string{"grid stride: the grid's 8 threads step over the elements together",
			"chunks: each thread has neighbours"}[row], figure.Letters{Size: 13})
		for i, thread := range owner {
			c.Cell(left+float64(i)*side, y, side, side, fmt.Sprint(i),
				figure.Shape{Fill: figure.Tints[thread], Stroke: figure.Paper}, figure.Letters{Size: 12})
		}
		if row == 0 {
			for first := 0; first < n; first += blocks * threads {
				last := min(first+blocks*threads, n)
				from, to := left+float64(first)*side+2, left+float64(last)*side-2
				c.Line(from, y+side+6, to, y+side+6, figure.Shape{Stroke: figure.Faint})
				c.Text((from+to)/2, y+side+21, fmt.Sprintf("round %d", first/(blocks*threads)+1),
					figure.Letters{Size: 12, Anchor: figure.Middle, Color: figure.Faint})
			}
		}
	}
	return c, nil
}

// owners runs a kernel and returns which thread of the grid has stored each element of its slice.
func owners(r *repository, l launch) ([]int, error) {
	owner := make([]int, l.args[0].(slice).n)
	err := r.run(l, func(buffers []buffer) observe {
		return func(e event.Event) {
			if a, ok := e.(*event.Access); ok && a.Kind == event.Store && a.Space == ptx.GlobalSpace {
				for lane := range lanes(a.Mask) {
					if i, ok := buffers[0].index(a.Addrs[lane]); ok {
						owner[i] = a.Block.Linear*a.Block.Threads() + a.Thread(lane)
					}
				}
			}
		}
	})
	return owner, err
}

// sectors draws which elements the lanes of a warp store with one instruction, and in which sectors
// of memory they are.
func sectors(r *repository) (picture, error) {
	const n, inSector, inRow, cell, left = 256, 8, 16, 5.5, 12.0
	const width = inSector*cell + 4
	c := figure.New(left*2+inRow*width-4, 232,
		"The first store of a warp: in a grid-stride loop its 32 elements are in 4 sectors, with chunks in 32")
	for row, entry := range []string{"Stride", "Chunk"} {
		elements, err := firstStore(r, launch{file: threadsPTX, entry: entry, grid: x(1), block: x(abi.WarpSize),
			args: []any{slice{n, 4}}})
		if err != nil {
			return nil, err
		}
		y := 34 + float64(row)*112
		used := map[int]bool{}
		for i := range elements {
			used[i/inSector] = true
		}
		c.Text(left, y-10, fmt.Sprintf("%s: %d lanes store %d bytes in %d sectors, which are %d bytes",
			[]string{"grid stride", "chunks of 8"}[row], len(elements), 4*len(elements), len(used), 32*len(used)),
			figure.Letters{Size: 13})
		for s := range n / inSector {
			sx, sy := left+float64(s%inRow)*width, y+float64(s/inRow)*36
			fill := figure.Idle
			if used[s] {
				fill = figure.Tints[4]
			}
			c.Rect(sx, sy, inSector*cell, 28, figure.Shape{Fill: fill, Stroke: figure.Rule})
			for k := range inSector {
				if elements[s*inSector+k] {
					c.Rect(sx+float64(k)*cell, sy, cell, 28,
						figure.Shape{Fill: figure.Tints[7], Stroke: figure.Paper, Width: 0.5})
				}
			}
		}
	}
	return c, nil
}

// firstStore runs a kernel of one warp and returns the elements of its slice that the first store
// writes.
func firstStore(r *repository, l launch) (map[int]bool, error) {
	elements := map[int]bool{}
	err := r.run(l, func(buffers []buffer) observe {
		return func(e event.Event) {
			a, ok := e.(*event.Access)
			if !ok || a.Kind != event.Store || a.Space != ptx.GlobalSpace || len(elements) > 0 {
				return
			}
			for lane := range lanes(a.Mask) {
				if i, ok := buffers[0].index(a.Addrs[lane]); ok {
					elements[i] = true
				}
			}
		}
	})
	return elements, err
}
