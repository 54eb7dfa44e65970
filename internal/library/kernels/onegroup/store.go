package onegroup

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// Result is where a product's sums go: C, and C as pairs where its rows begin at multiples of
// these, and the factors.
type Result[S, V any] struct {
	C           []S
	Pairs       []V
	Alpha, Beta S
}

// store writes the sums of a thread in a row of C, from a column on: in count pairs, each eight
// columns after the one before.
func store[S gpu.Number, V any](to *Result[S, V], s *warpgroups.Shape, batch, row, col, count int, sum func(j int) (x, y S),
	pair func(x, y S) V, mix func(sum, beta, old S) S,
) {
	if row >= s.M {
		return
	}
	at, left := batch*s.BatchC+row*s.RowC+col, s.N-col
	if len(to.Pairs) > 0 && to.Beta == 0 && left >= 8*count-6 {
		cv := to.Pairs[at/2:]
		for j := range count {
			x, y := sum(j)
			cv[4*j] = pair(to.Alpha*x, to.Alpha*y)
		}
		return
	}
	c := to.C[at:]
	for j := range count {
		x, y := sum(j)
		one(c, 8*j, left, to.Alpha*x, to.Beta, mix)
		one(c, 8*j+1, left, to.Alpha*y, to.Beta, mix)
	}
}

// one writes element i, if i is below left.
func one[S gpu.Number](c []S, i, left int, sum, beta S, mix func(sum, beta, old S) S) {
	if i >= left {
		return
	}
	if beta != 0 {
		sum = mix(sum, beta, c[i])
	}
	c[i] = sum
}

// StoreFloats writes the sums of a thread in a row of C, from a column on: in count pairs, each
// eight columns after the one before.
func StoreFloats(to *Result[float32, gpu.Float32x2], s *warpgroups.Shape, batch, row, col, count int, sum func(j int) (x, y float32)) {
	store(to, s, batch, row, col, count, sum, func(x, y float32) gpu.Float32x2 { return gpu.Float32x2{X: x, Y: y} },
		func(sum, beta, old float32) float32 { return gpu.FMA(beta, old, sum) })
}

func storeInts(to *Result[int32, gpu.Int32x2], s *warpgroups.Shape, batch, row, col, count int, sum func(j int) (x, y int32)) {
	store(to, s, batch, row, col, count, sum, func(x, y int32) gpu.Int32x2 { return gpu.Int32x2{X: x, Y: y} },
		func(sum, beta, old int32) int32 { return sum + beta*old })
}

// each calls put for the rows of a warpgroup's sums that a thread has, which begin at a row and a
// column: with the row, the first column, and where the first of its pairs is in sums.
func each(row, col int, put func(row, col, first int)) {
	lane := gpu.LaneID()
	row += gpu.WarpID()%4*16 + lane/4
	col += lane % 4 * 2
	put(row, col, 0)
	put(row+8, col, 2)
}

// Write puts a warpgroup's sums into C.
func Write[C gpu.Sums64[float32]](sum *C, to *Result[float32, gpu.Float32x2], s *warpgroups.Shape, groups, cols int) {
	row := (gpu.BlockIdx.X*groups + gpu.ThreadIdx.X/warpgroups.GroupSize) * warpgroups.GroupRows
	each(row, gpu.BlockIdx.Y*cols, func(row, col, first int) {
		StoreFloats(to, s, gpu.BlockIdx.Z, row, col, cols/8, func(j int) (x, y float32) { return (*sum)[4*j+first], (*sum)[4*j+first+1] })
	})
}

// WriteInts is Write for int32.
func WriteInts[C gpu.Sums64[int32]](sum *C, to *Result[int32, gpu.Int32x2], s *warpgroups.Shape, groups, cols int) {
	row := (gpu.BlockIdx.X*groups + gpu.ThreadIdx.X/warpgroups.GroupSize) * warpgroups.GroupRows
	each(row, gpu.BlockIdx.Y*cols, func(row, col, first int) {
		storeInts(to, s, gpu.BlockIdx.Z, row, col, cols/8, func(j int) (x, y int32) { return (*sum)[4*j+first], (*sum)[4*j+first+1] })
	})
}
