package fast32

import (
	"math"

	"github.com/gridstride/gridstride/internal/math/mufu"
)

// The approximations of a GPU, with .ftz. In kernels each is an instruction.

func exp2(x float32) float32  { return flushing(mufu.EX2, x) }
func log2(x float32) float32  { return flushing(mufu.LG2, x) }
func sin(x float32) float32   { return flushing(mufu.Sin, x) }
func cos(x float32) float32   { return flushing(mufu.Cos, x) }
func rcp(x float32) float32   { return flushing(mufu.RCP, x) }
func rsqrt(x float32) float32 { return flushing(mufu.RSQ, x) }

// flushing is f(x). A subnormal x counts as 0, and so does a subnormal result.
func flushing(f func(float32) float32, x float32) float32 { return flush(f(flush(x))) }

func flush(x float32) float32 {
	const sign = 1 << 31
	bits := math.Float32bits(x)
	if bits&^sign < 1<<23 {
		bits &= sign
	}
	return math.Float32frombits(bits)
}
