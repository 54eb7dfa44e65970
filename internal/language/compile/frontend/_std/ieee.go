// Package ieee is the bodies of those functions of internal/math/ieee that are one instruction. They
// replace the ones of the real package, which are the host's.
package ieee

import "github.com/gridstride/gridstride/gpu/device"

func Sqrt[T Float](x T) T           { return device.Sqrt(x) }
func Abs[T Float](x T) T            { return device.Abs(x) }
func Floor[T Float](x T) T          { return device.Floor(x) }
func Ceil[T Float](x T) T           { return device.Ceil(x) }
func Trunc[T Float](x T) T          { return device.Trunc(x) }
func RoundToEven[T Float](x T) T    { return device.RoundToEven(x) }
func FMA[T Float](x, y, z T) T      { return device.FMA(x, y, z) }
func Copysign[T Float](x, sign T) T { return device.Copysign(x, sign) }

func Float32bits(x float32) uint32     { return device.Float32bits(x) }
func Float32frombits(b uint32) float32 { return device.Float32frombits(b) }
func Float64bits(x float64) uint64     { return device.Float64bits(x) }
func Float64frombits(b uint64) float64 { return device.Float64frombits(b) }

func Inverse[T Float](x T) T {
	if !Single[T]() {
		return 1 / x
	}
	return T(inverseFrom(float32(x), device.NearInverse(float32(x))))
}

func InverseRoot(x float32) float32 { return inverseRootFrom(x, device.NearInverseRoot(x)) }

// The approximation of 0 and of infinity is the limit, from which no step leads on.
func InverseRootLimit(x float32) float32 {
	near := device.NearInverseRoot(x)
	if y := inverseRootFrom(x, near); y == y {
		return y
	}
	return near
}

func FMAUp(x, y, z float32) float32 { return device.FMAUp(x, y, z) }

// Of two neighbouring numbers one has its last bit set. The sum is between them, or is both.
func FMAOdd(x, y, z float32) float32 {
	below, above := device.FMADown(x, y, z), device.FMAUp(x, y, z)
	if device.Float32bits(below)&1 != 0 {
		return below
	}
	return above
}
