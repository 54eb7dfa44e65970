// Package halves has the small products of package onegroup for factors of 16 bits, bfloat16 and
// float16, with sums in float32.
package halves

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup"
)

//go:generate go tool gridstride build

// Load loads the kernels for one type of factors.
//
// Errors: ErrTarget for a device that is no GPU of 9.0, and [gridstride.Device.Load]'s errors.
func Load[T tile.Half](dev *gridstride.Device) (*onegroup.Plan[T, float32, gpu.Float32x2], error) {
	p := &onegroup.Plan[T, float32, gpu.Float32x2]{Tilings: onegroup.Half}
	var errs [12]error
	p.Kernels[onegroup.Narrow][0][0], errs[0] = loadNarrowHalf[T, tile.AcrossK, tile.AcrossK](dev)
	p.Kernels[onegroup.Narrow][0][1], errs[1] = loadNarrowHalf[T, tile.AcrossK, tile.AlongK](dev)
	p.Kernels[onegroup.Narrow][1][0], errs[2] = loadNarrowHalf[T, tile.AlongK, tile.AcrossK](dev)
	p.Kernels[onegroup.Narrow][1][1], errs[3] = loadNarrowHalf[T, tile.AlongK, tile.AlongK](dev)
	p.Kernels[onegroup.Short][0][0], errs[4] = loadShortHalf[T, tile.AcrossK, tile.AcrossK](dev)
	p.Kernels[onegroup.Short][0][1], errs[5] = loadShortHalf[T, tile.AcrossK, tile.AlongK](dev)
	p.Kernels[onegroup.Short][1][0], errs[6] = loadShortHalf[T, tile.AlongK, tile.AcrossK](dev)
	p.Kernels[onegroup.Short][1][1], errs[7] = loadShortHalf[T, tile.AlongK, tile.AlongK](dev)
	p.Kernels[onegroup.Wide][0][0], errs[8] = loadWideHalf[T, tile.AcrossK, tile.AcrossK](dev)
	p.Kernels[onegroup.Wide][0][1], errs[9] = loadWideHalf[T, tile.AcrossK, tile.AlongK](dev)
	p.Kernels[onegroup.Wide][1][0], errs[10] = loadWideHalf[T, tile.AlongK, tile.AcrossK](dev)
	p.Kernels[onegroup.Wide][1][1], errs[11] = loadWideHalf[T, tile.AlongK, tile.AlongK](dev)
	return p, errors.Join(errs[:]...)
}
