package tile

import "github.com/gridstride/gridstride/gpu"

// Operand is A, or B, in memory, of Size rows of A or columns of B: Stride is the distance of two
// rows in memory, in V.
type Operand[V any] struct {
	Data         []V
	Size, Stride int
}

// Only is the one lane of a number.
func Only[T gpu.Number](v T, _ int) T { return v }

// FMA adds a product to a sum.
func FMA[T gpu.Float](x, y, sum T) T { return gpu.FMA(x, y, sum) }

// Accumulate adds up the sums of the thread's elements of C, of the products along k from first up
// to end. Slice 0's threads of a tile have them in the end. term adds the term of an element of A
// and one of B, which come from memory as V. lane takes one of a V's lanes.
//
// While a block multiplies a stage of A and B, the next is on its way from memory into registers,
// and from there into the other half of shared memory. While a thread multiplies a column of A's
// tile by a row of B's, the next are on their way from shared memory. The loads and stores are
// between multiply-adds, and the assembler does not move them. The loads of the next stage follow a
// branch, so that the assembler does not move them to their use.
func Accumulate[T gpu.Number, V any](sum *Sums[T], shared []T, a, b Operand[V], first, end int, at Position, t Tiling, lanes int,
	deepA, deepB bool, lane func(v V, i int) T, term func(x, y, sum T) T,
) {
	stage := t.Slices * t.Depth
	countA, countB := t.Rows*stage/lanes/t.Threads, t.Cols*stage/lanes/t.Threads
	nextA := begin(a.Data, at.TileRow, a.Size, first, a.Stride, lanes, t.Rows, stage, t.Threads, countA, deepA)
	nextB := begin(b.Data, at.TileCol, b.Size, first, b.Stride, lanes, t.Cols, stage, t.Threads, countB, deepB)
	strideA, strideB := t.Rows+Pad, t.Cols+Pad
	sharedA, sharedB := shared, shared[2*stage*strideA:]
	x0, y0 := at.Slice*t.Depth*strideA+at.Row, at.Slice*t.Depth*strideB+at.Col

	var x [2][MostRows]T // one column is multiplied, one is on its way
	var y [2][PerCols]T
	nextA.loadPart(first, end, lanes, countA, deepA)
	nextB.loadPart(first, end, lanes, countB, deepB)
	store(&nextA, sharedA, strideA, lanes, countA, deepA, lane)
	store(&nextB, sharedB, strideB, lanes, countB, deepB, lane)
	gpu.SyncThreads()
	for g := range t.Groups() {
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
		for i := range t.Depth {
			k := buf*stage + i + 1
			switch i {
			case t.Depth - 2: // in the last round, what nobody reads
				store(&nextA, sharedA[(buf^1)*stage*strideA:], strideA, lanes, countA, deepA, lane)
				store(&nextB, sharedB[(buf^1)*stage*strideB:], strideB, lanes, countB, deepB, lane)
			case t.Depth - 1:
				buf ^= 1
				gpu.SyncThreads()
				k = buf * stage
			}
			for g := range t.Groups() {
				operands(sharedA[x0+k*strideA:], sharedB[y0+k*strideB:], g, t, &x[(i+1)%2], &y[(i+1)%2])
				multiply(&x[i%2], &y[i%2], sum, g*t.Vector, t.Vector, term)
			}
		}
	}
	if t.Slices > 1 {
		gather(shared, sum, at.Slice, t)
	}
}

// operands loads the g-th group of the thread's elements of a column of A's tile, and its share of
// a row of B's. It reads vectors of 16 bytes.
func operands[T gpu.Number](a, b []T, g int, t Tiling, x *[MostRows]T, y *[PerCols]T) {
	for h := g; h < PerCols/t.Vector; h += t.Groups() {
		for i := range t.Vector {
			y[h*t.Vector+i] = b[t.Col(h*t.Vector+i)]
		}
	}
	for i := range t.Vector {
		x[g*t.Vector+i] = a[t.Row(g*t.Vector+i)]
	}
}

// multiply adds the products of some elements of x, and of y, to the thread's sums. Every second
// row goes backwards: multiply-adds that follow each other then always have one operand in common.
// The registers hand out two operands in the time of a multiply-add, which takes three. One that
// was just used need not be read again.
func multiply[T gpu.Number](x *[MostRows]T, y *[PerCols]T, sum *Sums[T], first, rows int, term func(x, y, sum T) T) {
	for r := first; r < first+rows; r++ {
		for i := range PerCols {
			q := i
			if r%2 == 1 {
				q = PerCols - 1 - i
			}
			sum[r][q] = term(x[r], y[q], sum[r][q])
		}
	}
}

// gather adds the sums of the slices, in their order, in the threads of the first one. A word at a
// time: adjacent elements of vectors would have to be in adjacent registers, and multiply-adds then
// find two of their operands in one bank.
func gather[T gpu.Number](shared []T, sum *Sums[T], slice int, t Tiling) {
	threads := t.Threads / t.Slices
	shared = shared[gpu.ThreadIdx.X%threads:]
	for g := range t.Groups() {
		gpu.SyncThreads()
		if slice > 0 {
			for i := range t.Vector * PerCols {
				shared[((slice-1)*t.Vector*PerCols+i)*threads] = sum[g*t.Vector+i/PerCols][i%PerCols]
			}
		}
		gpu.SyncThreads()
		if slice == 0 {
			for w := range t.Slices - 1 {
				for i := range t.Vector * PerCols {
					sum[g*t.Vector+i/PerCols][i%PerCols] += shared[(w*t.Vector*PerCols+i)*threads]
				}
			}
		}
	}
}
