package main

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/tools/figure"
)

// sum is a thread's store to shared memory, and the places that it had loaded for that.
type sum struct {
	place, thread int
	value         float32
	from          []int
}

// reduction runs a launch of one block and returns what its threads stored in shared memory, a
// float32 each, between one barrier and the next.
func reduction(r *repository, l launch) ([][]sum, error) {
	steps := [][]sum{nil}
	loaded := map[int][]int{} // by thread
	see := func(e event.Event) {
		switch e := e.(type) {
		case *event.BarrierComplete:
			steps = append(steps, nil)
		case *event.Access:
			if e.Space != ptx.SharedSpace {
				return
			}
			for lane := range lanes(e.Mask) {
				place, thread := int(e.Addrs[lane]/4), e.Thread(lane)
				if e.Kind == event.Load {
					loaded[thread] = append(loaded[thread], place)
					continue
				}
				value := math.Float32frombits(binary.LittleEndian.Uint32(e.Bytes(lane)))
				steps[len(steps)-1] = append(steps[len(steps)-1], sum{place, thread, value, loaded[thread]})
				delete(loaded, thread)
			}
		}
	}
	err := r.run(l, func([]buffer) observe { return see })
	for len(steps) > 0 && steps[len(steps)-1] == nil { // after the last barrier
		steps = steps[:len(steps)-1]
	}
	return steps, err
}

// tree draws the tree of sums of the kernel of examples/dot, in a block of 16 threads.
func tree(r *repository) (picture, error) {
	const threads, left, top, wide, high, row = 16, 118.0, 44.0, 40.0, 24.0, 58.0
	ones, ramp := make([]float32, threads), make([]float32, threads)
	for i := range threads {
		ones[i], ramp[i] = 1, float32(i)
	}
	steps, err := reduction(r, launch{file: "examples/dot/kernels_gen.ptx", entry: "Partial_float32",
		grid: x(1), block: x(threads), args: []any{ones, ramp, slice{1, 4}}})
	if err != nil {
		return nil, err
	}
	c := figure.New(left+threads*wide+66, top+float64(len(steps))*row-18,
		"The tree of sums in shared memory: in each step the lower half of the threads adds the upper half, until "+
			"one sum is left")
	middle := func(place int) float64 { return left + (float64(place)+0.5)*wide }
	c.Text(12, 26, "cache[…]", figure.Letters{Size: 12, Color: figure.Faint, Code: true})
	for i := range threads {
		c.Text(middle(i), 26, fmt.Sprint(i), figure.Letters{Size: 12, Color: figure.Faint, Anchor: figure.Middle})
	}
	for k, sums := range steps {
		y := top + float64(k)*row
		note := fmt.Sprintf("%d threads add", len(sums))
		if k == 0 {
			note = "all store"
		} else if len(sums) == 1 {
			note = "1 thread adds"
		}
		c.Text(12, y+16, note, figure.Letters{Size: 13})
		if k > 0 {
			c.Line(12, y-row+high+6, left+threads*wide+4, y-row+high+6, figure.Shape{Stroke: figure.Rule, Dashed: true})
			c.Text(left+threads*wide+8, y-row+high+10, "barrier", figure.Letters{Size: 12, Color: figure.Faint})
		}
		for _, s := range sums {
			for _, from := range s.from {
				c.Arrow(middle(from), y-row+high+1, middle(s.place), y-1, figure.Shape{Stroke: figure.Faint})
			}
		}
		for _, s := range sums {
			c.Cell(middle(s.place)-wide/2+2, y, wide-4, high, fmt.Sprint(s.value), figure.Shape{Fill: figure.Tints[0]},
				figure.Letters{Size: 13})
		}
	}
	return c, nil
}
