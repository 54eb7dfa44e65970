package tutorial

import (
	"fmt"

	"github.com/gridstride/gridstride/docs/tutorial/counts"
	"github.com/gridstride/gridstride/gpu"
)

// treeTable shows the counters of a block with one element a thread, where the tree is most of the work.
func treeTable() (string, error) {
	const n, block = 1 << 15, 256
	list, err := counts.Ladder(n, 0)
	if err != nil {
		return "", err
	}
	var t table
	t.row("", "instructions", "active lanes", "divergent branches", "passes of shared memory", "waits at barriers")
	for _, v := range list {
		each := func(count uint64) string { return fmt.Sprintf("%.0f", float64(count)/(n/block)) }
		t.row("`"+v.Name+"`", each(v.Instructions), fmt.Sprintf("%.1f", v.ActiveLanes()), each(v.Divergent), each(v.SharedPasses), each(v.BarrierWaits))
	}
	return t.String(), nil
}

// memoryTable sets the counters of many elements a thread, where reading them is most of the work, beside the speed.
func memoryTable() (string, error) {
	const n, grid, file = 1 << 18, 16, "2026-11-21-h200-kernels.json"
	list, err := counts.Ladder(n, grid)
	if err != nil {
		return "", err
	}
	var t table
	t.row("", "bytes of memory", "bytes a request", "instructions", "passes of shared memory", "GB/s")
	for _, v := range list {
		speed, err := metric(file, fmt.Sprintf("BenchmarkDot/%s/%d", v.Name, 1<<28), "GB/s")
		if err != nil {
			return "", err
		}
		each := func(count uint64) string { return fmt.Sprintf("%.2f", float64(count)/n) }
		t.row("`"+v.Name+"`", each(32*v.GlobalSectors), fmt.Sprintf("%.0f", 32*float64(v.GlobalSectors)/float64(v.GlobalRequests)),
			each(v.Instructions), each(v.SharedPasses), fmt.Sprintf("%.0f", speed))
	}
	return t.source(file, "counts: for each element"), nil
}

// matmulTable sets the counters of matrix products beside their speed.
func matmulTable() (string, error) {
	const n, file = 128, "2026-11-21-h200-kernels.json"
	list, err := counts.Products(n)
	if err != nil {
		return "", err
	}
	var t table
	t.row("", "bytes of global memory", "passes of shared memory", "instructions", "GFLOP/s")
	for _, v := range list {
		speed, err := metric(file, "BenchmarkMultiply/float32/"+v.Name+"/4096", "GFLOP/s")
		if err != nil {
			return "", err
		}
		each := float64(n * n * n / gpu.WarpSize) // multiply-adds of a warp
		t.row("`"+v.Name+"`", fmt.Sprintf("%.1f", 32*float64(v.GlobalSectors)/each), fmt.Sprintf("%.2f", float64(v.SharedPasses)/each),
			fmt.Sprintf("%.1f", float64(v.Instructions)/each), fmt.Sprintf("%.0f", speed))
	}
	return t.source(file, "counts: for 32 multiply-adds, on the simulator, float32, 128×128 matrices; speed: 4096×4096 on an H200"), nil
}
