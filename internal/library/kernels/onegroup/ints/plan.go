// Package ints has the small products of package onegroup for int8, with sums in int32.
package ints

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
func Load(dev *gridstride.Device) (*onegroup.Plan[int8, int32, gpu.Int32x2], error) {
	p := &onegroup.Plan[int8, int32, gpu.Int32x2]{Tilings: onegroup.Int8}
	var errs [6]error
	p.Kernels[onegroup.Narrow][0][0], errs[0] = loadNarrowInt8[tile.AcrossK, tile.AcrossK](dev)
	p.Kernels[onegroup.Narrow][0][1], errs[1] = loadNarrowInt8[tile.AcrossK, tile.AlongK](dev)
	p.Kernels[onegroup.Narrow][1][0], errs[2] = loadNarrowInt8[tile.AlongK, tile.AcrossK](dev)
	p.Kernels[onegroup.Narrow][1][1], errs[3] = loadNarrowInt8[tile.AlongK, tile.AlongK](dev)
	p.Kernels[onegroup.Short][1][1], errs[4] = loadShortInt8(dev)
	p.Kernels[onegroup.Wide][1][1], errs[5] = loadWideInt8(dev)
	return p, errors.Join(errs[:]...)
}
