package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/gridstride/gridstride"
)

// hazard is a classic bug: kernels that have it, and kernels in which it is repaired.
type hazard struct {
	name          string
	bug, repaired []program
}

// program is one launch of a kernel. It returns the kernel's result, and the right one.
type program struct {
	name string // the kernel's, and more if it has several launches
	run  func(ctx context.Context, dev *gridstride.Device) (got, want []int32, err error)
}

// hazards are all of them, in the order of the README.
var hazards = []hazard{
	{"the missing barrier", []program{sum("SumNoBarrier", LoadSumNoBarrier, 64, 1000)}, []program{sum("Sum", LoadSum, 64, 1000)}},
	{"the barrier that makes your GPU hang", []program{sum("SumHang", LoadSumHang, 64, 1000)}, []program{sum("Sum", LoadSum, 64, 1000)}},
	{
		"two threads and no barrier, one, two",
		[]program{
			products("ProductsNoBarrier", LoadProductsNoBarrier, 1), products("ProductsNoBarrier", LoadProductsNoBarrier, 32),
			products("ProductsOneBarrier", LoadProductsOneBarrier, 1), products("ProductsOneBarrier", LoadProductsOneBarrier, 32),
		},
		[]program{products("Products", LoadProducts, 1), products("Products", LoadProducts, 32)},
	},
	{
		"the unrolled last warp",
		[]program{sum("SumLastWarp", LoadSumLastWarp, 64, 1000)},
		[]program{sum("SumSyncWarp", LoadSumSyncWarp, 64, 1000), sum("SumShuffle", LoadSumShuffle, 64, 1000)},
	},
	{
		"the element that nobody wrote",
		[]program{sum("SumUninitialized", LoadSumUninitialized, 64, 100)},
		[]program{sum("SumInitialized", LoadSumInitialized, 64, 100)},
	},
	{
		"the block size that is no power of two",
		[]program{sum("SumHalves", LoadSumHalves, 100, 1000)},
		[]program{sum("SumAnySize", LoadSumAnySize, 100, 1000)},
	},
}

// sumKernel is the launcher of a kernel that sums.
type sumKernel interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, x, sums gridstride.Buffer[int32]) error
}

// sum adds 1, 2, … n with two blocks. The results are the blocks' sums, added.
func sum[K sumKernel](name string, load func(*gridstride.Device) (K, error), block, n int) program {
	const blocks = 2
	return program{name, func(ctx context.Context, dev *gridstride.Device) (got, want []int32, err error) {
		k, err := load(dev)
		if err != nil {
			return nil, nil, err
		}
		x := counting(n)
		launch := func(s *gridstride.Stream, in, out gridstride.Buffer[int32]) error {
			return k.Launch(s, gridstride.Grid(blocks).Block(block), in, out)
		}
		sums, err := run(ctx, dev, x, blocks, launch)
		return []int32{total(sums)}, []int32{total(x)}, err
	}}
}

// productKernel is the launcher of a kernel that multiplies neighbours.
type productKernel interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, x, y gridstride.Buffer[int32], apart int) error
}

// products multiplies the neighbours of 1, 2, … 7 with two threads that are so far apart.
func products[K productKernel](name string, load func(*gridstride.Device) (K, error), apart int) program {
	return program{fmt.Sprintf("%s/%d", name, apart), func(ctx context.Context, dev *gridstride.Device) (got, want []int32, err error) {
		k, err := load(dev)
		if err != nil {
			return nil, nil, err
		}
		x := counting(7)
		want = []int32{2, 2, 12, 12, 30, 30}
		launch := func(s *gridstride.Stream, in, out gridstride.Buffer[int32]) error {
			return k.Launch(s, gridstride.Grid(1).Block(apart+1), in, out, apart)
		}
		got, err = run(ctx, dev, x, len(want), launch)
		return got, want, err
	}}
}

// run launches a kernel from x to a buffer of n elements, and returns that.
func run(ctx context.Context, dev *gridstride.Device, x []int32, n int, launch func(s *gridstride.Stream, in, out gridstride.Buffer[int32]) error) ([]int32, error) {
	in, err := gridstride.CopyOf(dev, x)
	if err != nil {
		return nil, err
	}
	defer in.Free()
	out, err := gridstride.Make[int32](dev, n)
	if err != nil {
		return nil, err
	}
	defer out.Free()
	s := dev.Stream()
	if err := launch(s, in, out); err != nil {
		return nil, err
	}
	return out.Read(ctx, s, nil)
}

// counting is 1, 2, … n.
func counting(n int) []int32 {
	x := make([]int32, n)
	for i := range x {
		x[i] = int32(i + 1)
	}
	return x
}

func total(x []int32) int32 {
	var sum int32
	for _, v := range x {
		sum += v
	}
	return sum
}

// outcome runs a program and says in a few words how that went.
func (p program) outcome(ctx context.Context, dev *gridstride.Device) string {
	got, want, err := p.run(ctx, dev)
	switch {
	case err != nil:
		return fmt.Sprintf("fails: %v", err)
	case slices.Equal(got, want):
		return "right"
	}
	return fmt.Sprintf("wrong: %v, and %v is right", got, want)
}
