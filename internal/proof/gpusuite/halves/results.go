package halves

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
)

// Results are the bits of results, two of 16 bits in most.
type Results [31]uint32

// Sum tells results apart.
func (r Results) Sum() uint64 {
	sum := uint64(0)
	for _, x := range r {
		sum = (sum ^ uint64(x)) * 0x9e3779b97f4a7c15
		sum ^= sum >> 29
	}
	return sum
}

// Float16At computes with operands that follow from a seed and an index. The bits of one are those
// of the index, so that 2^16 indices have all numbers.
func Float16At(seed uint64, index int) (r Results) {
	o := operandsOf[gpu.Float16](seed, index, gpu.Float16FromBits, 1<<12)
	singles(o, r[0:])
	pairs(gpu.Float16x2{X: o.x, Y: o.y}, gpu.Float16x2{X: o.y, Y: o.z}, gpu.Float16x2{X: o.z, Y: o.x}, r[9:])
	conversions(o, r[18:], gpu.RoundFloat16[float32], gpu.RoundFloat16[float64], gpu.RoundFloat16[int64],
		gpu.Float16Of[uint64], gpu.Float16Of[int32], gpu.Float16Of[int8])
	apart(gpu.Float16Of(int32(index)), gpu.Float16Of(3*index), r[29:])
	return r
}

// BFloat16At is Float16At for the other format.
func BFloat16At(seed uint64, index int) (r Results) {
	o := operandsOf[gpu.BFloat16](seed, index, gpu.BFloat16FromBits, 1<<15)
	singles(o, r[0:])
	pairs(gpu.BFloat16x2{X: o.x, Y: o.y}, gpu.BFloat16x2{X: o.y, Y: o.z}, gpu.BFloat16x2{X: o.z, Y: o.x}, r[9:])
	conversions(o, r[18:], gpu.RoundBFloat16[float32], gpu.RoundBFloat16[float64], gpu.RoundBFloat16[int64],
		gpu.BFloat16Of[uint64], gpu.BFloat16Of[int32], gpu.BFloat16Of[int8])
	apart(gpu.BFloat16Of(int32(index)), gpu.BFloat16Of(3*index), r[29:])
	return r
}

// operands are the arguments of the operations.
type operands[H gpu.Half[H]] struct {
	x, y, z H
	single  float32
	double  float64
	integer uint64
}

// operandsOf makes operands. middle is half the distance of two numbers of H, in units of
// float32.
func operandsOf[H gpu.Half[H]](seed uint64, index int, fromBits func(uint16) H, middle uint32) (o operands[H]) {
	a := random(seed ^ uint64(index)*0x9e3779b97f4a7c15)
	b := random(a)
	o.x, o.y, o.z = fromBits(uint16(index)), fromBits(uint16(a)), fromBits(uint16(a>>16))
	if a>>32&3 == 0 { // nearly what x*y takes away
		o.z = fromBits(o.x.Mul(o.y).Neg().Bits() + uint16(a>>34&3) - 1)
	}
	o.single = math.Float32frombits(uint32(b))
	if b>>32&3 != 0 && !o.y.IsNaN() { // near a number of the format, or near the middle of two
		o.single = math.Float32frombits(math.Float32bits(o.y.Float32()) + uint32(b>>34&1)*middle + uint32(b>>35&3) - 1)
	}
	o.double = math.Float64frombits(b)
	if b>>38&3 != 0 && o.single == o.single {
		o.double = math.Float64frombits(math.Float64bits(float64(o.single)) + b>>40&3 - 1)
	}
	o.integer = b >> (a >> 40 & 63)
	if a>>46&1 == 0 {
		o.integer = -o.integer
	}
	return o
}

// random is the output of SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number
// generators, 2014).
func random(state uint64) uint64 {
	z := state + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// two are the bits of two numbers.
func two[H gpu.Half[H]](low, high H) uint32 { return uint32(low.Bits()) | uint32(high.Bits())<<16 }

// apart computes with two numbers that are part of no pair, and uses 32 bits of the results: the
// upper 16 must be zero.
func apart[H gpu.Half[H]](x, y H, r []uint32) {
	r[0] = uint32(x.Add(y).Bits())
	r[1] = uint32(x.Mul(x).Bits())
}

// singles are the operations on numbers.
func singles[H gpu.Half[H]](o operands[H], r []uint32) {
	x, y, z := o.x, o.y, o.z
	r[0] = two(x.Add(y), x.Sub(y))
	r[1] = two(x.Mul(y), x.Div(y))
	r[2] = two(x.FMA(y, z), x.Sqrt())
	r[3] = two(x.Neg(), x.Abs())
	r[4] = two(x.Min(y), x.Max(y))
	r[5] = uint32(x.Compare(y) + 1)
	for i, b := range [8]bool{x.Equal(y), x.Less(y), x.LessEqual(y), x.IsNaN(), x.IsInf(0), x.IsInf(1), x.IsInf(-1), x.Signbit()} {
		if b {
			r[5] |= 4 << i
		}
	}
	if !x.IsNaN() { // which NaN a wider type gives is not defined
		r[6] = math.Float32bits(x.Float32())
		double := math.Float64bits(x.Float64())
		r[7], r[8] = uint32(double), uint32(double>>32)
	}
}

// pairs are the operations on pairs.
func pairs[H gpu.Half[H], P gpu.HalfPair[H, P]](v, w, u P, r []uint32) {
	for i, p := range [8]P{v.Add(w), v.Sub(w), v.Mul(w), v.FMA(w, u), v.Neg(), v.Abs(), v.Min(w), v.Max(w)} {
		r[i] = two(p.Lane(0), p.Lane(1))
	}
	r[8] = two(v.Sum(), v.With(1, w.Lane(0)).Lane(1))
}

// conversions writes the conversions of other types to H.
func conversions[H gpu.Half[H]](o operands[H], r []uint32, single func(float32, gpu.Rounding) H,
	double func(float64, gpu.Rounding) H, long func(int64, gpu.Rounding) H,
	unsigned func(uint64) H, short func(int32) H, byteOf func(int8) H) {
	n := int64(o.integer)
	r[0] = two(single(o.single, gpu.ToNearestEven), single(o.single, gpu.ToZero))
	r[1] = two(single(o.single, gpu.ToNegativeInf), single(o.single, gpu.ToPositiveInf))
	r[2] = two(double(o.double, gpu.ToNearestEven), double(o.double, gpu.ToZero))
	r[3] = two(double(o.double, gpu.ToNegativeInf), double(o.double, gpu.ToPositiveInf))
	r[4] = two(long(n, gpu.ToNearestEven), long(n, gpu.ToZero))
	r[5] = two(long(n, gpu.ToNegativeInf), long(n, gpu.ToPositiveInf))
	r[6] = two(unsigned(o.integer), short(int32(n)))
	r[7] = two(byteOf(int8(n)), long(n, gpu.Rounding(o.integer&3)))
	r[8] = two(gpu.FromFloat32[H](o.single), gpu.FromFloat64[H](o.double))
	if !o.x.IsNaN() {
		r[9] = math.Float32bits(gpu.ToFloat32(o.x))
		r[10] = uint32(math.Float64bits(gpu.ToFloat64(o.x)) >> 32)
	}
}
