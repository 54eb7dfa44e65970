package pass

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// TestShare runs loops with many addresses before and after Strength, some of them in one branch
// only. The addresses are polynomials of the counter and of numbers that the loop does not change.
func TestShare(t *testing.T) {
	t.Parallel()
	shared := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 11))
		text := manyAddresses(rng)
		before, after := ir.MustParse(text), ir.MustParse(text)
		passes := []func(*ir.Func){Rotate, Hoist, Strength}
		if seed%2 == 0 {
			passes = []func(*ir.Func){Rotate, Hoist, Addresses, Fold, GVN, DeadCode, Hoist, Strength}
		}
		for _, p := range passes {
			p(after)
			if err := ir.Verify(after); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
		}
		if sharesPointer(after) {
			shared++
		}
		for range 6 {
			in := input{args: []uint64{memBase, rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64(), memBase + 1200}, mem: make([]byte, 2048)}
			for i := range in.mem {
				in.mem[i] = byte(rng.Uint32())
			}
			want, got := interpret(before, in), interpret(after, in)
			if want.Err != "" {
				t.Fatalf("seed %d: %s\n%s", seed, want.Err, text)
			}
			if !reflect.DeepEqual(want, got) {
				t.Fatalf("seed %d: another result %s\n%s\nafter:\n%s", seed, got.Err, text, after)
			}
		}
	}
	if shared < 300 {
		t.Errorf("%d of 400 loops share pointers", shared)
	}
}

// sharesPointer reports whether a loop computes an address from another of its addresses.
func sharesPointer(f *ir.Func) bool {
	loops := f.Loops(f.Dominators())
	for _, l := range loops.All {
		for _, b := range l.Blocks {
			for _, v := range b.Instrs {
				if v.Op == ir.PtrAdd && loops.Contains(l, v.Args[0].Block) && v.Args[1].Op != ir.Const && b != l.Latches[0] {
					return true
				}
			}
		}
	}
	return false
}

// manyAddresses is a function with a loop of up to three iterations that adds to numbers in memory.
func manyAddresses(rng *rand.Rand) string {
	var b strings.Builder
	next := 100
	emit := func(format string, args ...any) string {
		next++
		fmt.Fprintf(&b, "\tv%d = %s\n", next, fmt.Sprintf(format, args...))
		return fmt.Sprint("v", next)
	}
	b.WriteString(`func f "f"
param x ptr global align=4
param n b64
param a b64
param b b64
param c b64
param y ptr global align=4
b0:
	v17 = Ptr.global ParamVal x
	v18 = Ptr.global ParamVal y
	v16 = I64 Const 1024
	v0 = Ptr.global PtrAdd v17, v16
	v1 = I64 ParamVal n
	v2 = I64 ParamVal a
	v3 = I64 ParamVal b
	v4 = I64 ParamVal c
	v5 = I64 Const 3
	v6 = I64 And v1, v5
	v7 = I64 And v2, v5
	v8 = I64 And v3, v5
	v9 = I64 And v4, v5
	v10 = I64 Const 0
	v11 = I64 Const 1
	v12 = I64 Const 2
	v13 = I32 Const 1
	v14 = I32 Const 0
	v15 = I64 Const 4
	Jump b1
b1: b0 b4
	v20 = I64 Phi v10, v21
	v22 = I32 Phi v14, LAST
	v23 = Bool Cmp.Lt v20, v6
	Branch v23 b2 b5
b2: b1
`)
	small := []string{"v7", "v8", "v9", "v11", "v12", "v10"}
	pick := func() string { return small[rng.IntN(len(small))] }
	sum := "v22"
	access := func() {
		row := emit("I64 Add v20, %s", pick())
		if rng.IntN(2) == 0 {
			row = emit("I64 Mul %s, %s", row, pick())
		}
		row = emit("I64 %s %s, %s", []string{"Add", "Mul"}[rng.IntN(2)], row, pick())
		if rng.IntN(3) == 0 {
			row = emit("I64 Subtract %s, %s", row, pick())
		}
		p := emit("Ptr.global PtrAdd %s, %s", []string{"v0", "v18"}[rng.IntN(2)], emit("I64 Mul %s, v15", emit("I64 Add %s, %s", row, pick())))
		v := emit("I32 Load.b32.global %s", p)
		sum = emit("I32 Add %s, %s", sum, v)
		if rng.IntN(3) == 0 {
			fmt.Fprintf(&b, "\tStore.b32.global %s, %s\n", p, sum)
		}
	}
	for range 9 + rng.IntN(12) {
		access()
	}
	first := sum
	fmt.Fprintf(&b, "\tv30 = Bool Cmp.Lt v20, v8\n\tBranch v30 b3 b4\nb3: b2\n")
	for range 3 {
		access()
	}
	fmt.Fprintf(&b, "\tJump b4\nb4: b2 b3\n\tv31 = I32 Phi %s, %s\n", first, sum)
	sum = "v31"
	for range rng.IntN(8) {
		access()
	}
	fmt.Fprintf(&b, "\tv21 = I64 Add v20, v11\n\tJump b1\nb5: b1\n\tStore.b32.global v0, v22\n\tReturn\n")
	return strings.Replace(b.String(), "LAST", sum, 1)
}
