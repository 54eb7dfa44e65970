package level1

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Plan is the kernels for one element type made ready on a device: functions that queue one launch
// each. They expect operands that were checked, and room for the result. Kernels with the same Work
// run one after the other. With a Work for each, several streams may use a Plan.
//
// Errors of the functions: [gridstride.Kernel.Launch]'s.
type Plan[T operand.Float] struct {
	Dot, DotExact               PairSum[T]
	Sum, SumSquares, Asum, Nrm2 VectorSum[T]
	Min, Max                    VectorSum[T] // of one element or more
	ArgMin, ArgMax, ArgMaxAbs   Search[T]

	Axpy       func(s *gridstride.Stream, alpha T, x, y operand.Vector[T]) error
	Scal       func(s *gridstride.Stream, alpha T, x operand.Vector[T]) error
	Copy, Swap func(s *gridstride.Stream, x, y operand.Vector[T]) error
	Rot        func(s *gridstride.Stream, x, y operand.Vector[T], cos, sin T) error
	RotBy      func(s *gridstride.Stream, x, y operand.Vector[T], rotation gridstride.Buffer[T]) error // c and s
	Rotg       func(s *gridstride.Stream, a, b, out gridstride.Buffer[T]) error
}

// PairSum, VectorSum and Search are functions that leave a result in out[0]: a number, or the place
// of an element.
type (
	PairSum[T operand.Float]   func(s *gridstride.Stream, w onepass.Work, x, y operand.Vector[T], out gridstride.Buffer[T]) error
	VectorSum[T operand.Float] func(s *gridstride.Stream, w onepass.Work, x operand.Vector[T], out gridstride.Buffer[T]) error
	Search[T operand.Float]    func(s *gridstride.Stream, w onepass.Work, x operand.Vector[T], out gridstride.Buffer[int]) error
)

// NewPlan loads the kernels.
//
// Errors: [gridstride.Device.Load]'s.
func NewPlan[T operand.Float](dev *gridstride.Device) (*Plan[T], error) {
	var p any
	var err error
	switch any(T(0)).(type) {
	case float32:
		p, err = load[float32, gpu.Float32x4](dev, loadDotExact32, onepass.Scales32, 0x1p-126)
	case float64:
		p, err = load[float64, gpu.Float64x2](dev, loadDotExact64, onepass.Scales64, 0x1p-1022)
	}
	return p.(*Plan[T]), err
}

// load loads the kernels for a type and its vectors of 16 bytes. smallest is its smallest normal
// number.
func load[T operand.Float, V gpu.Float32x4 | gpu.Float64x2, P any, E pairKernel[T, V, P]](dev *gridstride.Device,
	dotExact func(*gridstride.Device) (E, error), scales onepass.Scales[T], smallest T,
) (*Plan[T], error) {
	l := loader{dev: dev}
	p := &Plan[T]{
		Dot:        pair[T, V, T](get(&l, loadDot[T, V])),
		DotExact:   pair[T, V, P](get(&l, dotExact)),
		Sum:        single[T, V](get(&l, loadSum[T, V])),
		SumSquares: single[T, V](get(&l, loadSumSquares[T, V])),
		Asum:       single[T, V](get(&l, loadAsum[T, V])),
		Nrm2:       norm(get(&l, loadNrm2[T, V]), scales),
		Min:        single[T, V](get(&l, loadLeast[T, V])),
		Max:        single[T, V](get(&l, loadGreatest[T, V])),
		ArgMin:     placeOf[T, V](get(&l, loadArgMin[T, V])),
		ArgMax:     placeOf[T, V](get(&l, loadArgMax[T, V])),
		ArgMaxAbs:  placeOf[T, V](get(&l, loadArgMaxAbs[T, V])),
	}
	addUpdates[T, V](p, &l, smallest)
	return p, errors.Join(l.errs...)
}

// loader loads kernels on a device and keeps the errors.
type loader struct {
	dev  *gridstride.Device
	errs []error
}

func get[K any](l *loader, load func(*gridstride.Device) (K, error)) K {
	k, err := load(l.dev)
	if err != nil {
		l.errs = append(l.errs, err)
	}
	return k
}

// pairKernel, singleKernel and searchKernel have the methods that generated launchers share. P is a
// block's result.
type pairKernel[T, V, P any] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, xv, yv gridstride.Buffer[V], x, y gridstride.Buffer[T], rest onepass.Rest,
		partial gridstride.Buffer[P], ticket gridstride.Buffer[uint32], result gridstride.Buffer[T]) error
}

type singleKernel[T, V any] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, xv gridstride.Buffer[V], x gridstride.Buffer[T], rest onepass.Rest,
		partial gridstride.Buffer[T], ticket gridstride.Buffer[uint32], result gridstride.Buffer[T]) error
}

type searchKernel[T operand.Float, V any] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, xv gridstride.Buffer[V], x gridstride.Buffer[T], rest onepass.Rest,
		partial gridstride.Buffer[Candidate[T]], ticket gridstride.Buffer[uint32], at gridstride.Buffer[int]) error
}

func pair[T operand.Float, V, P any](k pairKernel[T, V, P]) PairSum[T] {
	return func(s *gridstride.Stream, w onepass.Work, x, y operand.Vector[T], out gridstride.Buffer[T]) error {
		p, err := onepass.SplitPair[V](x, y)
		if err != nil {
			return err
		}
		partial, err := onepass.Partial[P](w, p.Blocks)
		if err != nil {
			return err
		}
		return k.Launch(s, gridstride.Grid(p.Blocks), p.XV, p.YV, p.X, p.Y, p.Rest, partial, w.Ticket, out)
	}
}

func single[T operand.Float, V any](k singleKernel[T, V]) VectorSum[T] {
	return func(s *gridstride.Stream, w onepass.Work, x operand.Vector[T], out gridstride.Buffer[T]) error {
		p, err := onepass.Split[V](x)
		if err != nil {
			return err
		}
		partial, err := onepass.Partial[T](w, p.Blocks)
		if err != nil {
			return err
		}
		return k.Launch(s, gridstride.Grid(p.Blocks), p.XV, p.X, p.Rest, partial, w.Ticket, out)
	}
}

func norm[T operand.Float, V gpu.Float32x4 | gpu.Float64x2](k *nrm2Kernel[T, V], scales onepass.Scales[T]) VectorSum[T] {
	return func(s *gridstride.Stream, w onepass.Work, x operand.Vector[T], out gridstride.Buffer[T]) error {
		p, err := onepass.Split[V](x)
		if err != nil {
			return err
		}
		partial, err := onepass.Partial[onepass.Squares[T]](w, p.Blocks)
		if err != nil {
			return err
		}
		return k.Launch(s, gridstride.Grid(p.Blocks), p.XV, p.X, p.Rest, scales, partial, w.Ticket, out)
	}
}

func placeOf[T operand.Float, V any](k searchKernel[T, V]) Search[T] {
	return func(s *gridstride.Stream, w onepass.Work, x operand.Vector[T], out gridstride.Buffer[int]) error {
		p, err := onepass.Split[V](x)
		if err != nil {
			return err
		}
		partial, err := onepass.Partial[Candidate[T]](w, p.Blocks)
		if err != nil {
			return err
		}
		return k.Launch(s, gridstride.Grid(p.Blocks), p.XV, p.X, p.Rest, partial, w.Ticket, out)
	}
}

// addUpdates loads the kernels that change vectors.
func addUpdates[T operand.Float, V gpu.Float32x4 | gpu.Float64x2](plan *Plan[T], l *loader, smallest T) {
	axpy, scal, move, swap := get(l, loadAxpy[T, V]), get(l, loadScal[T, V]), get(l, loadMove[T, V]), get(l, loadSwap[T, V])
	rot, rotg := get(l, loadRot[T, V]), get(l, loadRotg[T])
	plan.Axpy = func(s *gridstride.Stream, alpha T, x, y operand.Vector[T]) error {
		p, err := onepass.SplitPair[V](x, y)
		if err != nil {
			return err
		}
		return axpy.Launch(s, p.Grid(), p.XV, p.YV, p.X, p.Y, p.Rest, alpha)
	}
	plan.Scal = func(s *gridstride.Stream, alpha T, x operand.Vector[T]) error {
		p, err := onepass.Split[V](x)
		if err != nil {
			return err
		}
		return scal.Launch(s, p.Grid(), p.XV, p.X, p.Rest, alpha)
	}
	plan.Copy = func(s *gridstride.Stream, x, y operand.Vector[T]) error {
		p, err := onepass.SplitPair[V](x, y)
		if err != nil {
			return err
		}
		return move.Launch(s, p.Grid(), p.XV, p.YV, p.X, p.Y, p.Rest)
	}
	plan.Swap = func(s *gridstride.Stream, x, y operand.Vector[T]) error {
		p, err := onepass.SplitPair[V](x, y)
		if err != nil {
			return err
		}
		return swap.Launch(s, p.Grid(), p.XV, p.YV, p.X, p.Y, p.Rest)
	}
	rotate := func(s *gridstride.Stream, x, y operand.Vector[T], cos, sin T, rotation gridstride.Buffer[T]) error {
		p, err := onepass.SplitPair[V](x, y)
		if err != nil {
			return err
		}
		return rot.Launch(s, p.Grid(), p.XV, p.YV, p.X, p.Y, p.Rest, cos, sin, rotation)
	}
	plan.Rot = func(s *gridstride.Stream, x, y operand.Vector[T], cos, sin T) error {
		return rotate(s, x, y, cos, sin, gridstride.Buffer[T]{})
	}
	plan.RotBy = func(s *gridstride.Stream, x, y operand.Vector[T], rotation gridstride.Buffer[T]) error {
		return rotate(s, x, y, 0, 0, rotation)
	}
	plan.Rotg = func(s *gridstride.Stream, a, b, out gridstride.Buffer[T]) error {
		return rotg.Launch(s, gridstride.Grid(1).Block(gpu.WarpSize), a, b, out, smallest)
	}
}
