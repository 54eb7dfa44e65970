package level2

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//go:generate go tool gridstride build

// Block is the number of threads of a block.
const Block = 256

// rowsTogether is how many rows a block of gemv takes at a time, which share what it reads of x.
const rowsTogether = 4

// gemv computes y = alpha*A*x + beta*y. A block takes rowsTogether rows. xv is x as vectors of 16
// bytes, if its layout allows that, and otherwise empty. With a beta of 0, y is not read.
//
// Launch with one block for each rowsTogether rows. The indices are inside the matrix and the
// vectors by construction, for the sizes that the Plan checks: no index is checked here.
//
//gpu:kernel block=256 minblocks=4 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
//gpu:nobounds
func gemv[T gpu.Float, V gpu.FloatVector[T, V]](av []V, a []T, xv []V, x, y []T, s Shape, alpha, beta T) {
	m := matrix[T, V]{av, a, s}
	row0 := gpu.BlockIdx.X * rowsTogether
	var sum [rowsTogether]V
	var v V
	lanes := v.Lanes()
	if len(av) > 0 && len(xv) > 0 && row0+rowsTogether <= s.Rows {
		wide := s.Cols / lanes
		i := gpu.ThreadIdx.X
		for ; i+Block < wide; i += 2 * Block {
			var w [2][rowsTogether]V
			v, u := xv[i], xv[i+Block]
			for r := range rowsTogether {
				at := (row0+r)*(s.Row/lanes) + i
				w[0][r], w[1][r] = av[at], av[at+Block]
			}
			for r := range rowsTogether {
				sum[r] = u.FMA(w[1][r], v.FMA(w[0][r], sum[r]))
			}
		}
		if i < wide {
			v := xv[i]
			for r := range rowsTogether {
				sum[r] = v.FMA(av[(row0+r)*(s.Row/lanes)+i], sum[r])
			}
		}
		if i := wide*lanes + gpu.ThreadIdx.X*lanes; i < s.Cols { // the rest is less than one V
			v := lanesOf[T, V](x, s.X, s.IncX, i, s.Cols)
			for r := range rowsTogether {
				sum[r] = v.FMA(m.at(row0+r, i), sum[r])
			}
		}
	} else {
		for i := gpu.ThreadIdx.X * lanes; i < s.Cols; i += Block * lanes {
			v := lanesOf[T, V](x, s.X, s.IncX, i, s.Cols)
			for r := range rowsTogether {
				sum[r] = v.FMA(m.at(min(row0+r, s.Rows-1), i), sum[r])
			}
		}
	}
	warps := gpu.Shared[[rowsTogether][Block / gpu.WarpSize]T]() // the sums of all rows meet at once
	for r := range rowsTogether {
		if whole := collective.WarpSum(sum[r].Sum()); gpu.LaneID() == 0 {
			warps[r][gpu.WarpID()] = whole
		}
	}
	gpu.SyncThreads()
	if row := row0 + gpu.ThreadIdx.X; gpu.ThreadIdx.X < rowsTogether && row < s.Rows {
		var whole T
		for w := range Block / gpu.WarpSize {
			whole += warps[gpu.ThreadIdx.X][w]
		}
		put(y, s.Y+row*s.IncY, alpha, whole, beta)
	}
}

// gemvShort is gemv for short rows: a warp takes a row.
//
// Launch with one block for each 8 rows.
//
//gpu:kernel block=256 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
//gpu:nobounds
func gemvShort[T gpu.Float, V gpu.FloatVector[T, V]](av []V, a, x, y []T, s Shape, alpha, beta T) {
	m := matrix[T, V]{av, a, s}
	row := gpu.BlockIdx.X*(Block/gpu.WarpSize) + gpu.WarpID()
	if row >= s.Rows {
		return
	}
	var sum V
	lanes := sum.Lanes()
	for i := gpu.LaneID() * lanes; i < s.Cols; i += gpu.WarpSize * lanes {
		sum = lanesOf[T, V](x, s.X, s.IncX, i, s.Cols).FMA(m.at(row, i), sum)
	}
	if whole := collective.WarpSum(sum.Sum()); gpu.LaneID() == 0 {
		put(y, s.Y+row*s.IncY, alpha, whole, beta)
	}
}

// put writes alpha*sum + beta*y into an element of y.
func put[T gpu.Float](y []T, at int, alpha, sum, beta T) {
	sum *= alpha
	if beta != 0 {
		sum = gpu.FMA(beta, y[at], sum)
	}
	y[at] = sum
}

// A block of gemvTrans has transCols threads on each of threadRows rows at a time. A thread loads
// rowsAhead of them before it uses the first.
const (
	transCols  = 64
	threadRows = Block / transCols
	rowsAhead  = 4
	partsAhead = 8 // of what the parts have left, likewise
)

// gemvTrans computes y = alpha*A'*x + beta*y. A column of blocks takes as many columns as a warp
// has elements of V, and each block a part of the rows. The last one of a column to be done adds up
// what all have left. With a beta of 0, y is not read.
//
// Launch with a grid of columns by parts, of share rows each. partial has for each part an element
// a column. tickets has one for each column of blocks, 0 before and after. If there is one part,
// neither is used.
//
//gpu:kernel block=256 minblocks=4 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
//gpu:nobounds
func gemvTrans[T gpu.Float, V gpu.FloatVector[T, V]](av []V, a, x, y []T, s Shape, share int, alpha, beta T, partial []T, tickets []uint32) {
	m := matrix[T, V]{av, a, s}
	sums := gpu.Shared[[threadRows][transCols * 4]T]()
	var v V
	lanes := v.Lanes()
	col := (gpu.BlockIdx.X*transCols + gpu.ThreadIdx.X%transCols) * lanes
	parts := gpu.GridDim.Y
	end := min((gpu.BlockIdx.Y+1)*share, s.Rows)
	sum := m.transShare(x, gpu.BlockIdx.Y*share+gpu.ThreadIdx.X/transCols, end, col)
	for l := range lanes {
		sums[gpu.ThreadIdx.X/transCols][gpu.ThreadIdx.X%transCols*lanes+l] = sum.Lane(l)
	}
	gpu.SyncThreads()
	in := gpu.ThreadIdx.X
	col = gpu.BlockIdx.X*transCols*lanes + in
	mine := in < transCols*lanes && col < s.Cols
	var whole T
	if mine {
		for w := range threadRows {
			whole += sums[w][in]
		}
	}
	if parts > 1 {
		if mine {
			partial[gpu.BlockIdx.Y*s.Cols+col] = whole
		}
		if !collective.LastOf(&tickets[gpu.BlockIdx.X], parts) {
			return
		}
		if mine {
			whole = sumParts(partial, parts, s.Cols, col)
		}
	}
	if mine {
		put(y, s.Y+col*s.IncY, alpha, whole, beta)
	}
}

// transShare is a thread's share of gemvTrans for its columns, from col on: the sum over every
// threadRows-th row from row to end.
func (m matrix[T, V]) transShare(x []T, row, end, col int) (sum V) {
	if lanes := sum.Lanes(); len(m.av) > 0 && col+lanes <= m.Cols {
		step := threadRows * (m.Row / lanes)
		for at := row*(m.Row/lanes) + col/lanes; row+(rowsAhead-1)*threadRows < end; at += rowsAhead * step {
			var w [rowsAhead]V
			var f [rowsAhead]T
			for k := range rowsAhead {
				w[k], f[k] = m.av[at+k*step], x[m.X+(row+k*threadRows)*m.IncX]
			}
			for k := range rowsAhead {
				sum = addScaled(sum, w[k], f[k])
			}
			row += rowsAhead * threadRows
		}
	}
	for ; row < end; row += rowsAhead * threadRows {
		var w [rowsAhead]V
		var f [rowsAhead]T
		for k := range rowsAhead {
			if r := row + k*threadRows; r < end && col < m.Cols {
				w[k], f[k] = m.at(r, col), x[m.X+r*m.IncX]
			}
		}
		for k := range rowsAhead {
			if row+k*threadRows < end {
				sum = addScaled(sum, w[k], f[k])
			}
		}
	}
	return sum
}

// addScaled is sum + f*v, each lane rounded once.
func addScaled[T gpu.Float, V gpu.FloatVector[T, V]](sum, v V, f T) V {
	for l := range v.Lanes() {
		sum = sum.With(l, gpu.FMA(v.Lane(l), f, sum.Lane(l)))
	}
	return sum
}

// sumParts adds up what the parts have left for a column.
func sumParts[T gpu.Float](partial []T, parts, cols, col int) (whole T) {
	for first := 0; first < parts; first += partsAhead {
		var v [partsAhead]T
		for k := range partsAhead {
			if first+k < parts {
				v[k] = partial[(first+k)*cols+col]
			}
		}
		for k := range partsAhead {
			whole += v[k]
		}
	}
	return whole
}

// A block of ger takes gerCols V in each of gerRows rows. A thread takes as many rows as the block
// has threads on a row of V.
const (
	gerCols = 64
	gerRows = 16
)

// ger computes A += alpha*x*y'.
//
// Launch with blocks for the V of a row, and as many for the rows in the other two dimensions: the
// blocks of a row are adjacent, and no block divides to find its row.
//
//gpu:kernel block=256 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
//gpu:nobounds
func ger[T gpu.Float, V gpu.FloatVector[T, V]](av []V, a, x, y []T, s Shape, alpha T) {
	const together = gerRows / (Block / gerCols)
	m := matrix[T, V]{av, a, s}
	var v V
	lanes := v.Lanes()
	col := (gpu.BlockIdx.X*gerCols + gpu.ThreadIdx.X%gerCols) * lanes
	row := (gpu.BlockIdx.Z*gpu.GridDim.Y+gpu.BlockIdx.Y)*gerRows + gpu.ThreadIdx.X/gerCols
	if col >= s.Cols {
		return
	}
	v = lanesOf[T, V](y, s.Y, s.IncY, col, s.Cols)
	var w [together]V
	if len(av) > 0 && col+lanes <= s.Cols && row+(together-1)*(Block/gerCols) < s.Rows {
		var f [together]T
		at, step := row*(s.Row/lanes)+col/lanes, Block/gerCols*(s.Row/lanes)
		for k := range together {
			w[k], f[k] = av[at+k*step], x[s.X+(row+k*(Block/gerCols))*s.IncX]
		}
		for k := range together {
			for l := range lanes {
				w[k] = w[k].With(l, gpu.FMA(alpha*f[k], v.Lane(l), w[k].Lane(l)))
			}
			av[at+k*step] = w[k]
		}
		return
	}
	for k := range together {
		if r := row + k*(Block/gerCols); r < s.Rows {
			w[k] = m.at(r, col)
		}
	}
	for k := range together {
		if r := row + k*(Block/gerCols); r < s.Rows {
			f := alpha * x[s.X+r*s.IncX]
			for l := range lanes {
				w[k] = w[k].With(l, gpu.FMA(f, v.Lane(l), w[k].Lane(l)))
			}
			m.set(r, col, w[k])
		}
	}
}
