package formats

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups/along"
)

// partKernels is the kernels whose factors are sums of parts.
type partKernels struct {
	large     *largePartsKernel
	small     *smallPartsKernel
	exponents *findExponentsKernel
	pack      *packPartsKernel

	wide    *along.Parts
	special *specialPartsKernel
}

// loadParts loads the kernels.
func loadParts(dev *gridstride.Device) (launcher[float32, float32], error) {
	k := &partKernels{}
	var errs [6]error
	k.large, errs[0] = loadLargeParts(dev)
	k.small, errs[1] = loadSmallParts(dev)
	k.exponents, errs[2] = loadFindExponents(dev)
	k.pack, errs[3] = loadPackParts(dev)
	k.special, errs[4] = loadSpecialParts(dev)
	k.wide, errs[5] = along.LoadParts(dev)
	errs[5] = whereThere(errs[5])
	return tensorLauncher(k.factor, k.launch), errors.Join(errs[:]...)
}

// factor is the parts of a factor, one after the other, and the exponents of its rows.
func (k *partKernels) factor(s *gridstride.Stream, _ method, m operand.Matrix[float32], d span) (f factor[gpu.BFloat16], err error) {
	if m.Data.Len() == 0 {
		return f, nil
	}
	p, count := d.packing(m.Stride, 2)
	f.part, f.row, f.batch, f.deep = count*p.Rows*p.Wide, p.Wide, p.WideBatch, true
	if f.memory, err = gridstride.Make[gpu.BFloat16](s.Device(), tile.SumParts*f.part); err != nil {
		return f, err
	}
	if f.exponents, err = gridstride.Make[int32](s.Device(), count*p.Rows); err != nil {
		return f, err
	}
	f.data = f.memory
	if p.K > exponentSide { // several blocks have elements of a row
		err = f.exponents.Zero(s)
	}
	to, err2 := gridstride.Cast[gpu.BFloat16x8](f.memory)
	return f, errors.Join(err, err2,
		k.exponents.Launch(s, gridstride.Grid(tile.Size{Rows: packSide, Cols: exponentSide}.Tiles(p.Rows, p.K), count), m.Data, f.exponents, p),
		k.pack.Launch(s, p.grid(floatSide, count), m.Data, f.exponents, to, f.part/8, p))
}

func (k *partKernels) launch(s *gridstride.Stream, m method, grid gridstride.Config, a, b *factor[gpu.BFloat16], c gridstride.Buffer[float32],
	shape Shape, alpha, beta float32,
) error {
	switch m.kernel {
	case warpgroupKernels:
		return k.launchWide(s, a, b, c, shape, grid.GridDim.Y, alpha, beta)
	case smallKernel:
		return k.small.Launch(s, grid, a.data, b.data, a.exponents, b.exponents, c, shape, a.part, b.part, alpha, beta)
	}
	return k.large.Launch(s, grid, a.data, b.data, a.exponents, b.exponents, c, shape, a.part, b.part, alpha, beta)
}

// launchWide queues the kernel for warpgroups, and then one for the sums that are not finite.
func (k *partKernels) launchWide(s *gridstride.Stream, a, b *factor[gpu.BFloat16], c gridstride.Buffer[float32], shape Shape, count int,
	alpha, beta float32,
) (err error) {
	special, err := gridstride.Make[uint32](s.Device(), 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, special.Free()) }()
	tiles, err := smallStaged().Grid(shape.M, shape.N, s.Device().Info().MaxGrid.X)
	if err != nil {
		return err
	}
	return errors.Join(special.Zero(s),
		k.wide.Launch(s, a.along(), b.along(), a.exponents, b.exponents, special, c, shape.ofWarpgroups(count), alpha, beta),
		k.special.Launch(s, gridstride.Grid(tiles, count), special, a.data, b.data, c, shape, alpha, beta))
}
