package sim

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/native"
)

// compilers are ways to run compiled kernels: as machines do, with exits at some of the instructions,
// and a block at a time.
func compilers() map[string]*compiler {
	leaving := func(every, from int) func(b *code.Block, i int) bool {
		return func(_ *code.Block, i int) bool { return i%every == from }
	}
	if testing.Short() { // the race detector makes the others take minutes
		return withNarrow(map[string]*compiler{"as usual": newCompiler(), "leaving at every third": {limit: 7, leave: leaving(3, 2)}})
	}
	return withNarrow(map[string]*compiler{
		"as usual":                       newCompiler(),
		"a block at a time":              {limit: 1},
		"three instructions at a time":   {limit: 3},
		"leaving at all instructions":    {limit: nativeLimit, leave: func(*code.Block, int) bool { return true }},
		"leaving at even instructions":   {limit: nativeLimit, leave: leaving(2, 0)},
		"leaving at odd instructions":    {limit: nativeLimit, leave: leaving(2, 1)},
		"leaving at every third":         {limit: 7, leave: leaving(3, 2)},
		"leaving at nothing, not at few": {limit: nativeLimit, leave: func(*code.Block, int) bool { return false }},
	})
}

// withNarrow adds narrow vectors to ways to run kernels where the processor has wider ones: as machines run
// kernels, and with the most exits.
func withNarrow(ways map[string]*compiler) map[string]*compiler {
	if native.Wide() {
		ways["narrow vectors"] = &compiler{limit: nativeLimit, narrow: true}
		ways["narrow vectors, leaving at every third"] = &compiler{limit: 7, narrow: true, leave: ways["leaving at every third"].leave}
	}
	return ways
}

var programsFlag = flag.Uint64("programs", 0, "run so many random `programs` in each test of the compiling engine")

// programs is how many random programs a test runs that usually runs a number of them.
func programs(usual uint64) uint64 {
	switch {
	case *programsFlag > 0:
		return *programsFlag
	case testing.Short():
		return usual / 6
	}
	return usual
}

// TestCompiled runs the kernels of nvcc compiled, in all ways.
func TestCompiled(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/nvcc/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal("no PTX in testdata/nvcc", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(filepath.Base(file), ".ptx")
		for name, e := range compilers() {
			t.Run(base+"/"+name, func(t *testing.T) {
				t.Parallel()
				nvccTests[base](newRigWith(t, string(text), Config{Workers: nvccWorkers(base, 2)}, e), Launch{Seed: 1})
			})
		}
	}
}

// outcome describes a launch that has ended.
type outcome struct {
	memory string
	stats  Stats
	err    string
}

// launchBoth launches a kernel interpreted and compiled in some ways, and compares the outcomes.
// launch makes memory and says how to launch.
func launchBoth(t *testing.T, ways map[string]*compiler, text, entry string, launch func(r *rig) (l Launch, out uint64, words int, args []any)) outcome {
	t.Helper()
	run := func(e engine) outcome {
		r := newRigWith(t, text, Config{Workers: 1}, e)
		l, out, words, args := launch(r)
		k, err := r.p.Entry(entry)
		if err != nil {
			t.Fatal(err)
		}
		l.Params = r.params(k, args...)
		stats, err := r.m.Launch(context.Background(), k, l)
		stats.Elapsed = 0
		return outcome{fmt.Sprintf("%x", view[uint32](r, out, words)), stats, fmt.Sprint(err)}
	}
	want := run(nil)
	for name, e := range ways {
		got := run(e)
		switch {
		case got.err != want.err:
			t.Errorf("%s: the error is %q, interpreted %q", name, got.err, want.err)
		case got.stats != want.stats:
			t.Errorf("%s: %+v, interpreted %+v", name, got.stats, want.stats)
		case got.memory != want.memory:
			t.Errorf("%s: other bits in memory", name)
		}
	}
	return want
}

// TestCompiledFaults compares the faults of compiled and interpreted kernels.
func TestCompiledFaults(t *testing.T) {
	t.Parallel()
	for _, c := range faults {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			launchBoth(t, compilers(), header+faultKernel(c.decls, c.body), "k", func(r *rig) (Launch, uint64, int, []any) {
				out := upload(r, make([]uint32, 70))
				return Launch{Grid: x(2), Block: x(35)}, out, 70, []any{out}
			})
		})
	}
}

// TestCompiledPrograms holds random programs that are compiled to the interpreter: loops, branches
// that lanes take differently, and accesses of memory, some of them out of bounds.
func TestCompiledPrograms(t *testing.T) {
	t.Parallel()
	seeds, faults := programs(150), uint64(0)
	for seed := range seeds {
		g := &programGenerator{Rand: rand.New(rand.NewPCG(3, seed)), faulty: seed%5 == 0}
		text := g.program()
		got := launchBoth(t, compilers(), text, "random", func(r *rig) (Launch, uint64, int, []any) {
			out := upload(r, numbered(randomWords))
			l := Launch{
				Grid: x(2), Block: x([]int{1, 32, 33, 64, 100}[seed%5]), Interleave: seed%7 == 3,
				Order: Order(max(0, int(seed%6)-3)), Flip: seed%11 == 5, Seed: seed,
			}
			return l, out, randomWords, []any{out}
		})
		if got.err != "<nil>" {
			faults++
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
	if faults == 0 || faults > seeds/4 {
		t.Errorf("%d of %d programs ended in a fault", faults, seeds)
	}
}

// TestCompiledBudget ends an endless loop, compiled and interpreted.
func TestCompiledBudget(t *testing.T) {
	t.Parallel()
	const endless = `
.visible .entry endless(.param .u64 out)
{
	.reg .b32 %r<4>;
	mov.u32 %r1, 1;
L:	add.u32 %r1, %r1, 3;
	xor.b32 %r2, %r1, 5;
	mul.lo.u32 %r3, %r2, %r1;
	bra L;
}`
	got := launchBoth(t, compilers(), endless, "endless", func(r *rig) (Launch, uint64, int, []any) {
		out := upload(r, make([]uint32, 1))
		return Launch{Grid: x(1), Block: x(64), Budget: 100_000}, out, 1, []any{out}
	})
	if !strings.Contains(got.err, event.ErrNoProgress.Error()) {
		t.Errorf("the error is %q", got.err)
	}
}

// TestCompiledProgress runs more instructions than the budget in a loop that writes: that is progress.
func TestCompiledProgress(t *testing.T) {
	t.Parallel()
	for _, write := range []string{"st.global.u32 [%x0], %r2", "atom.global.add.u32 %r3, [%x0], %r2", "red.global.add.u32 [%x0], %r2"} {
		storing := strings.ReplaceAll(`
.visible .entry storing(.param .u64 out)
{
	.reg .pred %p<2>;
	.reg .b32 %r<4>;
	.reg .b64 %x<2>;
	ld.param.u64 %x0, [out];
	mov.u32 %r1, 0;
L:	add.u32 %r1, %r1, 1;
	xor.b32 %r2, %r1, 5;
	WRITE;
	setp.lt.u32 %p0, %r1, 4000;
	@%p0 bra L;
	ret;
}`, "WRITE", write)
		got := launchBoth(t, compilers(), header+storing, "storing", func(r *rig) (Launch, uint64, int, []any) {
			out := upload(r, make([]uint32, 1))
			return Launch{Grid: x(1), Block: x(64), Budget: 1_000}, out, 1, []any{out}
		})
		if got.err != "<nil>" {
			t.Errorf("%s: the error is %q", write, got.err)
		}
	}
}

// TestCompiledContention has all blocks, on several workers, add to one word and take the larger of
// another: no atomic is lost.
func TestCompiledContention(t *testing.T) {
	t.Parallel()
	const blocks, threads, rounds = 64, 64, 300
	text := header + fmt.Sprintf(`
.visible .entry contend(.param .u64 out)
{
	.reg .pred %%p<2>;
	.reg .b32 %%r<6>;
	.reg .b64 %%x<2>;
	ld.param.u64 %%x0, [out];
	mov.u32 %%r0, %%ctaid.x;
	mov.u32 %%r1, 0;
L:	add.u32 %%r1, %%r1, 1;
	mad.lo.u32 %%r2, %%r1, 64, %%r0;
	red.global.add.u32 [%%x0], 1;
	atom.global.max.u32 %%r3, [%%x0+4], %%r2;
	atom.global.add.u32 %%r4, [%%x0+8], 3;
	setp.lt.u32 %%p0, %%r1, %d;
	@%%p0 bra L;
	ret;
}`, rounds)
	r := newRigWith(t, text, Config{Workers: 8}, newCompiler())
	k, err := r.p.Entry("contend")
	if err != nil {
		t.Fatal(err)
	}
	out := upload(r, make([]uint32, 3))
	if _, err := r.m.Launch(t.Context(), k, Launch{Grid: x(blocks), Block: x(threads), Params: r.params(k, out)}); err != nil {
		t.Fatal(err)
	}
	const all = blocks * threads * rounds
	if got, want := view[uint32](r, out, 3), []uint32{all, rounds*64 + blocks - 1, 3 * all}; !slices.Equal(got, want) {
		t.Errorf("%d; want %d", got, want)
	}
}

// TestCompiledSpin has warps wait for a word that another warp writes, by a volatile load, by a
// relaxed one, and by atomics that change nothing. They give way to each other after as many polls
// as interpreted.
func TestCompiledSpin(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{
		"ld.volatile.global.u32 %r1, [%x0]", "ld.relaxed.gpu.global.u32 %r1, [%x0]", "ld.acquire.gpu.global.u32 %r1, [%x0]",
		"atom.global.or.b32 %r1, [%x0], 0", "atom.global.cas.b32 %r1, [%x0], 99, 98", "atom.global.max.u32 %r1, [%x0], 0",
	} {
		text := fmt.Sprintf(`
.visible .entry spin(.param .u64 out)
{
	.reg .pred %%p<2>;
	.reg .b32 %%r<6>;
	.reg .b64 %%x<2>;
	ld.param.u64 %%x0, [out];
	mov.u32 %%r0, %%tid.x;
	setp.ge.u32 %%p0, %%r0, 96;
	@%%p0 bra WRITE;
L:	%s;
	add.u32 %%r2, %%r2, %%r1;
	xor.b32 %%r3, %%r2, 5;
	setp.eq.u32 %%p1, %%r1, 0;
	@%%p1 bra L;
	ret;
WRITE:	st.volatile.global.u32 [%%x0], 7;
	ret;
}`, kind)
		got := launchBoth(t, compilers(), header+text, "spin", func(r *rig) (Launch, uint64, int, []any) {
			out := upload(r, make([]uint32, 1))
			return Launch{Grid: x(1), Block: x(128), Budget: 1 << 20}, out, 1, []any{out}
		})
		if got.err != "<nil>" || got.stats.Instructions > 1000 {
			t.Errorf("%s: %d instructions, the error is %s", kind, got.stats.Instructions, got.err)
		}
	}
}

// TestChooseEngine has GRIDSTRIDE_ENGINE and Config ask for engines, and for one that there is not.
func TestChooseEngine(t *testing.T) {
	for _, c := range []struct {
		env string
		cfg Engine
		on  bool
		// waits says that kernels are interpreted at first.
		waits bool
		want  string
	}{
		{env: "interpreter"}, {env: "compiled", on: true}, {env: "", on: true, waits: true}, {cfg: Compiled, on: true},
		{env: "compiled", cfg: Interpreter}, {env: "interpreter", cfg: Compiled, on: true}, {env: "jit", cfg: Interpreter},
		{env: "jit", want: `GRIDSTRIDE_ENGINE is "jit"; want "interpreter" or "compiled"`},
		{env: "Compiled", want: `GRIDSTRIDE_ENGINE is "Compiled"; want "interpreter" or "compiled"`},
		{cfg: "gpu", want: `the engine is "gpu"; want "interpreter" or "compiled"`},
	} {
		t.Setenv("GRIDSTRIDE_ENGINE", c.env)
		m := New(Config{Engine: c.cfg})
		e, on := m.engine.(*compiler)
		if on != (c.on && native.Suits()) || on && (e.patience > 0) != c.waits {
			t.Errorf("%+v: a compiler is %v, %+v", c, on, e)
		}
		_, err := m.Load(parse(t, header+".visible .entry k() { ret; }"))
		var typed *EngineError
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.want != "" && (!errors.As(err, &typed) || !errors.Is(m.Err(), err) || err.Error() != c.want):
			t.Errorf("%+v: the error is %v", c, err)
		}
	}
}

// randomWords is how many words of memory random programs have.
const randomWords = 256

// programGenerator writes random programs.
type programGenerator struct {
	*rand.Rand
	strings.Builder
	faulty bool // some addresses may be out of bounds
	labels int
	depth  int
}

func (g *programGenerator) line(format string, args ...any) { fmt.Fprintf(g, format+"\n", args...) }

// program is a kernel random(out) with memory for randomWords words, and as many in shared memory.
func (g *programGenerator) program() string {
	g.line(".visible .entry random(.param .u64 out)\n{")
	g.line(".reg .pred %%p<4>;\n.reg .b32 %%r<8>;\n.reg .b64 %%x<6>;\n.reg .f32 %%f<4>;\n.reg .f64 %%d<4>;\n.reg .b32 %%n<10>;")
	g.line(".shared .align 16 .b32 s[%d];\nld.param.u64 %%x5, [out];", randomWords)
	g.line("mov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, %%ctaid.x;\nmov.u32 %%n8, s;")
	for i := 2; i < 8; i++ {
		g.line("mad.lo.u32 %%r%d, %%r%d, %d, %%r0;", i, i-1, g.Uint32()>>1)
	}
	for i := range 4 {
		g.line("setp.gt.s32 %%p%d, %%r%d, %d;\ncvt.u64.u32 %%x%d, %%r%d;", i, i+2, int32(g.Uint32()), i, i+3)
		g.line("cvt.rn.f32.s32 %%f%d, %%r%d;\ncvt.f64.f32 %%d%d, %%f%d;", i, i+2, i, i)
	}
	for i := range 4 {
		g.line("shl.b32 %%n9, %%r0, 2;\nadd.u32 %%n9, %%n8, %%n9;\nst.shared.u32 [%%n9], %%r%d;", i+2)
	}
	g.statements(6 + g.IntN(12))
	for i := 2; i < 8; i++ {
		g.line("add.u32 %%r2, %%r2, %%r%d;", i)
	}
	for i := range 4 {
		g.line("mov.b32 %%n9, %%f%d;\nxor.b32 %%r2, %%r2, %%n9;\nmov.b64 {%%n9, %%r3}, %%d%d;\nxor.b32 %%r2, %%r2, %%r3;", i, i)
		g.line("cvt.u32.u64 %%n9, %%x%d;\nadd.u32 %%r2, %%r2, %%n9;\nselp.b32 %%n9, 7, 1, %%p%d;\nmul.lo.u32 %%r2, %%r2, %%n9;", i, i)
	}
	g.line("and.b32 %%r0, %%r0, 63;\nmad.wide.u32 %%x5, %%r0, 4, %%x5;\nst.global.u32 [%%x5], %%r2;\nret;\n}")
	return g.String()
}

func (g *programGenerator) statements(n int) {
	for range n {
		switch k := g.IntN(12); {
		case k == 0 && g.depth < 3:
			g.branch()
		case k == 1 && g.depth < 3:
			g.loop()
		case k < 5 && g.IntN(6) == 0:
			g.atomic()
		case k < 5:
			g.access()
		case k == 5 && g.depth == 0:
			g.line("bar.sync 0;")
		case k == 6:
			g.line("shfl.sync.bfly.b32 %%r%d, %%r%d, %d, 31, 0xffffffff;", g.IntN(8), g.IntN(8), g.IntN(2)*g.depth)
			// It waits for lanes that are elsewhere, and some never come.
			g.undo()
		default:
			g.compute()
		}
	}
}

// undo takes the last line back where lanes may have parted.
func (g *programGenerator) undo() {
	if g.depth == 0 {
		return
	}
	text := g.String()
	g.Reset()
	g.WriteString(text[:strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n")+1])
}

// branch is an if, with an else or without.
func (g *programGenerator) branch() {
	g.labels++
	other, end := g.labels*2, g.labels*2+1
	g.depth++
	g.line("@%s%%p%d bra L%d;", []string{"", "!"}[g.IntN(2)], g.IntN(4), other)
	g.statements(1 + g.IntN(4))
	g.line("bra L%d;\nL%d:", end, other)
	if g.IntN(2) == 0 {
		g.statements(1 + g.IntN(4))
	}
	g.line("L%d:", end)
	g.depth--
}

// loop runs up to 8 times, by a number of each lane.
func (g *programGenerator) loop() {
	g.labels++
	head := g.labels * 2
	n := g.depth
	g.depth++
	g.line("and.b32 %%n%d, %%r%d, %d;\nL%d:", n, g.IntN(8), []int{0, 3, 7}[g.IntN(3)], head)
	g.statements(1 + g.IntN(5))
	g.line("sub.s32 %%n%d, %%n%d, 1;\nsetp.gt.s32 %%p%d, %%n%d, 0;\n@%%p%d bra L%d;", n, n, n, n, n, head)
	g.depth--
}

func (g *programGenerator) compute() {
	r, x, f, d, p := g.IntN(8), g.IntN(4), g.IntN(4), g.IntN(4), g.IntN(4)
	a, b, c := g.IntN(4), g.IntN(4), g.IntN(4)
	switch g.IntN(15) {
	case 14:
		g.line("%s;", pick(g, fmt.Sprintf("popc.b32 %%r%d, %%r%d", r, a), fmt.Sprintf("popc.b64 %%r%d, %%x%d", r, a), fmt.Sprintf("clz.b32 %%r%d, %%r%d", r, a), fmt.Sprintf("clz.b64 %%r%d, %%x%d", r, a), fmt.Sprintf("brev.b32 %%r%d, %%r%d", r, a),
			fmt.Sprintf("rcp.rn.f64 %%d%d, %%d%d", d, a),
			fmt.Sprintf("rem.u32 %%r%d, %%r%d, %%r%d", r, a, b), fmt.Sprintf("div.s32 %%r%d, %%r%d, %%r%d", r, a, b), fmt.Sprintf("rem.s32 %%r%d, %%r%d, %%r%d", r, a, b+4),
			fmt.Sprintf("cvt.rn.f64.s64 %%d%d, %%x%d", d, a), fmt.Sprintf("cvt.rn.f32.u64 %%f%d, %%x%d", f, a)))
	case 0:
		g.line("%s %%r%d, %%r%d, %%r%d;", pick(g, "add.s32", "sub.u32", "mul.lo.s32", "and.b32", "or.b32", "xor.b32", "min.s32", "max.u32", "mul.hi.u32"), r, a, b+4)
	case 1:
		g.line("%s %%r%d, %%r%d, %d;", pick(g, "shl.b32", "shr.u32", "shr.s32"), r, a+b, g.IntN(40))
	case 2:
		g.line("mul.wide.s32 %%x%d, %%r%d, %%r%d;", x, a, b)
	case 3:
		g.line("%s %%x%d, %%x%d, %%x%d;", pick(g, "add.s64", "sub.s64", "mul.lo.s64", "xor.b64", "min.s64"), x, a, b)
	case 4:
		g.line("shr.s64 %%x%d, %%x%d, %d;", x, a, g.IntN(70))
	case 5:
		g.line("%s %%f%d, %%f%d, %%f%d;", pick(g, "add.rn.f32", "sub.rn.f32", "mul.rn.f32", "div.rn.f32", "min.f32", "max.f32"), f, a, b)
	case 6:
		g.line("fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;", f, a, b, c)
	case 7:
		g.line("%s %%d%d, %%d%d, %%d%d;", pick(g, "add.rn.f64", "sub.rn.f64", "mul.rn.f64", "div.rn.f64"), d, a, b)
	case 8:
		g.line("fma.rn.f64 %%d%d, %%d%d, %%d%d, %%d%d;", d, a, b, c)
	case 9:
		g.line("setp.%s.s32 %%p%d, %%r%d, %%r%d;", pick(g, "lt", "eq", "ne", "ge"), p, a, b+c)
	case 10:
		g.line("setp.%s.f64 %%p%d, %%d%d, %%d%d;", pick(g, "lt", "eq", "neu", "geu", "nan"), p, a, b)
	case 11:
		g.line("%s %%p%d, %%p%d, %%p%d;", pick(g, "and.pred", "or.pred", "xor.pred"), p, a, b)
	case 12:
		g.line("selp.f64 %%d%d, %%d%d, %%d%d, %%p%d;\nselp.b32 %%r%d, %%r%d, %%r%d, %%p%d;", d, a, b, p, r, a, b, p)
	case 13:
		// Known to the interpreter alone, or guarded.
		g.line("%s;", pick(g, fmt.Sprintf("lop3.b32 %%r%d, %%r%d, %%r%d, %%r%d, 0x96", r, a, b, c), fmt.Sprintf("@%%p%d add.u32 %%r%d, %%r%d, 9", p, r, a),
			fmt.Sprintf("mul.hi.s64 %%x%d, %%x%d, %%x%d", x, a, b), fmt.Sprintf("sqrt.rn.f64 %%d%d, %%d%d", d, a)))
	}
}

func pick(g *programGenerator, list ...string) string { return list[g.IntN(len(list))] }

// atomic is an atomic at the lane's own place, at one for all, or at one of a few.
func (g *programGenerator) atomic() {
	size := []int{4, 4, 4, 8}[g.IntN(4)]
	words := randomWords * 4 / size
	if g.faulty && g.IntN(6) == 0 {
		words *= 4
	}
	g.line("and.b32 %%n9, %s, %d;\nmul.lo.u32 %%n9, %%n9, %d;", pick(g, "%r0", "%r"+strconv.Itoa(g.IntN(8)), "%r1"), (words-1)&^(g.IntN(2)*60), size)
	space, at := "shared", "%n9"
	if g.IntN(2) == 0 {
		space, at = "global", "%x4"
		g.line("cvt.u64.u32 %%x4, %%n9;\nadd.s64 %%x4, %%x4, %%x5;")
	} else {
		g.line("add.u32 %%n9, %%n9, %%n8;")
	}
	reg, old := "%r"+strconv.Itoa(g.IntN(8)), "%r"+strconv.Itoa(2+g.IntN(6))
	op := pick(g, "add.u32", "add.s32", "min.s32", "max.s32", "min.u32", "max.u32", "and.b32", "or.b32", "xor.b32", "exch.b32", "cas.b32", "inc.u32", "dec.u32", "add.f32")
	if size == 8 {
		reg, old = "%x"+strconv.Itoa(g.IntN(4)), "%x"+strconv.Itoa(g.IntN(4))
		op = pick(g, "add.u64", "min.s64", "max.u64", "and.b64", "or.b64", "xor.b64", "exch.b64", "cas.b64", "add.f64")
	}
	if strings.HasPrefix(op, "cas") {
		reg += ", " + strings.TrimRight(reg, "0123456789") + strconv.Itoa(g.IntN(4))
	}
	if g.IntN(3) == 0 && !strings.HasPrefix(op, "exch") && !strings.HasPrefix(op, "cas") {
		g.line("red.%s.%s [%s], %s;", space, op, at, reg)
		return
	}
	g.line("atom.%s.%s %s, [%s], %s;", space, op, old, at, reg)
}

// access is a load or a store, at the lane's own place, at one for all, or anywhere.
func (g *programGenerator) access() {
	size := []int{1, 2, 4, 4, 4, 8, 8, 16}[g.IntN(8)]
	words := randomWords * 4 / size
	if g.faulty && g.IntN(3) == 0 {
		words *= 4
	}
	from := pick(g, "%r0", "%r0", "%r"+strconv.Itoa(g.IntN(8)), "%r1", "%n9")
	if from == "%n9" { // rows of a tile, or one element for each
		g.line("shr.u32 %%n9, %%r0, 3;\nmul.lo.u32 %%n9, %%n9, %d;", g.IntN(20))
		if g.IntN(2) == 0 {
			g.line("and.b32 %%r2, %%r0, 7;\nadd.u32 %%n9, %%n9, %%r2;")
		}
	}
	g.line("and.b32 %%n9, %s, %d;\nmul.lo.u32 %%n9, %%n9, %d;", from, words-1, size)
	space, at := "shared", "%n9"
	if g.IntN(2) == 0 {
		space, at = "global", "%x4"
		g.line("cvt.u64.u32 %%x4, %%n9;\nadd.s64 %%x4, %%x4, %%x5;")
	} else {
		g.line("add.u32 %%n9, %%n9, %%n8;")
	}
	op := pick(g, "ld", "st")
	value := func(what string) {
		if op == "ld" {
			g.line("ld.%s.%s, [%s];", space, what, at)
			return
		}
		opcode, reg, _ := strings.Cut(what, " ")
		g.line("st.%s.%s [%s], %s;", space, opcode, at, reg)
	}
	r := " %r" + strconv.Itoa(2+g.IntN(6))
	switch size {
	case 1:
		value(pick(g, "u8", "s8") + r)
	case 2:
		value(pick(g, "u16", "s16") + r)
	case 4:
		value(pick(g, "u32"+r, "f32 %f"+strconv.Itoa(g.IntN(4))))
	case 8:
		value(pick(g, "u64 %x"+strconv.Itoa(g.IntN(4)), "f64 %d"+strconv.Itoa(g.IntN(4)), "v2.u32 {%r2, %r3}"))
	case 16:
		value(pick(g, "v4.f32 {%f0, %f1, %f2, %f3}", "v2.u64 {%x0, %x1}"))
	}
}
