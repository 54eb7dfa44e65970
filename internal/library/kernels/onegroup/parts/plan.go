// Package parts has the small products of package onegroup for float32 as sums of three BFloat16.
package parts

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
func Load(dev *gridstride.Device) (*onegroup.Plan[float32, float32, gpu.Float32x2], error) {
	p := &onegroup.Plan[float32, float32, gpu.Float32x2]{Tilings: onegroup.Parts}
	var errs [8]error
	p.Kernels[onegroup.Narrow][0][0], errs[0] = loadNarrowParts[tile.AcrossK, tile.AcrossK](dev)
	p.Kernels[onegroup.Narrow][0][1], errs[1] = loadNarrowParts[tile.AcrossK, tile.AlongK](dev)
	p.Kernels[onegroup.Narrow][1][0], errs[2] = loadNarrowParts[tile.AlongK, tile.AcrossK](dev)
	p.Kernels[onegroup.Narrow][1][1], errs[3] = loadNarrowParts[tile.AlongK, tile.AlongK](dev)
	p.Kernels[onegroup.Wide][0][0], errs[4] = loadWideParts[tile.AcrossK, tile.AcrossK](dev)
	p.Kernels[onegroup.Wide][0][1], errs[5] = loadWideParts[tile.AcrossK, tile.AlongK](dev)
	p.Kernels[onegroup.Wide][1][0], errs[6] = loadWideParts[tile.AlongK, tile.AcrossK](dev)
	p.Kernels[onegroup.Wide][1][1], errs[7] = loadWideParts[tile.AlongK, tile.AlongK](dev)
	return p, errors.Join(errs[:]...)
}
