// Package math is the device form of package math: its constants, and its functions.
package math

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/math32"
	"github.com/gridstride/gridstride/internal/math/math64"
)

const (
	E   = 2.71828182845904523536028747135266249775724709369995957496696763
	Pi  = 3.14159265358979323846264338327950288419716939937510582097494459
	Phi = 1.61803398874989484820458683436563811772030917980576286213544862

	Sqrt2   = 1.41421356237309504880168872420969807856967187537694807317667974
	SqrtE   = 1.64872127070012814684865078781416357165377610071014801157507931
	SqrtPi  = 1.77245385090551602729816748334114518279754945612238712821380779
	SqrtPhi = 1.27201964951406896425242246173749149171560804184009624861664038

	Ln2    = 0.693147180559945309417232121458176568075500134360255254120680009
	Log2E  = 1 / Ln2
	Ln10   = 2.30258509299404568401799145468436420760110148862877297603332790
	Log10E = 1 / Ln10
)

const (
	MaxFloat32             = 0x1p127 * (1 + (1 - 0x1p-23))
	SmallestNonzeroFloat32 = 0x1p-126 * 0x1p-23
	MaxFloat64             = 0x1p1023 * (1 + (1 - 0x1p-52))
	SmallestNonzeroFloat64 = 0x1p-1022 * 0x1p-52
)

const (
	MaxInt    = 1<<63 - 1
	MinInt    = -1 << 63
	MaxInt8   = 1<<7 - 1
	MinInt8   = -1 << 7
	MaxInt16  = 1<<15 - 1
	MinInt16  = -1 << 15
	MaxInt32  = 1<<31 - 1
	MinInt32  = -1 << 31
	MaxInt64  = 1<<63 - 1
	MinInt64  = -1 << 63
	MaxUint   = 1<<64 - 1
	MaxUint8  = 1<<8 - 1
	MaxUint16 = 1<<16 - 1
	MaxUint32 = 1<<32 - 1
	MaxUint64 = 1<<64 - 1
)

func Sqrt(x float64) float64           { return ieee.Sqrt(x) }
func Abs(x float64) float64            { return ieee.Abs(x) }
func Floor(x float64) float64          { return ieee.Floor(x) }
func Ceil(x float64) float64           { return ieee.Ceil(x) }
func Trunc(x float64) float64          { return ieee.Trunc(x) }
func RoundToEven(x float64) float64    { return ieee.RoundToEven(x) }
func FMA(x, y, z float64) float64      { return ieee.FMA(x, y, z) }
func Copysign(f, sign float64) float64 { return ieee.Copysign(f, sign) }
func Min(x, y float64) float64         { return ieee.Min(x, y) }
func Max(x, y float64) float64         { return ieee.Max(x, y) }
func Inf(sign int) float64             { return ieee.Inf[float64](sign) }
func NaN() float64                     { return ieee.NaN[float64]() }
func IsNaN(f float64) bool             { return ieee.IsNaN(f) }
func IsInf(f float64, sign int) bool   { return ieee.IsInf(f, sign) }
func Signbit(x float64) bool           { return ieee.Signbit(x) }

func Float32bits(f float32) uint32     { return ieee.Float32bits(f) }
func Float32frombits(b uint32) float32 { return ieee.Float32frombits(b) }
func Float64bits(f float64) uint64     { return ieee.Float64bits(f) }
func Float64frombits(b uint64) float64 { return ieee.Float64frombits(b) }

func Exp(x float64) float64                                { return math64.Exp(x) }
func Exp2(x float64) float64                               { return math64.Exp2(x) }
func Expm1(x float64) float64                              { return math64.Expm1(x) }
func Log(x float64) float64                                { return math64.Log(x) }
func Log2(x float64) float64                               { return math64.Log2(x) }
func Log10(x float64) float64                              { return math64.Log10(x) }
func Log1p(x float64) float64                              { return math64.Log1p(x) }
func Sinh(x float64) float64                               { return math64.Sinh(x) }
func Cosh(x float64) float64                               { return math64.Cosh(x) }
func Tanh(x float64) float64                               { return math64.Tanh(x) }
func Asinh(x float64) float64                              { return math64.Asinh(x) }
func Acosh(x float64) float64                              { return math64.Acosh(x) }
func Atanh(x float64) float64                              { return math64.Atanh(x) }
func Cbrt(x float64) float64                               { return math64.Cbrt(x) }
func Dim(x, y float64) float64                             { return ieee.Dim(x, y) }
func Mod(x, y float64) float64                             { return ieee.Mod(x, y) }
func Remainder(x, y float64) float64                       { return ieee.Remainder(x, y) }
func Pow(x, y float64) float64                             { return math64.Pow(x, y) }
func Round(x float64) float64                              { return ieee.Round(x) }
func Logb(x float64) float64                               { return ieee.Logb(x) }
func Ilogb(x float64) int                                  { return ieee.Ilogb(x) }
func Pow10(n int) float64                                  { return math64.Pow10(n) }
func Ldexp(frac float64, exp int) float64                  { return ieee.Ldexp(frac, exp) }
func Frexp(f float64) (frac float64, exp int)              { return ieee.Frexp(f) }
func Modf(f float64) (integer float64, fractional float64) { return ieee.Modf(f) }
func Nextafter(x, y float64) (r float64)                   { return ieee.Nextafter(x, y) }
func Nextafter32(x, y float32) (r float32)                 { return ieee.Nextafter(x, y) }
func Hypot(p, q float64) float64                           { return math64.Hypot(p, q) }

func Sin(x float64) float64                       { return math64.Sin(x) }
func Cos(x float64) float64                       { return math64.Cos(x) }
func Sincos(x float64) (sin, cos float64)         { return math64.Sincos(x) }
func Tan(x float64) float64                       { return math64.Tan(x) }
func Asin(x float64) float64                      { return math64.Asin(x) }
func Acos(x float64) float64                      { return math64.Acos(x) }
func Atan(x float64) float64                      { return math64.Atan(x) }
func Atan2(y, x float64) float64                  { return math64.Atan2(y, x) }
func Erf(x float64) float64                       { return math64.Erf(x) }
func Erfc(x float64) float64                      { return math64.Erfc(x) }
func Erfinv(x float64) float64                    { return math64.Erfinv(x) }
func Erfcinv(x float64) float64                   { return math64.Erfcinv(x) }
func Gamma(x float64) float64                     { return math64.Gamma(x) }
func Lgamma(x float64) (lgamma float64, sign int) { return math64.Lgamma(x) }
func J0(x float64) float64                        { return math64.J0(x) }
func J1(x float64) float64                        { return math64.J1(x) }
func Jn(n int, x float64) float64                 { return math64.Jn(n, x) }
func Y0(x float64) float64                        { return math64.Y0(x) }
func Y1(x float64) float64                        { return math64.Y1(x) }
func Yn(n int, x float64) float64                 { return math64.Yn(n, x) }
