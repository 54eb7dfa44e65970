package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

const teamWords = 1024

// teamProgram is a kernel whose warps meet at barriers. Each takes tickets, which say in which order
// they ran, and reads what others left in shared memory, without care for races.
func teamProgram(g *programGenerator) string {
	g.line(".visible .entry random(.param .u64 out)\n{")
	g.line(".reg .pred %%p<4>;\n.reg .b32 %%r<8>;\n.reg .b32 %%n<10>;\n.reg .b64 %%x<6>;\n.reg .f32 %%f<4>;\n.reg .f64 %%d<4>;")
	g.line(".shared .align 16 .b32 s[%d];\nld.param.u64 %%x5, [out];", teamWords+64)
	g.line("mov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, %%ctaid.x;\nmov.u32 %%n8, s;\nshr.u32 %%n7, %%r0, 5;\nmov.u32 %%n6, 0;")
	for i := 2; i < 8; i++ {
		g.line("mad.lo.u32 %%r%d, %%r%d, %d, %%r0;", i, i-1, g.Uint32()>>1)
	}
	g.line("shl.b32 %%n9, %%r0, 2;\nadd.u32 %%n9, %%n8, %%n9;\nst.shared.u32 [%%n9], %%r3;")
	for range 4 + g.IntN(4) {
		g.labels++
		label := g.labels
		loop := g.IntN(3) == 0
		if loop {
			g.line("mov.u32 %%n0, %d;\nL%d:", 1+g.IntN(5), label)
		}
		for range 1 + g.IntN(4) {
			g.meeting()
		}
		if loop {
			g.line("sub.s32 %%n0, %%n0, 1;\nsetp.gt.s32 %%p0, %%n0, 0;\n@%%p0 bra L%d;", label)
		}
	}
	g.line("mad.lo.u32 %%n2, %%r1, 77, %%r0;\nand.b32 %%n2, %%n2, %d;\nmad.wide.u32 %%x0, %%n2, 4, %%x5;\nst.global.u32 [%%x0+64], %%n6;\nret;\n}", teamWords-17)
	return g.String()
}

// meeting writes a barrier, a ticket, an access of shared memory, an end of some warps or lanes, or a
// branch around some of them.
func (g *programGenerator) meeting() {
	r := g.IntN(8)
	switch k := g.IntN(23); {
	case k == 22:
		g.spin()
	case k < 6:
		g.line("bar.sync %d;", g.IntN(8)/7)
	case k < 9:
		g.line("atom.global.add.u32 %%n1, [%%x5+%d], 1;\nmad.lo.u32 %%n6, %%n6, 31, %%n1;", 4*g.IntN(3))
	case k < 12:
		g.line("mad.lo.u32 %%n9, %%r0, %d, %%r%d;\nand.b32 %%n9, %%n9, %d;\nshl.b32 %%n9, %%n9, 2;\nadd.u32 %%n9, %%n9, %%n8;",
			[]int{1, 1, 3, 32}[g.IntN(4)], []int{1, r}[g.IntN(2)], teamWords-1)
		g.line("%s;", pick(g, "st.shared.u32 [%n9], %n6", "ld.shared.u32 %n1, [%n9];\nxor.b32 %n6, %n6, %n1", "atom.shared.add.u32 %n1, [%n9], 3;\nadd.u32 %n6, %n6, %n1"))
	case k == 12:
		g.line("setp.eq.u32 %%p1, %s, %d;\n@%%p1 %s;", pick(g, "%n7", "%n7", "%r0"), g.IntN(9), pick(g, "ret", "exit"))
	case k < 16 && g.depth < 2:
		g.around()
	case k > 19:
		g.again()
	case k == 16 && g.faulty:
		g.line("setp.eq.u32 %%p1, %%n7, %d;\n@!%%p1 bra F%d;", g.IntN(4), g.labels)
		g.line("%s;\nF%d:", pick(g, "ld.global.u32 %n1, [%x5+1000000]", "bar.sync 5", "bar.arrive 6, 64", "bar.sync 7, 64", "trap", "ld.volatile.global.u32 %n1, [%x5]"), g.labels)
		g.labels++
	default:
		g.compute()
	}
}

// spin writes a loop in which a warp polls until others have taken tickets, some hundred times at most.
func (g *programGenerator) spin() {
	g.labels++
	g.line("mov.u32 %%n5, %d;\nS%d: ld.volatile.global.u32 %%n1, [%%x5+%d];", 1+g.IntN(300), g.labels, 4*g.IntN(3))
	g.line("sub.s32 %%n5, %%n5, 1;\nsetp.lt.u32 %%p2, %%n1, %d;\nsetp.gt.and.s32 %%p2, %%n5, 0, %%p2;\n@%%p2 bra S%d;", g.IntN(3000), g.labels)
}

// again writes accesses by one register, which may change between them.
func (g *programGenerator) again() {
	if g.IntN(3) == 0 {
		g.narrow()
		return
	}
	step, stride := []int{1, 0, 3}[g.IntN(3)], []int{8, 1, 20, 0}[g.IntN(4)]
	g.line("and.b32 %%n9, %%r0, 7;\nmul.lo.u32 %%n9, %%n9, %d;\nshr.u32 %%n5, %%r0, 3;\nmad.lo.u32 %%n9, %%n5, %d, %%n9;", step, stride)
	shift := 2 + g.IntN(2)
	g.line("and.b32 %%n9, %%n9, %d;\nshl.b32 %%n9, %%n9, %d;", teamWords/2-1, shift)
	space, at := "shared", "%n9"
	if g.IntN(2) == 0 {
		space, at = "global", "%x4"
		g.line("cvt.u64.u32 %%x4, %%n9;\nadd.s64 %%x4, %%x4, %%x5;")
	} else {
		g.line("add.u32 %%n9, %%n9, %%n8;")
	}
	for range 2 + g.IntN(5) {
		offset := 4 * g.IntN(9)
		switch k := g.IntN(8); {
		case k == 0:
			g.line("st.%s.u32 [%s+%d], %%n6;", space, at, offset)
		case k == 1 && shift == 3:
			g.line("ld.%s.u64 %%x0, [%s+%d];\ncvt.u32.u64 %%n1, %%x0;\nxor.b32 %%n6, %%n6, %%n1;", space, at, offset&^7)
		case k == 2:
			g.line("add.%s %s, %s, %s;", map[string]string{"%n9": "u32", "%x4": "s64"}[at], at, at, []string{"8", map[string]string{"%n9": "%n7", "%x4": "32"}[at]}[g.IntN(8)/7])
		case k == 3:
			g.line("popc.b32 %%n1, %%n6;\nadd.u32 %%n6, %%n6, %%n1;")
		default:
			g.line("ld.%s.u32 %%n1, [%s+%d];\nmad.lo.u32 %%n6, %%n6, 5, %%n1;", space, at, offset)
		}
	}
}

// narrow writes loads of elements that their registers extend, most of them in rows.
func (g *programGenerator) narrow() {
	size := []int{1, 2, 4}[g.IntN(3)]
	g.line("mul.lo.u32 %%n9, %%r0, %d;\nand.b32 %%n9, %%n9, %d;\nmul.lo.u32 %%n9, %%n9, %d;", 1+g.IntN(8)/7, teamWords-1, size)
	g.line("add.u32 %%n9, %%n9, %%n8;\nadd.u32 %%n9, %%n9, %d;", size*g.IntN(9))
	for range 1 + g.IntN(3) {
		kind := map[int][]string{1: {"u8", "s8"}, 2: {"u16", "s16"}, 4: {"u32", "s32"}}[size][g.IntN(2)]
		if size == 4 {
			g.line("ld.shared.%s %%x0, [%%n9+%d];\nshr.u64 %%x0, %%x0, 20;\ncvt.u32.u64 %%n1, %%x0;\nmad.lo.u32 %%n6, %%n6, 7, %%n1;", kind, size*g.IntN(9))
			continue
		}
		g.line("ld.shared.%s %%n1, [%%n9+%d];\nmad.lo.u32 %%n6, %%n6, 7, %%n1;", kind, size*g.IntN(9))
	}
}

// around writes a branch around a few statements, which whole warps take, or lanes.
func (g *programGenerator) around() {
	g.labels++
	end := g.labels
	g.line("setp.%s.u32 %%p2, %s, %d;\n@%%p2 bra A%d;", pick(g, "lt", "eq", "ge"), pick(g, "%n7", "%r0", "%r0", "%n0"), g.IntN(70), end)
	g.depth++
	for range 1 + g.IntN(3) {
		g.meeting()
	}
	g.depth--
	g.line("A%d:", end)
}

// TestCompiledTeams holds warps that run one after the other in machine code to the interpreter: the
// order in which they run, their barriers, ends, faults, budgets, and those that never come.
func TestCompiledTeams(t *testing.T) {
	t.Parallel()
	seeds := programs(400)
	failed := map[string]int{}
	for seed := range seeds {
		g := &programGenerator{Rand: rand.New(rand.NewPCG(12, seed)), faulty: seed%4 == 3}
		text := teamProgram(g)
		got := launchBoth(t, compilers(), header+text, "random", func(r *rig) (Launch, uint64, int, []any) {
			out := upload(r, make([]uint32, teamWords+64))
			l := Launch{Grid: x(1 + int(seed%3)), Block: x([]int{64, 128, 256, 32, 100, 512}[seed%6]), Interleave: seed%17 == 3, Seed: seed}
			switch seed % 5 {
			case 1:
				l.Budget = 1 << 20
			case 2:
				l.Budget = turnFuel + 100
			}
			return l, out, teamWords, []any{out}
		})
		kind, _, _ := strings.Cut(got.err, ":")
		failed[kind]++
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
	if failed["<nil>"] < int(seeds)/2 || failed["<nil>"] > int(seeds)*19/20 {
		t.Errorf("the programs ended so: %v", failed)
	}
	t.Log(failed)
}

// TestCompiledTeamBudget has warps that meet, for longer than the budget or not: a barrier that
// completes is progress. Then the first warp computes for ever, which is none. It ends after as many
// instructions as interpreted.
func TestCompiledTeamBudget(t *testing.T) {
	t.Parallel()
	for _, rounds := range []int{1, 400, 401, 402, 2403, 20_000} {
		text := fmt.Sprintf(`
.visible .entry k(.param .u64 out)
{
	.reg .pred %%p<3>;
	.reg .b32 %%r<4>;
	.reg .b64 %%x<2>;
	ld.param.u64 %%x0, [out];
	mov.u32 %%r0, %%tid.x;
	mov.u32 %%r1, 0;
	setp.lt.u32 %%p1, %%r0, 32;
L:	add.u32 %%r1, %%r1, 1;
	xor.b32 %%r2, %%r1, 5;
	bar.sync 0;
	setp.ne.u32 %%p0, %%r1, %d;
	@%%p0 bra L;
E:	add.u32 %%r1, %%r1, 1;
	xor.b32 %%r2, %%r1, 5;
	@%%p1 bra E;
	ret;
}`, rounds)
		got := launchBoth(t, compilers(), header+text, "k", func(r *rig) (Launch, uint64, int, []any) {
			return Launch{Grid: x(1), Block: x(128), Budget: turnFuel + 20}, upload(r, []uint32{0}), 1, []any{uint64(0)}
		})
		if got.err == "<nil>" || got.stats.Instructions < uint64(16*rounds+turnFuel) {
			t.Errorf("%d rounds: %d instructions, the error is %s", rounds, got.stats.Instructions, got.err)
		}
	}
}

// TestCompiledTeamLanes ends a launch by a fault of the second warp, after lanes of the first have
// waited for others. Instructions that they did not run are not counted.
func TestCompiledTeamLanes(t *testing.T) {
	t.Parallel()
	const text = header + `
.visible .entry k(.param .u64 out)
{
	.reg .pred %p<3>;
	.reg .b32 %r<4>;
	.reg .b64 %x<2>;
	.shared .b32 s[4];
	mov.u32 %r0, %tid.x;
	setp.ge.u32 %p0, %r0, 5;
	setp.lt.u32 %p1, %r0, 32;
	mov.u32 %r1, 0;
	@%p0 bra A;
	add.u32 %r1, %r1, 1;
	xor.b32 %r2, %r1, 5;
	add.u32 %r2, %r2, %r1;
A:	bar.sync 0;
	@%p1 bra E;
	mov.u32 %r3, s;
	st.shared.u32 [%r3+4096], %r1;
E:	xor.b32 %r2, %r1, 5;
	bar.sync 0;
	ret;
}`
	got := launchBoth(t, compilers(), text, "k", func(r *rig) (Launch, uint64, int, []any) {
		return Launch{Grid: x(1), Block: x(64)}, upload(r, []uint32{0}), 1, []any{uint64(0)}
	})
	if got.err == "<nil>" || got.stats.LaneInstructions == 0 {
		t.Errorf("the error is %s, %+v", got.err, got.stats)
	}
}
