package pass

import (
	"reflect"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// TestSplitBoundaries runs counting loops with checks, before and after Split, for all small
// bounds, lengths, strides and offsets: the check must fail in the same iteration, with everything
// before it done.
func TestSplitBoundaries(t *testing.T) {
	t.Parallel()
	const frame = `func f "f"
param out ptr global align=8
param n b64
param l b64 role="len"
param a b64
param b b64
b0:
	v0 = Ptr.global ParamVal out
	v1 = I64 ParamVal n
	v2 = I64 ParamVal l
	v3 = I64 ParamVal a
	v4 = I64 ParamVal b
	v5 = I64 Const 0
	v6 = I64 Const 1
	v7 = I64 Const -1
	v8 = I64 Const 2
	v13 = I64 Const 3
	v14 = I64 And v4, v13
	Jump b1
b1: b0 b2
	v10 = I64 Phi START, v12
	v11 = Bool Cmp.Lt v10, v1
	Branch v11 b2 b3
b2: b1
	Store.b64.global v0, v10
BODY
	v20 = I64 Load.b64.global v0
	v21 = I64 Add v20, v6
	Store.b64.global v0, v21
	v12 = I64 Add v10, STEP
	Jump b1
b3: b1
	Store.b64.global v0, v7
	Return
`
	starts := []struct{ start, step string }{
		{"v5", "v6"},  // from 0 by 1
		{"v6", "v6"},  // from 1 by 1
		{"v14", "v8"}, // from b&3 by 2, so that the counter may wrap
		{"v8", "v13"}, // from 2 by 3
		{"v4", "v8"},  // from b by 2
		{"v6", "v3"},  // from 1 by a
		{"v4", "v3"},  // from b by a
	}
	bodies := []string{
		"v30 = I64 Mul v10, v3\n v31 = I64 Add v30, v4\n Check.Index v31, v2 @0:1:0",
		"v31 = I64 Add v10, v4\n Check.Index v31, v2 @0:1:0",
		"Check.Index v10, v2 @0:1:0",
		"v31 = I64 Subtract v10, v6\n Check.Index v31, v2 @0:1:0",
		"v31 = I64 Subtract v4, v10\n Check.Index v31, v2 @0:1:0",
		"Check.Divide v3 @0:1:0\n Check.SliceHigh v10, v2 @0:2:0",
		"Check.Index v4, v2 @0:1:0\n v31 = I64 Mul v8, v10\n Check.SliceLow v31, v2 @0:2:0",
		"Check.Shift v4 @0:1:0\n v31 = I64 Add v10, v6\n Check.Index v31, v2 @0:2:0",
	}
	for i, body := range bodies {
		for _, c := range starts {
			text := strings.NewReplacer("BODY", body, "START", c.start, "STEP", c.step).Replace(frame)
			splitBoundaries(t, text, i >= 1 && i <= 3, func(a, b int64) bool {
				return c.step == "v3" && a == 0 && b != 1 || c.start == "v4" && b < -2 && i > 3
			})
		}
	}
}

// splitBoundaries runs a loop before and after Split. ends says that its check fails for bounds
// that are large, long for which a and b the loop may run for very long.
func splitBoundaries(t *testing.T, text string, ends bool, long func(a, b int64) bool) {
	before, after := ir.MustParse(text), ir.MustParse(text)
	Split(after)
	if err := ir.Verify(after); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(after.Loops(after.Dominators()).All) != 2 {
		t.Errorf("not split:\n%s", after)
	}
	faults := 0
	forEach(func(n, l, a, b int64) {
		if n > 5 && (!ends || l > 9) || long(a, b) {
			return
		}
		in := input{args: []uint64{memBase, uint64(n), uint64(l), uint64(a), uint64(b)}, mem: make([]byte, 8)}
		want := interpret(before, in)
		if want.Err != "" { // it runs for too long
			return
		}
		got := interpret(after, in)
		if want.Fault != "" {
			faults++
		}
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("n=%d l=%d a=%d b=%d: want %s %v, got %s %v %s\n%s", n, l, a, b, want.Fault,
				want.Mem, got.Fault, got.Mem, got.Err, after)
		}
	})
	if faults == 0 {
		t.Errorf("never fails:\n%s", text)
	}
}

func forEach(f func(n, l, a, b int64)) {
	for _, n := range []int64{-1 << 63, -1, 0, 1, 2, 3, 4, 5, 1 << 50, 1<<50 + 1, 1<<63 - 1} {
		for _, l := range []int64{0, 1, 2, 3, 4, 5, 6, 9, 1 << 40} {
			for _, a := range []int64{-1, 0, 1, 2, 3, 1 << 31, 1 << 62} {
				for _, b := range []int64{-1 << 63, -1 << 50, -2, -1, 0, 1, 2, 3, 4, 5, 1 << 40, 1 << 51, 1<<63 - 1} {
					f(n, l, a, b)
				}
			}
		}
	}
}

// TestSplitLeavesConvergent: a loop with a barrier is not copied.
func TestSplitLeavesConvergent(t *testing.T) {
	t.Parallel()
	f := ir.MustParse(`func f "f"
param n b64
param l b64 role="len"
b0:
	v1 = I64 ParamVal n
	v2 = I64 ParamVal l
	v5 = I64 Const 0
	v6 = I64 Const 1
	Jump b1
b1: b0 b2
	v10 = I64 Phi v5, v12
	v11 = Bool Cmp.Lt v10, v1
	Branch v11 b2 b3
b2: b1
	Check.Index v10, v2
	Barrier
	v12 = I64 Add v10, v6
	Jump b1
b3: b1
	Return
`)
	Split(f)
	if n := strings.Count(f.String(), "Barrier"); n != 1 {
		t.Errorf("%d barriers:\n%s", n, f)
	}
}

// TestSplitShrinking: a counter that starts in range may shrink, here from 7 by 2 to 0. Its index
// then goes out of range below, and the check fails as before.
func TestSplitShrinking(t *testing.T) {
	t.Parallel()
	const text = `
func f "f"
param out ptr global
param n b64
param len b64 role="len"
b0:
	v0 = Ptr.global ParamVal out
	v1 = I64 ParamVal n
	v2 = I64 ParamVal len
	v3 = I64 Const 7
	v4 = I64 Const -2
	v5 = I64 Const 0
	v6 = I64 Const 1
	Jump b1
b1: b0 b2
	v10 = I64 Phi v3, v12
	v11 = Bool Cmp.Lt v10, v1
	Branch v11 b2 b3
b2: b1
	INDEX
	Check.Index v14, v2 @0:1:0
	v20 = I64 Load.b64.global v0
	v21 = I64 Add v20, v6
	Store.b64.global v0, v21
	v15 = I64 Add v10, v4
	v12 = I64 MaxS v15, v5
	Jump b1
b3: b1
	Return
`
	for _, index := range []string{"v13 = I64 Const -4\n v14 = I64 Add v10, v13",
		"v13 = I64 Const -8\n v16 = I64 Mul v10, v7\n v14 = I64 Add v16, v13"} {
		text := strings.Replace(text, "INDEX", index, 1)
		text = strings.Replace(text, "v6 = I64 Const 1", "v6 = I64 Const 1\n v7 = I64 Const 2", 1)
		before, after := ir.MustParse(text), ir.MustParse(text)
		Split(after)
		in := input{args: []uint64{memBase, 20, 100}, mem: make([]byte, 8)}
		want, got := interpret(before, in), interpret(after, in)
		if want.Fault == "" {
			t.Errorf("the check does not fail: %s", want.Err)
		}
		if !reflect.DeepEqual(want, got) {
			t.Errorf("want %s %v, got %s %v %s\n%s", want.Fault, want.Mem, got.Fault, got.Mem, got.Err, after)
		}
	}
}
