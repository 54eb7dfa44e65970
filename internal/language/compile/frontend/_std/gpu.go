// Package gpu is the bodies of those functions of gpu that can be written in Go. They replace the
// ones of the real package, which panic. A function that is neither here nor an intrinsic is plain
// Go there. A function without a body here is for the host.
package gpu

import (
	"math/bits"

	"github.com/gridstride/gridstride/gpu/device"
)

// GridStride has another signature here, because every loop over it is rewritten to for i, end,
// step := gpu.GridStride(n); i < end; i += step.
func GridStride(n int) (i, end, step int) {
	return BlockIdx.X*BlockDim.X + ThreadIdx.X, n, GridDim.X * BlockDim.X
}

func WarpID() int {
	return (ThreadIdx.X + BlockDim.X*(ThreadIdx.Y+BlockDim.Y*ThreadIdx.Z)) >> 5
}

func SyncCluster() {
	ArriveCluster()
	WaitCluster()
}

func AtomicSub[T Atomic](addr *T, v T, how ...Ordering) T {
	return AtomicAdd(addr, device.Negate(v), how...)
}

func MBarrierWait(b *MBarrier, phase MBarrierToken) {
	for !MBarrierTryWait(b, phase) {
	}
}

func MBarrierWaitParity(b *MBarrier, parity int) {
	for !MBarrierTryWaitParity(b, parity) {
	}
}

func MBarrierWaitParityCluster(b *MBarrier, parity int) {
	for !MBarrierTryWaitParityCluster(b, parity) {
	}
}

func Nanosleep(ns int) { device.Sleep(uint32(min(max(ns, 0), 1000000))) }

func ReduceAddSync[T Integer](mask uint32, v T) T {
	if hasRedux[T]() {
		return T(device.ReduxAdd(mask, uint32(v)))
	}
	return reduce(mask, v, func(x, y T) T { return x + y })
}

func ReduceMinSync[T Integer](mask uint32, v T) T {
	switch {
	case hasRedux[T]() && ^T(0) > 0:
		return T(device.ReduxMinU(mask, uint32(v)))
	case hasRedux[T]():
		return T(device.ReduxMinS(mask, int32(v)))
	}
	return reduce(mask, v, func(x, y T) T { return min(x, y) })
}

func ReduceMaxSync[T Integer](mask uint32, v T) T {
	switch {
	case hasRedux[T]() && ^T(0) > 0:
		return T(device.ReduxMaxU(mask, uint32(v)))
	case hasRedux[T]():
		return T(device.ReduxMaxS(mask, int32(v)))
	}
	return reduce(mask, v, func(x, y T) T { return max(x, y) })
}

func ReduceAndSync[T Integer](mask uint32, v T) T {
	if hasRedux[T]() {
		return T(device.ReduxAnd(mask, uint32(v)))
	}
	return reduce(mask, v, func(x, y T) T { return x & y })
}

func ReduceOrSync[T Integer](mask uint32, v T) T {
	if hasRedux[T]() {
		return T(device.ReduxOr(mask, uint32(v)))
	}
	return reduce(mask, v, func(x, y T) T { return x | y })
}

func ReduceXorSync[T Integer](mask uint32, v T) T {
	if hasRedux[T]() {
		return T(device.ReduxXor(mask, uint32(v)))
	}
	return reduce(mask, v, func(x, y T) T { return x ^ y })
}

// hasRedux reports whether the target reduces integers of T's size, at most 32 bits, with one
// instruction.
func hasRedux[T Integer]() bool {
	one := T(1)
	return device.HasRedux() && one<<32 == 0
}

// reduce joins the values of the lanes of mask that have not ended, with shuffles: of a whole warp
// in five steps, else one after the other.
func reduce[T Integer](mask uint32, v T, op func(x, y T) T) T {
	lanes := BallotSync(mask, true)
	if lanes == FullMask {
		for d := WarpSize / 2; d > 0; d /= 2 {
			v = op(v, ShflXorSync(FullMask, v, d))
		}
		return v
	}
	all := ShflSync(mask, v, bits.TrailingZeros32(lanes))
	for rest := lanes & (lanes - 1); rest != 0; rest &= rest - 1 {
		all = op(all, ShflSync(mask, v, bits.TrailingZeros32(rest)))
	}
	return all
}

func ToFloat32[T Real](x T) float32 {
	switch {
	case device.Is[T, Float16]():
		return device.As[T, Float16](x).Float32()
	case device.Is[T, BFloat16]():
		return device.As[T, BFloat16](x).Float32()
	case device.Is[T, float32]():
		return device.As[T, float32](x)
	}
	return float32(device.As[T, float64](x))
}

func ToFloat64[T Real](x T) float64 {
	if device.Is[T, float64]() {
		return device.As[T, float64](x)
	}
	return float64(ToFloat32(x))
}

func FromFloat32[T Real](x float32) T { return fromFloat[T](x) }
func FromFloat64[T Real](x float64) T { return fromFloat[T](x) }

func fromFloat[T Real, F Float](x F) T {
	switch {
	case device.Is[T, Float16]():
		return device.As[Float16, T](Float16Of(x))
	case device.Is[T, BFloat16]():
		return device.As[BFloat16, T](BFloat16Of(x))
	case device.Is[T, float32]():
		return device.As[float32, T](float32(x))
	}
	return device.As[float64, T](float64(x))
}

func threadCall[R any](name string, args ...any) R

func ParseFloat16(s string) (Float16, error)
func ParseBFloat16(s string) (BFloat16, error)

func (x Float16) String() string
func (x BFloat16) String() string
func (x E4M3) String() string
func (x E5M2) String() string
func (x E4M3) Format()
func (x E5M2) Format()
func (x Float16) Format()
func (x BFloat16) Format()
func (x Float16) MarshalText() ([]byte, error)
func (x BFloat16) MarshalText() ([]byte, error)
func (x *Float16) UnmarshalText(text []byte) error
func (x *BFloat16) UnmarshalText(text []byte) error

// The bodies of Assert and Printf in package gpu are over package fmt, and for the host. Package
// lower knows both by name.

func Assert(cond bool, format string, values ...any) {}

func Printf(format string, values ...any) {}

// The approximations are intrinsics. Their bodies in package gpu are for the host.

func ApproxExp2(x float32) float32
func ApproxLog2(x float32) float32
func ApproxSin(x float32) float32
func ApproxCos(x float32) float32
func ApproxTanh(x float32) float32
func ApproxRsqrt(x float32) float32
func ApproxRcp(x float32) float32

func MatrixOf[T any](tile []T, leading, stride int, s Swizzle) Matrix[T] {
	const part = 1<<14 - 1 // of 16 bytes each
	offsets := uint64(device.MatrixOffset(leading))>>4&part<<16 | uint64(device.MatrixOffset(stride))>>4&part<<32
	return Matrix[T]{device.SharedAddress(&tile[0])>>4&part | offsets | uint64(device.MatrixSwizzle(uint8(s)))<<62}
}
