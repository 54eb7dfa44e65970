package level3

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/kernels/onepass"
	"github.com/gridstride/gridstride/internal/kernels/operand"
)

// Product is a product of matrices of T to one of S, or a batch of them: C = Alpha*A*B + Beta*C, with
// A and B transposed or not.
// Those of the next product of a batch begin so many elements behind; of the last one, all lie in
// the buffers. Of C, the triangle is computed.
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

// shape is where the matrices lie, counted in numbers of so many lanes. A block has so much of k.
func (p *Product[T, S]) shape(lanes, kPart int) Shape {
	return Shape{
		M: p.C.Rows, N: p.C.Cols, K: p.K(), KPart: kPart, RowA: p.A.Stride / lanes, RowB: p.B.Stride / lanes, RowC: p.C.Stride,
		BatchA: p.StrideA / lanes, BatchB: p.StrideB / lanes, BatchC: p.StrideC, Triangle: p.Triangle,
	}
}

// Each calls launch with so many products of the batch at most, and then with the next ones.
func (p Product[T, S]) Each(most int, launch func(p *Product[T, S]) error) error {
	for left := p.Count; left > 0; left -= p.Count {
		p.Count = min(left, most)
		if err := launch(&p); err != nil {
			return err
		}
		if left > p.Count {
			p.A.Data, p.B.Data, p.C.Data = from(p.A.Data, p.Count*p.StrideA), from(p.B.Data, p.Count*p.StrideB), from(p.C.Data, p.Count*p.StrideC)
		}
	}
	return nil
}

func from[T any](b gridstride.Buffer[T], i int) gridstride.Buffer[T] { return b.Slice(i, b.Len()) }

// Plan is the kernels for one element type made ready on a device. Any goroutine may use it.
type Plan[T operand.Float] struct {
	launch launcher[T]
	choose func(p *Product[T, T]) method
	most   gridstride.Dim3 // the largest grid
}

// launcher queues the kernel of a method for products of which the grid has one in a row of blocks.
type launcher[T operand.Float] func(s *gridstride.Stream, w onepass.Work, grid gridstride.Config, m method, p *Product[T, T]) error

// NewPlan loads the kernels.
//
// Errors: those of [gridstride.Device.Load].
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

// largeKernel and smallerKernel are what the launchers of large32NN and its like, and of half32 and
// its like, have in common.
type largeKernel interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.Buffer[gpu.Float32x4], c gridstride.Buffer[float32],
		cv gridstride.Buffer[gpu.Float32x4], shape Shape, alpha, beta float32) error
}

type smallerKernel interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.Buffer[gpu.Float32x4], c gridstride.Buffer[float32],
		cv gridstride.Buffer[gpu.Float32x4], shape Shape, alpha, beta float32, deepA, deepB bool) error
}

// kernels32 is the kernels for float32. large are those for B as it is and transposed, with A as it
// is and transposed.
type kernels32 struct {
	large              [2][2]largeKernel
	half, medium, tiny smallerKernel
	small              *small32Kernel
	other              *any32Kernel
}

func load32(dev *gridstride.Device) (*Plan[float32], error) {
	k := &kernels32{}
	var errs [9]error
	k.large[0][0], errs[0] = loadLarge32NN(dev)
	k.large[0][1], errs[1] = loadLarge32NT(dev)
	k.large[1][0], errs[2] = loadLarge32TN(dev)
	k.large[1][1], errs[3] = loadLarge32TT(dev)
	k.half, errs[4] = loadHalf32(dev)
	k.medium, errs[5] = loadMedium32(dev)
	k.small, errs[6] = loadSmall32(dev)
	k.tiny, errs[7] = loadTiny32(dev)
	k.other, errs[8] = loadAny32(dev)
	return &Plan[float32]{k.launch, choose32, dev.Info().MaxGrid}, errors.Join(errs[:]...)
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
	smaller := k.tiny
	switch m.kernel {
	case largeKernels:
		return k.large[index(p.TransA)][index(p.TransB)].Launch(s, grid, a, b, p.C.Data, c, shape, p.Alpha, p.Beta)
	case smallKernel:
		var partial gridstride.Buffer[float32]
		if m.parts > 1 {
			if partial, err1 = onepass.Partial[float32](w, grid.GridDim.X*grid.GridDim.Y*m.parts*m.Rows*m.Cols); err1 != nil {
				return err1
			}
		}
		return k.small.Launch(s, grid, a, b, p.C.Data, c, shape, p.Alpha, p.Beta, !p.TransA, p.TransB, partial, w.Ticket)
	case halfKernel:
		smaller = k.half
	case mediumKernel:
		smaller = k.medium
	}
	return smaller.Launch(s, grid, a, b, p.C.Data, c, shape, p.Alpha, p.Beta, !p.TransA, p.TransB)
}

func index(trans bool) int {
	if trans {
		return 1
	}
	return 0
}

// The number of elements in 16 bytes.
const lanes32, lanes64 = 4, 2

// isWide reports whether a matrix, and those of the next products, can be read 16 bytes at a time,
// which are so many elements.
func isWide[T operand.Float](m operand.Matrix[T], stride, lanes int) bool {
	return m.Data.Aligned(16) && m.Stride%lanes == 0 && m.Cols%lanes == 0 && stride%lanes == 0
}

// wide is a buffer as vectors of 16 bytes, less the last elements that make none.
func wide(b gridstride.Buffer[float32]) (gridstride.Buffer[gpu.Float32x4], error) {
	return gridstride.Cast[gpu.Float32x4](b.Slice(0, b.Len()/lanes32*lanes32))
}

// tensorKernel64 is what the launchers of largeTensor64NN and its like have in common.
type tensorKernel64 interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b, c gridstride.Buffer[float64], shape Shape, alpha, beta float64) error
}

// tensorKernels64 are kernels for A, and for B, as it is and transposed.
type tensorKernels64 [2][2]tensorKernel64

// load64 takes the kernels on tensor cores where the device has the instructions.
func load64(dev *gridstride.Device) (*Plan[float64], error) {
	var large, small, tiny, other tensorKernels64
	var errs [16]error
	large[0][0], errs[0] = loadLargeTensor64NN(dev)
	if errors.Is(errs[0], gridstride.ErrTarget) {
		return loadPlain64(dev)
	}
	large[0][1], errs[1] = loadLargeTensor64NT(dev)
	large[1][0], errs[2] = loadLargeTensor64TN(dev)
	large[1][1], errs[3] = loadLargeTensor64TT(dev)
	small[0][0], errs[4] = loadSmallTensor64NN(dev)
	small[0][1], errs[5] = loadSmallTensor64NT(dev)
	small[1][0], errs[6] = loadSmallTensor64TN(dev)
	small[1][1], errs[7] = loadSmallTensor64TT(dev)
	other[0][0], errs[8] = loadAnyTensor64NN(dev)
	other[0][1], errs[9] = loadAnyTensor64NT(dev)
	other[1][0], errs[10] = loadAnyTensor64TN(dev)
	other[1][1], errs[11] = loadAnyTensor64TT(dev)
	tiny[0][0], errs[12] = loadTinyTensor64NN(dev)
	tiny[0][1], errs[13] = loadTinyTensor64NT(dev)
	tiny[1][0], errs[14] = loadTinyTensor64TN(dev)
	tiny[1][1], errs[15] = loadTinyTensor64TT(dev)
	kernels := map[kernel]*tensorKernels64{largeKernels: &large, smallKernel: &small, tinyKernel: &tiny, anyKernel: &other}
	launch := func(s *gridstride.Stream, _ onepass.Work, grid gridstride.Config, m method, p *Product[float64, float64]) error {
		k := kernels[m.kernel][index(p.TransA)][index(p.TransB)]
		return k.Launch(s, grid, p.A.Data, p.B.Data, p.C.Data, p.shape(1, m.kPart), p.Alpha, p.Beta)
	}
	return &Plan[float64]{launch, chooseTensor64, dev.Info().MaxGrid}, errors.Join(errs[:]...)
}

// loadPlain64 takes the kernel for all devices.
func loadPlain64(dev *gridstride.Device) (*Plan[float64], error) {
	k, err := loadAny64(dev)
	launch := func(s *gridstride.Stream, _ onepass.Work, grid gridstride.Config, m method, p *Product[float64, float64]) error {
		return k.Launch(s, grid, p.A.Data, p.B.Data, p.C.Data, p.shape(1, m.kPart), p.Alpha, p.Beta, !p.TransA, p.TransB)
	}
	choose := func(p *Product[float64, float64]) method { return method{anyKernel, tile64().Size, 1, p.K()} }
	return &Plan[float64]{launch, choose, dev.Info().MaxGrid}, err
}

// Launch queues products on s, which are checked: sizes fit each other, the matrices lie in their
// buffers, C has elements. A batch that is too large for one grid takes several launches. Where
// there is nothing to add, A and B may be empty.
//
// Errors: a C of more tiles than a grid has blocks; and those of [gridstride.Kernel.Launch].
func (plan *Plan[T]) Launch(s *gridstride.Stream, w onepass.Work, p Product[T, T]) error {
	m := plan.choose(&p)
	tiles, err := m.Grid(p.C.Rows, p.C.Cols, plan.most.X)
	if err != nil {
		return err
	}
	return p.Each(plan.most.Y, func(p *Product[T, T]) error {
		return plan.launch(s, w, gridstride.Grid(tiles, p.Count, m.parts), m, p)
	})
}
