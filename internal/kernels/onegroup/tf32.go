package onegroup

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/kernels/warpgroups"
)

// depth32 is how many elements of 32 bits a line has.
const depth32 = tile.LineBytes / 4

// narrowTF32 and wideTF32 are narrowHalf and wideHalf for float32, which the copies round to TF32.
// Wide blocks have their tiles to themselves.
//
//gpu:kernel A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=128 minblocks=1 target=sm_90a
//gpu:nobounds
func narrowTF32[A, B tile.Layout](a, b gpu.TensorMap[gpu.TF32], c []float32, cv []gpu.Float32x2, s warpgroups.Shape, manyA, manyB int, alpha, beta float32) {
	var sum gpu.C64x32[float32]
	tf32Alone[A, B](&sum, gpu.Shared[[12 * (groupRows + 32) * depth32]gpu.TF32]()[:], gpu.Shared[[buffers * (groupRows + 32) * depth32]gpu.TF32]()[:],
		gpu.Shared[[12]gpu.MBarrier]()[:], a, b, &s, manyA, manyB, 1, 32)
	write(&sum, &result[float32, gpu.Float32x2]{c, cv, alpha, beta}, &s, 1, 32)
}

//gpu:kernel A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=256 minblocks=1 target=sm_90a
//gpu:nobounds
func wideTF32[A, B tile.Layout](a, b gpu.TensorMap[gpu.TF32], c []float32, cv []gpu.Float32x2, s warpgroups.Shape, manyA, manyB int, alpha, beta float32) {
	var sum gpu.C64x64[float32]
	tf32Alone[A, B](&sum, gpu.Shared[[6 * (wideRows + wideCols) * depth32]gpu.TF32]()[:], gpu.Shared[[buffers * (wideRows + wideCols) * depth32]gpu.TF32]()[:],
		gpu.Shared[[6]gpu.MBarrier]()[:], a, b, &s, manyA, manyB, wideGroups, wideCols)
	write(&sum, &result[float32, gpu.Float32x2]{c, cv, alpha, beta}, &s, wideGroups, wideCols)
}

// tf32Alone adds up the sums of a warpgroup. Tensor cores take TF32 along k alone: factors that lie
// across are turned on their way to a buffer.
func tf32Alone[A, B tile.Layout, C gpu.Sums64[float32]](sum *C, shared, turned []gpu.TF32, full []gpu.MBarrier, a, b gpu.TensorMap[gpu.TF32],
	s *warpgroups.Shape, manyA, manyB, groups, cols int,
) {
	rows := groups * groupRows
	sideA, sideB := sideOf[gpu.TF32](rows, 1), sideOf[gpu.TF32](cols, 1)
	row, col, batch := gpu.BlockIdx.X*rows, gpu.BlockIdx.Y*cols, gpu.BlockIdx.Z
	size, place := rows*depth32, (rows+cols)*depth32
	var layoutA A
	var layoutB B
	fetch := func(i int, full *gpu.MBarrier, k int) {
		gpu.MBarrierArriveExpectTx(full, 4*place)
		load[A](sideA, shared[i*place:], a, full, 0, 0, row, k, batch*manyA)
		load[B](sideB, shared[i*place+size:], b, full, 0, 0, col, k, batch*manyB)
	}
	if !layoutA.Transposed() && !layoutB.Transposed() {
		alone(full, s.K, depth32, sum, fetch, func(sum *C, i int, add bool) {
			multiplyTF32(sum, shared[i*place:], shared[i*place+size:], add)
		})
		return
	}
	converted(full, s.K, depth32, sum, fetch, func(i, buffer int) {
		if layoutA.Transposed() {
			turnTF32(shared[i*place:], turned[buffer*place:], rows, groups*groupSize)
		}
		if layoutB.Transposed() {
			turnTF32(shared[i*place+size:], turned[buffer*place+size:], cols, groups*groupSize)
		}
	}, func(sum *C, i, buffer int, add bool) {
		x, y := shared[i*place:], shared[i*place+size:]
		if layoutA.Transposed() {
			x = turned[buffer*place:]
		}
		if layoutB.Transposed() {
			y = turned[buffer*place+size:]
		}
		multiplyTF32(sum, x, y, add)
	})
}

// multiplyTF32 starts the products of the warpgroup's rows of a tile of A with one of B.
func multiplyTF32[C gpu.Sums64[float32]](sum *C, x, y []gpu.TF32, add bool) {
	x = x[gpu.ThreadIdx.X/groupSize*(groupRows*depth32):]
	for step := range 4 {
		gpu.WGMMA(sum, alongK(x, step), alongK(y, step), add || step > 0)
	}
}

// alongK is a tile whose lines lie along k, from a step of 32 bytes on.
func alongK[T any](t []T, step int) gpu.Matrix[T] {
	const steps = 4
	return gpu.MatrixOf(t[step*lineOf[T]()/steps:], 0, 8*tile.LineBytes, gpu.Swizzle128)
}

// turnTF32 makes a tile whose lines lie across k one whose lines lie along k.
func turnTF32(from, to []gpu.TF32, rows, threads int) {
	turn(rows, threads, func(panel, across, k int) {
		var x [4][4]gpu.TF32
		for i := range 4 {
			line := from[panel*depth32*depth32+inLine(4*k+i, across):]
			for j := range 4 {
				x[i][j] = line[j]
			}
		}
		for j := range 4 {
			line := to[panel*depth32*depth32+inLine(4*across+j, k):]
			for i := range 4 {
				line[i] = x[i][j]
			}
		}
	})
}

// inLine is where 16 bytes of a line lie, in elements of 32 bits.
func inLine(line, at int) int { return 4 * (line*8 + (at ^ line&7)) }

// turn gives put the squares of four rows, or columns, by four along k of a tile: the panel, and in
// that which they are. The lines of 16 bytes of those that follow each other do not meet in a bank,
// neither as they are nor as they become.
func turn(rows, threads int, put func(panel, across, k int)) {
	for i := gpu.ThreadIdx.X; i < rows*depth32/16; i += threads {
		put(i/64, i%8^i/8%8, i%8)
	}
}
