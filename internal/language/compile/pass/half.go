package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// source is the origin of a byte of an I32: byte i of a value, or 0 if v is nil.
type source struct {
	v *ir.Value
	i int
}

// sources returns the source of each byte of v, from the lowest on, through Prmts, extensions and
// shifts by whole bytes.
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

// foldLow simplifies a v that has the lower half of another value and zeros above.
func (r *rewriter) foldLow(v *ir.Value) *ir.Value {
	s := sources(v, 4)
	x := s[0].v
	if x == nil || x == v || x == v.Args[0] || s != [4]source{{x, 0}, {x, 1}, {}, {}} {
		return v
	}
	return r.foldAgain(r.emit(ir.Zext16, ir.I32, x))
}

// foldHalfOperand drops changes of an operand's upper half if v uses the lower half only.
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
