package level3

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/kernels/onepass"
	"github.com/gridstride/gridstride/internal/kernels/operand"
	"github.com/gridstride/gridstride/internal/kernels/tile"
	"github.com/gridstride/gridstride/internal/kernels/warpgroups"
	"github.com/gridstride/gridstride/internal/kernels/warpgroups/along"
)

// Mixed is the products whose factors are of another type than C, or are taken for another. Each
// loads its kernels when it is first launched. Any goroutine may use it.
type Mixed struct {
	BF16   *MixedPlan[gpu.BFloat16, float32]
	F16    *MixedPlan[gpu.Float16, float32]
	TF32   *MixedPlan[float32, float32]
	BF16x6 *MixedPlan[float32, float32]
	Int8   *MixedPlan[int8, int32]
}

// NewMixed is the products on a device.
func NewMixed(dev *gridstride.Device) *Mixed {
	parts := partTile()
	if dev.Info().MaxShared < partBytes {
		parts = smallStaged()
	}
	has := dev.Info().Target == "sm_90a"
	return &Mixed{
		BF16:   mixedPlan(dev, largeStaged(), has, loadHalf[gpu.BFloat16], loadWidened[gpu.BFloat16]),
		F16:    mixedPlan(dev, largeStaged(), has, loadHalf[gpu.Float16], loadWidened[gpu.Float16]),
		TF32:   mixedPlan(dev, largeStaged(), has, loadTF32, loadRounded),
		BF16x6: mixedPlan(dev, parts, has, loadParts, loadPlain),
		Int8:   mixedPlan(dev, largeStaged(), has, loadInt8, loadPlainInt8),
	}
}

// MixedPlan is the kernels for products of T to S.
type MixedPlan[T operand.Element, S operand.Sum] struct {
	load   func() (mixedLauncher[T, S], error)
	choose func(rows, cols, count int) method
	most   gridstride.Dim3 // the largest grid
}

// mixedLauncher queues products of which a grid has one in a row of blocks. Kernels on tensor cores
// go by the method.
type mixedLauncher[T operand.Element, S operand.Sum] func(s *gridstride.Stream, w onepass.Work, m method, p *Product[T, S]) error

// loader makes a launcher ready on a device.
type loader[T operand.Element, S operand.Sum] func(dev *gridstride.Device) (mixedLauncher[T, S], error)

// mixedPlan is a plan that loads the kernels on tensor cores, of which the large one has a tiling, and
// some may be for warpgroups, or others where the device lacks them.
func mixedPlan[T operand.Element, S operand.Sum](dev *gridstride.Device, large tile.StagedTiling, warpgroups bool, tensor, other loader[T, S]) *MixedPlan[T, S] {
	return &MixedPlan[T, S]{
		load: sync.OnceValues(func() (mixedLauncher[T, S], error) {
			launch, err := tensor(dev)
			if errors.Is(err, gridstride.ErrTarget) {
				return other(dev)
			}
			return launch, err
		}),
		choose: chooseStaged(large.Size, smallStaged().Size, warpgroups),
		most:   dev.Info().MaxGrid,
	}
}

// Launch is [Plan.Launch] for these products.
func (plan *MixedPlan[T, S]) Launch(s *gridstride.Stream, w onepass.Work, p Product[T, S]) error {
	launch, err := plan.load()
	if err != nil {
		return err
	}
	m := plan.choose(p.C.Rows, p.C.Cols, p.Count)
	if m.kernel == warpgroupKernels && p.k() == 0 {
		m.kernel = largeKernels
	}
	if tiles := tilesOf(m.Size, p.C.Rows, p.C.Cols); tiles > plan.most.X {
		return tooManyTiles(p.C.Rows, p.C.Cols, tiles, m.Size, plan.most.X)
	}
	for left := p.Count; left > 0; left -= p.Count {
		p.Count = min(left, plan.most.Y)
		if err := launch(s, w, m, &p); err != nil {
			return err
		}
		if left > p.Count {
			p.A.Data, p.B.Data, p.C.Data = from(p.A.Data, p.Count*p.StrideA), from(p.B.Data, p.Count*p.StrideB), from(p.C.Data, p.Count*p.StrideC)
		}
	}
	return nil
}

// factor is A, or B, as a kernel takes it: rows of A or columns of B begin so many elements behind
// each other, and the next factors of a batch, and the parts of a sum. memory is its own, unless it
// is the caller's.
type factor[P any] struct {
	data, memory     gridstride.Buffer[P]
	row, batch, part int
	deep             bool
	shifts           gridstride.Buffer[int32] // of the parts
}

// along is the factor as the kernels for warpgroups take it.
func (f *factor[P]) along() along.Factor[P] {
	return along.Factor[P]{Data: f.data, Row: f.row, Batch: f.batch, Part: f.part}
}

// ofWarpgroups is a shape as those kernels take it.
func (s *Shape) ofWarpgroups(count int) warpgroups.Shape {
	return warpgroups.Shape{M: s.M, N: s.N, K: s.K, Count: count, RowC: s.RowC, BatchC: s.BatchC}
}

// free gives a factor's memory back, which what is queued may still use.
func (f *factor[P]) free() error { return errors.Join(f.memory.Free(), f.shifts.Free()) }

// packAlign is the multiple of bytes that packed rows have.
const packAlign = 128

// packer queues a kernel that packs count factors.
type packer[T, P any] func(s *gridstride.Stream, grid gridstride.Config, from gridstride.Buffer[T], to gridstride.Buffer[P], p Packing) error

// span is one side of a product: rows of A or columns of B, and k elements of each.
type span struct {
	rows, k, count, stride int // stride is from a factor of a batch to the next
	deep                   bool
}

// packing is where the factors of a side go, in elements of so many bytes, and how many there are: a
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

// packFactor makes a packed copy.
func packFactor[T operand.Element, P any](s *gridstride.Stream, m operand.Matrix[T], d span, pack packer[T, P]) (f factor[P], err error) {
	if m.Data.Len() == 0 {
		return f, nil
	}
	p, count := d.packing(m.Stride, int(unsafe.Sizeof(*new(P))))
	if f.memory, err = gridstride.Make[P](s.Device(), count*p.Rows*p.Wide); err != nil {
		return f, err
	}
	f.data, f.row, f.batch, f.deep = f.memory, p.Wide, p.WideBatch, true
	return f, pack(s, p.grid(count), m.Data, f.memory, p)
}

// grid has a block for each tile of each of so many factors.
func (p *Packing) grid(count int) gridstride.Config {
	return gridstride.Grid(tilesOf(tile.Size{Rows: packSide, Cols: packSide}, p.Rows, p.Wide), count)
}

// sides are the sides of a product.
func (p *Product[T, S]) sides() (a, b span) {
	return span{p.C.Rows, p.k(), p.Count, p.StrideA, !p.TransA}, span{p.C.Cols, p.k(), p.Count, p.StrideB, p.TransB}
}

// asItIs reports whether kernels take the factors of a side where they lie.
func asItIs[T operand.Element](m operand.Matrix[T], d span, eitherWay bool) bool {
	perLine := 16 / int(unsafe.Sizeof(*new(T)))
	return m.Data.Aligned(16) && m.Stride%perLine == 0 && d.stride%perLine == 0 && m.Stride/perLine <= tile.MostStride &&
		(d.deep || eitherWay && d.rows%perLine == 0)
}

// tensorKernel queues a kernel on tensor cores. The grid is that of the kernels of this package.
type tensorKernel[P any, S operand.Sum] func(s *gridstride.Stream, m method, grid gridstride.Config, a, b *factor[P], c gridstride.Buffer[S],
	shape Shape, alpha, beta S) error

// tensorLauncher launches a kernel with factors that make has made of the caller's.
func tensorLauncher[T operand.Element, P any, S operand.Sum](make func(s *gridstride.Stream, m operand.Matrix[T], d span) (factor[P], error),
	kernel tensorKernel[P, S],
) mixedLauncher[T, S] {
	return func(s *gridstride.Stream, _ onepass.Work, m method, p *Product[T, S]) (err error) {
		left, right := p.sides()
		a, err := make(s, p.A, left)
		defer func() { err = errors.Join(err, a.free()) }()
		if err != nil {
			return err
		}
		b, err := make(s, p.B, right)
		defer func() { err = errors.Join(err, b.free()) }()
		if err != nil {
			return err
		}
		shape := Shape{M: p.C.Rows, N: p.C.Cols, K: left.k, RowA: a.row, RowB: b.row, RowC: p.C.Stride, BatchA: a.batch, BatchB: b.batch, BatchC: p.StrideC}
		grid := gridstride.Grid(tilesOf(m.Size, p.C.Rows, p.C.Cols), p.Count)
		return kernel(s, m, grid, &a, &b, p.C.Data, shape, p.Alpha, p.Beta)
	}
}
