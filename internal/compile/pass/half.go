package pass

import (
	"math"

	"github.com/gridstride/gridstride/internal/compile/ir"
	"github.com/gridstride/gridstride/internal/half"
)

// halfOps are the operations on numbers of 16 bits, by format. z is an operand of HFma only.
var halfOps = map[ir.Op]map[ir.Sub]func(x, y, z uint16) uint16{
	ir.HAdd: {ir.F16: ofTwo(half.F16Add), ir.BF16: ofTwo(half.BF16Add)},
	ir.HSub: {ir.F16: ofTwo(half.F16Sub), ir.BF16: ofTwo(half.BF16Sub)},
	ir.HMul: {ir.F16: ofTwo(half.F16Mul), ir.BF16: ofTwo(half.BF16Mul)},
	ir.HFma: {ir.F16: half.F16FMA, ir.BF16: half.BF16FMA},
	ir.HMin: {ir.F16: ofTwo(half.F16Min), ir.BF16: ofTwo(half.BF16Min)},
	ir.HMax: {ir.F16: ofTwo(half.F16Max), ir.BF16: ofTwo(half.BF16Max)},
}

func ofTwo(f func(x, y uint16) uint16) func(x, y, z uint16) uint16 {
	return func(x, y, _ uint16) uint16 { return f(x, y) }
}

// narrowing are the conversions to 16 bits.
var narrowing = map[ir.Sub]struct {
	single func(float32) uint16
	double func(float64) uint16
}{
	ir.F16Nearest:  {half.F16Nearest[float32], half.F16Nearest[float64]},
	ir.F16Zero:     {half.F16Zero[float32], half.F16Zero[float64]},
	ir.F16Down:     {half.F16Down[float32], half.F16Down[float64]},
	ir.F16Up:       {half.F16Up[float32], half.F16Up[float64]},
	ir.BF16Nearest: {half.BF16Nearest[float32], half.BF16Nearest[float64]},
	ir.BF16Zero:    {half.BF16Zero[float32], half.BF16Zero[float64]},
	ir.BF16Down:    {half.BF16Down[float32], half.BF16Down[float64]},
	ir.BF16Up:      {half.BF16Up[float32], half.BF16Up[float64]},
}

// evalHalf computes the operations on numbers of 16 bits. Their NaN is known.
func evalHalf(v *ir.Value, from ir.Type, a []uint64) (result uint64, known bool) {
	switch v.Op {
	case ir.HNeg:
		return a[0] ^ 0x80008000, true
	case ir.HAbs:
		return a[0] & 0x7fff7fff, true
	case ir.F16ToF:
		x := half.F16ToF32(uint16(a[0]))
		if v.Type == ir.F32 {
			return notNaN32(x)
		}
		return notNaN64(float64(x))
	case ir.FToH:
		if from == ir.F32 {
			return uint64(narrowing[v.Sub].single(math.Float32frombits(uint32(a[0])))), true
		}
		return uint64(narrowing[v.Sub].double(math.Float64frombits(a[0]))), true
	case ir.Prmt:
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

// source is where a byte of an I32 comes from: byte i of a value, or 0 where v is nil.
type source struct {
	v *ir.Value
	i int
}

// sources are those of the bytes of v, from the lowest on, through Prmts, extensions and shifts by
// whole bytes.
func sources(v *ir.Value, depth int) (s [4]source) {
	for i := range s {
		s[i] = source{v, i}
	}
	if depth == 0 {
		return s
	}
	switch v.Op {
	case ir.Const:
		if v.Int == 0 {
			return [4]source{}
		}
	case ir.Zext16:
		s = sources(v.Args[0], depth-1)
		s[2], s[3] = source{}, source{}
	case ir.ShrU, ir.Shl:
		k, ok := v.Args[1].IntConst()
		if !ok || k < 0 || k >= 32 || k%8 != 0 {
			return s
		}
		if v.Op == ir.Shl {
			k = -k
		}
		from := sources(v.Args[0], depth-1)
		s = [4]source{}
		for i := range s {
			if j := i + int(k/8); j >= 0 && j < 4 {
				s[i] = from[j]
			}
		}
	case ir.Prmt:
		selector, ok := v.Args[2].IsConst()
		if !ok || selector&0x8888 != 0 {
			return s
		}
		x, y := sources(v.Args[0], depth-1), sources(v.Args[1], depth-1)
		both := append(x[:], y[:]...)
		for i := range s {
			s[i] = both[selector>>(4*i)&7]
		}
	}
	return s
}

// foldPrmt is a value whose bytes v has in their order, or a Prmt of the two values that they come
// from.
func (r *rewriter) foldPrmt(v *ir.Value) *ir.Value {
	const deep = 4
	s := sources(v, deep)
	var from []*ir.Value
	selector := uint64(0)
	for i, b := range s {
		if b.v == nil || b.v == v {
			return v // PTX has no byte that is 0
		}
		at := 0
		for at < len(from) && from[at] != b.v {
			at++
		}
		if at == len(from) {
			from = append(from, b.v)
		}
		selector |= uint64(4*at+b.i) << (4 * i)
	}
	switch {
	case len(from) == 1 && selector == 0x3210:
		return from[0]
	case len(from) > 2:
		return v
	case len(from) == 1:
		from = append(from, from[0])
	}
	if from[0] == v.Args[0] && from[1] == v.Args[1] {
		return v
	}
	return r.emit(ir.Prmt, ir.I32, from[0], from[1], r.constant(ir.I32, selector))
}

// foldLow is what v is where it has the lower half of another value and zeros above.
func (r *rewriter) foldLow(v *ir.Value) *ir.Value {
	s := sources(v, 4)
	x := s[0].v
	if x == nil || x == v || x == v.Args[0] || s != [4]source{{x, 0}, {x, 1}, {}, {}} {
		return v
	}
	return r.foldAgain(r.emit(ir.Zext16, ir.I32, x))
}

// foldHalfOperand drops what only changes the upper half of an operand of which the lower is used.
func (r *rewriter) foldHalfOperand(v *ir.Value) *ir.Value {
	x := v.Args[0]
	if s := sources(x, 4); s[0].v != nil && s[0].v == s[1].v && s[0].v != x && s[0].i+1 == s[1].i {
		switch s[0].i {
		case 0:
			return r.emit(v.Op, v.Type, s[0].v)
		case 2:
			if x.Op != ir.ShrU || x.Args[0] != s[0].v {
				return r.emit(v.Op, v.Type, r.emit(ir.ShrU, ir.I32, s[0].v, r.int(ir.I32, 16)))
			}
		}
	}
	return v
}
