package tutorial

import (
	"fmt"

	"github.com/gridstride/gridstride/docs/tutorial/counts"
	"github.com/gridstride/gridstride/gpu"
)

// dotTimes is where the dot products' times are from.
const dotTimes = "2026-11-21-h200-bench-dot-float32.json"

// treeTable sets the counters of a block with one element a thread, where the tree is most of the
// work, next to the times.
func treeTable() (string, error) {
	const n, block, measured = 1 << 15, 256, 1 << 21
	list, err := counts.Ladder(n, 0)
	if err != nil {
		return "", err
	}
	var t table
	t.row("", "instructions", "active lanes", "divergent branches", "passes of shared memory", "waits at barriers",
		"µs")
	for _, v := range list {
		row, err := bench(dotTimes, v.Name, measured)
		if err != nil {
			return "", err
		}
		each := func(count uint64) string { return fmt.Sprintf("%.0f", float64(count)/(n/block)) }
		t.row("`"+v.Name+"`", each(v.Instructions), fmt.Sprintf("%.1f", v.ActiveLanes()), each(v.Divergent),
			each(v.SharedPasses), each(v.BarrierWaits),
			fmt.Sprintf("%.1f", 1e6*row.Seconds))
	}
	return t.source("counts: for 256 elements; times: 2²¹ elements on an H200", dotTimes), nil
}

// memoryTable sets the counters of many elements a thread, where reading them is most of the work,
// next to the speed.
func memoryTable() (string, error) {
	const n, grid, measured = 1 << 18, 16, 1 << 28
	list, err := counts.Ladder(n, grid)
	if err != nil {
		return "", err
	}
	var t table
	t.row("", "bytes of memory", "bytes a request", "instructions", "passes of shared memory", "GB/s")
	for _, v := range list {
		row, err := bench(dotTimes, v.Name, measured)
		if err != nil {
			return "", err
		}
		each := func(count uint64) string { return fmt.Sprintf("%.2f", float64(count)/n) }
		t.row("`"+v.Name+"`", each(32*v.GlobalSectors),
			fmt.Sprintf("%.0f", 32*float64(v.GlobalSectors)/float64(v.GlobalRequests)),
			each(v.Instructions), each(v.SharedPasses), fmt.Sprintf("%.0f", row.Rate))
	}
	return t.source("counts: for each element; speed: 2²⁸ elements on an H200", dotTimes), nil
}

// matmulTable sets the counters of matrix products next to their speed and cuBLAS's.
func matmulTable() (string, error) {
	const n, measured, file = 128, 4096, "2026-11-21-h200-bench-matmul-float32.json"
	list, err := counts.Products(n)
	if err != nil {
		return "", err
	}
	var t table
	t.row("", "bytes of global memory", "passes of shared memory", "instructions", "GFLOP/s")
	for _, v := range list {
		row, err := bench(file, v.Name, measured)
		if err != nil {
			return "", err
		}
		each := float64(n * n * n / gpu.WarpSize) // multiply-adds of a warp
		t.row("`"+v.Name+"`", fmt.Sprintf("%.1f", 32*float64(v.GlobalSectors)/each),
			fmt.Sprintf("%.2f", float64(v.SharedPasses)/each),
			fmt.Sprintf("%.1f", float64(v.Instructions)/each), fmt.Sprintf("%.0f", row.Rate))
	}
	row, err := bench(file, "cublas", measured)
	if err != nil {
		return "", err
	}
	t.row("cuBLAS `Sgemm`", "", "", "", fmt.Sprintf("%.0f", row.Rate))
	return t.source("counts: for 32 multiply-adds, on the simulator, float32, 128×128 matrices; speed: 4096×4096 on "+
		"an H200", file), nil
}
