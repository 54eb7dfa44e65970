package ptx

// typeClass is the kind of values that a type holds. Types of different classes do not mix, except
// with bits.
type typeClass uint8

const (
	bitsClass typeClass = iota
	intClass
	floatClass
	packedClass // two values of 16 or 8 bits, or one of 8 that no register has
	predClass
)

// typeInfo is the size of a type in bits, and its class.
var typeInfo = map[Type]struct {
	bits  int
	class typeClass
}{
	Pred: {1, predClass},
	B8:   {8, bitsClass}, B16: {16, bitsClass}, B32: {32, bitsClass}, B64: {64, bitsClass}, B128: {128, bitsClass},
	U8: {8, intClass}, U16: {16, intClass}, U32: {32, intClass}, U64: {64, intClass},
	S8: {8, intClass}, S16: {16, intClass}, S32: {32, intClass}, S64: {64, intClass},
	F16: {16, floatClass}, BF16: {16, floatClass}, F32: {32, floatClass}, TF32: {32, floatClass}, F64: {64, floatClass},
	F16x2: {32, packedClass}, BF16x2: {32, packedClass}, U16x2: {32, packedClass}, S16x2: {32, packedClass},
	E4M3x2: {16, packedClass}, E5M2x2: {16, packedClass}, E4M3: {8, packedClass}, E5M2: {8, packedClass},
}

// Bits returns the size of a type in bits: 1 for pred, 0 for a type that is not known.
func (t Type) Bits() int { return typeInfo[t].bits }

// Bytes returns the size in memory of a type, 0 for pred.
func (t Type) Bytes() int { return typeInfo[t].bits / 8 }

// Signed reports whether t is a signed integer type.
func (t Type) Signed() bool { return len(t) > 1 && t[0] == 's' && typeInfo[t].class == intClass }

// IsInt reports whether t is a signed or unsigned integer type.
func (t Type) IsInt() bool { return typeInfo[t].class == intClass }

// IsFloat reports whether t is a floating-point type of one value.
func (t Type) IsFloat() bool { return typeInfo[t].class == floatClass }

// fits reports whether a register of type reg may be an operand of type t. Sizes must be equal.
// Integers mix with each other, and bits with all (PTX ISA, "Operand Size Exceeding
// Instruction-Type Size"). If wider is set, the register may be wider. Even then a float fits only
// its own size, or bits.
func (t Type) fits(reg Type, wider bool) bool {
	if t == reg {
		return true
	}
	a, b := typeInfo[t], typeInfo[reg]
	if a.class == predClass || b.class == predClass {
		return false
	}
	switch {
	case a.bits == b.bits:
		return a.class == bitsClass || b.class == bitsClass || a.class == intClass && b.class == intClass
	case wider && b.bits > a.bits:
		return a.class == bitsClass || b.class == bitsClass || a.class == intClass && b.class == intClass
	}
	return false
}

// constant reports whether a constant may be an operand of type t.
func (t Type) constant(o Operand) bool {
	class := typeInfo[t].class
	switch o.(type) {
	case Int:
		return class == bitsClass || class == intClass || class == predClass
	case Float:
		return t == F32 || t == F64 || class == bitsClass && t.Bits() >= 32
	}
	return false
}

// Size returns the size of a variable in bytes. It is 0 for an array whose first dimension is
// omitted and that has no initialiser.
func (v *Var) Size() int64 {
	n := int64(v.Type.Bytes()) * int64(max(v.Vector, 1))
	for _, d := range v.Dims {
		if d < 0 {
			list, _ := v.Init.(List)
			d = len(list)
		}
		n *= int64(d)
	}
	return n
}

// Alignment returns the alignment of a variable in bytes: the size of its type where none is
// written.
func (v *Var) Alignment() int {
	if v.Align != 0 {
		return v.Align
	}
	return max(v.Type.Bytes()*max(v.Vector, 1), 1)
}
