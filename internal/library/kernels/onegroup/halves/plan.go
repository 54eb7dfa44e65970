// Package halves has the small products of package onegroup for factors of 16 bits, bfloat16 and
// float16, with sums in float32.
package halves

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
type kernel[T any] = onegroup.Launcher[T, float32, gpu.Float32x2]

// Load loads the kernels for one type of factors.
//
// Errors: ErrTarget for a device that is no GPU of 9.0, and [gridstride.Device.Load]'s errors.
func Load[T tile.Half](dev *gridstride.Device) (*onegroup.Plan[T, float32, gpu.Float32x2], error) {
	narrow, err1 := layout.Load[kernel[T]](dev,
		loadNarrowHalf[T, tile.AcrossK, tile.AcrossK], loadNarrowHalf[T, tile.AcrossK, tile.AlongK],
		loadNarrowHalf[T, tile.AlongK, tile.AcrossK], loadNarrowHalf[T, tile.AlongK, tile.AlongK],
	)
	short, err2 := layout.Load[kernel[T]](dev,
		loadShortHalf[T, tile.AcrossK, tile.AcrossK], loadShortHalf[T, tile.AcrossK, tile.AlongK],
		loadShortHalf[T, tile.AlongK, tile.AcrossK], loadShortHalf[T, tile.AlongK, tile.AlongK],
	)
	wide, err3 := layout.Load[kernel[T]](dev,
		loadWideHalf[T, tile.AcrossK, tile.AcrossK], loadWideHalf[T, tile.AcrossK, tile.AlongK],
		loadWideHalf[T, tile.AlongK, tile.AcrossK], loadWideHalf[T, tile.AlongK, tile.AlongK],
	)
	return &onegroup.Plan[T, float32, gpu.Float32x2]{
		Tilings: onegroup.Half,
		Kernels: [3]layout.Table[kernel[T]]{onegroup.Narrow: narrow, onegroup.Short: short, onegroup.Wide: wide},
	}, errors.Join(err1, err2, err3)
}
