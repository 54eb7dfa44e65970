package lower

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Type switches and assertions are decided when a kernel is compiled. Their operand is converted to
// an interface in the same function, by a MakeInterface whose operand has a type that is known in
// each instance. Code that only runs after the answer no is not lowered.

// asserts reports whether a value has the type that is asserted, or implements it.
func asserts(m *ssa.MakeInterface, asserted types.Type) bool {
	if i, ok := asserted.Underlying().(*types.Interface); ok {
		return types.Implements(m.X.Type(), i)
	}
	return types.Identical(m.X.Type(), asserted)
}

// typeAssert lowers any(x).(T).
func (f *frame) typeAssert(in *ssa.TypeAssert) value {
	l := f.l
	m, ok := in.X.(*ssa.MakeInterface)
	_, toInterface := in.AssertedType.Underlying().(*types.Interface)
	if !ok || toInterface {
		if !in.CommaOk {
			f.unsupported(in)
		}
		return l.undefined(in.Type())
	}
	holds := asserts(m, in.AssertedType)
	v := value{}
	switch {
	case holds:
		v = f.value(m.X)
	case in.CommaOk:
		v = l.zero(in.AssertedType)
	default:
		l.b.Panic(ir.CheckType, l.text(fmt.Sprintf("%s is %s, not %s",
			typeText(m.Type()), typeText(m.X.Type()), typeText(in.AssertedType))))
		l.b.Block = l.f.NewBlock() // which nothing reaches
		v = l.undefined(in.AssertedType)
	}
	if !in.CommaOk {
		return v
	}
	return value{tuple: []value{v, scalarValue(l.b.Bool(holds))}}
}

// typeText is a type as Go's messages have it.
func typeText(t types.Type) string {
	if i, ok := t.Underlying().(*types.Interface); ok && i.Empty() {
		return "interface {}"
	}
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// decide is the answer to a question about the type of a value. known is false for other
// conditions.
func decide(cond ssa.Value) (holds, known bool) {
	switch c := cond.(type) {
	case *ssa.Extract:
		if a, ok := c.Tuple.(*ssa.TypeAssert); ok && a.CommaOk && c.Index == 1 {
			if m, ok := a.X.(*ssa.MakeInterface); ok {
				return asserts(m, a.AssertedType), true
			}
		}
	case *ssa.BinOp: // case nil
		if _, ok := c.X.(*ssa.MakeInterface); ok {
			if n, ok := c.Y.(*ssa.Const); ok && n.Value == nil {
				return c.Op == token.NEQ, true
			}
		}
	}
	return false, false
}

// taken reports whether the edge from a block to its i-th successor can be taken.
func taken(b *ssa.BasicBlock, i int) bool {
	branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return true
	}
	holds, known := decide(branch.Cond)
	return !known || holds == (i == 0)
}

// findLive finds the blocks that can be reached.
func (f *frame) findLive() {
	work := []*ssa.BasicBlock{f.fn.Blocks[0]}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if f.live[b] {
			continue
		}
		f.live[b] = true
		for i, s := range b.Succs {
			if taken(b, i) {
				work = append(work, s)
			}
		}
	}
}

// comesFrom reports whether a block can be entered from its i-th predecessor.
func (f *frame) comesFrom(b *ssa.BasicBlock, i int) bool {
	pred := b.Preds[i]
	if !f.live[pred] {
		return false
	}
	for k, s := range pred.Succs {
		if s == b && taken(pred, k) {
			return true
		}
	}
	return false
}
