// Package fast32 is the bodies of those functions of internal/math/fast32 that are one instruction.
// They replace the ones of the real package, which are the host's.
package fast32

import "github.com/gridstride/gridstride/gpu/device"

func exp2(x float32) float32  { return device.NearExp2(x) }
func log2(x float32) float32  { return device.NearLog2(x) }
func sin(x float32) float32   { return device.NearSin(x) }
func cos(x float32) float32   { return device.NearCos(x) }
func rcp(x float32) float32   { return device.NearInverse(x) }
func rsqrt(x float32) float32 { return device.NearInverseRoot(x) }
