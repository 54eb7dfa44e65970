package parts

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup"
	common "github.com/gridstride/gridstride/internal/library/kernels/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// Sizes that all formats have.
const (
	groupSize  = warpgroups.GroupSize
	groupRows  = warpgroups.GroupRows
	wideGroups = onegroup.WideGroups
	wideRows   = onegroup.WideRows
	wideCols   = onegroup.WideCols
	buffers    = onegroup.Buffers
	depth32    = onegroup.Depth32
)

// sumParts is the number of BFloat16 that stand for a float32, and linePart how many elements a
// line of a part has, of 64 bytes.
const (
	sumParts = common.SumParts
	linePart = depth32
)

// narrowParts and wideParts are narrowHalf and wideHalf for float32 as sums of three BFloat16. Wide
// blocks have their tiles to themselves.
//
//gpu:kernel A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=128 minblocks=1 target=sm_90a
//gpu:nobounds
func narrowParts[A, B tile.Layout](a, b gpu.TensorMap[float32], c []float32, cv []gpu.Float32x2, s warpgroups.Shape, manyA, manyB int, alpha, beta float32) {
	const lines, places = groupRows + 32, 12
	w := partsOf[A, B]{
		shared: gpu.Shared[[places * lines * depth32]float32]()[:], cut: gpu.Shared[[buffers * sumParts * lines * linePart]gpu.BFloat16]()[:],
		full: gpu.Shared[[places]gpu.MBarrier]()[:], most: gpu.Shared[[lines]uint32]()[:], scales: gpu.Shared[[lines]gpu.Float32x2]()[:],
		a: a, b: b, manyA: manyA, manyB: manyB,
	}
	var sum gpu.C64x32[float32]
	addParts(&w, &sum, &s, 1, 32)
	onegroup.Write(&sum, &onegroup.Result[float32, gpu.Float32x2]{C: c, Pairs: cv, Alpha: alpha, Beta: beta}, &s, 1, 32)
}

//gpu:kernel A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=256 minblocks=1 target=sm_90a
//gpu:nobounds
func wideParts[A, B tile.Layout](a, b gpu.TensorMap[float32], c []float32, cv []gpu.Float32x2, s warpgroups.Shape, manyA, manyB int, alpha, beta float32) {
	const lines, places = wideRows + wideCols, 4
	w := partsOf[A, B]{
		shared: gpu.Shared[[places * lines * depth32]float32]()[:], cut: gpu.Shared[[buffers * sumParts * lines * linePart]gpu.BFloat16]()[:],
		full: gpu.Shared[[places]gpu.MBarrier]()[:], most: gpu.Shared[[lines]uint32]()[:], scales: gpu.Shared[[lines]gpu.Float32x2]()[:],
		a: a, b: b, manyA: manyA, manyB: manyB,
	}
	var sum gpu.C64x64[float32]
	addParts(&w, &sum, &s, wideGroups, wideCols)
	onegroup.Write(&sum, &onegroup.Result[float32, gpu.Float32x2]{C: c, Pairs: cv, Alpha: alpha, Beta: beta}, &s, wideGroups, wideCols)
}

// partsOf is a block's state for a product: places for the factors, and buffers for their parts.
// For each row of A, followed by each column of B, it has the bits of the largest number, and the
// two powers of two that multiply it. The next place, and its parity, follow from the rounds.
type partsOf[A, B tile.Layout] struct {
	shared       []float32
	cut          []gpu.BFloat16
	full         []gpu.MBarrier
	most         []uint32
	scales       []gpu.Float32x2
	a, b         gpu.TensorMap[float32]
	manyA, manyB int

	place, parity int
}

// sums are a warpgroup's.
type sums interface {
	gpu.Sums64[float32]
	At(thread, i int) (row, col int)
}

// addParts makes the sums of a warpgroup. The factors go through the places twice, if they do not
// stay there: first for the largest number of each row, which says by which power of two the row is
// multiplied before it is cut into parts. A sum that is not finite is computed again, of the first
// parts alone, which have the signs and zeros of their numbers.
func addParts[A, B tile.Layout, C sums](w *partsOf[A, B], sum *C, s *warpgroups.Shape, groups, cols int) {
	rows, threads, rounds := groups*groupRows, groups*groupSize, (s.K+depth32-1)/depth32
	if gpu.ThreadIdx.X == 0 {
		for i := range len(w.full) {
			gpu.MBarrierInit(&w.full[i], 1)
		}
		gpu.FenceMBarrierInit()
		w.fetch(s, rows, cols, rounds, 0, min(rounds, len(w.full)))
	}
	for i := gpu.ThreadIdx.X; i < rows+cols; i += threads {
		w.most[i] = 0
	}
	gpu.SyncThreads()
	stay := rounds <= len(w.full)
	var mostA, mostB largest
	for round := range rounds {
		gpu.MBarrierWaitParity(&w.full[w.place], w.parity)
		at := w.shared[w.place*(rows+cols)*depth32:]
		find[A](&mostA, at, rows, threads)
		find[B](&mostB, at[rows*depth32:], cols, threads)
		if !stay {
			gpu.SyncThreads()
			w.refill(s, rows, cols, rounds, round, 2*rounds)
		}
		w.next()
	}
	gather[A](&mostA, w.most, rows, threads)
	gather[B](&mostB, w.most[rows:], cols, threads)
	gpu.SyncThreads()
	for i := gpu.ThreadIdx.X; i < rows+cols; i += threads {
		scale, rest := common.PartScales(exponentOf(w.most[i]))
		w.scales[i] = gpu.Float32x2{X: scale, Y: rest}
	}
	gpu.SyncThreads()
	w.again(stay)
	addSix(w, sum, s, groups, cols, rounds, stay)
	finite := true
	for i := range len(*sum) {
		if x := (*sum)[i]; x-x != 0 {
			finite = false
		}
	}
	if gpu.SyncThreadsOr(!finite) {
		w.again(stay)
		if !stay && gpu.ThreadIdx.X == 0 {
			w.fetch(s, rows, cols, rounds, 2*rounds, len(w.full))
		}
		addSpecial(w, sum, s, groups, cols, rounds, stay)
	}
	for i := range len(*sum) {
		row, col := (*sum).At(gpu.ThreadIdx.X%groupSize, i)
		row += gpu.ThreadIdx.X / groupSize * groupRows
		back := 1023 - common.PartShift(exponentOf(w.most[row])) - common.PartShift(exponentOf(w.most[rows+col]))
		(*sum)[i] = float32(float64((*sum)[i]) * math.Float64frombits(uint64(back)<<52))
	}
}

// addSix adds the products of parts whose numbers add up to at most 2, the smallest first: in each
// step along k from zero on, and then to the sum with a rounding to nearest. While they are under
// way, the next are cut.
func addSix[A, B tile.Layout, C sums](w *partsOf[A, B], sum *C, s *warpgroups.Shape, groups, cols, rounds int, stay bool) {
	rows, threads, buffer := groups*groupRows, groups*groupSize, 0
	var first, second C // of the two steps of a round
	for round := range rounds {
		x, y := w.cutPlace(buffer, rows, cols, threads)
		if !stay {
			w.refill(s, rows, cols, rounds, rounds+round, 2*rounds)
		}
		if round > 0 {
			gpu.WGMMAWait(0)
			for i := range len(*sum) {
				(*sum)[i] += first[i]
			}
			for i := range len(*sum) {
				(*sum)[i] += second[i]
			}
		}
		gpu.WGMMAFence()
		six(&first, x, y, 0, rows, cols)
		six(&second, x, y, 1, rows, cols)
		gpu.WGMMACommit()
		w.next()
		if buffer++; buffer == buffers {
			buffer = 0
		}
	}
	gpu.WGMMAWait(0)
	for i := range len(*sum) {
		(*sum)[i] += first[i]
	}
	for i := range len(*sum) {
		(*sum)[i] += second[i]
	}
}

func six[C sums](some *C, x, y []gpu.BFloat16, step, rows, cols int) {
	onePart(some, x, y, step, 0, 2, rows, cols, false)
	onePart(some, x, y, step, 1, 1, rows, cols, true)
	onePart(some, x, y, step, 2, 0, rows, cols, true)
	onePart(some, x, y, step, 0, 1, rows, cols, true)
	onePart(some, x, y, step, 1, 0, rows, cols, true)
	onePart(some, x, y, step, 0, 0, rows, cols, true)
}

// onePart starts the product of a part of A and one of B.
func onePart[C sums](some *C, x, y []gpu.BFloat16, step, p, q, rows, cols int, add bool) {
	const group, depth = 8 * 64, 16
	gpu.WGMMA(some, gpu.MatrixOf(x[p*rows*linePart+step*depth:], 0, group, gpu.Swizzle64),
		gpu.MatrixOf(y[q*cols*linePart+step*depth:], 0, group, gpu.Swizzle64), add)
}

// addSpecial replaces the sums that are not finite by the first parts' sums.
func addSpecial[A, B tile.Layout, C sums](w *partsOf[A, B], sum *C, s *warpgroups.Shape, groups, cols, rounds int, stay bool) {
	rows, threads := groups*groupRows, groups*groupSize
	var special C
	for round := range rounds {
		x, y := w.cutPlace(0, rows, cols, threads)
		if !stay {
			w.refill(s, rows, cols, rounds, 2*rounds+round, 3*rounds)
		}
		gpu.WGMMAFence()
		onePart(&special, x, y, 0, 0, 0, rows, cols, round > 0)
		onePart(&special, x, y, 1, 0, 0, rows, cols, true)
		gpu.WGMMACommit()
		gpu.WGMMAWait(0)
		gpu.SyncThreads()
		w.next()
	}
	for i := range len(*sum) {
		if x := (*sum)[i]; x-x != 0 {
			(*sum)[i] = special[i]
		}
	}
}

// cutPlace waits for a place and cuts its numbers into the parts in a buffer, for the warpgroup's
// rows, and the columns.
func (w *partsOf[A, B]) cutPlace(buffer, rows, cols, threads int) (x, y []gpu.BFloat16) {
	gpu.MBarrierWaitParity(&w.full[w.place], w.parity)
	at, to := w.shared[w.place*(rows+cols)*depth32:], w.cut[buffer*sumParts*(rows+cols)*linePart:]
	y = to[sumParts*rows*linePart:]
	cut[A](at, to, w.scales, rows, threads)
	cut[B](at[rows*depth32:], y, w.scales[rows:], cols, threads)
	gpu.FenceProxyAsync()
	gpu.SyncThreads()
	return to[gpu.ThreadIdx.X/groupSize*(groupRows*linePart):], y
}

// fetch has count places filled, from the next one on, with the factors of a position.
func (w *partsOf[A, B]) fetch(s *warpgroups.Shape, rows, cols, rounds, position, count int) {
	for position >= rounds {
		position -= rounds
	}
	place := w.place
	for i := range count {
		full := &w.full[place]
		gpu.MBarrierArriveExpectTx(full, 4*(rows+cols)*depth32)
		at := w.shared[place*(rows+cols)*depth32:]
		onegroup.Load[A](onegroup.SideOf[float32](rows, 1), at, w.a, full, 0, 0, gpu.BlockIdx.X*rows, (position+i)*depth32, gpu.BlockIdx.Z*w.manyA)
		onegroup.Load[B](onegroup.SideOf[float32](cols, 1), at[rows*depth32:], w.b, full, 0, 0, gpu.BlockIdx.Y*cols, (position+i)*depth32, gpu.BlockIdx.Z*w.manyB)
		if place++; place == len(w.full) {
			place = 0
		}
	}
}

// refill has the place of a position filled again, if there is a position for it below limit.
func (w *partsOf[A, B]) refill(s *warpgroups.Shape, rows, cols, rounds, position, limit int) {
	if gpu.ThreadIdx.X == 0 && position+len(w.full) < limit {
		w.fetch(s, rows, cols, rounds, position+len(w.full), 1)
	}
}

// next goes on to the next place, and again back to the first one if the factors stay.
func (w *partsOf[A, B]) next() {
	if w.place++; w.place == len(w.full) {
		w.place, w.parity = 0, w.parity^1
	}
}

func (w *partsOf[A, B]) again(stay bool) {
	if stay {
		w.place, w.parity = 0, 0
	}
}

// largest is the bits of the largest finite number of each row that a thread looks at: of the lines
// of 16 bytes that it has of a tile, or of the rows of its square.
type largest [4]uint32

// find looks at a tile.
func find[L tile.Layout](l *largest, from []float32, rows, threads int) {
	var layout L
	if !layout.Transposed() {
		for i := range rows * 8 / threads {
			line := from[4*(i*threads+gpu.ThreadIdx.X):]
			l[i] = max(l[i], common.FiniteBits(line[0]), common.FiniteBits(line[1]), common.FiniteBits(line[2]), common.FiniteBits(line[3]))
		}
		return
	}
	onegroup.Turn(rows, threads, func(panel, across, k int) {
		for i := range 4 {
			line := from[panel*depth32*depth32+onegroup.InLine(4*k+i, across):]
			for j := range 4 {
				l[j] = max(l[j], common.FiniteBits(line[j]))
			}
		}
	})
}

// gather raises most to what a thread has found.
func gather[L tile.Layout](l *largest, most []uint32, rows, threads int) {
	var layout L
	if !layout.Transposed() {
		for i := range rows * 8 / threads {
			gpu.AtomicMax(&most[(i*threads+gpu.ThreadIdx.X)/8], l[i])
		}
		return
	}
	onegroup.Turn(rows, threads, func(panel, across, _ int) {
		for j := range 4 {
			gpu.AtomicMax(&most[panel*depth32+4*across+j], l[j])
		}
	})
}

// cut makes the parts of a tile, along k.
func cut[L tile.Layout](from []float32, to []gpu.BFloat16, scales []gpu.Float32x2, rows, threads int) {
	var layout L
	if !layout.Transposed() {
		for i := 0; i < rows*8; i += threads {
			at := i + gpu.ThreadIdx.X
			row := at / 8
			line := from[4*at:]
			putParts(to, row, at%8^row&7, rows, scales[row], line[0], line[1], line[2], line[3])
		}
		return
	}
	onegroup.Turn(rows, threads, func(panel, across, k int) {
		var x [4][4]float32
		for i := range 4 {
			line := from[panel*depth32*depth32+onegroup.InLine(4*k+i, across):]
			for j := range 4 {
				x[i][j] = line[j]
			}
		}
		for j := range 4 {
			row := panel*depth32 + 4*across + j
			putParts(to, row, k, rows, scales[row], x[0][j], x[1][j], x[2][j], x[3][j])
		}
	})
}

// putParts writes the parts of four numbers of a row, which are the k-th four.
func putParts(to []gpu.BFloat16, row, k, rows int, scale gpu.Float32x2, a, b, c, d float32) {
	var v [4][sumParts]gpu.BFloat16
	for i, x := range [4]float32{a, b, c, d} {
		v[i][0], v[i][1], v[i][2] = common.Parts(x * scale.X * scale.Y)
	}
	line := to[4*(row*8+(k/2^row>>1&3)*2+k&1):]
	for p := range sumParts {
		for i := range 4 {
			line[p*rows*linePart+i] = v[i][p]
		}
	}
}

// exponentOf is the exponent of a number with these bits, as they have it.
func exponentOf(bits uint32) int32 { return int32(bits >> 23) }
