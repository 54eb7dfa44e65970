package main

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/tour/lab"
)

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
	"examples/ladder/matmul/fast Registers32": {Grid: []int{1}, Args: []string{
		"f32x4[200]=random:1", "f32x4[280]=random:2", "f32[1120]", "s64=40", "s64=20", "s64=28",
	}},
	"docs/tutorial/words Cosines": line(3, 0, "f32[27]="+threeDocuments, "f32[9]=0,0,0,1,1,0,0,0,0", "f32[3]"),

	"examples/ladder/tensor Fragments":  {Grid: []int{1, 2}, Args: factors("bf16[1600]", "bf16[1200]", 40, 40, 30)},
	"examples/ladder/tensor Shared":     {Grid: []int{1, 1}, Args: factors("bf16[9600]", "bf16[7200]", 80, 120, 60)},
	"examples/ladder/tensor Double":     {Grid: []int{1, 1}, Args: factors("bf16[20480]", "bf16[15360]", 80, 256, 60)},
	"examples/ladder/tensor TMA":        {Grid: []int{1, 1}, Args: mapped("80x256", "60x256", "@128x64~128", 80, 256, 60)},
	"examples/ladder/tensor Warpgroups": {Grid: []int{1, 1}, Args: mapped("80x256", "60x256", "@128x64~128", 80, 256, 60)},
	"examples/ladder/tensor Roles":      {Grid: []int{1, 1}, Args: batched("1x128x320", "1x256x320", "@1x128x64~128", "@1x256x64~128", 128, 320, 256)},
	"examples/ladder/tensor Stores":     stores(),
	"docs/tutorial/pipeline Early":      line(1, 0, "bf16[1x64x256]=random:1@1x64x64~128", "bf16[1x64x256]=random:2@1x64x64~128", "f32[4096]", "s64=256"),
	"docs/tutorial/pipeline InTime":     line(1, 0, "bf16[1x64x256]=random:1@1x64x64~128", "bf16[1x64x256]=random:2@1x64x64~128", "f32[4096]", "s64=256"),
}

// threeDocuments are the counts of chapter 8: rows for heap, list and ring.
const threeDocuments = "0,0,1,0,1,0,1,1,2,1,0,0,1,1,0,0,0,0,1,1,0,0,0,1,0,0,0"

// factors are the arguments of a product of m rows of A and l rows of B, n numbers each.
func factors(a, b string, m, n, l int) []string {
	return append([]string{a + "=random:1", b + "=random:2"}, sizes(m, n, l)...)
}

// mapped are the same with tensor maps, whose boxes are as box says.
func mapped(a, b, box string, m, n, l int) []string { return batched(a, b, box, box, m, n, l) }

func batched(a, b, boxA, boxB string, m, n, l int) []string {
	return append([]string{"bf16[" + a + "]=random:1" + boxA, "bf16[" + b + "]=random:2" + boxB}, sizes(m, n, l)...)
}

func sizes(m, n, l int) []string {
	return []string{fmt.Sprintf("f32[%d]", m*l), fmt.Sprintf("s64=%d", m), fmt.Sprintf("s64=%d", n), fmt.Sprintf("s64=%d", l)}
}

// stores is a launch whose sums go to a tensor map, by two blocks of a cluster.
func stores() lab.Launch {
	args := batched("1x256x192", "1x256x192", "@1x128x64~128", "@1x128x64~128", 256, 192, 256)
	args[2] = "f32[256x256]@64x32~128"
	return lab.Launch{Grid: []int{2}, Args: args}
}

// runs are the kernels in which a page runs a function that is no kernel.
var runs = map[string]string{
	"examples/ladder/matmul tiled":         "Tiled8",
	"examples/ladder/matmul/fast multiply": "Registers32",
	"examples/ladder/tensor multiply":      "Shared",
	"examples/ladder/tensor stream":        "Double",
	"examples/ladder/tensor sumTile":       "Roles",
	"examples/ladder/tensor store":         "Stores",
}

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
