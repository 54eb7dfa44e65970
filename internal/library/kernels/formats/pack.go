package formats

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/tile"
)

// Packing describes the copy of a factor, of Rows rows of A or columns of B and K elements along k.
// The source is deep if its elements are side by side along k. In the copy they are, in rows of
// Wide elements, with zeros after the K-th. Stride is from a row of the source to the next. Batch
// and WideBatch are from a factor of a batch to the next.
type Packing struct {
	Rows, K, Stride, Batch int
	Wide, WideBatch        int
	Deep                   bool
}

// packSide is the rows and columns of a tile that a block packs.
const packSide = 32

// pack copies factors. Launch it and its like with a block for each tile, and in the second
// dimension one for each factor of the batch.
//
//gpu:kernel T=uint8,uint16 block=32x8
//gpu:nobounds
func pack[T uint8 | uint16](from, to []T, p Packing) {
	packed(from, p, func(at, _ int, x T) { to[at] = x })
}

// nearestTF32 is the TF32 nearest to x, of two the even one, as copies by tensor maps have it.
func nearestTF32(x float32) gpu.TF32 {
	if x-x == 0 {
		b := math.Float32bits(x)
		x = math.Float32frombits((b + 0xfff + b>>13&1) &^ 0x1fff)
	}
	return gpu.TF32Of(x)
}

// packTF32 rounds the elements to TF32.
//
//gpu:kernel block=32x8
//gpu:nobounds
func packTF32(from []float32, to []gpu.Float32x4, p Packing) {
	packedFloats(from, p, func(at, _ int, x *[perThread]float32) {
		for i := range x {
			x[i] = nearestTF32(x[i]).Float32()
		}
		at /= 4
		to[at] = gpu.Float32x4{X: x[0], Y: x[1], Z: x[2], W: x[3]}
		to[at+1] = gpu.Float32x4{X: x[4], Y: x[5], Z: x[6], W: x[7]}
	})
}

// widen makes float32 of numbers of 16 bits, and roundTF32 float32 that are TF32, for devices
// without these formats.
//
//gpu:kernel T=gpu.Float16,gpu.BFloat16 block=32x8
//gpu:nobounds
func widen[T gpu.Float16 | gpu.BFloat16](from []T, to []float32, p Packing) {
	packed(from, p, func(at, _ int, x T) { to[at] = gpu.ToFloat32(x) })
}

//gpu:kernel block=32x8
//gpu:nobounds
func roundTF32(from, to []float32, p Packing) {
	packed(from, p, func(at, _ int, x float32) { to[at] = nearestTF32(x).Float32() })
}

// packParts makes three BFloat16 of each element. Their sum is the element times a power of two
// that depends on its row's exponent. A number's parts are part groups of eight elements apart.
//
//gpu:kernel block=32x8
//gpu:nobounds
func packParts(from []float32, exponents []int32, to []gpu.BFloat16x8, part int, p Packing) {
	exponents = exponents[gpu.BlockIdx.Y*p.Rows:]
	packedFloats(from, p, func(at, row int, x *[perThread]float32) {
		scale, rest := tile.PartScales(exponents[row])
		var y [tile.SumParts][perThread]gpu.BFloat16
		for i := range x {
			y[0][i], y[1][i], y[2][i] = tile.Parts(x[i] * scale * rest)
		}
		for i := range y {
			to[at/perThread+i*part] = gpu.BFloat16x8{
				X: gpu.BFloat16x2{X: y[i][0], Y: y[i][1]}, Y: gpu.BFloat16x2{X: y[i][2], Y: y[i][3]},
				Z: gpu.BFloat16x2{X: y[i][4], Y: y[i][5]}, W: gpu.BFloat16x2{X: y[i][6], Y: y[i][7]},
			}
		}
	})
}

// A block packs tiles of floatSide float32 along k. A thread has perThread of them side by side.
const (
	floatSide = 64
	perThread = packSide * floatSide / 256
)

// packedFloats is [packed] for float32, with perThread elements in a call of put. They go through
// shared memory, so that reads and writes are of whole lines in either layout of the factor.
func packedFloats(from []float32, p Packing, put func(at, row int, x *[perThread]float32)) {
	turned := gpu.Shared[[packSide][floatSide + 1]float32]()
	across := max((p.Wide+floatSide-1)/floatSide, 1)
	row, k := gpu.BlockIdx.X/across*packSide, gpu.BlockIdx.X%across*floatSide
	from = from[gpu.BlockIdx.Y*p.Batch:]
	t := gpu.ThreadIdx.Y*packSide + gpu.ThreadIdx.X
	var x [perThread]float32
	if p.Deep {
		const step = 256 / floatSide
		r, d := t/floatSide, t%floatSide
		for i := range x {
			if row+r+i*step < p.Rows && k+d < p.K {
				x[i] = from[(row+r+i*step)*p.Stride+k+d]
			}
		}
		for i := range x {
			turned[r+i*step][d] = x[i]
		}
	} else {
		const step = 256 / packSide
		r, d := t%packSide, t/packSide
		for i := range x {
			if row+r < p.Rows && k+d+i*step < p.K {
				x[i] = from[(k+d+i*step)*p.Stride+row+r]
			}
		}
		for i := range x {
			turned[r][d+i*step] = x[i]
		}
	}
	gpu.SyncThreads()
	const perRow = floatSide / perThread
	r, d := t/perRow, t%perRow*perThread
	if row+r >= p.Rows || k+d >= p.Wide {
		return
	}
	for i := range x {
		x[i] = turned[r][d+i]
	}
	put(gpu.BlockIdx.Y*p.WideBatch+(row+r)*p.Wide+k+d, row+r, &x)
}

// packed calls put for each element of the block's tile of a factor, and for zeros after K, with
// the element's destination and row.
func packed[T any](from []T, p Packing, put func(at, row int, x T)) {
	turned := gpu.Shared[[packSide][packSide + 1]T]()
	across := (p.Wide + packSide - 1) / packSide
	row, k := gpu.BlockIdx.X/across*packSide, gpu.BlockIdx.X%across*packSide
	from = from[gpu.BlockIdx.Y*p.Batch:]
	x, y := gpu.ThreadIdx.X, gpu.ThreadIdx.Y
	if !p.Deep {
		for j := y; j < packSide; j += 8 {
			var e T
			if row+x < p.Rows && k+j < p.K {
				e = from[(k+j)*p.Stride+row+x]
			}
			turned[x][j] = e
		}
		gpu.SyncThreads()
	}
	for j := y; j < packSide; j += 8 {
		if row+j >= p.Rows || k+x >= p.Wide {
			continue
		}
		var e T
		if !p.Deep {
			e = turned[j][x]
		} else if k+x < p.K {
			e = from[(row+j)*p.Stride+k+x]
		}
		put(gpu.BlockIdx.Y*p.WideBatch+(row+j)*p.Wide+k+x, row+j, e)
	}
}

// exponentSide is the number of elements along k of packSide rows that a block reads. A thread has
// atOnce of them in flight.
const (
	exponentSide = 1024
	atOnce       = 8
)

// findExponents leaves for each row the largest exponent of its finite numbers, which is zero
// before where a row has more than exponentSide. Launch it with a block for each packSide rows and
// exponentSide elements along k.
//
//gpu:kernel block=32x8
//gpu:nobounds
func findExponents(from []float32, out []int32, p Packing) {
	largest := gpu.Shared[[packSide][packSide + 1]uint32]()
	across := max((p.K+exponentSide-1)/exponentSide, 1)
	row, first := gpu.BlockIdx.X/across*packSide, gpu.BlockIdx.X%across*exponentSide
	from = from[gpu.BlockIdx.Y*p.Batch:]
	end, x, y := min(first+exponentSide, p.K), gpu.ThreadIdx.X, gpu.ThreadIdx.Y
	if p.Deep {
		for j := y; j < packSide; j += 8 {
			largest[j][x] = 0
			if row+j < p.Rows {
				largest[j][x] = largestBits(from[(row+j)*p.Stride:], first+x, end, packSide, 1)
			}
		}
	} else {
		var most uint32
		if row+x < p.Rows {
			most = largestBits(from[row+x:], first+y, end, 8, p.Stride)
		}
		for j := range packSide / 8 {
			largest[x][y+8*j] = most
		}
	}
	gpu.SyncThreads()
	if y == 0 && row+x < p.Rows {
		var most uint32
		for j := range packSide {
			most = max(most, largest[x][j])
		}
		to := &out[gpu.BlockIdx.Y*p.Rows+row+x]
		if across == 1 {
			*to = int32(most >> 23)
		} else {
			gpu.AtomicMax(to, int32(most>>23))
		}
	}
}

// largestBits is the largest of the bits of finite numbers k, k+step and so on below end, a stride
// apart.
func largestBits(from []float32, k, end, step, stride int) (most uint32) {
	for ; k < end; k += atOnce * step {
		var x [atOnce]float32
		for i := range x {
			if k+i*step < end {
				x[i] = from[(k+i*step)*stride]
			}
		}
		for i := range x {
			most = max(most, tile.FiniteBits(x[i]))
		}
	}
	return most
}
