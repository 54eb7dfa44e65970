package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// graphProgram is a kernel whose blocks end in branches to any blocks: loops with several entries, ways
// that cross, lanes that part again before they meet. Each lane takes a number of steps at most. In each
// block lanes take numbers from a counter, so that the result shows in which order they came there.
func graphProgram(g *programGenerator) string {
	g.line(".visible .entry random(.param .u64 out)\n{")
	g.line(".reg .pred %%p<4>;\n.reg .b32 %%r<8>;\n.reg .b32 %%n<4>;\n.reg .b64 %%x<4>;\n.shared .b32 s[4];")
	g.line("ld.param.u64 %%x0, [out];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, %%ctaid.x;\nmov.u32 %%n0, s;\nst.shared.u32 [%%n0], %%r1;")
	for i := 2; i < 8; i++ {
		g.line("mad.lo.u32 %%r%d, %%r%d, %d, %%r0;", i, i-1, g.Uint32()>>1)
	}
	g.line("and.b32 %%n1, %%r2, 63;\nadd.u32 %%n1, %%n1, 8;\nbar.sync 0;")
	blocks := 3 + g.IntN(9)
	for b := range blocks {
		g.line("B%d:\tsub.s32 %%n1, %%n1, 1;\nsetp.le.s32 %%p0, %%n1, 0;\n@%%p0 bra E;", b)
		for range g.IntN(4) {
			g.line("mad.lo.u32 %%r%d, %%r%d, %d, %%r%d;", 2+g.IntN(6), g.IntN(8), g.Uint32()>>1|1, g.IntN(8))
		}
		switch g.IntN(5) {
		case 0:
			g.line("atom.shared.add.u32 %%r%d, [%%n0], %d;", 2+g.IntN(6), 1+g.IntN(9))
		case 1:
			g.line("mul.wide.u32 %%x2, %%r%d, %%r%d;\ncvt.s64.s32 %%x3, %%r%d;", g.IntN(8), g.IntN(8), g.IntN(8))
			g.line("%s %%x2, %%x2, %%x3;\ncvt.u32.u64 %%r%d, %%x2;", pick(g, "div.s64", "rem.u64", "rem.s64", "mul.hi.u64"), 2+g.IntN(6))
			g.line("shf.%s.b32 %%r%d, %%r%d, %%r%d, %%r%d;", pick(g, "l.wrap", "r.clamp"), 2+g.IntN(6), g.IntN(8), g.IntN(8), g.IntN(8))
		case 2: // which the interpreter runs
			g.line("bfind.u32 %%n2, %%r%d;\nadd.u32 %%r%d, %%r%d, %%n2;", g.IntN(8), 2+g.IntN(6), g.IntN(8))
		}
		if g.faulty && g.IntN(6) == 0 {
			g.line("and.b32 %%n2, %%r%d, %d;\nshl.b32 %%n2, %%n2, 2;\nst.shared.u32 [%%n2], %%r2;", g.IntN(8), 1<<g.IntN(12)-1)
		}
		for range g.IntN(3) {
			g.line("and.b32 %%n2, %%r%d, %d;\nsetp.eq.u32 %%p1, %%n2, %d;\n@%s%%p1 bra B%d;", g.IntN(8), 1<<g.IntN(5)-1, g.IntN(3), pick(g, "", "!"), g.IntN(blocks))
		}
		if g.IntN(3) == 0 {
			g.line("bra B%d;", g.IntN(blocks))
		}
	}
	g.line("E:\tshl.b32 %%n2, %%r0, 2;\ncvt.u64.u32 %%x1, %%n2;\nadd.s64 %%x0, %%x0, %%x1;\natom.shared.add.u32 %%r1, [%%n0], 1;")
	for i := range 7 {
		g.line("mad.lo.u32 %%r1, %%r1, 31, %%r%d;", i+1)
	}
	g.line("st.global.u32 [%%x0], %%r1;\nret;\n}")
	return g.String()
}

// TestCompiledGraphs holds lanes that part in any flow of control to the interpreter.
func TestCompiledGraphs(t *testing.T) {
	t.Parallel()
	seeds := programs(300)
	failed := map[string]int{}
	for seed := range seeds {
		g := &programGenerator{Rand: rand.New(rand.NewPCG(13, seed)), faulty: seed%5 == 3}
		text := graphProgram(g)
		got := launchBoth(t, compilers(), header+text, "random", func(r *rig) (Launch, uint64, int, []any) {
			out := upload(r, make([]uint32, 128))
			l := Launch{Grid: x(1), Block: x([]int{32, 64, 96, 40, 17}[seed%5]), Interleave: seed%7 == 3, Flip: seed%11 == 5, Seed: seed}
			if seed%6 == 1 {
				l.Budget = 1 << 14
			}
			return l, out, 128, []any{out}
		})
		kind, _, _ := strings.Cut(got.err, ":")
		failed[kind]++
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
	if failed["<nil>"] < int(seeds)/2 {
		t.Errorf("the programs ended so: %v", failed)
	}
}

// partsText parts lanes and has them meet: in both parts of an if, in a loop that lanes leave one after the other,
// and in a switch.
const partsText = header + `
.visible .entry k(.param .u64 out)
{
	.reg .pred %p<4>;
	.reg .b32 %r<8>;
	.reg .b64 %x<2>;
	ld.param.u64 %x0, [out];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, 0;
	mov.u32 %r2, 0;
	mad.wide.u32 %x0, %r0, 4, %x0;
L:	add.u32 %r1, %r1, 1;
	xor.b32 %r3, %r1, %r0;
	and.b32 %r4, %r3, 3;
	setp.eq.u32 %p0, %r4, 0;
	@%p0 bra A;
	setp.eq.u32 %p1, %r4, 1;
	@%p1 bra B;
	mad.lo.u32 %r2, %r2, 3, %r1;
	add.u32 %r2, %r2, 7;
	xor.b32 %r2, %r2, %r3;
	bra M;
A:	mad.lo.u32 %r2, %r2, 5, %r0;
	add.u32 %r2, %r2, 1;
	xor.b32 %r2, %r2, %r3;
	bra M;
B:	mad.lo.u32 %r2, %r2, 7, %r3;
	sub.u32 %r2, %r2, 1;
	xor.b32 %r2, %r2, %r1;
M:	and.b32 %r5, %r0, 63;
	add.u32 %r5, %r5, 40;
	setp.lt.u32 %p2, %r1, %r5;
	@%p2 bra L;
	st.global.u32 [%x0], %r2;
	ret;
}`

// TestCompiledPartsStay bounds how often lanes leave machine code where they part and meet: in both parts of
// an if, in a loop that lanes leave one after the other, in a switch.
func TestCompiledPartsStay(t *testing.T) {
	t.Parallel()
	n, _ := exitsOf(t, newCompiler(), partsText, "k", func(r *rig) (Launch, []any) {
		return Launch{Grid: x(1), Block: x(64)}, []any{upload(r, make([]uint32, 64))}
	})
	if sum := n.sum(); sum > 16 {
		t.Errorf("machine code is left %d times: %v", sum, fmt.Sprint(n))
	}
}

// slicesText has lanes that come first compute for some rounds, and note when they come where the others wait.
const slicesText = header + `
.visible .entry k(.param .u64 out, .param .u32 rounds)
{
	.reg .pred %p<4>;
	.reg .b32 %r<8>;
	.reg .b64 %x<2>;
	.shared .b32 s[1];
	ld.param.u64 %x0, [out];
	ld.param.u32 %r4, [rounds];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, s;
	mov.u32 %r2, 0;
	mov.u32 %r3, 0;
	st.shared.u32 [%r1], %r2;
	mad.wide.u32 %x0, %r0, 4, %x0;
	and.b32 %r5, %r0, 3;
	mul.lo.u32 %r4, %r4, %r5;
	setp.gt.u32 %p0, %r0, 11;
	@%p0 bra B;
A:	add.u32 %r2, %r2, 1;
	and.b32 %r6, %r2, 4095;
	setp.ne.u32 %p1, %r6, 0;
	@%p1 bra C;
	atom.shared.add.u32 %r3, [%r1], 1;
C:	setp.lt.u32 %p2, %r2, %r4;
	@%p2 bra A;
B:	add.u32 %r2, %r2, 1;
	and.b32 %r6, %r2, 4095;
	setp.ne.u32 %p1, %r6, 0;
	@%p1 bra D;
	atom.shared.add.u32 %r3, [%r1], 1;
D:	setp.lt.u32 %p2, %r2, %r4;
	@%p2 bra B;
	atom.shared.add.u32 %r6, [%r1], 1;
	mad.lo.u32 %r3, %r3, 65536, %r6;
	st.global.u32 [%x0], %r3;
	ret;
}`

// TestCompiledSlices has parts of a warp compute for longer than a slice. So others have their turn
// before they come to where the others wait.
func TestCompiledSlices(t *testing.T) {
	t.Parallel()
	for _, rounds := range []int32{1, 5000, 120_000} {
		ways := map[string]*compiler{"as usual": newCompiler(), "seven at a time": {limit: 7}}
		got := launchBoth(t, ways, slicesText, "k", func(r *rig) (Launch, uint64, int, []any) {
			out := upload(r, make([]uint32, 64))
			return Launch{Grid: x(1), Block: x(64)}, out, 64, []any{out, rounds}
		})
		if got.err != "<nil>" || rounds > 100_000 && got.stats.Instructions < 3*sliceFuel {
			t.Errorf("%d rounds: %s, %+v", rounds, got.err, got.stats)
		}
	}
}
