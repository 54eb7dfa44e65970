// Package device is the intrinsics that the device forms of math, math/bits and gpu are written
// over. Package lower knows each of them by name. Users cannot import it.
package device

// Is reports whether T is U, or a type made of the same predeclared one. As is x then.
func Is[T, U any]() bool
func As[T, U any](x T) U

// Negate is -x, of a number of 16 bits or a pair of them, too.
func Negate[T any](x T) T

type float interface{ ~float32 | ~float64 }

func Sqrt[T float](x T) T
func Abs[T float](x T) T
func Floor[T float](x T) T
func Ceil[T float](x T) T
func Trunc[T float](x T) T
func RoundToEven[T float](x T) T
func FMA[T float](x, y, z T) T
func FMADown[T float](x, y, z T) T // rounded towards -Inf
func FMAUp[T float](x, y, z T) T
func Copysign[T float](x, sign T) T

// NearInverse is 1/x within 1 unit in the last place, and NearInverseRoot is 1/sqrt(x) with a
// relative error of at most 2^-22.9, for normal numbers with normal results. What each GPU makes of
// them is its own.
func NearInverse(x float32) float32
func NearInverseRoot(x float32) float32

// The approximations of 2^x, log2(x), the sine and the cosine, with .ftz.
func NearExp2(x float32) float32
func NearLog2(x float32) float32
func NearSin(x float32) float32
func NearCos(x float32) float32

func Float32bits(x float32) uint32
func Float32frombits(x uint32) float32
func Float64bits(x float64) uint64
func Float64frombits(x uint64) float64

func OnesCount32(x uint32) int
func OnesCount64(x uint64) int
func LeadingZeros32(x uint32) int
func LeadingZeros64(x uint64) int
func Reverse32(x uint32) uint32
func Reverse64(x uint64) uint64
func RotateLeft32(x uint32, k int) uint32
func RotateLeft64(x uint64, k int) uint64
func MulHigh64(x, y uint64) uint64

// CheckDivisor fails as a division by y does if it is 0, and CheckQuotient if the quotient does not
// fit.
func CheckDivisor(y uint64)
func CheckQuotient(fits bool)

func Sleep(ns uint32)

// SharedAddress is the address in shared memory of what p points to there.
func SharedAddress[T any](p *T) uint64

// MatrixOffset is n, and MatrixSwizzle s. The compiler refuses constants that no matrix in shared
// memory has.
func MatrixOffset(n int) int
func MatrixSwizzle(s uint8) uint8

// HasRedux reports whether the kernel's target has the instruction.
func HasRedux() bool
func ReduxAdd(mask, v uint32) uint32
func ReduxMinS(mask uint32, v int32) int32
func ReduxMinU(mask, v uint32) uint32
func ReduxMaxS(mask uint32, v int32) int32
func ReduxMaxU(mask, v uint32) uint32
func ReduxAnd(mask, v uint32) uint32
func ReduxOr(mask, v uint32) uint32
func ReduxXor(mask, v uint32) uint32
