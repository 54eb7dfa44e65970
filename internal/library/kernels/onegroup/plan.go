package onegroup

import (
	"errors"
	"math"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/layout"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// tiling is the number of rows and columns of C per block, and the number of adjacent blocks
// that share their rows of A. deepest is the largest K, unless it is 0, and deep the least
// number of factors along k. If it turns, products with only A along k are computed as their
// transposes.
type tiling struct {
	rows, cols, across int
	deepest, deep      int
	turns              bool
}

// turned reports whether the transposes of products are computed.
func (t *tiling) turned(deepA, deepB bool) bool { return t.turns && deepA && !deepB }

// blocks is how many blocks the products have.
func (t *tiling) blocks(s *warpgroups.Shape) (down, across, count int) {
	return (s.M + t.rows - 1) / t.rows, (s.N + t.cols*t.across - 1) / (t.cols * t.across) * t.across, s.Count
}

// Tilings are the tilings of a format's kernels: for few elements of C, for a short K, and wide
// ones.
type Tilings [3]*tiling

// The kernels of a [Plan], and that there is none.
const (
	Narrow = iota
	Short
	Wide
	none
)

// The tilings of the formats.
var (
	Half  = &Tilings{{rows: warpgroups.GroupRows, cols: 32, across: 1}, {rows: warpgroups.GroupRows, cols: 64, across: 1, deepest: tile.Depth}, {rows: WideRows, cols: WideCols, across: WideAcross}}
	TF32  = &Tilings{Narrow: {rows: warpgroups.GroupRows, cols: 32, across: 1, turns: true}, Wide: {rows: WideRows, cols: WideCols, across: WideAcross, deep: 1, turns: true}}
	Parts = &Tilings{Narrow: {rows: warpgroups.GroupRows, cols: 32, across: 1}, Wide: {rows: WideRows, cols: WideCols, across: 1}}
	Int8  = &Tilings{{rows: warpgroups.GroupRows, cols: 32, across: 1}, {rows: warpgroups.GroupRows, cols: 64, across: 1, deepest: Depth8, deep: 2},
		{rows: WideRows, cols: WideCols, across: WideAcross, deep: 2}}
)

// multiprocessors is the number of an H200's. A product with more tiles than these is better off
// with larger ones.
const multiprocessors = 132

// large is the least number of rows, and of columns, of products for which there are larger tiles.
const large = 1024

// Takes reports whether products whose factors are along k, or not, belong to this package: all
// their blocks run at once, or K is short but not 0.
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
		if k == nil || k.deep > layout.Count(deepA, deepB) || k.deepest > 0 && s.K > k.deepest {
			return math.MaxInt
		}
		shape := *s
		if k.turned(deepA, deepB) {
			shape = shape.Turned()
		}
		down, across, count := k.blocks(&shape)
		return down * across * count
	}
	switch {
	case blocks(Narrow) <= multiprocessors:
		return Narrow
	case blocks(Short) < math.MaxInt && (s.M < large || s.N < large):
		return Short
	case blocks(Wide) <= multiprocessors:
		return Wide
	}
	return none
}

// Launcher has the methods that launchers of kernels of T to S share. These write pairs V.
type Launcher[T, S, V any] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.TensorMap[T], c gridstride.Buffer[S], cv gridstride.Buffer[V],
		shape warpgroups.Shape, manyA, manyB int, alpha, beta S) error
}

// Plan is the kernels for products of T to S made ready on a device, by their tilings. The package
// that has them makes it. Any goroutine may use it.
type Plan[T, S, V any] struct {
	Tilings *Tilings
	Kernels [3]layout.Table[Launcher[T, S, V]] // some have no kernel for some layouts
}

// Launch queues the products C = alpha*A*B + beta*C of a batch, which its tilings take: others are
// computed by the narrow kernels. Sizes are 1 at least.
//
// Errors: [gridstride.Buffer.TensorMap]'s and [gridstride.Kernel.Launch]'s.
func (p *Plan[T, S, V]) Launch(s *gridstride.Stream, a, b warpgroups.Factor[T], c gridstride.Buffer[S], shape warpgroups.Shape, alpha, beta S) error {
	kernel := p.Tilings.choose(&shape, a.Deep, b.Deep)
	if kernel == none {
		kernel = Narrow
	}
	return p.launchBy(kernel, s, a, b, c, shape, alpha, beta)
}

// launchBy is Launch by a kernel.
func (p *Plan[T, S, V]) launchBy(kernel int, s *gridstride.Stream, a, b warpgroups.Factor[T], c gridstride.Buffer[S], shape warpgroups.Shape, alpha, beta S) error {
	t, k := p.Tilings[kernel], p.Kernels[kernel].Of(a.Deep, b.Deep)
	cv, err3 := pairs[V](c, &shape)
	if t.turned(a.Deep, b.Deep) {
		a, b, shape = b, a, shape.Turned()
	}
	mapA, manyA, err1 := tensorMap(&a, shape.M, &shape, SideOf[T](t.rows, t.across))
	mapB, manyB, err2 := tensorMap(&b, shape.N, &shape, SideOf[T](t.cols, 1))
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	return k.Launch(s, gridstride.Grid(t.blocks(&shape)), mapA, mapB, c, cv, shape, manyA, manyB, alpha, beta)
}

// tensorMap describes a factor of rows of A, or columns of B, to a kernel that copies the sides of
// its tiles. many is from the factor of one product to the next product's.
func tensorMap[T any](f *warpgroups.Factor[T], rows int, s *warpgroups.Shape, tile Side) (m gridstride.TensorMap[T], many int, err error) {
	many, count := 1, s.Count
	if f.Batch == 0 {
		many, count = 0, 1
	}
	var x T
	t := gridstride.Tensor{Dims: []int{s.K, rows, count}, Strides: []int{f.Row, f.Batch}, Box: []int{tile.Depth, tile.lines(false), 1}}
	if !f.Deep {
		t.Dims[0], t.Dims[1], t.Box = rows, s.K, []int{tile.Width, tile.lines(true), 1}
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
