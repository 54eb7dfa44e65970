package gpu

import "github.com/gridstride/gridstride/internal/math/mufu"

// The package's comment says what these functions share. The bounds are from the PTX ISA, "Floating
// Point Instructions".

// ApproxExp2 is about 2 to the power of x, within 2 units in the last place. PTX's ex2.approx.f32.
func ApproxExp2(x float32) float32 { return mufu.Exp2(x) }

// ApproxLog2 is about the logarithm of x to the base 2. Its absolute error is at most 2^-22 for x
// between 0.5 and 2, and its relative error at most 2^-22 for any other positive x. It is -Inf for
// ±0 and NaN for x < 0. PTX's lg2.approx.f32.
func ApproxLog2(x float32) float32 { return mufu.Log2(x) }

// ApproxSin is about the sine of x radians. Its absolute error is at most 2^-20.4 for x from -2π to
// 2π, and 2^-14.7 from -100π to 100π. Beyond that there is no bound. PTX's sin.approx.f32, for
// which the manual has 2^-20.5: see [ApproxCos].
func ApproxSin(x float32) float32 { return mufu.Sin(x) }

// ApproxCos is about the cosine of x radians. Its absolute error is at most 2^-20.4 for x from -2π
// to 2π, and 2^-14.7 from -100π to 100π. Beyond that there is no bound. PTX's cos.approx.f32, for
// which the manual has 2^-20.5: an H200 was seen to exceed that by 3 % near 3π/2.
func ApproxCos(x float32) float32 { return mufu.Cos(x) }

// ApproxTanh is about the hyperbolic tangent of x, with a relative error of at most 2^-11. It needs
// a GPU of compute capability 7.5: a kernel that calls it says //gpu:kernel target=sm_75 or names a
// newer target. PTX's tanh.approx.f32.
func ApproxTanh(x float32) float32 { return mufu.TANH(x) }

// ApproxRsqrt is about 1/√x, with a relative error of at most 2^-22.9 for x > 0. It is ±Inf for ±0
// and NaN for x < 0. PTX's rsqrt.approx.f32.
func ApproxRsqrt(x float32) float32 { return mufu.Rsqrt(x) }

// ApproxRcp is about 1/x, within 1 unit in the last place. PTX's rcp.approx.f32.
func ApproxRcp(x float32) float32 { return mufu.Rcp(x) }
