package emit

import (
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// opcodeForm is the opcode of an operation that is one instruction. The opcode's types follow from
// a value.
type opcodeForm func(v *ir.Value) ptx.Opcode

// typeOf is a type in an opcode that follows from a value.
type typeOf func(v *ir.Value) ptx.Type

// one is the form of an operation with types.
func one(op ptx.Op, types ...typeOf) opcodeForm { return modified(op, "", types...) }

// modified is the form of an operation with a modifier before its types.
func modified(op ptx.Op, mod ptx.Mod, types ...typeOf) opcodeForm {
	return func(v *ir.Value) ptx.Opcode {
		list := []ptx.Qualifier{mod}
		for _, t := range types {
			list = append(list, t(v))
		}
		return op.Of(list...)
	}
}

// near is the form of an approximation that flushes subnormal numbers.
func near(op ptx.Op) opcodeForm {
	return func(v *ir.Value) ptx.Opcode { return op.Of(ptx.ModApprox, ptx.ModFTZ, floating(v.Type)) }
}

// The types of a result and of the first argument.
func signedResult(v *ir.Value) ptx.Type   { return signed(v.Type) }
func unsignedResult(v *ir.Value) ptx.Type { return unsigned(v.Type) }
func untypedResult(v *ir.Value) ptx.Type  { return untyped(v.Type) }
func floatingResult(v *ir.Value) ptx.Type { return floating(v.Type) }
func signedArg(v *ir.Value) ptx.Type      { return signed(v.Args[0].Type) }
func unsignedArg(v *ir.Value) ptx.Type    { return unsigned(v.Args[0].Type) }
func untypedArg(v *ir.Value) ptx.Type     { return untyped(v.Args[0].Type) }

// always is a type that is the same for all values.
func always(t ptx.Type) typeOf { return func(*ir.Value) ptx.Type { return t } }

// The types of PTX of a type's width, 32 or 64 bits.
func signed(t ir.Type) ptx.Type   { return byWidth(t, ptx.S32, ptx.S64) }
func unsigned(t ir.Type) ptx.Type { return byWidth(t, ptx.U32, ptx.U64) }
func untyped(t ir.Type) ptx.Type  { return byWidth(t, ptx.B32, ptx.B64) }
func floating(t ir.Type) ptx.Type { return byWidth(t, ptx.F32, ptx.F64) }

func byWidth(t ir.Type, narrow, wide ptx.Type) ptx.Type {
	if t.Bits() == 32 {
		return narrow
	}
	return wide
}
