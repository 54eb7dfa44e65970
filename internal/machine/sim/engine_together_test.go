package sim

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// togetherProgram is a kernel of operations in which the lanes of a warp take part together, on
// random values, with barriers and loops between them.
func togetherProgram(g *programGenerator) string {
	g.line(".visible .entry random(.param .u64 out)\n{")
	g.line(".reg .pred %%p<4>;\n.reg .b32 %%r<8>;\n.reg .b32 %%n<4>;\n.reg .b64 %%x<2>;\n.shared .b32 s[128];")
	g.line("ld.param.u64 %%x0, [out];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, %%ctaid.x;")
	for i := 2; i < 8; i++ {
		g.line("mad.lo.u32 %%r%d, %%r%d, %d, %%r0;", i, i-1, g.Uint32()>>1)
	}
	for i := range 4 {
		g.line("setp.gt.s32 %%p%d, %%r%d, %d;", i, i+2, int32(g.Uint32()))
	}
	for range 3 {
		loop := g.IntN(2) == 0
		g.labels++
		if loop {
			g.line("mov.u32 %%n0, %d;\nL%d:", 1+g.IntN(4), g.labels)
		}
		for range 2 + g.IntN(8) {
			g.together()
		}
		if loop {
			g.line("sub.s32 %%n0, %%n0, 1;\nsetp.gt.s32 %%p0, %%n0, 0;\n@%%p0 bra L%d;", g.labels)
		}
	}
	for i := range 4 {
		g.line("selp.b32 %%n1, %d, 1, %%p%d;\nmad.lo.u32 %%r2, %%r2, %%n1, %%r%d;", g.Uint32()>>8|1, i, i+3)
	}
	g.line("mad.lo.u32 %%n2, %%r1, 64, %%r0;\nand.b32 %%n2, %%n2, 127;\nmad.wide.u32 %%x0, %%n2, 4, %%x0;\nst.global.u32 [%%x0], %%r2;\nret;\n}")
	return g.String()
}

// together writes an operation of a warp, a barrier, or a few others.
func (g *programGenerator) together() {
	d, a, b, p, q := 1+g.IntN(7), g.IntN(8), g.IntN(8), g.IntN(4), g.IntN(4)
	mask := "0xffffffff"
	switch g.IntN(12) {
	case 0:
		g.line("activemask.b32 %%n3;")
		mask = "%n3"
	case 3: // two masks, of the lower lanes and the upper ones
		g.line("and.b32 %%n3, %%r0, 16;\nshl.b32 %%n3, 0xffff, %%n3;")
		mask = "%n3"
	case 1, 2: // a register that names all lanes, which no constant tells
		g.line("or.b32 %%n3, %%r%d, 1;\nbrev.b32 %%n3, %%n3;\nshr.s32 %%n3, %%n3, 31;", g.IntN(8))
		mask = "%n3"
	}
	if g.faulty && g.IntN(8) == 0 {
		mask = "0x0000ffff" // which the other lanes are not in
	}
	lane, clamp := fmt.Sprint(g.IntN(40)), pick(g, "31", "0x1c03", "0x1800", "0x101f", "0", "7")
	switch g.IntN(3) {
	case 0:
		lane = fmt.Sprintf("%%r%d", b)
	case 1:
		clamp = fmt.Sprintf("%%r%d", g.IntN(8))
	}
	switch g.IntN(11) {
	case 0, 1, 2:
		g.line("shfl.sync.%s.b32 %%r%d|%%p%d, %%r%d, %s, %s, %s;", pick(g, "up", "down", "bfly", "idx"), d, p, a, lane, clamp, mask)
	case 3:
		g.line("vote.sync.%s.pred %%p%d, %s%%p%d, %s;", pick(g, "all", "any", "uni"), p, pick(g, "", "!"), q, mask)
	case 4:
		g.line("vote.sync.ballot.b32 %%r%d, %%p%d, %s;", d, q, mask)
	case 5:
		g.line("match.any.sync.b32 %%r%d, %%r%d, %s;", d, a, mask)
	case 6:
		g.line("and.b32 %%n1, %%r%d, %d;\nmatch.all.sync.b32 %%r%d|%%p%d, %%n1, %s;", a, g.IntN(4), d, p, mask)
	case 7:
		g.line("redux.sync.%s %%r%d, %%r%d, %s;", pick(g, "add.s32", "add.u32", "min.s32", "max.s32", "min.u32", "max.u32", "and.b32", "or.b32", "xor.b32"), d, a, mask)
	case 8:
		g.line("elect.sync %%r%d|%%p%d, %s;", d, p, mask)
	case 9:
		g.line("bar.warp.sync %s;", mask)
		if g.IntN(2) == 0 {
			g.line("bar.sync 0;")
		}
	default:
		g.line("setp.lt.u32 %%p%d, %%r%d, %%r%d;\nxor.b32 %%r%d, %%r%d, %%r%d;", p, a, b, d, a, b)
	}
}

// TestCompiledTogether holds operations of whole warps, and of warps that lack lanes, to the
// interpreter.
func TestCompiledTogether(t *testing.T) {
	t.Parallel()
	seeds := programs(300)
	for seed := range seeds {
		g := &programGenerator{Rand: rand.New(rand.NewPCG(9, seed)), faulty: seed%10 == 7}
		text := togetherProgram(g)
		got := launchBoth(t, compilers(), header+text, "random", func(r *rig) (Launch, uint64, int, []any) {
			out := upload(r, make([]uint32, 128))
			threads := []int{32, 64, 64, 128, 40}[seed%5]
			return Launch{Grid: x(2), Block: x(threads), Interleave: seed%7 == 3, Order: Order(max(0, int(seed%9)-6)), Seed: seed}, out, 128, []any{out}
		})
		if threads := []int{32, 64, 64, 128, 40}[seed%5]; threads != 40 && !g.faulty && got.err != "<nil>" {
			t.Errorf("the error is %s", got.err)
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
}
