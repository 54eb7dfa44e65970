package ir

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sum is a kernel with a loop in which every kind of operand occurs.
const sum = `func sum "p.Sum[float32]" block=256,1,1 nobounds @0:3:1
file "sum \"x\".go"
param a ptr global align=4 role="ptr"
param a_len b64 role="len"
param s.0 b64 value="s 16 8" offset=0 role="x"
param s.1 u8 value="s 16 8" offset=8 role="y"
var cache shared size=1024 align=4 elem=f32 @0:4:2
var msg global size=3 align=1 elem=u8 init="no\x00"
var dyn shared size=0 align=16 elem=f32 dynamic
b0:
	v30 = Ptr.local Alloca size=32 align=4 name="acc" @0:5:6<0:2:3
	v0 = Ptr.global ParamVal a align=4
	v1 = I64 ParamVal a_len
	v2 = I32 SReg.TidX @0:9:1
	v3 = I64 Sext32 v2
	v4 = F32 Const -0
	v5 = I64 Const -9223372036854775808
	v6 = F64 Const 0.1
	v7 = F32 Const nan:0x7fc00001
	v8 = Bool Const true
	v9 = I32 Const -1
	v10 = Ptr.shared VarAddr cache align=4
	v11 = Ptr VarAddr msg
	MemZero.local v30 size=32 align=4
	Jump b1
b1: b0 b2
	v12 = I64 Phi v3, v17
	v13 = F32 Phi v4, v16
	v14 = Bool Cmp.Lt v12, v1
	Branch.uniform v14 b2 b3
b2: b1
	Check.Index.unsigned v12, v1
	v15 = F32 Load.f32.x4.global v0 align=16
	v31 = F32 Extract v15, 3
	v16 = F32 FAdd.fast v13, v31
	v17 = I64 Add v12, v3
	v18 = I32 Atomic.CAS.device.b32 v0, v9, v2
	v19 = I32 Shfl.Xor v9, v2, v2
	v20 = Bool Vote.Any v9, v8
	Fence.system
	Check.Assert v14, v11
	Jump b1
b3: b1
	Store.f32.shared v10, v13 @0:12:2
	Barrier
	Branch v14 b4 b4
b4: b3 b3
	Panic.Panic v11
`

func TestParsePrint(t *testing.T) {
	f, err := Parse(sum)
	if err != nil {
		t.Fatal(err)
	}
	text := f.String()
	// Instructions without a result have no number in the text.
	if diff := cmp.Diff(sum, text); diff != "" {
		t.Errorf("print(parse(x)) differs:\n%s", diff)
	}
	if err := Verify(f); err != nil {
		t.Error(err)
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", "no function"},
		{"b0:", "func expected"},
		{"func f \"f\"\n\tReturn", "outside a block"},
		{"func f \"f\"\nb0:\n\tv1 = I32 Frob v0", "unknown operation Frob"},
		{"func f \"f\"\nb0:\n\tv1 = I33 Const 1", "unknown type I33"},
		{"func f \"f\"\nb0:\n\tv1 = I32 Const 1\n\tv1 = I32 Const 1", "v1 defined twice"},
		{"func f \"f\"\nb0:\n\tv1 = I32 Neg v7\n\tReturn", "v7 is used but not defined"},
		{"func f \"f\"\nb0:\n\tJump b9", "2 blocks are named"},
		{"func f \"f\"\nb0:\n\tv1 = I64 ParamVal x", "unknown parameter x"},
	}
	for _, test := range tests {
		_, err := Parse(test.text)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got %v, want %q", test.text, err, test.want)
		}
	}
}

func TestVerify(t *testing.T) {
	tests := []struct{ body, want string }{
		{"b0:\n v1 = I32 Const 1\n v2 = I64 Add v1, v1\n Return", "has argument 0 of type I32"},
		{"b0:\n v1 = I32 Const 1\n v2 = I32 Add v1\n Return", "has 1 arguments, wants 2"},
		{"b0:\n v1 = I32 Const 1", "no terminator"},
		{"b0:\n v1 = I32 Neg v2\n v2 = I32 Const 1\n Return", "before it is defined"},
		{"b0:\n v1 = Bool Const true\n Branch v1 b1 b2\nb1: b0\n v2 = I32 Const 1\n Jump b2\nb2: b0 b1\n v3 = I32 " +
			"Neg v2\n Return", "does not dominate"},
		{"b0:\n v1 = Bool Const true\n Branch v1 b1 b2\nb1: b0\n v2 = I32 Const 1\n Jump b2\nb2: b0 b1\n v3 = I32 " +
			"Phi v2, v2\n Return", "does not dominate"},
		{"b0:\n Jump b1\nb1: b0\n v3 = I32 Phi\n Return", "0 arguments for 1 predecessors"},
		{"b0:\n Jump b1\nb1:\n Return", "do not agree"},
		{"b0:\n Jump b1\nb1: b0\n Jump b0", "do not agree"},
		{"b0:\n v1 = I32 Const 1\n v2 = F32 Load.f32 v1\n Return", "argument 0 of type I32"},
		{"b0:\n v1 = Ptr NilPtr\n v2 = F32 Load.f64 v1\n Return", "moves a F32 as f64"},
		{"b0:\n v1 = Ptr NilPtr\n v2 = F64 Load.f64.x4 v1\n Return", "wider than 16 bytes"},
		{"b0:\n v1 = F32 Const 1\n v2 = Bool Cmp.LtU v1, v1\n Return", "cannot compare"},
		{"b0:\n v1 = F32 Const 1\n Check.Index v1, v1\n Return", "argument 0 of type F32"},
		{"b0:\n v1 = I64 Const 1\n Check.MakeLen.unsigned v1\n Return", "no index that could be unsigned"},
		{"b0:\n v1 = I32 Const 1\n v2 = Bool Cmp.Lt.fast v1, v1\n Return", "cannot be fast"},
		{"b0:\n v1 = F32 Const 1\n v2 = F32 FNeg.fast v1\n Return", "cannot be fast"},
		{"b0:\n Return\n Return", "terminator inside"},
	}
	for _, test := range tests {
		f, err := Parse("func f \"f\"\n" + test.body)
		if err != nil {
			t.Fatalf("%s: %v", test.body, err)
		}
		if err := Verify(f); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\ngot %v, want %q", test.body, err, test.want)
		}
	}
}

// TestBuilder builds "for i := 0; i < n; i++ {}" and finds the loop.
func TestBuilder(t *testing.T) {
	f := NewFunc("f")
	n := f.AddParam(&Param{Name: "n", Mem: B64})
	b := NewBuilder(f)
	limit := b.Param(I64, n)
	zero := b.Int(I64, 0)
	local := b.Alloca(8, 8, "x")
	head, body, exit := f.NewBlock(), f.NewBlock(), f.NewBlock()
	b.Store(B64, local, zero)
	b.Jump(head)
	b.Block = head
	i := b.Phi(I64)
	b.Branch(b.Cmp(Lt, i, limit), body, exit)
	b.Block = body
	next := b.Emit(Add, I64, i, b.Int(I64, 1))
	b.Jump(head)
	b.Block = exit
	b.Return()
	i.SetIncoming(f.Entry(), zero)
	i.SetIncoming(body, next)
	if err := Verify(f); err != nil {
		t.Fatal(err)
	}
	d := f.Dominators()
	loops := f.Loops(d)
	if len(loops.All) != 1 || loops.All[0].Header != head || len(loops.All[0].Blocks) != 2 ||
		loops.Preheader(loops.All[0]) != f.Entry() {
		t.Errorf("wrong loops: %+v", loops.All)
	}
	if !d.Dominates(head, exit) || d.Dominates(body, exit) {
		t.Error("wrong dominators")
	}
	if pd := f.PostDominators(); pd.Ipdom(body) != head || pd.Ipdom(head) != exit || pd.Ipdom(exit) != nil {
		t.Error("wrong post-dominators")
	}
}

func TestLoopNest(t *testing.T) {
	f := MustParse(`func f "f"
param c u8
b0:
	v0 = Bool ParamVal c
	Jump b1
b1: b0 b4
	Jump b2
b2: b1 b3 b2
	Branch v0 b3 b2
b3: b2
	Branch v0 b2 b4
b4: b3
	Branch v0 b1 b5
b5: b4
	Return`)
	if err := Verify(f); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range f.Loops(f.Dominators()).All {
		s := fmt.Sprintf("%d:", l.Depth)
		for _, b := range l.Blocks {
			s += fmt.Sprintf(" b%d", b.ID)
		}
		got = append(got, s)
	}
	if diff := cmp.Diff([]string{"2: b2 b3", "1: b1 b2 b3 b4"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestEdges(t *testing.T) {
	f := MustParse(`func f "f"
param c u8
b0:
	v0 = Bool ParamVal c
	v1 = I32 Const 1
	v2 = I32 Const 2
	Branch v0 b1 b1
b1: b0 b0
	v3 = I32 Phi v1, v2
	Return`)
	b0, b1 := f.Blocks[0], f.Blocks[1]
	phi := b1.Instrs[0]
	if b0.PredIndex(0) != 0 || b0.PredIndex(1) != 1 {
		t.Error("double edge: wrong PredIndex")
	}
	mid := f.SplitEdge(b0, 1)
	if err := Verify(f); err != nil || b1.Preds[1] != mid || phi.Args[1].ID != 2 {
		t.Fatalf("SplitEdge: %v\n%s", err, f)
	}
	mid.RedirectEdge(0, b1, []*Value{phi.Args[0]})
	if err := Verify(f); err != nil || phi.Args[1].ID != 1 {
		t.Fatalf("RedirectEdge: %v\n%s", err, f)
	}
	rest := f.SplitBlock(b0, 2)
	b := Builder{Func: f, Block: b0}
	b.Jump(rest)
	if err := Verify(f); err != nil {
		t.Fatalf("SplitBlock: %v\n%s", err, f)
	}
}
