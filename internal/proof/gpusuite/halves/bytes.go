package halves

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
)

// Float8At converts to and from the numbers of 8 bits. The bits of one are the index's, so that 2^8
// indices have all numbers.
func Float8At(seed uint64, index int) (r Results) {
	bits := uint8(index)
	x, y := gpu.E4M3FromBits(bits), gpu.E5M2FromBits(bits)
	fromBytes(r[0:], x.Float32(), x.IsNaN(), false, false)
	fromBytes(r[2:], y.Float32(), y.IsNaN(), y.IsInf(1), y.IsInf(-1))
	a := random(seed ^ uint64(index)*0x9e3779b97f4a7c15)
	toBytes(r[4:], a, x.Float32(), 1<<19)
	toBytes(r[9:], a, y.Float32(), 1<<20)
	return r
}

// fromBytes writes what a number is.
func fromBytes(r []uint32, x float32, nan, plus, minus bool) {
	if !nan { // which NaN a wider type gives is not defined
		r[0] = math.Float32bits(x)
	}
	for i, b := range [3]bool{nan, plus, minus} {
		if b {
			r[1] |= 1 << i
		}
	}
}

// toBytes writes the conversions of any float32, of one near number or near the middle to the next,
// middle units of float32 above it, of such a float64, and of integers.
func toBytes(r []uint32, a uint64, number float32, middle uint32) {
	if number != number {
		number = 1
	}
	near := math.Float32frombits(math.Float32bits(number) + uint32(a>>34&1)*middle + uint32(a>>35&3) - 1)
	r[0] = bytesOf(math.Float32frombits(uint32(a)))
	r[1] = bytesOf(near)
	if near == near {
		r[2] = bytesOf(math.Float64frombits(math.Float64bits(float64(near)) + a>>40&3 - 1))
	}
	r[3] = bytesOf(int64(a) >> (a >> 42 & 63))
	r[4] = bytesOf(int8(a)) | bytesOf(uint16(a))<<16
}

// bytesOf is the bits of what a number becomes in both formats.
func bytesOf[T gpu.Number](x T) uint32 {
	return uint32(gpu.E4M3Of(x).Bits()) | uint32(gpu.E5M2Of(x).Bits())<<8
}
