package main

import "github.com/gridstride/gridstride/internal/tour/lab"

// launches say how a page launches the kernels of the chapters: as the chapter does, or smaller.
var launches = map[string]lab.Launch{
	"docs/tutorial/threads Square":          line(7, 4, "s32[27]=ramp"),
	"docs/tutorial/threads SquareUnguarded": line(7, 4, "s32[27]=ramp"),
	"docs/tutorial/threads Stride":          line(2, 32, "s32[200]=zeros"),
	"docs/tutorial/threads Chunk":           line(2, 32, "s32[200]=zeros"),
	"examples/dot Partial":                  line(2, 256, "f32[1000]=ramp", "f32[1000]=ones", "f32[2]"),
	"examples/ladder/dot Shuffle":           line(2, 128, "f32[1000]=ramp", "f32[1000]=ones", "f32[2]"),
	"examples/hazards SumNoBarrier":         line(2, 0, "s32[1000]=ramp", "s32[2]"),
	"examples/hazards SumHang":              line(2, 0, "s32[1000]=ramp", "s32[2]"),
	"examples/hazards ProductsOneBarrier":   line(1, 33, "s32[7]=ramp", "s32[6]", "s64=32"),
	"examples/hazards SumLastWarp":          line(2, 0, "s32[1000]=ramp", "s32[2]"),
	"examples/hazards SumSyncWarp":          line(2, 0, "s32[1000]=ramp", "s32[2]"),
	"docs/tutorial/timing Iterate":          line(4, 64, "f32[256]=random:1", "s64=20"),
	"examples/ladder/dot Divergent":         line(2, 128, "f32[1000]=ramp", "f32[1000]=ones", "f32[2]"),
	"examples/ladder/dot Conflicting":       line(2, 256, "f32[1000]=ramp", "f32[1000]=ones", "f32[2]"),
	"examples/losses Sums":                  line(2, 0, "f32[1000]=random:1", "f32[1000]=random:2", "f32[8]"),
	"examples/ladder/matmul Naive":          product([]int{4, 3}, []int{8, 8}),
	"examples/ladder/matmul Tiled8":         product([]int{4, 3}, nil),
}

// runs are the kernels in which a page runs a function that is no kernel.
var runs = map[string]string{"examples/ladder/matmul tiled": "Tiled8"}

// product is a launch of a product of a matrix of 24x20 and one of 20x28.
func product(grid, block []int) lab.Launch {
	return lab.Launch{Grid: grid, Block: block, Args: []string{
		"f32[480]=random:1", "f32[560]=random:2", "f32[672]", "s64=24", "s64=20", "s64=28",
	}}
}

// line is a launch of one dimension. A block of 0 threads is the kernel's own.
func line(grid, block int, args ...string) lab.Launch {
	l := lab.Launch{Grid: []int{grid}, Args: args}
	if block > 0 {
		l.Block = []int{block}
	}
	return l
}
