package tile

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
)

// A TensorTiling says how a block computes a tile of C on tensor cores. Its warps cover the tile,
// WarpCols side by side. Each has Down fragments of C below each other, and Across side by side.
// Stages stages of A and B, 4 or 5, are in shared memory. Depth is the number of columns of A, and
// of rows of B, in a stage, a multiple of 16. It is constant when a kernel is compiled.
type TensorTiling struct {
	Threads int
	Size
	WarpCols      int // warps side by side
	Down, Across  int // fragments of 16 rows and 8 columns that a warp has
	Stages, Depth int
}

// MostFragments is the number of fragments that a warp has at most in a row, and in a column.
// instructionDepth is the number of columns of A, and of rows of B, in an instruction.
const (
	MostFragments    = 4
	instructionDepth = 8
)

// Fragments are a thread's part of the sums of its warp.
type Fragments [MostFragments][MostFragments]gpu.C16x8[float64]

// Warp is the first row and column of the thread's warp in the tile.
func (t TensorTiling) Warp() (row, col int) {
	warp := gpu.WarpID()
	return warp / t.WarpCols * 16 * t.Down, warp % t.WarpCols * 8 * t.Across
}

// A panel is the rows of A, or columns of B, that a block's threads copy to a stage, lanes elements
// at a time. Deep says that they are side by side along k in memory, and also in a stage. It is
// constant when a kernel is compiled.
type panel struct {
	rows, depth, threads, lanes int
	deep                        bool
}

// strides are how far it is in a stage to the next row, and to the next element along k. Lanes that
// load an element of a fragment each, of 8 rows and 4 columns, find them in different banks: [Pad]
// is 4.
func (p panel) strides() (row, k int) {
	if p.deep {
		return p.depth + Pad, 1
	}
	return 1, p.rows + Pad
}

// stage is the number of elements in a stage.
func (p panel) stage() int {
	if p.deep {
		return p.rows * (p.depth + Pad)
	}
	return p.depth * (p.rows + Pad)
}

// count is how many copies of a stage are a thread's.
func (p panel) count() int { return p.rows * p.depth / p.lanes / p.threads }

// across is the number of threads that copy adjacent elements, and step the distance, in rows or
// along k, from one of a thread's copies to the next.
func (p panel) across() int {
	if p.deep {
		return p.depth / p.lanes
	}
	return p.rows / p.lanes
}

func (p panel) step() int { return p.threads / p.across() }

// AccumulateTensor adds up the sums of the warp's elements of C, of the products along k from first
// up to end, for the tile that begins at a row and a column. A and B are copied 1 or 2 elements at
// a time.
//
// The tensor cores add the products of float64 in their order, each with one fused multiply-add, so
// the bits equal [Accumulate]'s without slices. While a stage is multiplied, the next ones are on
// their way from global memory. While a row of fragments is multiplied, the next one, and a
// fragment of B of the next step, are on their way from shared memory. In the last step of a stage
// those are of the next stage. So all warps must have arrived by then, which they do in the first
// step: none waits for one that is less than a step late.
func AccumulateTensor(sum *Fragments, shared []float64, a, b Operand[float64], first, end, tileRow, tileCol int, t TensorTiling,
	lanes int, deepA, deepB bool,
) {
	if first >= end {
		return
	}
	panelA, panelB := panel{t.Rows, t.Depth, t.Threads, lanes, deepA}, panel{t.Cols, t.Depth, t.Threads, lanes, deepB}
	w := flow{shared: shared, here: shared, nextA: panelA.begin(a, tileRow, first, end), nextB: panelB.begin(b, tileCol, first, end)}
	rounds, whole := int32((end-first+t.Depth-1)/t.Depth), int32((end-first)/t.Depth)
	w.fill(int(rounds), t, panelA, panelB)
	i := int32(t.Stages - 1)
	for ; i < whole; i++ {
		w.round(sum, w.after(t), t, panelA, panelB, func(s *incoming, to []float64, p panel, _ bool) { s.copyWhole(to, p) })
	}
	for ; i < rounds+int32(t.Stages-1); i++ {
		next := w.place
		if i < rounds+int32(t.Stages-2) { // no stage follows the last
			next = w.after(t)
		}
		w.round(sum, next, t, panelA, panelB, (*incoming).copy)
	}
}

// flow is the product of a block on its way through the stages.
type flow struct {
	shared, here []float64 // all stages, and the one that is multiplied
	place        int32     // which that is
	nextA, nextB incoming
	ready        *gpu.MBarrier // a phase for each round
	parity       int
	x            [2]gpu.A16x8[float64] // one is multiplied, one is on its way
	y            [2][MostFragments]gpu.B8x8[float64]
}

// after is the place after the one being multiplied.
func (w *flow) after(t TensorTiling) int32 {
	if int(w.place) == t.Stages-1 {
		return 0
	}
	return w.place + 1
}

// fill starts the copies of the first stages, and takes the first fragments of the first one.
func (w *flow) fill(rounds int, t TensorTiling, a, b panel) {
	stage := a.stage() + b.stage()
	for i := range min(rounds, t.Stages-1) {
		w.nextA.copy(w.shared[i*stage:], a, true)
		w.nextB.copy(w.shared[i*stage+a.stage():], b, false)
		gpu.CpAsyncCommitGroup()
	}
	w.ready = gpu.Shared[gpu.MBarrier]()
	if gpu.ThreadIdx.X == 0 {
		gpu.MBarrierInit(w.ready, t.Threads/gpu.WarpSize)
	}
	if rounds < t.Stages-1 {
		gpu.CpAsyncWaitAll()
	} else {
		gpu.CpAsyncWaitGroup(t.Stages - 2)
	}
	gpu.SyncThreads()
	toA, toB := t.parts(a, b)
	loadA(&w.x[0], w.here[toA:], a)
	rowB, _ := b.strides()
	for j := range t.Across {
		loadB(&w.y[0][j], w.here[toB+8*j*rowB:], b)
	}
}

// parts is where the warp's rows of A and columns of B begin in a stage.
func (t TensorTiling) parts(a, b panel) (toA, toB int) {
	row, col := t.Warp()
	rowA, _ := a.strides()
	rowB, _ := b.strides()
	return row * rowA, a.stage() + col*rowB
}

// round adds the products of a stage, takes the first fragments of the next one, and starts the
// copies for the place that the last round left.
func (w *flow) round(sum *Fragments, next int32, t TensorTiling, a, b panel, copy func(s *incoming, to []float64, p panel, isA bool)) {
	toA, toB := t.parts(a, b)
	rowA, kA := a.strides()
	rowB, kB := b.strides()
	stage, steps := a.stage()+b.stage(), t.Depth/instructionDepth
	free := w.place - 1
	if w.place == 0 {
		free = int32(t.Stages - 1)
	}
	w.place = next
	there := w.shared[int(w.place)*stage:]
	for step := range steps {
		from, k := w.here, (step+1)*instructionDepth
		switch step {
		case 0: // the warp has its part of the next stage, and all that it wants of the last one
			gpu.CpAsyncWaitGroup(t.Stages - 3)
			gpu.SyncWarp(gpu.FullMask)
			if gpu.LaneID() == 0 {
				gpu.MBarrierArrive(w.ready)
			}
		case steps - 1:
			gpu.MBarrierWaitParity(w.ready, w.parity)
			w.parity ^= 1
			from, k = there, 0
		}
		for f := range t.Down {
			i := step*t.Down + f
			if f < t.Down-1 {
				loadA(&w.x[(i+1)%2], w.here[toA+16*(f+1)*rowA+step*instructionDepth*kA:], a)
			} else {
				loadA(&w.x[(i+1)%2], from[toA+k*kA:], a)
			}
			for j := f; j < t.Across; j += t.Down {
				loadB(&w.y[(step+1)%2][j], from[toB+8*j*rowB+k*kB:], b)
			}
			if step == steps-1 && f == min(1, t.Down-1) { // after the first loads, which are needed sooner
				copy(&w.nextA, w.shared[int(free)*stage:], a, true)
				copy(&w.nextB, w.shared[int(free)*stage+a.stage():], b, false)
				gpu.CpAsyncCommitGroup()
			}
			for j := range t.Across {
				sum[f][j] = gpu.MMA16x8x8F64(w.x[i%2], w.y[step%2][j], sum[f][j])
			}
		}
	}
	w.here = there
}

// loadA takes the fragment from shared memory that begins with the first element of a.
func loadA(x *gpu.A16x8[float64], a []float64, p panel) {
	row, k := p.strides()
	for i := range len(x) {
		r, c := x.At(gpu.LaneID(), i)
		x[i] = a[r*row+c*k]
	}
}

func loadB(y *gpu.B8x8[float64], b []float64, p panel) {
	row, k := p.strides()
	for i := range len(y) {
		r, c := y.At(gpu.LaneID(), i)
		y[i] = b[c*row+r*k]
	}
}

// incoming is the elements of a matrix that a thread copies to the stages, one after the other.
type incoming struct {
	data         []float64
	at           [mostHeld]int // offsets of its elements of the next stage, only the first one, if not deep
	row, k       int           // the first one's place in a stage
	stride, left int           // of a row in memory, and the rest of k
}

// begin is a thread's part of a matrix. The block has its rows, or for B columns, from a first one
// on, along k from first up to end.
func (p panel) begin(m Operand[float64], from, first, end int) (s incoming) {
	s.data, s.stride, s.left = m.Data, m.Stride, end-first
	place, side := gpu.ThreadIdx.X/p.across(), gpu.ThreadIdx.X%p.across()*p.lanes
	if p.deep {
		s.row, s.k = place, side
		for i := range p.count() {
			s.at[i] = min(from+s.row+i*p.step(), m.Size-1)*m.Stride + first + s.k
		}
		return s
	}
	s.row, s.k = side, place
	s.at[0] = (first+s.k)*m.Stride + min(from+s.row, m.Size-p.lanes)
	return s
}

// copy starts the copies of the next stage. After the last k it writes zeros, as in
// [Accumulate] up to a multiple of its depth, and beyond that -0 in A: a product of -0 changes
// no sum.
func (s *incoming) copy(to []float64, p panel, isA bool) {
	switch {
	case s.left >= p.depth:
		s.copyWhole(to, p)
		return
	case s.left > 0:
		zeros := (s.left + instructionDepth - 1) / instructionDepth * instructionDepth
		s.each(to, p, func(to []float64, from, k int) {
			for i := range p.lanes {
				var v float64
				at := k
				if p.deep {
					at += i
				}
				switch {
				case at < s.left:
					v = s.data[from+i]
				case isA && at >= zeros:
					v = math.Copysign(0, -1)
				}
				to[i] = v
			}
		})
	}
	s.left -= p.depth
}

// copyWhole is copy where the next stage has all of k.
func (s *incoming) copyWhole(to []float64, p panel) {
	s.each(to, p, func(to []float64, from, _ int) {
		if p.lanes == 2 {
			gpu.CpAsync((*[2]float64)(to), (*[2]float64)(s.data[from:]), gpu.CacheGlobal)
		} else {
			gpu.CpAsync((*[1]float64)(to), (*[1]float64)(s.data[from:]))
		}
	})
	s.left -= p.depth
}

// each calls copy for each of the thread's copies of the next stage: to, from, and the place along
// k.
func (s *incoming) each(to []float64, p panel, copy func(to []float64, from, k int)) {
	row, k := p.strides()
	to = to[s.row*row+s.k*k:]
	for i := range p.count() {
		if p.deep {
			copy(to[i*p.step()*row:], s.at[i], s.k)
			s.at[i] += p.depth
		} else {
			copy(to[i*p.step()*k:], s.at[0]+i*p.step()*s.stride, s.k+i*p.step())
		}
	}
	if !p.deep {
		s.at[0] += p.depth * s.stride
	}
}
