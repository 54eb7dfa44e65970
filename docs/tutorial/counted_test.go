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
	return t.source("counts: for each element", file), nil
}

// matmulTable sets the counters of matrix products beside their speed, and that of cuBLAS.
func matmulTable() (string, error) {
	const n, measured = 128, 4096
	const first, later, rows = "2026-11-21-h200-kernels.json", "2026-11-21-h200-matmul.json", "matmul-float32"
	list, err := counts.Products(n)
	if err != nil {
		return "", err
	}
	var t table
	t.row("", "bytes of global memory", "passes of shared memory", "instructions", "GFLOP/s")
	for _, v := range list {
		speed, err := metric(first, fmt.Sprintf("BenchmarkMultiply/float32/%s/%d", v.Name, measured), "GFLOP/s")
		if v.Name == "registers" { // which has changed since
			speed, err = rate(later, rows, v.Name, measured)
		}
		if err != nil {
			return "", err
		}
		each := float64(n * n * n / gpu.WarpSize) // multiply-adds of a warp
		t.row("`"+v.Name+"`", fmt.Sprintf("%.1f", 32*float64(v.GlobalSectors)/each), fmt.Sprintf("%.2f", float64(v.SharedPasses)/each),
			fmt.Sprintf("%.1f", float64(v.Instructions)/each), fmt.Sprintf("%.0f", speed))
	}
	speed, err := rate(later, rows, "cublas", measured)
	if err != nil {
		return "", err
	}
	t.row("cuBLAS `Sgemm`", "", "", "", fmt.Sprintf("%.0f", speed))
	return t.source("counts: for 32 multiply-adds, on the simulator, float32, 128×128 matrices; speed: 4096×4096 on an H200", first, later), nil
}
