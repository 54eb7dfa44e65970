package main

import (
	"fmt"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/gpu/rand"
)

var spmvExhibit = exhibit{
	name: "spmv", file: "spmv.go", size: 2000, show: showSpMV,
	algorithm: "a sparse matrix times a vector, a warp for a row, after Bell and Garland",
	shows:     "work of different length for each warp, `collective.WarpSum`",
}

// SpMV computes y = A*x for a sparse matrix in compressed rows: row r has the elements starts[r] to
// starts[r+1] of values, and their columns are in columns. The lanes of a warp share a row, and
// read it side by side: N. Bell and M. Garland, "Implementing sparse matrix-vector multiplication
// on throughput-oriented processors", SC 2009. Launch with a warp for each row.
//
//gpu:kernel block=128 T=float32,float64
func SpMV[T gpu.Float](starts, columns []int32, values, x, y []T) {
	r := (gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X) / gpu.WarpSize
	if r >= len(y) {
		return
	}
	var sum T
	for i := int(starts[r]) + gpu.LaneID(); i < int(starts[r+1]); i += gpu.WarpSize {
		sum = gpu.FMA(values[i], x[columns[i]], sum)
	}
	sum = collective.WarpSum(sum)
	if gpu.LaneID() == 0 {
		y[r] = sum
	}
}

// spmvOnHost is SpMV's twin.
func spmvOnHost[T gpu.Float](starts, columns []int32, values, x []T) []T {
	y := make([]T, len(starts)-1)
	for r := range y {
		var lanes [gpu.WarpSize]T
		first, end := starts[r], starts[r+1]
		for i := first; i < end; i++ {
			lane := (i - first) % gpu.WarpSize
			lanes[lane] = gpu.FMA(values[i], x[columns[i]], lanes[lane])
		}
		y[r] = warpSum(lanes[:])
	}
	return y
}

func showSpMV(v *visit, n int) {
	starts, columns := graph(n)
	v.input = fmt.Sprintf("%d by %d, %d elements, float64", n, n, len(columns))
	hostValues, hostX := uniform[float64](len(columns), -1, 1), uniform[float64](n, -1, 1)
	deviceStarts, deviceColumns := copyOf(v, starts), copyOf(v, columns)
	values, x, y := copyOf(v, hostValues), copyOf(v, hostX), room[float64](v, n)
	kernel := load(v, LoadSpMV[float64])
	v.launch(func() error {
		return kernel.Launch(v.stream, blocksFor(n*gpu.WarpSize, 128), deviceStarts, deviceColumns, values, x, y)
	})
	compare(v, "row", y, spmvOnHost(starts, columns, hostValues, hostX))
}

// graph is a random graph of n vertices in compressed rows: the neighbours of vertex r are
// starts[r] to starts[r+1] of ends. A few vertices have many.
func graph(n int) (starts, ends []int32) {
	r := rand.New(2, uint64(n))
	starts = append(starts, 0)
	for range n {
		degree := r.IntN(8)
		if r.IntN(50) == 0 {
			degree = r.IntN(100)
		}
		for range degree {
			ends = append(ends, r.Int32N(int32(n)))
		}
		starts = append(starts, int32(len(ends)))
	}
	return starts, ends
}
