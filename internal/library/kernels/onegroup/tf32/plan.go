// Package tf32 has the small products of package onegroup for float32 that are rounded to TF32.
package tf32

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup"
)

//go:generate go tool gridstride build

// Load loads the kernels.
//
// Errors: ErrTarget for a device that is no GPU of 9.0, and [gridstride.Device.Load]'s errors.
func Load(dev *gridstride.Device) (*onegroup.Plan[gpu.TF32, float32, gpu.Float32x2], error) {
	p := &onegroup.Plan[gpu.TF32, float32, gpu.Float32x2]{Tilings: onegroup.TF32}
	var errs [7]error
	p.Kernels[onegroup.Narrow][0][0], errs[0] = loadNarrowTF32[tile.AcrossK, tile.AcrossK](dev)
	p.Kernels[onegroup.Narrow][0][1], errs[1] = loadNarrowTF32[tile.AcrossK, tile.AlongK](dev)
	p.Kernels[onegroup.Narrow][1][0], errs[2] = loadNarrowTF32[tile.AlongK, tile.AcrossK](dev)
	p.Kernels[onegroup.Narrow][1][1], errs[3] = loadNarrowTF32[tile.AlongK, tile.AlongK](dev)
	p.Kernels[onegroup.Wide][0][1], errs[4] = loadWideTF32[tile.AcrossK](dev)
	p.Kernels[onegroup.Wide][1][0], errs[5] = loadTurnedTF32(dev)
	p.Kernels[onegroup.Wide][1][1], errs[6] = loadWideTF32[tile.AlongK](dev)
	return p, errors.Join(errs[:]...)
}
