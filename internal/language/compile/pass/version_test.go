package pass

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// TestVersionMeaning runs random functions whose indices are made of sizes, rows and columns before
// and after Version, and after all passes: with sizes that fit, that are too large by one, negative,
// and so large that products wrap.
func TestVersionMeaning(t *testing.T) {
	t.Parallel()
	versions, faults, fast := 0, 0, 0
	for seed := range uint64(300) {
		text := randomIndices(seed)
		before := parsed(t, text)
		once, all := parsed(t, text), parsed(t, text)
		blocks := once.NumBlocks()
		Version(once)
		if err := ir.Verify(once); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, once)
		}
		if once.NumBlocks() > blocks {
			versions++
		}
		if err := RunVerified(all, List); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for k := range uint64(12) {
			in := sizesInput(seed*12 + k)
			want := interpret(before, in)
			if want.Err != "" {
				t.Fatalf("seed %d: the generator is wrong: %s\n%s", seed, want.Err, text)
			}
			if want.Fault != "" {
				faults++
			} else {
				fast++
			}
			for _, f := range []*ir.Func{once, all} {
				if diff := cmp.Diff(want, interpret(f, in)); diff != "" {
					t.Fatalf("seed %d, input %v: other results (-want +got):\n%s\nbefore\n%s\nafter\n%s", seed, in.args, diff, text, f)
				}
			}
		}
	}
	if versions < 80 || faults < 200 || fast < 300 {
		t.Errorf("%d functions with versions, %d runs that failed and %d that did not; want more", versions, faults, fast)
	}
}

func parsed(t *testing.T, text string) *ir.Func {
	t.Helper()
	f, err := ir.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := ir.Verify(f); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f
}

// indicesHead begins functions of randomIndices: parameters, the thread, its block, and constants.
const indicesHead = `func f "f"
param a ptr global
param n b64 role="len"
param m b64 role="len"
param w b64
param h b64
b0:
	v0 = Ptr.global ParamVal a
	v1 = I64 ParamVal n
	v2 = I64 ParamVal m
	v3 = I64 ParamVal w
	v4 = I64 ParamVal h
	v5 = I32 SReg.TidX
	v6 = I64 Sext32 v5
	v7 = I32 SReg.CTAIdX
	v8 = I64 Sext32 v7
	v9 = I64 Const 1
	v10 = I64 Const 0
	v11 = I64 Const 2
	v12 = I64 Const -1
	v13 = I64 Subtract v3, v9
	v14 = I64 Subtract v4, v9
`

// An indices is a function of randomIndices that is being written.
type indices struct {
	strings.Builder
	rng         *rand.Rand
	next, block int      // the numbers of the next value and block
	left        []string // the blocks that may leave
	values      []int    // some of those that there are
}

// randomIndices writes a function: a thread that may leave, checks of indices that follow, and a store
// of the last index.
func randomIndices(seed uint64) string {
	f := &indices{rng: rand.New(rand.NewPCG(seed, 5)), next: 15, block: 1}
	f.WriteString(indicesHead)
	f.leave("Ge", 6, 3)
	f.leave("Ge", 8, 4)
	f.leave("Lt", 6, 9)
	f.leave("Ge", 6, 13)
	f.values = []int{3, 4, 6, 8, 6, 8, 9, 10, 11, 12, 13, 14, 1, 2}
	last := 6
	for range 3 + f.rng.IntN(4) {
		last = f.index()
		fmt.Fprintf(f, "\tCheck.Index v%d, v%d\n", last, 1+f.rng.IntN(2))
	}
	fmt.Fprintf(f, "\tStore.b64 v0, v%d\n\tJump b99\nb99: %s\n\tReturn\n", last,
		strings.Join(append(f.left, fmt.Sprintf("b%d", f.block-1)), " "))
	return f.String()
}

// leave mostly lets threads leave where a comparison holds.
func (f *indices) leave(sub string, x, y int) {
	if f.rng.IntN(6) == 0 {
		return
	}
	f.left = append(f.left, fmt.Sprintf("b%d", f.block-1))
	fmt.Fprintf(f, "\tv%d = Bool Cmp.%s v%d, v%d\n\tBranch v%d b99 b%d\nb%d: b%d\n", f.next, sub, x, y, f.next, f.block, f.block, f.block-1)
	f.next++
	f.block++
}

func (f *indices) pick() int { return f.values[f.rng.IntN(len(f.values))] }

func (f *indices) emit(op string, x, y int) int {
	fmt.Fprintf(f, "\tv%d = I64 %s v%d, v%d\n", f.next, op, x, y)
	f.values = append(f.values, f.next)
	f.next++
	return f.next - 1
}

// index writes row*w+column, of a row and a column near the thread's, and mostly returns it.
func (f *indices) index() int {
	row, column := 8, 6
	for range f.rng.IntN(4) {
		switch f.rng.IntN(6) {
		case 0:
			row = f.emit("Add", row, []int{9, 11, 12}[f.rng.IntN(3)])
		case 1:
			column = f.emit("Add", column, []int{9, 11, 12}[f.rng.IntN(3)])
		case 2:
			column = f.emit("MinS", f.emit("MaxS", column, 10), 13)
		case 3:
			row = f.emit("MaxS", f.emit("MinS", row, 14), 10)
		case 4:
			f.emit([]string{"Add", "Subtract", "Mul", "MinS", "MaxS"}[f.rng.IntN(5)], f.pick(), f.pick())
		default:
			fmt.Fprintf(f, "\tCheck.Divide v3\n")
			column = f.emit("RemS", f.emit("Add", column, 3), 3)
		}
	}
	last := f.emit("Add", f.emit("Mul", row, 3), column)
	if f.rng.IntN(5) == 0 {
		last = f.pick()
	}
	return last
}

// sizesInput is an input for a function of randomIndices.
func sizesInput(seed uint64) input {
	rng := rand.New(rand.NewPCG(seed, 6))
	sizes := []int64{1, 2, 3, 5, 16, 17, 100, 0, -1, -5, 1 << 29, 1<<29 - 1, 1 << 32, math.MaxInt64, math.MinInt64, 1 << 31}
	size := func() int64 {
		if rng.IntN(4) > 0 {
			return sizes[rng.IntN(7)]
		}
		return sizes[rng.IntN(len(sizes))]
	}
	w, h := size(), size()
	length := func() uint64 {
		n := w*h + int64(rng.IntN(4)-1)*[]int64{0, 1, w}[rng.IntN(3)]
		return uint64(min(max(n, 0), maxLen))
	}
	return input{
		args: []uint64{memBase, length(), length(), uint64(w), uint64(h)},
		sreg: randomThread(rng, 18, 18),
		mem:  make([]byte, 64),
	}
}
