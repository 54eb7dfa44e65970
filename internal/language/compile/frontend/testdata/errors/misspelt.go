package p

import (
	"math/bits"

	"example.com/geom"
	"github.com/gridstride/gridstride/gpu"
)

// Nothing else of these packages is used.
//
//gpu:kernel
func Misspelt(x []int32) {
	x[0] = gpu.ThreadID       // ERROR 13:"^undefined: gpu.ThreadID$"
	x[1] = geom.Dims          // ERROR 14:"^undefined: geom.Dims$"
	x[2] = bits.Onescount8(1) // ERROR 14:"^undefined: bits.Onescount8$"
}
