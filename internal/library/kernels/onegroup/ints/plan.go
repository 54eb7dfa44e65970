// Package ints has the small products of package onegroup for int8, with sums in int32.
package ints

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/layout"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup"
)

//go:generate go tool gridstride build

// kernel is what the launchers of all kernels are.
type kernel = onegroup.Launcher[int8, int32, gpu.Int32x2]

// Load loads the kernels.
//
// Errors: ErrTarget for a device that is no GPU of 9.0, and [gridstride.Device.Load]'s errors.
func Load(dev *gridstride.Device) (*onegroup.Plan[int8, int32, gpu.Int32x2], error) {
	narrow, err1 := layout.Load[kernel](dev,
		loadNarrowInt8[tile.AcrossK, tile.AcrossK], loadNarrowInt8[tile.AcrossK, tile.AlongK],
		loadNarrowInt8[tile.AlongK, tile.AcrossK], loadNarrowInt8[tile.AlongK, tile.AlongK],
	)
	short, err2 := layout.Load[kernel](dev, layout.None, layout.None, layout.None, loadShortInt8)
	wide, err3 := layout.Load[kernel](dev, layout.None, layout.None, layout.None, loadWideInt8)
	return &onegroup.Plan[int8, int32, gpu.Int32x2]{
		Tilings: onegroup.Int8,
		Kernels: [3]layout.Table[kernel]{onegroup.Narrow: narrow, onegroup.Short: short, onegroup.Wide: wide},
	}, errors.Join(err1, err2, err3)
}
