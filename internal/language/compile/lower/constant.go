package lower

import (
	"fmt"
	"go/constant"
	"math"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// constant is the value of a constant: of a basic type, or the zero value of any.
func (l *lowerer) constant(c *ssa.Const) value {
	if c.Value == nil {
		return l.zero(c.Type())
	}
	if c.Value.Kind() == constant.String {
		return l.stringValue(constant.StringVal(c.Value))
	}
	if k, ok := complexPart(c.Type()); ok {
		return l.complexConst(c.Value, k)
	}
	k, ok := kindOf(c.Type())
	if !ok {
		return l.undefined(c.Type())
	}
	return scalarValue(l.b.Const(k.typ, constBits(c.Value, k)))
}

// constBits are the bits of a constant in a representation.
func constBits(v constant.Value, k kind) uint64 {
	switch k.typ {
	case ir.Bool:
		if constant.BoolVal(v) {
			return 1
		}
		return 0
	case ir.F32:
		x, _ := constant.Float32Val(constant.ToFloat(v))
		return uint64(math.Float32bits(x))
	case ir.F64:
		x, _ := constant.Float64Val(constant.ToFloat(v))
		return math.Float64bits(x)
	}
	v = constant.ToInt(v)
	if i, exact := constant.Int64Val(v); exact {
		return uint64(i)
	}
	u, exact := constant.Uint64Val(v)
	if !exact {
		panic(fmt.Sprintf("BUG: constant %s in %d bits", v, k.bits))
	}
	return u
}

// text is the address of a message in global memory, NUL at its end.
func (l *lowerer) text(s string) *ir.Value {
	if s == "" {
		return l.b.NilPtr()
	}
	s = strings.ReplaceAll(s, "\x00", "")
	v := l.texts[s]
	if v == nil {
		init := append([]byte(s), 0)
		v = l.f.AddVar(&ir.Var{
			Name: l.f.VarName("message"), Space: ir.Global, Size: int64(len(init)), Align: 1, Elem: ir.U8, Init: init,
			Pos: l.b.Pos,
		})
		l.texts[s] = v
	}
	return l.b.VarAddr(v)
}
