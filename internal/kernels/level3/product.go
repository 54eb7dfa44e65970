package level3

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//go:generate go tool gridstride build

// Triangle says which elements of C are computed.
type Triangle int32

// All of them, those of the upper triangle, or those of the lower one, with the diagonal.
const (
	Whole Triangle = iota
	Upper
	Lower
)

// Shape says where the matrices of products lie. A is M by K as it is used, B is K by N, C is M by
// N. A row in memory begins so many V behind the one before, for C so many elements; and so do the
// matrices of the next product of a batch. Of k, a block takes the KPart from BlockIdx.Z*KPart on.
type Shape struct {
	M, N, K, KPart         int
	RowA, RowB, RowC       int
	BatchA, BatchB, BatchC int
	Triangle               Triangle
}

// large32NN and its like compute C = alpha*A*B + beta*C. The letters say whether A and B are
// transposed: where N stands, they are not. They load 16 bytes at a time: in memory, A and B are
// multiples of 4 elements long where elements lie side by side, and begin at a multiple of 16
// bytes. With a beta of 0, C is not read. cv is C as vectors of 16 bytes, where its rows begin at
// multiples of these, and otherwise empty.
//
// Launch with one block for each tile of C, and in the second dimension one for each product. The
// indices are inside the matrices by construction, for the sizes that the Plan checks: no index is
// checked here. So it is for all kernels here.
//
//gpu:kernel block=128 minblocks=2
//gpu:nobounds
func large32NN(a, b []gpu.Float32x4, c []float32, cv []gpu.Float32x4, s Shape, alpha, beta float32) {
	product(gpu.Shared[[words32]float32]()[:], a, b, c, cv, s, alpha, beta, largeTile(), 4, true, false, gpu.Float32x4.Lane)
}

//gpu:kernel block=128 minblocks=2
//gpu:nobounds
func large32NT(a, b []gpu.Float32x4, c []float32, cv []gpu.Float32x4, s Shape, alpha, beta float32) {
	product(gpu.Shared[[words32]float32]()[:], a, b, c, cv, s, alpha, beta, largeTile(), 4, true, true, gpu.Float32x4.Lane)
}

//gpu:kernel block=128 minblocks=2
//gpu:nobounds
func large32TN(a, b []gpu.Float32x4, c []float32, cv []gpu.Float32x4, s Shape, alpha, beta float32) {
	product(gpu.Shared[[words32]float32]()[:], a, b, c, cv, s, alpha, beta, largeTile(), 4, false, false, gpu.Float32x4.Lane)
}

//gpu:kernel block=128 minblocks=2
//gpu:nobounds
func large32TT(a, b []gpu.Float32x4, c []float32, cv []gpu.Float32x4, s Shape, alpha, beta float32) {
	product(gpu.Shared[[words32]float32]()[:], a, b, c, cv, s, alpha, beta, largeTile(), 4, false, true, gpu.Float32x4.Lane)
}

// half32, medium32, small32 and tiny32 are large32NN and its like with smaller tiles, of which
// there are more: products that are not large occupy all multiprocessors. deepA and deepB say
// whether elements lie side by side along k in memory.
//
//gpu:kernel block=256
//gpu:nobounds
func half32(a, b []gpu.Float32x4, c []float32, cv []gpu.Float32x4, s Shape, alpha, beta float32, deepA, deepB bool) {
	product(gpu.Shared[[words32]float32]()[:], a, b, c, cv, s, alpha, beta, halfTile(), 4, deepA, deepB, gpu.Float32x4.Lane)
}

//gpu:kernel block=128 minblocks=3
//gpu:nobounds
func medium32(a, b []gpu.Float32x4, c []float32, cv []gpu.Float32x4, s Shape, alpha, beta float32, deepA, deepB bool) {
	product(gpu.Shared[[words32]float32]()[:], a, b, c, cv, s, alpha, beta, mediumTile(), 4, deepA, deepB, gpu.Float32x4.Lane)
}

//gpu:kernel block=128 minblocks=4
//gpu:nobounds
func tiny32(a, b []gpu.Float32x4, c []float32, cv []gpu.Float32x4, s Shape, alpha, beta float32, deepA, deepB bool) {
	product(gpu.Shared[[words32]float32]()[:], a, b, c, cv, s, alpha, beta, tinyTile(), 4, deepA, deepB, gpu.Float32x4.Lane)
}

// small32 also has several blocks share the k of a tile, those of the third dimension: the last one
// to be done adds up what all have left. partial has room for a tile for each block; tickets has
// one for each tile, 0 before, and after. Where there is one block a tile, neither is used.
//
//gpu:kernel block=128 minblocks=3
//gpu:nobounds
func small32(a, b []gpu.Float32x4, c []float32, cv []gpu.Float32x4, s Shape, alpha, beta float32, deepA, deepB bool,
	partial []float32, tickets []uint32,
) {
	at, ok := place(s, smallTile())
	if !ok {
		return
	}
	var sum sums[float32]
	accumulate(&sum, gpu.Shared[[words32]float32]()[:], a, b, s, at, smallTile(), 4, deepA, deepB, gpu.Float32x4.Lane)
	if gpu.GridDim.Z > 1 && !meet(&sum, at.slice, smallTile(), partial, tickets) {
		return
	}
	if at.slice == 0 {
		write(&sum, c[gpu.BlockIdx.Y*s.BatchC:], cv, s, at, smallTile(), alpha, beta)
	}
}

// any32 is large32NN and its like for matrices that begin anywhere.
//
//gpu:kernel block=256 minblocks=2
//gpu:nobounds
func any32(a, b, c []float32, s Shape, alpha, beta float32, deepA, deepB bool) {
	product(gpu.Shared[[words32]float32]()[:], a, b, c, []gpu.Float32x4(nil), s, alpha, beta, anyTile(), 1, deepA, deepB, only[float32])
}

// any64 is any32 for float64: a multiply-add takes twice as long, and longer loads would not
// shorten that. The arithmetic is that of the plain units, not of the tensor cores.
//
//gpu:kernel block=256
//gpu:nobounds
func any64(a, b, c []float64, s Shape, alpha, beta float64, deepA, deepB bool) {
	product(gpu.Shared[[words64]float64]()[:], a, b, c, []gpu.Float64x2(nil), s, alpha, beta, tile64(), 1, deepA, deepB, only[float64])
}

// only is the one lane of a number.
func only[T gpu.Float](v T, _ int) T { return v }

// product is the body of the kernels. A and B come from memory as V, which has so many lanes, of
// which lane takes one.
func product[T gpu.Float, V any, W gpu.FloatVector[T, W]](shared []T, a, b []V, c []T, cv []W, s Shape, alpha, beta T,
	t tiling, lanes int, deepA, deepB bool, lane func(v V, i int) T,
) {
	at, ok := place(s, t)
	if !ok {
		return
	}
	var sum sums[T]
	accumulate(&sum, shared, a, b, s, at, t, lanes, deepA, deepB, lane)
	if at.slice == 0 {
		write(&sum, c[gpu.BlockIdx.Y*s.BatchC:], cv, s, at, t, alpha, beta)
	}
}

// accumulate adds up the sums of the thread's elements of C. Of a tile's threads, those of slice 0
// have them in the end.
//
// While a block multiplies a stage of A and B, the next is on its way from memory into registers,
// and from there into the other half of shared memory; while a thread multiplies a column of A's
// tile by a row of B's, the next are on their way from shared memory. The loads and stores stand
// between multiply-adds, for which the assembler leaves them. What brings the next stage is behind
// a branch, past which the assembler does not move it to where it is used.
func accumulate[T gpu.Float, V any](sum *sums[T], shared []T, a, b []V, s Shape, at position, t tiling, lanes int,
	deepA, deepB bool, lane func(v V, i int) T,
) {
	stage := t.slices * t.depth
	first := gpu.BlockIdx.Z * s.KPart
	end := min(s.K, first+s.KPart)
	batch := gpu.BlockIdx.Y
	countA, countB := t.rows*stage/lanes/t.threads, t.cols*stage/lanes/t.threads
	nextA := begin(a[batch*s.BatchA:], at.tileRow, s.M, first, s.RowA, lanes, t.rows, stage, t.threads, countA, deepA)
	nextB := begin(b[batch*s.BatchB:], at.tileCol, s.N, first, s.RowB, lanes, t.cols, stage, t.threads, countB, deepB)
	strideA, strideB := t.rows+pad, t.cols+pad
	sharedA, sharedB := shared, shared[2*stage*strideA:]
	x0, y0 := at.slice*t.depth*strideA+at.row, at.slice*t.depth*strideB+at.col

	var x [2][mostRows]T // one column is multiplied, one is on its way
	var y [2][perCols]T
	nextA.loadPart(first, end, lanes, countA, deepA)
	nextB.loadPart(first, end, lanes, countB, deepB)
	store(&nextA, sharedA, strideA, lanes, countA, deepA, lane)
	store(&nextB, sharedB, strideB, lanes, countB, deepB, lane)
	gpu.SyncThreads()
	for g := range t.groups() {
		operands(sharedA[x0:], sharedB[y0:], g, t, &x[0], &y[0])
	}
	rounds, whole := int32((end-first+stage-1)/stage), int32((end-first)/stage)
	buf := 0
	for round := int32(1); round <= rounds; round++ {
		if round < whole {
			nextA.load(lanes, countA)
			nextB.load(lanes, countB)
		} else if round < rounds {
			nextA.loadPart(first+int(round)*stage, end, lanes, countA, deepA)
			nextB.loadPart(first+int(round)*stage, end, lanes, countB, deepB)
		}
		for i := range t.depth {
			k := buf*stage + i + 1
			switch i {
			case t.depth - 2: // in the last round, what nobody reads
				store(&nextA, sharedA[(buf^1)*stage*strideA:], strideA, lanes, countA, deepA, lane)
				store(&nextB, sharedB[(buf^1)*stage*strideB:], strideB, lanes, countB, deepB, lane)
			case t.depth - 1:
				buf ^= 1
				gpu.SyncThreads()
				k = buf * stage
			}
			for g := range t.groups() {
				operands(sharedA[x0+k*strideA:], sharedB[y0+k*strideB:], g, t, &x[(i+1)%2], &y[(i+1)%2])
				multiply(&x[i%2], &y[i%2], sum, g*t.vector, t.vector)
			}
		}
	}
	if t.slices > 1 {
		gather(shared, sum, at.slice, t)
	}
}

// operands loads the g-th group of the thread's elements of a column of A's tile, and its share of
// those of a row of B's. They come as vectors of 16 bytes.
func operands[T gpu.Float](a, b []T, g int, t tiling, x *[mostRows]T, y *[perCols]T) {
	for h := g; h < perCols/t.vector; h += t.groups() {
		for i := range t.vector {
			y[h*t.vector+i] = b[t.col(h*t.vector+i)]
		}
	}
	for i := range t.vector {
		x[g*t.vector+i] = a[t.row(g*t.vector+i)]
	}
}

// multiply adds the products of some elements of x, and of y, to the thread's sums. Every second
// row goes backwards: multiply-adds that follow each other then always have one operand in common.
// The registers hand out two operands in the time of a multiply-add, which takes three; one that
// was just used need not be read again.
func multiply[T gpu.Float](x *[mostRows]T, y *[perCols]T, sum *sums[T], first, rows int) {
	for r := first; r < first+rows; r++ {
		for i := range perCols {
			q := i
			if r%2 == 1 {
				q = perCols - 1 - i
			}
			sum[r][q] = gpu.FMA(x[r], y[q], sum[r][q])
		}
	}
}

// gather adds the sums of the slices, in their order, in the threads of the first one. A word at a
// time: elements that lie side by side as vectors would have to be registers side by side, and
// multiply-adds then find two of their operands in one bank.
func gather[T gpu.Float](shared []T, sum *sums[T], slice int, t tiling) {
	threads := t.threads / t.slices
	shared = shared[gpu.ThreadIdx.X%threads:]
	for g := range t.groups() {
		gpu.SyncThreads()
		if slice > 0 {
			for i := range t.vector * perCols {
				shared[((slice-1)*t.vector*perCols+i)*threads] = sum[g*t.vector+i/perCols][i%perCols]
			}
		}
		gpu.SyncThreads()
		if slice == 0 {
			for w := range t.slices - 1 {
				for i := range t.vector * perCols {
					sum[g*t.vector+i/perCols][i%perCols] += shared[(w*t.vector*perCols+i)*threads]
				}
			}
		}
	}
}

// meet adds the sums of the blocks that share a tile, in their order, in the last one to be done,
// for which it is true.
func meet[T gpu.Float](sum *sums[T], slice int, t tiling, partial []T, tickets []uint32) bool {
	threads := t.threads / t.slices
	tile := gpu.BlockIdx.Y*gpu.GridDim.X + gpu.BlockIdx.X
	partial = partial[tile*gpu.GridDim.Z*t.rows*t.cols+gpu.ThreadIdx.X%threads:]
	if slice == 0 {
		for i := range t.threadRows * perCols {
			partial[gpu.BlockIdx.Z*t.rows*t.cols+i*threads] = sum[i/perCols][i%perCols]
		}
	}
	if !collective.LastOf(&tickets[tile], gpu.GridDim.Z) {
		return false
	}
	if slice == 0 {
		for i := range t.threadRows * perCols {
			sum[i/perCols][i%perCols] = 0
		}
		for z := range gpu.GridDim.Z {
			for i := range t.threadRows * perCols {
				sum[i/perCols][i%perCols] += partial[z*t.rows*t.cols+i*threads]
			}
		}
	}
	return true
}

// write puts the thread's sums into C.
func write[T gpu.Float, W gpu.FloatVector[T, W]](sum *sums[T], c []T, cv []W, s Shape, at position, t tiling, alpha, beta T) {
	row, col := at.tileRow+at.row, at.tileCol+at.col
	if len(cv) > 0 && s.Triangle == Whole && row+t.row(t.threadRows-1) < s.M && col+t.col(perCols-1) < s.N {
		cv = cv[gpu.BlockIdx.Y*s.BatchC/t.vector:]
		for r := range t.threadRows {
			for g := range perCols / t.vector {
				at := ((row+t.row(r))*s.RowC + col + t.col(g*t.vector)) / t.vector
				var v W
				if beta != 0 {
					v = cv[at]
				}
				for i := range t.vector {
					v = v.With(i, scaled(alpha, sum[r][g*t.vector+i], beta, v.Lane(i)))
				}
				cv[at] = v
			}
		}
		return
	}
	for r := 0; r < t.threadRows && row+t.row(r) < s.M; r++ {
		i := row + t.row(r)
		from, to := s.columns(i)
		for q := range perCols {
			j := col + t.col(q)
			if j < from || j >= to {
				continue
			}
			var old T
			if beta != 0 {
				old = c[i*s.RowC+j]
			}
			c[i*s.RowC+j] = scaled(alpha, sum[0][q], beta, old)
		}
		for above := range t.threadRows - 1 { // registers have no index: the next row moves up
			for q := range perCols {
				sum[above][q] = sum[above+1][q]
			}
		}
	}
}

// columns are those of row i of C that are computed, from the first one up to another.
func (s *Shape) columns(i int) (from, to int) {
	switch s.Triangle {
	case Upper:
		return i, s.N
	case Lower:
		return 0, min(i+1, s.N)
	}
	return 0, s.N
}

// scaled is alpha*sum + beta*old.
func scaled[T gpu.Float](alpha, sum, beta, old T) T {
	if beta == 0 {
		return alpha * sum
	}
	return gpu.FMA(beta, old, alpha*sum)
}
