package formats

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/epilogue"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup/halves"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup/ints"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup/parts"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup/tf32"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups/along"
)

// Plans is the products of all formats. Each loads its kernels when it is first launched. Any
// goroutine may use it.
type Plans struct {
	BF16   *Plan[gpu.BFloat16, float32]
	F16    *Plan[gpu.Float16, float32]
	TF32   *Plan[float32, float32]
	BF16x6 *Plan[float32, float32]
	Int8   *Plan[int8, int32]

	finish func() (*epilogue.Plan, error)
}

// NewPlans is the products on a device.
func NewPlans(dev *gridstride.Device) *Plans {
	large := partTile()
	if dev.Info().MaxShared < partBytes {
		large = smallStaged()
	}
	has := dev.Info().Target == "sm_90a"
	p := &Plans{
		BF16:   newPlan(dev, largeStaged(), has, onegroup.Half, fewOf[gpu.BFloat16](halves.Load[gpu.BFloat16]), loadHalf[gpu.BFloat16], loadWidened[gpu.BFloat16]),
		F16:    newPlan(dev, largeStaged(), has, onegroup.Half, fewOf[gpu.Float16](halves.Load[gpu.Float16]), loadHalf[gpu.Float16], loadWidened[gpu.Float16]),
		TF32:   newPlan(dev, largeStaged(), has, onegroup.TF32, fewOf[float32](tf32.Load), loadTF32, loadRounded),
		BF16x6: newPlan(dev, large, has, onegroup.Parts, fewOf[float32](parts.Load), loadParts, loadPlain),
		Int8:   newPlan(dev, largeStaged(), has, onegroup.Int8, fewOf[int8](ints.Load), loadInt8, loadPlainInt8),
		finish: sync.OnceValues(func() (*epilogue.Plan, error) { return epilogue.NewPlan(dev) }),
	}
	p.BF16.ended = endedOn[gpu.BFloat16](dev)
	p.F16.ended = endedOn[gpu.Float16](dev)
	return p
}

// Plan is the kernels for products of T to S.
type Plan[T operand.Element, S operand.Sum] struct {
	load   func() (launcher[T, S], error)
	few    func() (launcher[T, S], error) // of package onegroup's kernels
	choose func(p *level3.Product[T, S]) method
	most   gridstride.Dim3 // the largest grid
	ended  *ended[T, S]    // where the kernels of warpgroups have ends, and otherwise nil
}

// launcher queues products, one of a grid's in each row of blocks. Kernels on tensor cores depend
// on the method.
type launcher[T operand.Element, S operand.Sum] func(s *gridstride.Stream, w onepass.Work, m method, p *level3.Product[T, S]) error

// loader makes a launcher ready on a device.
type loader[T operand.Element, S operand.Sum] func(dev *gridstride.Device) (launcher[T, S], error)

// newPlan is a plan that loads the kernels on tensor cores. large is the tiling of the large one.
// Some may be for warpgroups, and some have the tilings few. A device without tensor cores gets
// others.
func newPlan[T operand.Element, S operand.Sum](dev *gridstride.Device, large tile.StagedTiling, warpgroups bool, few *onegroup.Tilings,
	group, tensor, other loader[T, S],
) *Plan[T, S] {
	most, staged := dev.Info().MaxGrid, chooseStaged(large.Size, smallStaged().Size, warpgroups)
	return &Plan[T, S]{
		load: sync.OnceValues(func() (launcher[T, S], error) {
			launch, err := tensor(dev)
			if errors.Is(err, gridstride.ErrTarget) {
				return other(dev)
			}
			return launch, err
		}),
		few: sync.OnceValues(func() (launcher[T, S], error) { return group(dev) }),
		choose: func(p *level3.Product[T, S]) method {
			if warpgroups && takesFew(few, p, most) {
				return method{groupKernels, fewTile()}
			}
			return staged(p.C.Rows, p.C.Cols, p.Count)
		},
		most: most,
	}
}

// Launch is a [level3.Engine]'s. It loads the kernels that it needs.
func (plan *Plan[T, S]) Launch(s *gridstride.Stream, w onepass.Work, p level3.Product[T, S]) error {
	m, load := plan.methodFor(&p), plan.load
	if m.kernel == groupKernels {
		load = plan.few
	}
	launch, err := load()
	if err != nil {
		return err
	}
	if _, err := m.Grid(p.C.Rows, p.C.Cols, plan.most.X); err != nil {
		return err
	}
	for err == nil && p.Count > 0 {
		var first level3.Product[T, S]
		first, p = p.Cut(plan.most.Y)
		err = launch(s, w, m, &first)
	}
	return err
}

// methodFor is how products are computed.
func (plan *Plan[T, S]) methodFor(p *level3.Product[T, S]) method {
	m := plan.choose(p)
	if m.kernel == warpgroupKernels && p.K() == 0 {
		m.kernel = largeKernels
	}
	return m
}

// factor is A, or B, in a kernel's layout, with the distances in elements between rows of A or
// columns of B, between factors of a batch, and between parts of a sum. It owns memory, unless the
// caller does.
type factor[P any] struct {
	data, memory     gridstride.Buffer[P]
	row, batch, part int
	deep             bool
	exponents        gridstride.Buffer[int32] // of the rows, if it has parts
}

// along is the factor as the kernels for warpgroups take it.
func (f *factor[P]) along() along.Factor[P] {
	return along.Factor[P]{Data: f.data, Row: f.row, Batch: f.batch, Part: f.part}
}

// Shape is the layout of the matrices of products. A is M by K as it is used, B is K by N, C is M
// by N. Row* are distances between rows in memory, Batch* between the matrices of a batch, in
// elements.
type Shape struct {
	M, N, K                int
	RowA, RowB, RowC       int
	BatchA, BatchB, BatchC int
}

// ofWarpgroups is a shape as those kernels take it.
func (s *Shape) ofWarpgroups(count int) warpgroups.Shape {
	return warpgroups.Shape{M: s.M, N: s.N, K: s.K, Count: count, RowC: s.RowC, BatchC: s.BatchC}
}

// free gives a factor's memory back, which what is queued may still use.
func (f *factor[P]) free() error { return errors.Join(f.memory.Free(), f.exponents.Free()) }

// packAlign is the multiple of bytes that packed rows have.
const packAlign = 128

// packer queues a kernel that packs count factors.
type packer[T, P any] func(s *gridstride.Stream, grid gridstride.Config, from gridstride.Buffer[T], to gridstride.Buffer[P], p Packing) error

// span is one side of a product: rows of A or columns of B, and k elements of each.
type span struct {
	rows, k, count, stride int // stride is from a factor of a batch to the next
	deep                   bool
}

// packing describes the copies of a side's factors, in elements of that size, and counts them: a
// factor that all products of a batch share is packed once.
func (d span) packing(stride, bytes int) (p Packing, count int) {
	wide := packAlign / bytes
	p = Packing{Rows: d.rows, K: d.k, Stride: stride, Batch: d.stride, Wide: (d.k + wide - 1) / wide * wide, Deep: d.deep}
	p.WideBatch = p.Rows * p.Wide
	if count = d.count; d.stride == 0 {
		p.WideBatch, count = 0, 1
	}
	return p, count
}

// packFactor makes a packed copy by a kernel whose blocks have side elements along k.
func packFactor[T operand.Element, P any](s *gridstride.Stream, m operand.Matrix[T], d span, side int, pack packer[T, P]) (f factor[P], err error) {
	if m.Data.Len() == 0 {
		return f, nil
	}
	p, count := d.packing(m.Stride, int(unsafe.Sizeof(*new(P))))
	if f.memory, err = gridstride.Make[P](s.Device(), count*p.Rows*p.Wide); err != nil {
		return f, err
	}
	f.data, f.row, f.batch, f.deep = f.memory, p.Wide, p.WideBatch, true
	return f, pack(s, p.grid(side, count), m.Data, f.memory, p)
}

// grid has a block for each tile of each of count factors, of side elements along k.
func (p *Packing) grid(side, count int) gridstride.Config {
	return gridstride.Grid(tile.Size{Rows: packSide, Cols: side}.Tiles(p.Rows, p.Wide), count)
}

// sides are the sides of a product.
func sides[T operand.Element, S operand.Sum](p *level3.Product[T, S]) (a, b span) {
	return span{p.C.Rows, p.K(), p.Count, p.StrideA, !p.TransA}, span{p.C.Cols, p.K(), p.Count, p.StrideB, p.TransB}
}

// elementsOf16 is how many elements 16 bytes have.
func elementsOf16[T any]() int { return 16 / int(unsafe.Sizeof(*new(T))) }

// asItIs reports whether kernels take the factors of a side in place.
func asItIs[T operand.Element](m operand.Matrix[T], d span, eitherWay bool) bool {
	perLine := elementsOf16[T]()
	return m.Data.Aligned(16) && m.Stride%perLine == 0 && d.stride%perLine == 0 && m.Stride/perLine <= tile.MostStride &&
		(d.deep || eitherWay && d.rows%perLine == 0)
}

// tensorKernel queues a kernel on tensor cores. The grid is for the kernels of this package.
type tensorKernel[P any, S operand.Sum] func(s *gridstride.Stream, m method, grid gridstride.Config, a, b *factor[P], c gridstride.Buffer[S],
	shape Shape, alpha, beta S) error

// maker makes a factor for a method of the caller's matrix.
type maker[T operand.Element, P any] func(s *gridstride.Stream, how method, m operand.Matrix[T], d span) (factor[P], error)

// tensorLauncher launches a kernel with factors that make has made.
func tensorLauncher[T operand.Element, P any, S operand.Sum](make maker[T, P], kernel tensorKernel[P, S]) launcher[T, S] {
	return func(s *gridstride.Stream, _ onepass.Work, m method, p *level3.Product[T, S]) (err error) {
		left, right := sides(p)
		a, err := make(s, m, p.A, left)
		defer func() { err = errors.Join(err, a.free()) }()
		if err != nil {
			return err
		}
		b, err := make(s, m, p.B, right)
		defer func() { err = errors.Join(err, b.free()) }()
		if err != nil {
			return err
		}
		shape := Shape{M: p.C.Rows, N: p.C.Cols, K: left.k, RowA: a.row, RowB: b.row, RowC: p.C.Stride, BatchA: a.batch, BatchB: b.batch, BatchC: p.StrideC}
		grid := gridstride.Grid(m.Tiles(p.C.Rows, p.C.Cols), p.Count)
		return kernel(s, m, grid, &a, &b, p.C.Data, shape, p.Alpha, p.Beta)
	}
}
