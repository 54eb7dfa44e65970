package onegroup

import (
	"errors"
	"math"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/kernels/warpgroups"
)

// tiling is the rows and columns of C that a block has, and how many blocks side by side share their
// rows of A. deepest is the largest K, and deep says that both factors lie along k; where neither
// matters, they are zero.
type tiling struct {
	rows, cols, across int
	deepest            int
	deep               bool
}

// blocks is how many blocks the products have.
func (t *tiling) blocks(s *warpgroups.Shape) (down, across, count int) {
	return (s.M + t.rows - 1) / t.rows, (s.N + t.cols*t.across - 1) / (t.cols * t.across) * t.across, s.Count
}

// Tilings are those of the kernels of a format: for few elements of C, for a short K, and wide ones.
type Tilings [3]*tiling

// The kernels, and that there is none.
const (
	narrow = iota
	short
	wide
	none
)

// The tilings of the formats.
var (
	Half  = &Tilings{{rows: groupRows, cols: 32, across: 1}, {rows: groupRows, cols: 64, across: 1, deepest: tile.Depth}, {rows: wideRows, cols: wideCols, across: wideAcross}}
	TF32  = &Tilings{narrow: {rows: groupRows, cols: 32, across: 1}, wide: {rows: wideRows, cols: wideCols, across: 1}}
	Parts = TF32
	Int8  = &Tilings{{rows: groupRows, cols: 32, across: 1}, {rows: groupRows, cols: 64, across: 1, deepest: depth8, deep: true},
		{rows: wideRows, cols: wideCols, across: wideAcross, deep: true}}
)

// multiprocessors are those of an H200. What has more tiles than these is better off with larger ones.
const multiprocessors = 132

// large is the least number of rows, and of columns, of products for which there are larger tiles.
const large = 1024

// Takes reports whether products whose factors lie along k, or not, are those of this package: the
// blocks of all of them run at once, or K is short. A K of 0 is not.
func (t *Tilings) Takes(s *warpgroups.Shape, deepA, deepB bool) bool {
	return t.choose(s, deepA, deepB) != none
}

// choose is the kernel for products. The bits do not depend on it.
func (t *Tilings) choose(s *warpgroups.Shape, deepA, deepB bool) int {
	if s.K == 0 {
		return none
	}
	blocks := func(i int) int {
		k := t[i]
		if k == nil || k.deep && !(deepA && deepB) || k.deepest > 0 && s.K > k.deepest {
			return math.MaxInt
		}
		down, across, count := k.blocks(s)
		return down * across * count
	}
	switch {
	case blocks(narrow) <= multiprocessors:
		return narrow
	case blocks(short) < math.MaxInt && (s.M < large || s.N < large):
		return short
	case blocks(wide) <= multiprocessors:
		return wide
	}
	return none
}

// launcher is what the launchers of kernels of T to S have in common, which write pairs V.
type launcher[T, S, V any] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.TensorMap[T], c gridstride.Buffer[S], cv gridstride.Buffer[V],
		shape warpgroups.Shape, manyA, manyB int, alpha, beta S) error
}

// kernels are those of a tiling, by whether A is deep, and B.
type kernels[T, S, V any] [2][2]launcher[T, S, V]

// Plan is the kernels for products of T to S made ready on a device. Any goroutine may use it.
type Plan[T, S, V any] struct {
	tilings *Tilings
	kernels [3]kernels[T, S, V]
}

// LoadHalf loads the kernels for numbers of 16 bits.
//
// Errors: ErrTarget for a device that is no GPU of 9.0, and those of [gridstride.Device.Load].
func LoadHalf[T tile.Half](dev *gridstride.Device) (*Plan[T, float32, gpu.Float32x2], error) {
	p := &Plan[T, float32, gpu.Float32x2]{tilings: Half}
	var errs [12]error
	p.kernels[narrow][0][0], errs[0] = loadNarrowHalf[T, tile.AcrossK, tile.AcrossK](dev)
	p.kernels[narrow][0][1], errs[1] = loadNarrowHalf[T, tile.AcrossK, tile.AlongK](dev)
	p.kernels[narrow][1][0], errs[2] = loadNarrowHalf[T, tile.AlongK, tile.AcrossK](dev)
	p.kernels[narrow][1][1], errs[3] = loadNarrowHalf[T, tile.AlongK, tile.AlongK](dev)
	p.kernels[short][0][0], errs[4] = loadShortHalf[T, tile.AcrossK, tile.AcrossK](dev)
	p.kernels[short][0][1], errs[5] = loadShortHalf[T, tile.AcrossK, tile.AlongK](dev)
	p.kernels[short][1][0], errs[6] = loadShortHalf[T, tile.AlongK, tile.AcrossK](dev)
	p.kernels[short][1][1], errs[7] = loadShortHalf[T, tile.AlongK, tile.AlongK](dev)
	p.kernels[wide][0][0], errs[8] = loadWideHalf[T, tile.AcrossK, tile.AcrossK](dev)
	p.kernels[wide][0][1], errs[9] = loadWideHalf[T, tile.AcrossK, tile.AlongK](dev)
	p.kernels[wide][1][0], errs[10] = loadWideHalf[T, tile.AlongK, tile.AcrossK](dev)
	p.kernels[wide][1][1], errs[11] = loadWideHalf[T, tile.AlongK, tile.AlongK](dev)
	return p, errors.Join(errs[:]...)
}

// LoadTF32 loads the kernels for float32 that are rounded to TF32, as [LoadHalf] does.
func LoadTF32(dev *gridstride.Device) (*Plan[gpu.TF32, float32, gpu.Float32x2], error) {
	p := &Plan[gpu.TF32, float32, gpu.Float32x2]{tilings: TF32}
	var errs [8]error
	p.kernels[narrow][0][0], errs[0] = loadNarrowTF32[tile.AcrossK, tile.AcrossK](dev)
	p.kernels[narrow][0][1], errs[1] = loadNarrowTF32[tile.AcrossK, tile.AlongK](dev)
	p.kernels[narrow][1][0], errs[2] = loadNarrowTF32[tile.AlongK, tile.AcrossK](dev)
	p.kernels[narrow][1][1], errs[3] = loadNarrowTF32[tile.AlongK, tile.AlongK](dev)
	p.kernels[wide][0][0], errs[4] = loadWideTF32[tile.AcrossK, tile.AcrossK](dev)
	p.kernels[wide][0][1], errs[5] = loadWideTF32[tile.AcrossK, tile.AlongK](dev)
	p.kernels[wide][1][0], errs[6] = loadWideTF32[tile.AlongK, tile.AcrossK](dev)
	p.kernels[wide][1][1], errs[7] = loadWideTF32[tile.AlongK, tile.AlongK](dev)
	return p, errors.Join(errs[:]...)
}

// LoadParts loads the kernels for float32 that are sums of three BFloat16, as [LoadHalf] does.
func LoadParts(dev *gridstride.Device) (*Plan[float32, float32, gpu.Float32x2], error) {
	p := &Plan[float32, float32, gpu.Float32x2]{tilings: Parts}
	var errs [8]error
	p.kernels[narrow][0][0], errs[0] = loadNarrowParts[tile.AcrossK, tile.AcrossK](dev)
	p.kernels[narrow][0][1], errs[1] = loadNarrowParts[tile.AcrossK, tile.AlongK](dev)
	p.kernels[narrow][1][0], errs[2] = loadNarrowParts[tile.AlongK, tile.AcrossK](dev)
	p.kernels[narrow][1][1], errs[3] = loadNarrowParts[tile.AlongK, tile.AlongK](dev)
	p.kernels[wide][0][0], errs[4] = loadWideParts[tile.AcrossK, tile.AcrossK](dev)
	p.kernels[wide][0][1], errs[5] = loadWideParts[tile.AcrossK, tile.AlongK](dev)
	p.kernels[wide][1][0], errs[6] = loadWideParts[tile.AlongK, tile.AcrossK](dev)
	p.kernels[wide][1][1], errs[7] = loadWideParts[tile.AlongK, tile.AlongK](dev)
	return p, errors.Join(errs[:]...)
}

// LoadInt8 loads the kernels for int8, as [LoadHalf] does.
func LoadInt8(dev *gridstride.Device) (*Plan[int8, int32, gpu.Int32x2], error) {
	p := &Plan[int8, int32, gpu.Int32x2]{tilings: Int8}
	var errs [6]error
	p.kernels[narrow][0][0], errs[0] = loadNarrowInt8[tile.AcrossK, tile.AcrossK](dev)
	p.kernels[narrow][0][1], errs[1] = loadNarrowInt8[tile.AcrossK, tile.AlongK](dev)
	p.kernels[narrow][1][0], errs[2] = loadNarrowInt8[tile.AlongK, tile.AcrossK](dev)
	p.kernels[narrow][1][1], errs[3] = loadNarrowInt8[tile.AlongK, tile.AlongK](dev)
	p.kernels[short][1][1], errs[4] = loadShortInt8(dev)
	p.kernels[wide][1][1], errs[5] = loadWideInt8(dev)
	return p, errors.Join(errs[:]...)
}

// Launch queues the products C = alpha*A*B + beta*C of a batch, which its tilings take: others are
// computed by the narrow kernels. Sizes are 1 at least.
//
// Errors: those of [gridstride.Buffer.TensorMap] and [gridstride.Kernel.Launch].
func (p *Plan[T, S, V]) Launch(s *gridstride.Stream, a, b warpgroups.Factor[T], c gridstride.Buffer[S], shape warpgroups.Shape, alpha, beta S) error {
	kernel := p.tilings.choose(&shape, a.Deep, b.Deep)
	if kernel == none {
		kernel = narrow
	}
	return p.launchBy(kernel, s, a, b, c, shape, alpha, beta)
}

// launchBy is Launch by a kernel.
func (p *Plan[T, S, V]) launchBy(kernel int, s *gridstride.Stream, a, b warpgroups.Factor[T], c gridstride.Buffer[S], shape warpgroups.Shape, alpha, beta S) error {
	t := p.tilings[kernel]
	mapA, manyA, err1 := tensorMap(&a, shape.M, &shape, sideOf[T](t.rows, t.across))
	mapB, manyB, err2 := tensorMap(&b, shape.N, &shape, sideOf[T](t.cols, 1))
	cv, err3 := pairs[V](c, &shape)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	k := p.kernels[kernel][index(a.Deep)][index(b.Deep)]
	return k.Launch(s, gridstride.Grid(t.blocks(&shape)), mapA, mapB, c, cv, shape, manyA, manyB, alpha, beta)
}

// tensorMap describes a factor of rows of A, or columns of B, to a kernel that copies the sides of
// its tiles. many is from the factor of one product to that of the next.
func tensorMap[T any](f *warpgroups.Factor[T], rows int, s *warpgroups.Shape, tile side) (m gridstride.TensorMap[T], many int, err error) {
	many, count := 1, s.Count
	if f.Batch == 0 {
		many, count = 0, 1
	}
	var x T
	t := gridstride.Tensor{Dims: []int{s.K, rows, count}, Strides: []int{f.Row, f.Batch}, Box: []int{tile.depth, tile.lines(false), 1}}
	if !f.Deep {
		t.Dims[0], t.Dims[1], t.Box = rows, s.K, []int{tile.width, tile.lines(true), 1}
	}
	t.Swizzle = t.Box[0] * int(unsafe.Sizeof(x))
	if count == 1 {
		t.Strides[1] = f.Row // which nothing is read by
	}
	m, err = f.Data.TensorMap(t)
	return m, many, err
}

// pairs is a matrix as pairs, where its rows begin at multiples of these.
func pairs[V, S any](c gridstride.Buffer[S], s *warpgroups.Shape) (cv gridstride.Buffer[V], err error) {
	if c.Aligned(8) && s.RowC%2 == 0 && s.BatchC%2 == 0 {
		return gridstride.Cast[V](c.Slice(0, c.Len()/2*2))
	}
	return cv, nil
}

func index(deep bool) int {
	if deep {
		return 1
	}
	return 0
}
