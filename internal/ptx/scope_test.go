package ptx

import (
	"fmt"
	"testing"
)

const scopeText = `.version 7.0
.target sm_70
.address_size 64
.extern .func helper(.param .b32 a);
.global .u32 counter;
.func helper(.param .b32 a) { ret; }
.func (.reg .b32 result) callee(.reg .v2 .f32 pair, .param .b64 ptr)
{
	.reg .b32 %r<12>, r1<10>, r<20>;
	.reg .pred p;
	.reg .v4 .f32 V;
	.shared .f32 cache[4];
L:
	{
		.reg .b64 %r<3>;
		.reg .b32 p;
	L:
		bra L;
	}
	{
		.reg .b16 own;
	}
T: .branchtargets L;
P: .callprototype _ ();
C: .calltargets helper;
	ret;
}
`

// describe is a symbol in a few words.
func describe(s Symbol, ok bool) string {
	if !ok {
		return "undeclared"
	}
	switch s.Kind {
	case RegisterSymbol:
		return fmt.Sprintf("reg %d %s v%d", s.Reg, s.Type, s.Vector)
	case SpecialSymbol:
		return fmt.Sprintf("special %s %s v%d", s.Special.Name, s.Type, s.Vector)
	case VarSymbol:
		return fmt.Sprintf("%s %s", s.Var.Space, s.Type)
	case LabelSymbol:
		return fmt.Sprintf("label at line %d", s.Label.Pos.Line)
	case FuncSymbol:
		return fmt.Sprintf("function at line %d", s.Func.Pos.Line)
	}
	return s.Kind.String()
}

func TestScope(t *testing.T) {
	m, err := Parse("scope.ptx", scopeText)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Decls[3].(*Func)
	outer := NewScope(m).Func(f)
	var inner *Scope
	for _, s := range f.Body.Stmts {
		if b, ok := s.(*Block); ok && inner == nil {
			inner = outer.Block(b)
		}
	}
	for _, c := range []struct{ name, outer, inner string }{
		{"result", "reg 0 b32 v0", "reg 0 b32 v0"},
		{"pair", "reg 1 f32 v2", "reg 1 f32 v2"},
		{"pair.y", "reg 2 f32 v0", "reg 2 f32 v0"},
		{"pair.z", "undeclared", "undeclared"},
		{"ptr", "param b64", "param b64"},
		{"%r0", "reg 3 b32 v0", "reg 50 b64 v0"},
		{"%r2", "reg 5 b32 v0", "reg 52 b64 v0"},
		{"%r3", "reg 6 b32 v0", "reg 6 b32 v0"}, // the inner range ends before it
		{"%r11", "reg 14 b32 v0", "reg 14 b32 v0"},
		{"%r12", "undeclared", "undeclared"},
		{"%r01", "undeclared", "undeclared"},
		{"%r", "undeclared", "undeclared"},
		{"r15", "reg 20 b32 v0", "reg 20 b32 v0"}, // number 5 of r1<10>, before number 15 of r<20>
		{"r2", "reg 27 b32 v0", "reg 27 b32 v0"},
		{"p", "reg 45 pred v0", "reg 53 b32 v0"},
		{"V", "reg 46 f32 v4", "reg 46 f32 v4"},
		{"V.w", "reg 49 f32 v0", "reg 49 f32 v0"},
		{"own", "undeclared", "undeclared"},
		{"cache", "shared f32", "shared f32"},
		{"counter", "global u32", "global u32"},
		{"helper", "function at line 6", "function at line 6"},
		{"L", "label at line 13", "label at line 17"},
		{"T", "a table of branch targets", "a table of branch targets"},
		{"P", "a call prototype", "a call prototype"},
		{"C", "a table of call targets", "a table of call targets"},
		{"%tid", "special %tid u32 v4", "special %tid u32 v4"},
		{"%tid.x", "special %tid u32 v0", "special %tid u32 v0"},
		{"%laneid.x", "undeclared", "undeclared"},
		{"%clock64", "special %clock64 u64 v0", "special %clock64 u64 v0"},
		{"_", "'_'", "'_'"},
	} {
		if got := describe(outer.Lookup(c.name)); got != c.outer {
			t.Errorf("%s in the function is %s, want %s", c.name, got, c.outer)
		}
		if got := describe(inner.Lookup(c.name)); got != c.inner {
			t.Errorf("%s in the block is %s, want %s", c.name, got, c.inner)
		}
	}
	if n := outer.NumRegs(); n != 55 {
		t.Errorf("%d registers, want 55", n)
	}
}
