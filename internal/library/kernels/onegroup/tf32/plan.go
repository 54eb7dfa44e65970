// Package tf32 has the small products of package onegroup for float32 that are rounded to TF32.
package tf32

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
type kernel = onegroup.Launcher[gpu.TF32, float32, gpu.Float32x2]

// Load loads the kernels.
//
// Errors: ErrTarget for a device that is no GPU of 9.0, and [gridstride.Device.Load]'s errors.
func Load(dev *gridstride.Device) (*onegroup.Plan[gpu.TF32, float32, gpu.Float32x2], error) {
	narrow, err1 := layout.Load[kernel](dev,
		loadNarrowTF32[tile.AcrossK, tile.AcrossK], loadNarrowTF32[tile.AcrossK, tile.AlongK],
		loadNarrowTF32[tile.AlongK, tile.AcrossK], loadNarrowTF32[tile.AlongK, tile.AlongK],
	)
	wide, err2 := layout.Load[kernel](dev,
		layout.None, loadWideTF32[tile.AcrossK],
		loadTurnedTF32, loadWideTF32[tile.AlongK],
	)
	return &onegroup.Plan[gpu.TF32, float32, gpu.Float32x2]{
		Tilings: onegroup.TF32,
		Kernels: [3]layout.Table[kernel]{onegroup.Narrow: narrow, onegroup.Wide: wide},
	}, errors.Join(err1, err2)
}
