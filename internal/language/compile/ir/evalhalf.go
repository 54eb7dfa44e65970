package ir

import (
	"math"

	"github.com/gridstride/gridstride/internal/math/half"
)

// halfOps are the operations on numbers of 16 bits, by format. z is an operand of HFma only.
var halfOps = map[Op]map[Sub]func(x, y, z uint16) uint16{
	HAdd: {F16: ofTwo(half.F16Add), BF16: ofTwo(half.BF16Add)},
	HSub: {F16: ofTwo(half.F16Sub), BF16: ofTwo(half.BF16Sub)},
	HMul: {F16: ofTwo(half.F16Mul), BF16: ofTwo(half.BF16Mul)},
	HFma: {F16: half.F16FMA, BF16: half.BF16FMA},
	HMin: {F16: ofTwo(half.F16Min), BF16: ofTwo(half.BF16Min)},
	HMax: {F16: ofTwo(half.F16Max), BF16: ofTwo(half.BF16Max)},
}

func ofTwo(f func(x, y uint16) uint16) func(x, y, z uint16) uint16 {
	return func(x, y, _ uint16) uint16 { return f(x, y) }
}

// narrowing are the conversions to 16 bits.
var narrowing = map[Sub]struct {
	single func(float32) uint16
	double func(float64) uint16
}{
	F16Nearest:  {half.F16Nearest[float32], half.F16Nearest[float64]},
	F16Zero:     {half.F16Zero[float32], half.F16Zero[float64]},
	F16Down:     {half.F16Down[float32], half.F16Down[float64]},
	F16Up:       {half.F16Up[float32], half.F16Up[float64]},
	BF16Nearest: {half.BF16Nearest[float32], half.BF16Nearest[float64]},
	BF16Zero:    {half.BF16Zero[float32], half.BF16Zero[float64]},
	BF16Down:    {half.BF16Down[float32], half.BF16Down[float64]},
	BF16Up:      {half.BF16Up[float32], half.BF16Up[float64]},
}

// evalHalf computes the operations on numbers of 8 and 16 bits. Their NaN is known.
func evalHalf(v *Value, from Type, a []uint64) (result uint64, known bool) {
	switch v.Op {
	case HNeg:
		return a[0] ^ 0x80008000, true
	case HAbs:
		return a[0] & 0x7fff7fff, true
	case F16ToF:
		x := half.F16ToF32(uint16(a[0]))
		if v.Type == F32 {
			return notNaN32(x)
		}
		return notNaN64(float64(x))
	case FToH:
		if from == F32 {
			return uint64(narrowing[v.Sub].single(math.Float32frombits(uint32(a[0])))), true
		}
		return uint64(narrowing[v.Sub].double(math.Float64frombits(a[0]))), true
	case FTo8:
		x := math.Float32frombits(uint32(a[0]))
		if v.Sub == E4M3 {
			return uint64(half.E4M3Nearest(x)), true
		}
		return uint64(half.E5M2Nearest(x)), true
	case Prmt:
		return pickBytes(a[0], a[1], a[2]), true
	}
	f, ok := halfOps[v.Op][v.Sub]
	if !ok {
		return 0, false
	}
	var z uint64
	if len(a) > 2 {
		z = a[2]
	}
	for shift := 0; shift < 32; shift += 16 {
		result |= uint64(f(uint16(a[0]>>shift), uint16(a[1]>>shift), uint16(z>>shift))) << shift
	}
	return result, true
}

// pickBytes is Prmt. The highest bit of a selector's four asks for the sign of a byte, in all its
// bits.
func pickBytes(x, y, selector uint64) (result uint64) {
	bytes := y<<32 | x&0xffffffff
	for i := range 4 {
		pick := selector >> (4 * i) & 15
		b := bytes >> (8 * (pick & 7)) & 0xff
		if pick > 7 {
			b = b >> 7 * 0xff
		}
		result |= b << (8 * i)
	}
	return result
}
