package pass

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// TestUnrollCountedBoundaries runs counting loops before and after UnrollCounted, from first values up
// to bounds that make sums wrap. The loop also ends after 11 iterations.
func TestUnrollCountedBoundaries(t *testing.T) {
	t.Parallel()
	const text = `func f "f"
param out ptr global
param start b64
param n b64
param s b64
b0:
	v0 = Ptr.global ParamVal out
	v1 = I64 ParamVal start
	v2 = I64 ParamVal n
	v3 = I64 ParamVal s
	v4 = I64 Const 7
	v5 = I64 And v3, v4
	v6 = I64 Const 1
	v7 = I64 Add v5, v6
	v8 = I64 Const 31
	v9 = I64 Const 11
	v10 = I64 Const 0
	v11 = I64 Const ADD
	v12 = I64 Const 1099511627776
	v13 = I64 Const 2
	v14 = I64 Const LEAST
	v15 = I64 MaxS v2, v14
	Jump b1
b1: b0 b3
	v20 = I64 Phi v1, v30
	v21 = I64 Phi v10, v26
	v22 = I64 Phi v10, v27
	v23 = I64 Add v20, v11
	v24 = Bool Cmp.Lt v23, v15
	Branch v24 b2 b4
b2: b1
	v25 = I64 Mul v21, v8
	v26 = I64 Add v25, v20
	v27 = I64 Add v22, v6
	v28 = Bool Cmp.Lt v27, v9
	Branch v28 b3 b4
b3: b2
	v30 = I64 Add v20, STEP
	Jump b1
b4: b1 b2
	v40 = I64 Phi v21, v26
	v41 = I64 Phi v22, v27
	v42 = I64 Mul v41, v8
	v43 = I64 Add v42, v40
	Store.b64.global v0, v43
	Return
`
	for _, add := range []int64{0, 1, -2, 1 << 40} {
		for _, step := range []string{"v6", "v13", "v7", "v12", "v3"} {
			for _, least := range []int64{0, 2, 3, 5, 6, 23, 24} { // above the least number, what the bound is known to be
				text := strings.NewReplacer("ADD", fmt.Sprint(add), "STEP", step, "LEAST", fmt.Sprint(math.MinInt64+least)).Replace(text)
				unrollBoundaries(t, text)
			}
		}
	}
}

func unrollBoundaries(t *testing.T, text string) {
	t.Helper()
	before, after := ir.MustParse(text), ir.MustParse(text)
	UnrollCounted(after)
	if err := ir.Verify(after); err != nil {
		t.Fatalf("%v\n%s", err, after)
	}
	if len(after.Loops(after.Dominators()).All) != 2 {
		t.Fatalf("not unrolled:\n%s", after)
	}
	const low, high, huge = math.MinInt64, math.MaxInt64, 1 << 40
	bounds := []int64{low, low + 1, low + 2, low + 3, low + 3*huge, low + 3*huge + 1, -1, 11 * huge, high - 3, high - 1, high}
	for n := range int64(13) {
		bounds = append(bounds, n)
	}
	for _, start := range []int64{low, low + 1, -3, 0, 1, 5, high - 2*huge, high - 20, high - 9, high - 3, high - 1, high} {
		for _, n := range bounds {
			for _, s := range []int64{low, low + 1, -1, 0, 1, 2, 7, maxStep - 1, maxStep, maxStep + 1, high} {
				in := input{args: []uint64{memBase, uint64(start), uint64(n), uint64(s)}, mem: make([]byte, 8)}
				want, got := interpret(before, in), interpret(after, in)
				if !reflect.DeepEqual(want, got) {
					t.Fatalf("start=%d n=%d s=%d: want %v %s, got %v %s\n%s", start, n, s, want.Mem, want.Err, got.Mem, got.Err, after)
				}
			}
		}
	}
}

// TestUnrollCountedAboveInt32 runs a loop up to bounds around and above 2^31, to which the counter of the
// copies does not go.
func TestUnrollCountedAboveInt32(t *testing.T) {
	t.Parallel()
	before := ir.MustParse(`func f "f"
param out ptr global
param n b64
b0:
	v0 = Ptr.global ParamVal out
	v1 = I64 ParamVal n
	v2 = I64 Const 0
	v3 = I64 Const 1048576
	v4 = I64 Const 5
	Jump b1
b1: b0 b2
	v10 = I64 Phi v4, v12
	v11 = I64 Phi v2, v13
	v14 = Bool Cmp.Lt v10, v1
	Branch v14 b2 b3
b2: b1
	v13 = I64 Xor v11, v10
	v12 = I64 Add v10, v3
	Jump b1
b3: b1
	Store.b64.global v0, v11
	Return
`)
	after := ir.MustParse(before.String())
	UnrollCounted(after)
	Narrow(after)
	if text := after.String(); !strings.Contains(text, "MinS") || !strings.Contains(text, "I32 Phi") {
		t.Fatalf("the counter of the copies has 64 bits:\n%s", text)
	}
	const step, top = 1 << 20, 1 << 31
	for _, n := range []int64{0, 5, 6, step, 4*step + 5, 4*step + 6, top - 5*step, top - 4*step, top - 4*step + 6, top - 1, top, top + 1, top + 9*step} {
		in := input{args: []uint64{memBase, uint64(n)}, mem: make([]byte, 8)}
		if want, got := interpret(before, in), interpret(after, in); want.Err != "" || !reflect.DeepEqual(want, got) {
			t.Errorf("n=%d: want %v %s, got %v %s", n, want.Mem, want.Err, got.Mem, got.Err)
		}
	}
}

// TestUnrollCountedLeaves: loops that UnrollCounted does not change.
func TestUnrollCountedLeaves(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ sub, step, body string }{
		"a step of 0":          {"Lt", "v5", ""},
		"a step down":          {"Lt", "v7", ""},
		"a loop down":          {"Gt", "v7", ""},
		"an unsigned test":     {"LtU", "v6", ""},
		"a check, a barrier":   {"Lt", "v6", "Check.Index v10, v2\nBarrier"},
		"a body that is large": {"Lt", "v6", strings.Repeat("Store.b64.global v0, v10\n", maxCopiesSize/2)},
	} {
		text := fmt.Sprintf(`
func f "f"
param out ptr global
param n b64
param by b64
b0:
	v0 = Ptr.global ParamVal out
	v2 = I64 ParamVal n
	v3 = I64 ParamVal by
	v5 = I64 Const 0
	v6 = I64 Const 1
	v7 = I64 Const -1
	Jump b1
b1: b0 b2
	v10 = I64 Phi v6, v12
	v11 = Bool Cmp.%s v10, v2
	Branch v11 b2 b3
b2: b1
	Store.b64.global v0, v10
	%s
	v12 = I64 Add v10, %s
	Jump b1
b3: b1
	Return
`, c.sub, c.body, c.step)
		f := ir.MustParse(text)
		before := f.String()
		UnrollCounted(f)
		if f.String() != before {
			t.Errorf("%s: changed to\n%s", name, f)
		}
	}
}
