package tutorial

import (
	"context"
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/check"
	"github.com/gridstride/gridstride/internal/checking"
	"github.com/gridstride/gridstride/kernels/dot"
	"github.com/gridstride/gridstride/kernels/matmul"
)

// count opens a simulated device that counts, calls f with it and a stream, and returns what the launches did.
func count(f func(dev *gridstride.Device, s *gridstride.Stream) error) (total check.Counts, err error) {
	cfg := &checking.Config{
		Options: check.Options{Tools: []check.Tool{check.Memcheck}, Orders: 1, Profile: true},
		Report: func(r *check.Report) {
			for _, p := range r.Profiles {
				total.Add(&p.Total)
			}
		},
	}
	dev, err := gridstride.Open(gridstride.Use("sim"), checking.Option(cfg).(gridstride.Option))
	if err != nil {
		return total, err
	}
	defer dev.Close()
	s := dev.Stream()
	defer s.Close()
	if err := f(dev, s); err != nil {
		return total, err
	}
	return total, s.Wait(context.Background())
}

// ladder counts what each rung of the ladder does with n elements and that many blocks at most, and calls f with it.
func ladder(n, grid int, f func(v dot.Variant[float32], c check.Counts) error) error {
	for _, v := range dot.Variants[float32]() {
		if v.MaxBlock == 1 {
			continue
		}
		c, err := count(func(dev *gridstride.Device, s *gridstride.Stream) error {
			plan, err := dot.NewPlan(dev, v, n, dot.Options{Grid: grid})
			if err != nil {
				return err
			}
			x, err := gridstride.CopyOf(dev, make([]float32, n))
			if err != nil {
				return err
			}
			return plan.Launch(s, x, x)
		})
		if err == nil {
			err = f(v, c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// treeTable sets the counters of a block with one element a thread, where the tree is most of the work, beside the times.
func treeTable() (string, error) {
	const n, block = 1 << 14, 256
	var t table
	t.row("", "instructions", "active lanes", "divergent branches", "passes of shared memory", "waits at barriers")
	err := ladder(n, 0, func(v dot.Variant[float32], c check.Counts) error {
		each := func(count uint64) string { return fmt.Sprintf("%.0f", float64(count)/(n/block)) }
		t.row("`"+v.Name+"`", each(c.Instructions), fmt.Sprintf("%.1f", float64(c.LaneInstructions)/float64(c.Instructions)), each(c.Divergent),
			each(c.SharedPasses), each(c.BarrierWaits))
		return nil
	})
	return t.String(), err
}

// memoryTable sets the counters of many elements a thread, where reading them is most of the work, beside the speed.
func memoryTable() (string, error) {
	const n, file = 1 << 18, "2026-11-21-h200-kernels.json"
	var t table
	t.row("", "bytes of memory", "bytes a request", "instructions", "passes of shared memory", "GB/s")
	err := ladder(n, 16, func(v dot.Variant[float32], c check.Counts) error {
		speed, err := metric(file, fmt.Sprintf("BenchmarkDot/%s/%d", v.Name, 1<<28), "GB/s")
		if err != nil {
			return err
		}
		each := func(count uint64) string { return fmt.Sprintf("%.2f", float64(count)/n) }
		t.row("`"+v.Name+"`", each(32*c.GlobalSectors), fmt.Sprintf("%.0f", 32*float64(c.GlobalSectors)/float64(c.GlobalRequests)),
			each(c.Instructions), each(c.SharedPasses), fmt.Sprintf("%.0f", speed))
		return nil
	})
	return t.source(file, "counts: for each element"), err
}

// matmulTable sets the counters of matrix products beside their speed.
func matmulTable() (string, error) {
	const n, file = 128, "2026-11-21-h200-kernels.json"
	var t table
	t.row("", "bytes of global memory", "passes of shared memory", "instructions", "GFLOP/s")
	for _, v := range matmul.Variants[float32]() {
		c, err := count(func(dev *gridstride.Device, s *gridstride.Stream) error { return square(dev, s, v, n) })
		if err != nil {
			return "", err
		}
		speed, err := metric(file, "BenchmarkMultiply/float32/"+v.Name+"/4096", "GFLOP/s")
		if err != nil {
			return "", err
		}
		each := float64(n * n * n / gpu.WarpSize) // multiply-adds of a warp
		t.row("`"+v.Name+"`", fmt.Sprintf("%.1f", 32*float64(c.GlobalSectors)/each), fmt.Sprintf("%.2f", float64(c.SharedPasses)/each),
			fmt.Sprintf("%.1f", float64(c.Instructions)/each), fmt.Sprintf("%.0f", speed))
	}
	return t.source(file, "counts: for 32 multiply-adds, on the simulator, float32, 128×128 matrices; speed: 4096×4096 on an H200"), nil
}

// square launches a product of matrices of n by n zeros.
func square(dev *gridstride.Device, s *gridstride.Stream, v matmul.Variant[float32], n int) error {
	plan, err := matmul.NewPlan(dev, v)
	if err != nil {
		return err
	}
	var m [3]matmul.Matrix[float32]
	for i := range m {
		data, err := gridstride.CopyOf(dev, make([]float32, n*n))
		if err != nil {
			return err
		}
		m[i] = matmul.Matrix[float32]{Rows: n, Cols: n, Data: data}
	}
	return plan.Launch(s, m[0], m[1], m[2])
}
