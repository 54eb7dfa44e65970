// Package bits is the device form of package math/bits.
package bits

import "github.com/gridstride/gridstride/gpu/device"

const UintSize = 64

func OnesCount(x uint) int     { return device.OnesCount64(uint64(x)) }
func OnesCount8(x uint8) int   { return device.OnesCount32(uint32(x)) }
func OnesCount16(x uint16) int { return device.OnesCount32(uint32(x)) }
func OnesCount32(x uint32) int { return device.OnesCount32(x) }
func OnesCount64(x uint64) int { return device.OnesCount64(x) }

func LeadingZeros(x uint) int     { return device.LeadingZeros64(uint64(x)) }
func LeadingZeros8(x uint8) int   { return device.LeadingZeros32(uint32(x)) - 24 }
func LeadingZeros16(x uint16) int { return device.LeadingZeros32(uint32(x)) - 16 }
func LeadingZeros32(x uint32) int { return device.LeadingZeros32(x) }
func LeadingZeros64(x uint64) int { return device.LeadingZeros64(x) }

func TrailingZeros(x uint) int     { return TrailingZeros64(uint64(x)) }
func TrailingZeros8(x uint8) int   { return TrailingZeros32(uint32(x) | 1<<8) }
func TrailingZeros16(x uint16) int { return TrailingZeros32(uint32(x) | 1<<16) }
func TrailingZeros32(x uint32) int { return device.LeadingZeros32(device.Reverse32(x)) }
func TrailingZeros64(x uint64) int { return device.LeadingZeros64(device.Reverse64(x)) }

func Len(x uint) int         { return Len64(uint64(x)) }
func Len8(x uint8) int       { return Len32(uint32(x)) }
func Len16(x uint16) (n int) { return Len32(uint32(x)) }
func Len32(x uint32) (n int) { return 32 - device.LeadingZeros32(x) }
func Len64(x uint64) (n int) { return 64 - device.LeadingZeros64(x) }

func Reverse(x uint) uint       { return uint(device.Reverse64(uint64(x))) }
func Reverse8(x uint8) uint8    { return uint8(device.Reverse32(uint32(x)) >> 24) }
func Reverse16(x uint16) uint16 { return uint16(device.Reverse32(uint32(x)) >> 16) }
func Reverse32(x uint32) uint32 { return device.Reverse32(x) }
func Reverse64(x uint64) uint64 { return device.Reverse64(x) }

func ReverseBytes(x uint) uint       { return uint(ReverseBytes64(uint64(x))) }
func ReverseBytes16(x uint16) uint16 { return x>>8 | x<<8 }
func ReverseBytes64(x uint64) uint64 {
	return uint64(ReverseBytes32(uint32(x)))<<32 | uint64(ReverseBytes32(uint32(x>>32)))
}

func ReverseBytes32(x uint32) uint32 {
	return x>>24 | x>>8&0xff00 | x<<8&0xff0000 | x<<24
}

func RotateLeft(x uint, k int) uint       { return uint(device.RotateLeft64(uint64(x), k)) }
func RotateLeft8(x uint8, k int) uint8    { return x<<(uint(k)&7) | x>>(uint(-k)&7) }
func RotateLeft16(x uint16, k int) uint16 { return x<<(uint(k)&15) | x>>(uint(-k)&15) }
func RotateLeft32(x uint32, k int) uint32 { return device.RotateLeft32(x, k) }
func RotateLeft64(x uint64, k int) uint64 { return device.RotateLeft64(x, k) }

func Add(x, y, carry uint) (sum, carryOut uint) {
	s, c := Add64(uint64(x), uint64(y), uint64(carry))
	return uint(s), uint(c)
}

func Add32(x, y, carry uint32) (sum, carryOut uint32) {
	wide := uint64(x) + uint64(y) + uint64(carry)
	return uint32(wide), uint32(wide >> 32)
}

// A carry leaves the top bit where both operands have it, or where one has it and the sum has lost
// it.
func Add64(x, y, carry uint64) (sum, carryOut uint64) {
	sum = x + y + carry
	return sum, (x&y | (x|y)&^sum) >> 63
}

func Sub(x, y, borrow uint) (diff, borrowOut uint) {
	d, b := Sub64(uint64(x), uint64(y), uint64(borrow))
	return uint(d), uint(b)
}

func Sub32(x, y, borrow uint32) (diff, borrowOut uint32) {
	wide := uint64(x) - uint64(y) - uint64(borrow)
	return uint32(wide), uint32(wide>>32) & 1
}

// A borrow enters the top bit if only y has it, or if x and y agree there and the difference has
// it.
func Sub64(x, y, borrow uint64) (diff, borrowOut uint64) {
	diff = x - y - borrow
	return diff, (^x&y | ^(x^y)&diff) >> 63
}

func Mul(x, y uint) (hi, lo uint) { return uint(device.MulHigh64(uint64(x), uint64(y))), x * y }

func Mul32(x, y uint32) (hi, lo uint32) {
	wide := uint64(x) * uint64(y)
	return uint32(wide >> 32), uint32(wide)
}

func Mul64(x, y uint64) (hi, lo uint64) { return device.MulHigh64(x, y), x * y }

func Div(hi, lo, y uint) (quo, rem uint) {
	q, r := Div64(uint64(hi), uint64(lo), uint64(y))
	return uint(q), uint(r)
}

func Div32(hi, lo, y uint32) (quo, rem uint32) {
	device.CheckDivisor(uint64(y))
	device.CheckQuotient(y > hi)
	x := uint64(hi)<<32 | uint64(lo)
	return uint32(x / uint64(y)), uint32(x % uint64(y))
}

func Div64(hi, lo, y uint64) (quo, rem uint64) {
	device.CheckDivisor(y)
	device.CheckQuotient(y > hi)
	if hi == 0 {
		return lo / y, lo % y
	}
	return divide(hi, lo, y)
}

// divide is the quotient and the remainder of a number of 128 bits by a larger one than its high
// half, digit by digit of 32 bits: Knuth, The Art of Computer Programming, volume 2, 4.3.1,
// algorithm D.
func divide(hi, lo, y uint64) (quo, rem uint64) {
	s := uint32(device.LeadingZeros64(y)) // normalised, y has its top bit
	y <<= s
	hi = hi<<s | lo>>(64-s)
	lo <<= s
	q1, r := digit(hi, lo>>32, y)
	q0, r := digit(r, lo&(1<<32-1), y)
	return q1<<32 | q0, r >> s
}

// digit divides a number of three digits, whose last is next, by a number of two. Its guess from
// the first digit of y is at most two too large.
func digit(x, next, y uint64) (q, rem uint64) {
	first, second := y>>32, y&(1<<32-1)
	q = x / first
	r := x - q*first
	for range 2 {
		if q>>32 != 0 || q*second > r<<32|next {
			q--
			r += first
			if r>>32 != 0 {
				break
			}
		}
	}
	return q, x<<32 + next - q*y
}

func Rem(hi, lo, y uint) uint { return uint(Rem64(uint64(hi), uint64(lo), uint64(y))) }

func Rem32(hi, lo, y uint32) uint32 {
	device.CheckDivisor(uint64(y))
	return uint32((uint64(hi)<<32 | uint64(lo)) % uint64(y))
}

func Rem64(hi, lo, y uint64) uint64 {
	device.CheckDivisor(y)
	_, rem := Div64(hi%y, lo, y)
	return rem
}
