package formats

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/kernels/tile"
)

// Packing says where a factor lies, of Rows rows of A or columns of B and K elements along k, and
// where it goes: there elements lie side by side along k, in rows of Wide elements, which are zeros
// behind the K-th. Of the factor, that is so if it is deep. Stride is from a row in memory to the
// next; Batch and WideBatch are from a factor of a batch to the next.
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
func packTF32(from []float32, to []gpu.TF32, p Packing) {
	packed(from, p, func(at, _ int, x float32) { to[at] = nearestTF32(x) })
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

// packParts makes three BFloat16 of each element, whose sum it is when it is multiplied by
// 2^shifts[row]. Those of a number lie part elements apart.
//
//gpu:kernel block=32x8
//gpu:nobounds
func packParts(from []float32, shifts []int32, to []gpu.BFloat16, part int, p Packing) {
	shifts = shifts[gpu.BlockIdx.Y*p.Rows:]
	packed(from, p, func(at, row int, x float32) {
		for i, y := range parts(x, int(shifts[row])) {
			to[at+i*part] = y
		}
	})
}

// parts are the three numbers whose sum x*2^shift is. A number that is not finite is the first of
// them. A number that is not 0 has a first part that is not: products with infinities depend on it.
func parts(x float32, shift int) (p [tile.SumParts]gpu.BFloat16) {
	x = gpu.Ldexp(x, shift)
	p[0] = gpu.BFloat16Of(x)
	if x-x != 0 {
		return p
	}
	if x != 0 && p[0].Float32() == 0 {
		p[0] = gpu.BFloat16FromBits(uint16(math.Float32bits(x)>>16) | 1)
		return p
	}
	rest := x - p[0].Float32()
	p[1] = gpu.BFloat16Of(rest)
	p[2] = gpu.BFloat16Of(rest - p[1].Float32())
	return p
}

// packed gives put each element of the block's tile of a factor, and zeros behind K, with where it
// goes and its row.
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

// shiftedBits is how many bits the largest number of a row has before the binary point, once it is
// shifted: a sum of 2^31 products is far from an infinity, and a number needs 2^-157 of the largest
// to have all its bits in three parts.
const shiftedBits = 48

// findShifts leaves for each row by which power of two its numbers are multiplied. Launch it with a
// block for each packSide rows.
//
//gpu:kernel block=32x8
//gpu:nobounds
func findShifts(from []float32, out []int32, p Packing) {
	largest := gpu.Shared[[packSide][packSide + 1]uint32]()
	from = from[gpu.BlockIdx.Y*p.Batch:]
	row, x, y := gpu.BlockIdx.X*packSide, gpu.ThreadIdx.X, gpu.ThreadIdx.Y
	if p.Deep {
		for j := y; j < packSide; j += 8 {
			var most uint32
			for k := x; k < p.K && row+j < p.Rows; k += packSide {
				most = max(most, finiteBits(from[(row+j)*p.Stride+k]))
			}
			largest[j][x] = most
		}
	} else {
		var most uint32
		for k := y; k < p.K && row+x < p.Rows; k += 8 {
			most = max(most, finiteBits(from[k*p.Stride+row+x]))
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
		shift := int32(0)
		if most > 0 {
			shift = shiftedBits + 126 - int32(most>>23)
		}
		out[gpu.BlockIdx.Y*p.Rows+row+x] = shift
	}
}

// finiteBits are the bits of |x|, which are ordered as numbers are, and 0 for what is not finite.
func finiteBits(x float32) uint32 {
	b := math.Float32bits(x) &^ (1 << 31)
	if b >= 0x7f800000 {
		return 0
	}
	return b
}
