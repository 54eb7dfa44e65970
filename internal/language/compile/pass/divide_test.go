package pass

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// TestDivideConstants divides by many constants, before and after Divide: numbers of all sizes, and
// those next to a multiple of the constant, where a reciprocal that is a bit off gives another
// quotient.
func TestDivideConstants(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, bits := range []int{32, 64} {
		for _, d := range divisors(r, bits) {
			divideBy(t, r, bits, d)
		}
	}
}

// divisors are small constants, random ones of all sizes, and those at the limits of the type.
func divisors(r *rand.Rand, bits int) []int64 {
	var all []int64
	for d := int64(-20); d < 140; d++ {
		if d != 0 {
			all = append(all, d)
		}
	}
	for k := range bits {
		for range 2 {
			all = append(all, int64(r.Uint64())>>(63-k)|1, int64(uint64(1)<<k), int64(uint64(1)<<k)+1, -int64(uint64(1)<<k))
		}
	}
	return append(all, math.MinInt32, math.MinInt32+1, math.MaxInt32, math.MinInt64, math.MinInt64+1, math.MaxInt64)
}

func divideBy(t *testing.T, r *rand.Rand, bits int, d int64) {
	if bits == 32 {
		d = int64(int32(d))
	}
	if d == 0 {
		return
	}
	text := divideText(bits, d)
	before, after := ir.MustParse(text), ir.MustParse(text)
	Divide(after)
	if err := ir.Verify(after); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if d != 1 && d != -1 && d != math.MinInt64 && strings.Contains(after.String(), " DivS ") {
		t.Fatalf("by %d: a signed division is left:\n%s", d, after)
	}
	for _, x := range dividends(r, d) {
		if bits == 32 {
			x = int64(uint32(x))
		}
		in := input{args: []uint64{uint64(x), memBase}, mem: make([]byte, 64)}
		a, b := interpret(before, in), interpret(after, in)
		if a.Err+b.Err != "" || string(a.Mem) != string(b.Mem) {
			t.Fatalf("%d bits: %d by %d: %s %s\nwant %v\ngot  %v\n%s", bits, x, d, a.Err, b.Err, words(a.Mem), words(b.Mem), after)
		}
	}
}

// dividends are numbers at the limits, random ones of all sizes, and multiples of d, with their
// neighbours.
func dividends(r *rand.Rand, d int64) []int64 {
	all := []int64{0, 1, -1, math.MaxInt32, math.MinInt32, math.MaxUint32, math.MaxInt64, math.MinInt64, math.MinInt64 + 1}
	for range 12 {
		x := int64(r.Uint64()) >> r.IntN(64)
		for _, at := range []int64{x, x / d * d, int64(uint64(x) / uint64(d) * uint64(d)), int64(int32(x)) / d * d} {
			all = append(all, at-1, at, at+1)
		}
	}
	return all
}

// divideText has the quotients and remainders of x by d, signed and not, and unsigned of half of x.
func divideText(bits int, d int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "func f \"f\"\nparam x b%d\nparam out ptr global align=8\nb0:\n", bits)
	fmt.Fprintf(&b, "\tv0 = I%d ParamVal x\n\tv1 = Ptr.global ParamVal out\n\tv2 = I%d Const %d\n\tv3 = I32 Const 1\n\tv4 = I%d ShrU v0, v3\n", bits, bits, d, bits)
	for i, op := range []string{"DivS v0", "RemS v0", "DivU v0", "RemU v0", "DivU v4", "RemU v4"} {
		fmt.Fprintf(&b, "\tv%d = I64 Const %d\n\tv%d = Ptr.global PtrAdd v1, v%d\n\tv%d = I%d %s, v2\n\tStore.b%d.global v%d, v%d\n",
			10+4*i, 8*i, 11+4*i, 10+4*i, 12+4*i, bits, op, bits, 11+4*i, 12+4*i)
	}
	return b.String() + "\tReturn\n"
}

func words(mem []byte) (out []int64) {
	for k := 0; k+8 <= len(mem); k += 8 {
		out = append(out, int64(binary.LittleEndian.Uint64(mem[k:])))
	}
	return out
}
