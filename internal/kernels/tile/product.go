// Package tile is the body of a matrix product on a device: a block computes the products of a tile
// of 128 rows of A with 128 columns of B, for kernels that choose among them (level3 stores them).
//
// The products of an element are added in one order, along k: the bits are the same on every device.
package tile

import "github.com/gridstride/gridstride/gpu"

// A block of Block threads computes a tile of Size by Size elements, a thread PerSide by PerSide of
// them.
const (
	Block   = 256
	Size    = 128
	PerSide = 8

	depth  = 8        // of the tiles of A and B, along k
	padded = Size + 4 // a row of a tile in shared memory: its columns then begin in different banks
)

// Only is the one lane of a number.
func Only[T gpu.Float](v T, _ int) T { return v }

// FMA adds a product to a sum.
func FMA[T gpu.Float](x, y, sum T) T { return gpu.FMA(x, y, sum) }

// Pair is the tiles of A and B in shared memory: one pair is read, one is written. They lie depth
// first, so that a thread's rows, and columns, are neighbours.
type Pair[T gpu.Float] struct {
	a, b [2][depth][padded]T
}

// Product is the thread's sums: element (r, q) is that of the row and the column which are
// Nth(r, vector, 4) and Nth(q, vector, 8) behind the thread's first. A and B come from memory as V,
// which has so many lanes, of which lane takes one; deepA and deepB say whether elements lie side by
// side along k there. From shared memory they come as vectors of 16 bytes. term adds the term of an
// element of A and one of B.
func Product[T gpu.Float, V any](shared *Pair[T], nextA, nextB *Side[V], n, row, col, vector, lanes int, deepA, deepB bool,
	lane func(v V, i int) T, term func(x, y, sum T) T,
) (sum [PerSide][PerSide]T) {
	var x, y [2][PerSide]T // one pair is multiplied, one is on its way
	nextA.load(0, n, lanes, deepA)
	nextB.load(0, n, lanes, deepB)
	store(nextA, &shared.a[0], lanes, deepA, lane)
	store(nextB, &shared.b[0], lanes, deepB, lane)
	gpu.SyncThreads()
	operands(shared, 0, 0, row, col, vector, &x[0], &y[0])
	buf := 0
	for k := 0; k < n; k += depth {
		more := k+depth < n
		if more {
			nextA.load(k+depth, n, lanes, deepA)
			nextB.load(k+depth, n, lanes, deepB)
		}
		for i := range depth {
			if i+1 == depth {
				if more {
					buf ^= 1
					store(nextA, &shared.a[buf], lanes, deepA, lane)
					store(nextB, &shared.b[buf], lanes, deepB, lane)
				}
				gpu.SyncThreads()
			}
			operands(shared, buf, (i+1)%depth, row, col, vector, &x[(i+1)%2], &y[(i+1)%2]) // the very last are not used
			multiply(&x[i%2], &y[i%2], &sum, term)
		}
	}
	return sum
}

// Place is the first row and column of the thread in the block's tile. The warps lie 4 by 2 on it,
// each on 32 rows and 64 columns, and the lanes of a warp 4 by 8 on a part of that, vector elements
// apart. Lanes that follow each other lie in squares of 2 by 2: shared memory serves 16 bytes a
// lane in half as many passes where each lane reads the same as one of the next two.
func Place(vector int) (row, col int) {
	warp, lane := gpu.ThreadIdx.X/gpu.WarpSize, gpu.ThreadIdx.X%gpu.WarpSize
	laneRow, laneCol := lane/16*2+lane%2, lane%16/2
	return warp/2*32 + laneRow*vector, warp%2*64 + laneCol*vector
}

// Nth is how far a thread's i-th row or column is from its first, where so many lanes lie side by
// side: they are in groups of one vector.
func Nth(i, vector, lanes int) int {
	return i/vector*(lanes*vector) + i%vector
}

// operands loads the thread's elements of a column of A's tile and of a row of B's.
func operands[T gpu.Float](shared *Pair[T], buf, depth, row, col, vector int, x, y *[PerSide]T) {
	for i := range PerSide {
		y[i] = shared.b[buf][depth][col+Nth(i, vector, 8)]
	}
	for i := range PerSide {
		x[i] = shared.a[buf][depth][row+Nth(i, vector, 4)]
	}
}

// multiply adds the products of x and y to the thread's sums. Every second row goes backwards:
// multiply-adds that follow each other then always have one operand in common. The registers hand
// out two operands in the time of a multiply-add, which takes three; one that was just used need
// not be read again.
func multiply[T gpu.Float](x, y *[PerSide]T, sum *[PerSide][PerSide]T, term func(x, y, sum T) T) {
	for r := range PerSide {
		for i := range PerSide {
			s := i
			if r%2 == 1 {
				s = PerSide - 1 - i
			}
			sum[r][s] = term(x[r], y[s], sum[r][s])
		}
	}
}
