package sim

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// orderedProgram is a kernel of volatile, relaxed and release stores, fences, and loads of each kind, by
// whole warps and by lanes that have parted.
func orderedProgram(g *programGenerator) string {
	g.line(".visible .entry random(.param .u64 out)\n{")
	g.line(".reg .pred %%p<4>;\n.reg .b32 %%r<8>;\n.reg .b32 %%n<4>;\n.reg .b64 %%x<8>;\n.shared .align 16 .b32 s[512];")
	g.line("ld.param.u64 %%x0, [out];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%n0, s;")
	for i := 1; i < 8; i++ {
		g.line("mad.lo.u32 %%r%d, %%r%d, %d, %%r0;", i, i-1, g.Uint32()>>1)
	}
	for i := range 4 {
		g.line("mul.wide.u32 %%x%d, %%r%d, 12345;\nsetp.gt.s32 %%p%d, %%r%d, %d;", i+1, i+2, i, i+2, int32(g.Uint32()))
	}
	for range 8 + g.IntN(10) {
		orderedAccess(g)
	}
	g.line("mad.wide.u32 %%x5, %%r0, 4, %%x0;")
	for i := range 7 {
		g.line("mad.lo.u32 %%r1, %%r1, 31, %%r%d;", i+1)
	}
	g.line("bar.sync 0;\nst.global.u32 [%%x5], %%r1;\nret;\n}")
	return g.String()
}

// orderedAccess is an access of shared or global memory, or a fence, which lanes may jump over.
func orderedAccess(g *programGenerator) {
	space, address := orderedAddress(g)
	g.labels++
	around := g.IntN(4) == 0
	if around {
		g.line("@%%p%d bra L%d;", g.IntN(4), g.labels)
	}
	orderedOperation(g, space, address)
	g.line("add.u32 %%r%d, %%r%d, %%r%d;", 1+g.IntN(7), g.IntN(8), g.IntN(8))
	if around {
		g.line("L%d:", g.labels)
	}
}

// orderedAddress computes an address of each lane, or one of all. A faulty program may have an address
// that is not aligned, or out of bounds.
func orderedAddress(g *programGenerator) (space, address string) {
	step := []string{"16", "16", "32", "0"}[g.IntN(4)]
	if g.faulty && g.IntN(8) == 0 {
		step = pick(g, "18", "4000")
	}
	at := pick(g, "%r0", "%r0", "%n3")
	g.line("and.b32 %%n3, %%r%d, 31;\nmul.lo.u32 %%n1, %s, %s;", g.IntN(8), at, step)
	space, address = "shared", "%n1"
	if g.IntN(2) == 0 {
		space, address = "global", "%x6"
		g.line("cvt.u64.u32 %%x6, %%n1;\nadd.s64 %%x6, %%x6, %%x0;")
	} else {
		g.line("add.u32 %%n1, %%n1, %%n0;")
	}
	return space, address
}

// orderedOperation is a store or a load of some kind, or a fence.
func orderedOperation(g *programGenerator, space, address string) {
	how := pick(g, "volatile", "relaxed.gpu", "release.gpu", "relaxed.cta", "release.sys", "weak")
	from := pick(g, "volatile", "relaxed.gpu", "acquire.gpu", "weak", "weak", "weak")
	a, b := g.IntN(8), g.IntN(8)
	switch g.IntN(6) {
	case 0:
		g.line("st.%s.%s.u32 [%s], %%r%d;", how, space, address, a)
	case 1:
		g.line("st.%s.%s.u64 [%s+8], %%x%d;", how, space, address, 1+a%4)
	case 2:
		g.line("st.%s.%s.v2.u32 [%s], {%%r%d, %%r%d};", how, space, address, a, b)
	case 3:
		g.line("st.%s.%s.u16 [%s], %%r%d;", how, space, address, a)
	case 4:
		g.line("ld.%s.%s.u32 %%r%d, [%s];", from, space, 1+g.IntN(7), address)
	default:
		g.line("%s;", pick(g, "membar.gl", "membar.cta", "fence.acq_rel.gpu", "fence.sc.cta"))
	}
}

// TestCompiledOrdered holds stores that are more than plain ones, and fences, to the interpreter.
func TestCompiledOrdered(t *testing.T) {
	t.Parallel()
	seeds := programs(200)
	failed := map[string]int{}
	for seed := range seeds {
		g := &programGenerator{Rand: rand.New(rand.NewPCG(14, seed)), faulty: seed%4 == 3}
		text := orderedProgram(g)
		got := launchBoth(t, compilers(), header+text, "random", func(r *rig) (Launch, uint64, int, []any) {
			out := upload(r, make([]uint32, 512))
			return Launch{Grid: x(1), Block: x([]int{32, 64, 40, 17}[seed%4]), Seed: seed}, out, 512, []any{out}
		})
		kind, _, _ := strings.Cut(got.err, ":")
		failed[kind]++
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
	if failed["<nil>"] < int(seeds)/2 || failed["<nil>"] == int(seeds) {
		t.Errorf("the programs ended so: %v", failed)
	}
	t.Log(failed)
}
