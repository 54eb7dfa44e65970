package formats

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/layout"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups/along"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups/halves"
)

// stagedKernel has the methods that launchers of kernels with staged factors share.
type stagedKernel[P any, S operand.Sum] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.Buffer[P], c gridstride.Buffer[S], shape Shape, alpha, beta S) error
}

// loadHalf loads the kernels for numbers of 16 bits.
func loadHalf[T gpu.Float16 | gpu.BFloat16](dev *gridstride.Device) (launcher[T, float32], error) {
	groups, err1 := halves.NewPlan[T](dev)
	large, err2 := layout.Load[stagedKernel[T, float32]](dev,
		loadLargeHalf[T, layout.AcrossK, layout.AcrossK], loadLargeHalf[T, layout.AcrossK, layout.AlongK],
		loadLargeHalf[T, layout.AlongK, layout.AcrossK], loadLargeHalf[T, layout.AlongK, layout.AlongK],
	)
	small, err3 := loadSmallHalf[T](dev)
	take, err4 := loadHalves[T](dev)
	kernel := func(s *gridstride.Stream, m method, grid gridstride.Config, a, b *factor[T], c gridstride.Buffer[float32],
		shape Shape, alpha, beta float32,
	) error {
		switch m.kernel {
		case warpgroupKernels:
			return groups.Launch(s, ofWarpgroups(a), ofWarpgroups(b), c, shape.ofWarpgroups(grid.GridDim.Y), alpha, beta)
		case smallKernel:
			return small.Launch(s, grid, a.data, b.data, c, shape, alpha, beta, a.deep, b.deep)
		}
		return large.Of(a.deep, b.deep).Launch(s, grid, a.data, b.data, c, shape, alpha, beta)
	}
	return tensorLauncher(take, kernel), errors.Join(whereThere(err1), err2, err3, err4)
}

// loadHalves loads the kernel that packs numbers of 16 bits, if their layout does not suit the
// other kernels.
func loadHalves[T gpu.Float16 | gpu.BFloat16](dev *gridstride.Device) (maker[T, T], error) {
	words, err := loadPack[uint16](dev)
	return func(s *gridstride.Stream, _ method, m operand.Matrix[T], d span) (factor[T], error) {
		return takeOrPack(s, m, d, true, func(s *gridstride.Stream, grid gridstride.Config, from, to gridstride.Buffer[T], p Packing) error {
			words1, err1 := gridstride.Cast[uint16](from)
			words2, err2 := gridstride.Cast[uint16](to)
			return errors.Join(err1, err2, words.Launch(s, grid, words1, words2, p))
		})
	}, err
}

// ofWarpgroups is a factor as warpgroups take it.
func ofWarpgroups[T any](f *factor[T]) warpgroups.Factor[T] {
	return warpgroups.Factor[T]{Data: f.data, Row: f.row, Batch: f.batch, Deep: f.deep}
}

// takeOrPack is a factor in place, or a packed copy.
func takeOrPack[T operand.Element](s *gridstride.Stream, m operand.Matrix[T], d span, eitherWay bool, pack packer[T, T]) (factor[T], error) {
	if asItIs(m, d, eitherWay) {
		return factor[T]{data: m.Data, row: m.Stride, batch: d.stride, deep: d.deep}, nil
	}
	return packFactor(s, m, d, packSide, pack)
}

// sized is a large kernel, or a small one, or one for warpgroups, as the method says.
func sized[P any, S operand.Sum](large, small stagedKernel[P, S], ofWarpgroups func(s *gridstride.Stream, a, b along.Factor[P],
	c gridstride.Buffer[S], shape warpgroups.Shape, alpha, beta S) error,
) tensorKernel[P, S] {
	return func(s *gridstride.Stream, m method, grid gridstride.Config, a, b *factor[P], c gridstride.Buffer[S], shape Shape, alpha, beta S) error {
		kernel := large
		switch m.kernel {
		case warpgroupKernels:
			return ofWarpgroups(s, a.along(), b.along(), c, shape.ofWarpgroups(grid.GridDim.Y), alpha, beta)
		case smallKernel:
			kernel = small
		}
		return kernel.Launch(s, grid, a.data, b.data, c, shape, alpha, beta)
	}
}

// whereThere is nil in place of the error of a device that lacks the instructions.
func whereThere(err error) error {
	if errors.Is(err, gridstride.ErrTarget) {
		return nil
	}
	return err
}

// loadTF32 loads the kernels for TF32.
func loadTF32(dev *gridstride.Device) (launcher[float32, float32], error) {
	large, err1 := loadLargeTF32(dev)
	small, err2 := loadSmallTF32(dev)
	pack, err3 := loadPackTF32(dev)
	wide, err4 := along.LoadTF32(dev)
	take := func(s *gridstride.Stream, how method, m operand.Matrix[float32], d span) (factor[gpu.TF32], error) {
		if how.kernel == warpgroupKernels && asItIs(m, d, false) { // whose copies round
			data, err := gridstride.Cast[gpu.TF32](m.Data)
			return factor[gpu.TF32]{data: data, row: m.Stride, batch: d.stride, deep: true}, err
		}
		return packFactor(s, m, d, floatSide,
			func(s *gridstride.Stream, grid gridstride.Config, from gridstride.Buffer[float32], to gridstride.Buffer[gpu.TF32], p Packing) error {
				fours, err := gridstride.Cast[gpu.Float32x4](to)
				return errors.Join(err, pack.Launch(s, grid, from, fours, p))
			})
	}
	other := tensorLauncher(take, sized[gpu.TF32, float32](large, small, wide.Launch))
	return withTurned(wide, take, other), errors.Join(err1, err2, err3, whereThere(err4))
}

// withTurned is a launcher that lets warpgroups take a B across k, too.
func withTurned(wide *along.TF32, take maker[float32, gpu.TF32], other launcher[float32, float32]) launcher[float32, float32] {
	return func(s *gridstride.Stream, w onepass.Work, m method, p *level3.Product[float32, float32]) (err error) {
		left, right := sides(p)
		if m.kernel != warpgroupKernels || right.deep || !mapped(p.B, right) {
			return other(s, w, m, p)
		}
		a, err := take(s, m, p.A, left)
		defer func() { err = errors.Join(err, a.free()) }()
		if err != nil {
			return err
		}
		b, err := factorOf[gpu.TF32](p.B, right)
		if err != nil {
			return err
		}
		return wide.LaunchTurned(s, a.along(), along.Factor[gpu.TF32]{Data: b.Data, Row: b.Row, Batch: b.Batch}, p.C.Data, shapeOf(p), p.Alpha, p.Beta)
	}
}

// loadInt8 loads the kernels for int8.
func loadInt8(dev *gridstride.Device) (launcher[int8, int32], error) {
	large, err1 := loadLargeInt8(dev)
	small, err2 := loadSmallInt8(dev)
	bytes, err3 := loadPack[uint8](dev)
	wide, err4 := along.LoadInt8(dev)
	return tensorLauncher(func(s *gridstride.Stream, _ method, m operand.Matrix[int8], d span) (factor[int8], error) {
		return takeOrPack(s, m, d, false, func(s *gridstride.Stream, grid gridstride.Config, from, to gridstride.Buffer[int8], p Packing) error {
			bytes1, err1 := gridstride.Cast[uint8](from)
			bytes2, err2 := gridstride.Cast[uint8](to)
			return errors.Join(err1, err2, bytes.Launch(s, grid, bytes1, bytes2, p))
		})
	}, sized[int8, int32](large, small, wide.Launch)), errors.Join(err1, err2, err3, whereThere(err4))
}
