// Package parts has the small products of package onegroup for float32 as sums of three BFloat16.
package parts

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
type kernel = onegroup.Launcher[float32, float32, gpu.Float32x2]

// Load loads the kernels.
//
// Errors: ErrTarget for a device that is no GPU of 9.0, and [gridstride.Device.Load]'s errors.
func Load(dev *gridstride.Device) (*onegroup.Plan[float32, float32, gpu.Float32x2], error) {
	narrow, err1 := layout.Load[kernel](dev,
		loadNarrowParts[tile.AcrossK, tile.AcrossK], loadNarrowParts[tile.AcrossK, tile.AlongK],
		loadNarrowParts[tile.AlongK, tile.AcrossK], loadNarrowParts[tile.AlongK, tile.AlongK],
	)
	wide, err2 := layout.Load[kernel](dev,
		loadWideParts[tile.AcrossK, tile.AcrossK], loadWideParts[tile.AcrossK, tile.AlongK],
		loadWideParts[tile.AlongK, tile.AcrossK], loadWideParts[tile.AlongK, tile.AlongK],
	)
	return &onegroup.Plan[float32, float32, gpu.Float32x2]{
		Tilings: onegroup.Parts,
		Kernels: [3]layout.Table[kernel]{onegroup.Narrow: narrow, onegroup.Wide: wide},
	}, errors.Join(err1, err2)
}
