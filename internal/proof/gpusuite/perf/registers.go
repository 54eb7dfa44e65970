package perf

import "github.com/gridstride/gridstride/gpu"

// tileSide is the rows, and the columns, of the sums that the kernels below keep in registers, like
// the kernels of examples/ladder/matmul/fast.
const tileSide = 8

// OneOperand does rounds of 64 multiply-adds in each thread, on registers alone. This kernel and
// the next two differ in how many registers a multiply-add reads that the one before it did not:
// here its sum alone. x has 32 numbers. sums gets a number a thread.
//
//gpu:kernel block=256 T=float32,float64
func OneOperand[T gpu.Float](x, sums []T, rounds int) {
	multiplyAdds(x, sums, rounds, func(r, s int) (i, j int) { return 0, 0 })
}

// TwoOperands reads another one: a tile of a matrix product, row after row.
//
//gpu:kernel block=256 T=float32,float64
func TwoOperands[T gpu.Float](x, sums []T, rounds int) {
	multiplyAdds(x, sums, rounds, func(r, s int) (i, j int) { return r, s })
}

// ThreeOperands reads three: no two multiply-adds that follow each other have a factor in common.
//
//gpu:kernel block=256 T=float32,float64
func ThreeOperands[T gpu.Float](x, sums []T, rounds int) {
	multiplyAdds(x, sums, rounds, func(r, s int) (i, j int) { return (tileSide*r + s) % 16, 5 * (tileSide*r + s) % 16 })
}

// multiplyAdds adds the product of factors i and j to the sum at row r and column s.
func multiplyAdds[T gpu.Float](x, sums []T, rounds int, factors func(r, s int) (i, j int)) {
	var a, b [16]T
	for i := range 16 {
		a[i], b[i] = x[i], x[16+i]
	}
	var sum [tileSide][tileSide]T
	for range rounds {
		for r := range tileSide {
			for s := range tileSide {
				i, j := factors(r, s)
				sum[r][s] = gpu.FMA(a[i], b[j], sum[r][s])
			}
		}
	}
	var all T
	for r := range tileSide {
		for s := range tileSide {
			all += sum[r][s]
		}
	}
	sums[gpu.BlockIdx.X*gpu.BlockDim.X+gpu.ThreadIdx.X] = all
}
