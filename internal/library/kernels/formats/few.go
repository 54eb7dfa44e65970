package formats

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// fewTile is the smallest tile of package onegroup's kernels.
func fewTile() tile.Size { return tile.Size{Rows: 64, Cols: 32} }

// takesFew reports whether the kernels of package onegroup with these tilings are the ones for
// products, on a device whose largest grid is so large: their tilings take the products, and copies
// by tensor maps the factors.
func takesFew[T operand.Element, S operand.Sum](few *onegroup.Tilings, p *level3.Product[T, S], most gridstride.Dim3) bool {
	left, right := sides(p)
	shape := shapeOf(p)
	return mapped(p.A, left) && mapped(p.B, right) && few.Takes(&shape, left.deep, right.deep) &&
		(p.C.Cols-1)/fewTile().Cols < most.Y && p.Count <= most.Z
}

// mapped reports whether tensor maps take the factors of a side.
func mapped[T operand.Element](m operand.Matrix[T], d span) bool {
	perLine := elementsOf16[T]()
	return m.Data.Aligned(16) && m.Stride%perLine == 0 && d.stride%perLine == 0
}

// shapeOf is products as the kernels for warpgroups take them.
func shapeOf[T operand.Element, S operand.Sum](p *level3.Product[T, S]) warpgroups.Shape {
	return warpgroups.Shape{M: p.C.Rows, N: p.C.Cols, K: p.K(), Count: p.Count, RowC: p.C.Stride, BatchC: p.StrideC}
}

// fewOf loads the kernels of package onegroup of a format, whose factors are P, and does nothing
// else: so a program of small products needs no others.
func fewOf[T operand.Element, P, V any, S operand.Sum](load func(dev *gridstride.Device) (*onegroup.Plan[P, S, V], error)) loader[T, S] {
	return func(dev *gridstride.Device) (launcher[T, S], error) {
		few, err := load(dev)
		return func(s *gridstride.Stream, _ onepass.Work, _ method, p *level3.Product[T, S]) error {
			left, right := sides(p)
			a, err1 := factorOf[P](p.A, left)
			b, err2 := factorOf[P](p.B, right)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			return few.Launch(s, a, b, p.C.Data, shapeOf(p), p.Alpha, p.Beta)
		}, err
	}
}

// factorOf is a factor in place, of elements of a type of the same size.
func factorOf[P any, T operand.Element](m operand.Matrix[T], d span) (warpgroups.Factor[P], error) {
	data, err := gridstride.Cast[P](m.Data)
	return warpgroups.Factor[P]{Data: data, Row: m.Stride, Batch: d.stride, Deep: d.deep}, err
}
