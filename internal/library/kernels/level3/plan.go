package level3

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/layout"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/tile"
)

// Product is a product of matrices of T to one of S, or a batch of them: C = Alpha*A*B + Beta*C,
// with A and B transposed or not. Strides are the distances, in elements, to the next product's
// matrices. The last product is inside the buffers. Triangle is the part of C to compute.
type Product[T operand.Element, S operand.Sum] struct {
	TransA, TransB            bool
	Alpha, Beta               S
	A, B                      operand.Matrix[T]
	C                         operand.Matrix[S]
	Count                     int
	StrideA, StrideB, StrideC int
	Triangle                  Triangle
}

// K is the number of columns of A as it is used.
func (p *Product[T, S]) K() int {
	if p.TransA {
		return p.A.Rows
	}
	return p.A.Cols
}

// shape is the layout of the matrices in vectors of lanes. A block has kPart of k.
func (p *Product[T, S]) shape(lanes, kPart int) Shape {
	return Shape{
		M: p.C.Rows, N: p.C.Cols, K: p.K(), KPart: kPart, RowA: p.A.Stride / lanes, RowB: p.B.Stride / lanes, RowC: p.C.Stride,
		BatchA: p.StrideA / lanes, BatchB: p.StrideB / lanes, BatchC: p.StrideC, Triangle: p.Triangle,
	}
}

// Cut is the first products of a batch, most at most, and the others.
func (p Product[T, S]) Cut(most int) (first, others Product[T, S]) {
	first, others = p, p
	first.Count = min(p.Count, most)
	if others.Count -= first.Count; others.Count > 0 {
		n := first.Count
		others.A.Data, others.B.Data, others.C.Data = from(p.A.Data, n*p.StrideA), from(p.B.Data, n*p.StrideB), from(p.C.Data, n*p.StrideC)
	}
	return first, others
}

func from[T any](b gridstride.Buffer[T], i int) gridstride.Buffer[T] { return b.Slice(i, b.Len()) }

// Engine queues products of T to S. They are checked: sizes fit each other, the buffers contain the
// matrices, and C has elements. A batch that is too large for one grid takes several launches. If
// there is nothing to add, A and B may be empty.
//
// Errors: a C of more tiles than a grid has blocks, the errors of [gridstride.Kernel.Launch], and
// of [gridstride.Device.Load] from an engine that loads its kernels when it is first used.
type Engine[T operand.Element, S operand.Sum] interface {
	Launch(s *gridstride.Stream, w onepass.Work, p Product[T, S]) error
}

// Plan is the kernels for one element type made ready on a device. Any goroutine may use it.
type Plan[T operand.Float] struct {
	launch launcher[T]
	choose func(p *Product[T, T]) method
	most   gridstride.Dim3 // the largest grid
}

// launcher queues a method's kernel. The grid has one product in each row of blocks.
type launcher[T operand.Float] func(s *gridstride.Stream, w onepass.Work, grid gridstride.Config, m method, p *Product[T, T]) error

// NewPlan loads the kernels.
//
// Errors: [gridstride.Device.Load]'s.
func NewPlan[T operand.Float](dev *gridstride.Device) (*Plan[T], error) {
	var p any
	var err error
	switch any(T(0)).(type) {
	case float32:
		p, err = load32(dev)
	case float64:
		p, err = load64(dev)
	}
	return p.(*Plan[T]), err
}

// kernel32 has the methods that the launchers of large32, medium32 and tiny32 share, for all
// layouts, and smallKernel32 the methods of small32's.
type kernel32 interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.Buffer[gpu.Float32x4], c gridstride.Buffer[float32],
		cv gridstride.Buffer[gpu.Float32x4], shape Shape, alpha, beta float32) error
}

type smallKernel32 interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.Buffer[gpu.Float32x4], c gridstride.Buffer[float32],
		cv gridstride.Buffer[gpu.Float32x4], shape Shape, alpha, beta float32,
		partial gridstride.Buffer[float32], tickets gridstride.Buffer[uint32]) error
}

// kernels32 is the kernels for float32.
type kernels32 struct {
	tiled map[kernel]*layout.Table[kernel32]
	small layout.Table[smallKernel32]
	half  *half32Kernel
	other *any32Kernel
}

func load32(dev *gridstride.Device) (*Plan[float32], error) {
	large, err1 := layout.Load[kernel32](dev,
		loadLarge32[layout.AcrossK, layout.AcrossK], loadLarge32[layout.AcrossK, layout.AlongK],
		loadLarge32[layout.AlongK, layout.AcrossK], loadLarge32[layout.AlongK, layout.AlongK],
	)
	half, err2 := loadHalf32(dev)
	medium, err3 := layout.Load[kernel32](dev,
		loadMedium32[layout.AcrossK, layout.AcrossK], loadMedium32[layout.AcrossK, layout.AlongK],
		loadMedium32[layout.AlongK, layout.AcrossK], loadMedium32[layout.AlongK, layout.AlongK],
	)
	tiny, err4 := layout.Load[kernel32](dev,
		loadTiny32[layout.AcrossK, layout.AcrossK], loadTiny32[layout.AcrossK, layout.AlongK],
		loadTiny32[layout.AlongK, layout.AcrossK], loadTiny32[layout.AlongK, layout.AlongK],
	)
	small, err5 := layout.Load[smallKernel32](dev,
		loadSmall32[layout.AcrossK, layout.AcrossK], loadSmall32[layout.AcrossK, layout.AlongK],
		loadSmall32[layout.AlongK, layout.AcrossK], loadSmall32[layout.AlongK, layout.AlongK],
	)
	other, err6 := loadAny32(dev)
	tiled := map[kernel]*layout.Table[kernel32]{largeKernel: &large, mediumKernel: &medium, tinyKernel: &tiny}
	k := &kernels32{tiled, small, half, other}
	return &Plan[float32]{k.launch, choose32, dev.Info().MaxGrid}, errors.Join(err1, err2, err3, err4, err5, err6)
}

func (k *kernels32) launch(s *gridstride.Stream, w onepass.Work, grid gridstride.Config, m method, p *Product[float32, float32]) error {
	if m.kernel == anyKernel {
		return k.other.Launch(s, grid, p.A.Data, p.B.Data, p.C.Data, p.shape(1, m.kPart), p.Alpha, p.Beta, !p.TransA, p.TransB)
	}
	a, err1 := wide(p.A.Data)
	b, err2 := wide(p.B.Data)
	var c gridstride.Buffer[gpu.Float32x4]
	var err3 error
	if p.C.Data.Aligned(16) && p.C.Stride%lanes32 == 0 && p.StrideC%lanes32 == 0 {
		c, err3 = wide(p.C.Data)
	}
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	shape := p.shape(lanes32, m.kPart)
	switch m.kernel {
	case halfKernel:
		return k.half.Launch(s, grid, a, b, p.C.Data, c, shape, p.Alpha, p.Beta, !p.TransA, p.TransB)
	case largeKernel, mediumKernel, tinyKernel:
		return k.tiled[m.kernel].Of(!p.TransA, p.TransB).Launch(s, grid, a, b, p.C.Data, c, shape, p.Alpha, p.Beta)
	}
	var partial gridstride.Buffer[float32]
	if m.parts > 1 {
		if partial, err1 = onepass.Partial[float32](w, grid.GridDim.X*grid.GridDim.Y*m.parts*m.Rows*m.Cols); err1 != nil {
			return err1
		}
	}
	return k.small.Of(!p.TransA, p.TransB).Launch(s, grid, a, b, p.C.Data, c, shape, p.Alpha, p.Beta, partial, w.Ticket)
}

// The number of elements in 16 bytes.
const lanes32, lanes64 = 4, 2

// isWide reports whether a matrix, and the matrices of the next products, can be read 16 bytes at a
// time, lanes elements.
func isWide[T operand.Float](m operand.Matrix[T], stride, lanes int) bool {
	return m.Data.Aligned(16) && m.Stride%lanes == 0 && m.Cols%lanes == 0 && stride%lanes == 0
}

// wide is a buffer as vectors of 16 bytes, less the last elements that make none.
func wide(b gridstride.Buffer[float32]) (gridstride.Buffer[gpu.Float32x4], error) {
	return gridstride.Cast[gpu.Float32x4](b.Slice(0, b.Len()/lanes32*lanes32))
}

// tensorKernel64 has the methods that launchers of largeTensor64, smallTensor64 and the others share.
type tensorKernel64 interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b, c gridstride.Buffer[float64], shape Shape, alpha, beta float64) error
}

// load64 takes the kernels on tensor cores where the device has the instructions.
func load64(dev *gridstride.Device) (*Plan[float64], error) {
	large, err1 := layout.Load[tensorKernel64](dev,
		loadLargeTensor64[layout.AcrossK, layout.AcrossK], loadLargeTensor64[layout.AcrossK, layout.AlongK],
		loadLargeTensor64[layout.AlongK, layout.AcrossK], loadLargeTensor64[layout.AlongK, layout.AlongK],
	)
	if errors.Is(err1, gridstride.ErrTarget) {
		return loadPlain64(dev)
	}
	small, err2 := layout.Load[tensorKernel64](dev,
		loadSmallTensor64[layout.AcrossK, layout.AcrossK], loadSmallTensor64[layout.AcrossK, layout.AlongK],
		loadSmallTensor64[layout.AlongK, layout.AcrossK], loadSmallTensor64[layout.AlongK, layout.AlongK],
	)
	slim, err3 := layout.Load[tensorKernel64](dev,
		loadSlimTensor64[layout.AcrossK, layout.AcrossK], loadSlimTensor64[layout.AcrossK, layout.AlongK],
		loadSlimTensor64[layout.AlongK, layout.AcrossK], loadSlimTensor64[layout.AlongK, layout.AlongK],
	)
	tiny, err4 := layout.Load[tensorKernel64](dev,
		loadTinyTensor64[layout.AcrossK, layout.AcrossK], loadTinyTensor64[layout.AcrossK, layout.AlongK],
		loadTinyTensor64[layout.AlongK, layout.AcrossK], loadTinyTensor64[layout.AlongK, layout.AlongK],
	)
	other, err5 := layout.Load[tensorKernel64](dev,
		loadAnyTensor64[layout.AcrossK, layout.AcrossK], loadAnyTensor64[layout.AcrossK, layout.AlongK],
		loadAnyTensor64[layout.AlongK, layout.AcrossK], loadAnyTensor64[layout.AlongK, layout.AlongK],
	)
	parts, err6 := loadAddParts(dev)
	kernels := map[kernel]*layout.Table[tensorKernel64]{largeKernel: &large, smallKernel: &small, slimKernel: &slim, tinyKernel: &tiny, anyKernel: &other}
	launch := inParts(parts, func(s *gridstride.Stream, grid gridstride.Config, m method, p *Product[float64, float64],
		c gridstride.Buffer[float64], shape Shape, alpha, beta float64,
	) error {
		return kernels[m.kernel].Of(!p.TransA, p.TransB).Launch(s, grid, p.A.Data, p.B.Data, c, shape, alpha, beta)
	})
	return &Plan[float64]{launch, chooseTensor64, dev.Info().MaxGrid}, errors.Join(err1, err2, err3, err4, err5, err6)
}

// loadPlain64 takes the kernel for all devices.
func loadPlain64(dev *gridstride.Device) (*Plan[float64], error) {
	parts, err1 := loadAddParts(dev)
	k, err2 := loadAny64(dev)
	launch := inParts(parts, func(s *gridstride.Stream, grid gridstride.Config, _ method, p *Product[float64, float64],
		c gridstride.Buffer[float64], shape Shape, alpha, beta float64,
	) error {
		return k.Launch(s, grid, p.A.Data, p.B.Data, c, shape, alpha, beta, !p.TransA, p.TransB)
	})
	return &Plan[float64]{launch, choosePlain64, dev.Info().MaxGrid}, errors.Join(err1, err2)
}

// inParts queues a kernel, and where k goes into parts another that adds them.
func inParts(add *addPartsKernel, kernel func(s *gridstride.Stream, grid gridstride.Config, m method, p *Product[float64, float64],
	c gridstride.Buffer[float64], shape Shape, alpha, beta float64) error,
) launcher[float64] {
	return func(s *gridstride.Stream, w onepass.Work, grid gridstride.Config, m method, p *Product[float64, float64]) error {
		shape := p.shape(1, m.kPart)
		if m.parts == 1 {
			return kernel(s, grid, m, p, p.C.Data, shape, p.Alpha, p.Beta)
		}
		sums, err := onepass.Partial[float64](w, p.Count*m.parts*shape.M*shape.N)
		if err != nil {
			return err
		}
		shape.RowC, shape.PartC, shape.BatchC = shape.N, shape.M*shape.N, m.parts*shape.M*shape.N
		if err := kernel(s, grid, m, p, sums, shape, 1, 0); err != nil {
			return err
		}
		blocks := gridstride.Grid(tile.Size{Rows: partRows, Cols: gpu.WarpSize}.Tiles(shape.M, shape.N), p.Count)
		return add.Launch(s, blocks, sums, p.C.Data, shape, p.C.Stride, p.StrideC, m.parts, p.Alpha, p.Beta)
	}
}

// Launch is an [Engine]'s.
func (plan *Plan[T]) Launch(s *gridstride.Stream, w onepass.Work, p Product[T, T]) error {
	m := plan.choose(&p)
	tiles, err := m.Grid(p.C.Rows, p.C.Cols, plan.most.X)
	for err == nil && p.Count > 0 {
		var first Product[T, T]
		first, p = p.Cut(plan.most.Y)
		err = plan.launch(s, w, gridstride.Grid(tiles, first.Count, m.parts), m, &first)
	}
	return err
}
