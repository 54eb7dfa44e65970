package sim

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
)

// orders are the ways in which a kernel is run by tests of control flow: with and without an
// observer, by several workers.
func orders(t *testing.T, text string, test func(r *rig, l Launch)) {
	for name, l := range map[string]Launch{
		"parallel": {}, "ascending": {Observer: discard{}}, "descending": {Order: Descending, Observer: discard{}},
		"random 1": {Order: Random, Seed: 1, Observer: discard{}}, "random 2": {Order: Random, Seed: 2},
	} {
		t.Run(name, func(t *testing.T) { test(newRig(t, text, Config{Workers: 2}), l) })
	}
}

// index is the start of a kernel with parameter out: %i is the global thread index, %o its place in
// out, words of 4 bytes.
const index = `
	.reg .pred %p, %q;
	.reg .b32 %i, %t, %b, %n, %a, %c, %d, %e;
	.reg .b64 %o, %x, %y, %z;
	mov.u32 %b, %ctaid.x;
	mov.u32 %n, %ntid.x;
	mov.u32 %t, %tid.x;
	mad.lo.u32 %i, %b, %n, %t;
	ld.param.u64 %o, [out];
	mad.wide.u32 %o, %i, 4, %o;
`

// outKernel wraps a body that leaves each thread's result in %d.
func outKernel(decls, body string) string {
	return decls + "\n.visible .entry k(.param .u64 out)\n{" + index + body + "\n\tst.global.u32 [%o], %d;\n\tret;\n}"
}

// runOut runs such a kernel and compares what each thread stored with want.
func runOut(t *testing.T, text string, grid, block int, want func(block, thread int) uint32) {
	t.Helper()
	orders(t, text, func(r *rig, l Launch) { runOutAs(r, l, grid, block, want) })
}

// runConverging is runOut for kernels that ask which lanes run together, which a random order
// leaves open.
func runConverging(t *testing.T, text string, grid, block int, want func(block, thread int) uint32) {
	t.Helper()
	orders(t, text, func(r *rig, l Launch) {
		if l.Order != Random {
			runOutAs(r, l, grid, block, want)
		}
	})
}

func runOutAs(r *rig, l Launch, grid, block int, want func(block, thread int) uint32) {
	r.t.Helper()
	out := upload(r, make([]uint32, grid*block))
	r.run(l, "k", x(grid), x(block), out)
	for i, got := range view[uint32](r, out, grid*block) {
		if w := want(i/block, i%block); got != w {
			r.t.Fatalf("block %d thread %d: got %d, want %d", i/block, i%block, got, w)
		}
	}
}

func TestDivergence(t *testing.T) {
	// Three ways, one of them nested, that meet again: at the end all lanes of the warp must run
	// together.
	runConverging(t, outKernel("", `
	and.b32 %a, %t, 1;
	setp.eq.u32 %p, %a, 0;
	@%p bra EVEN;
	and.b32 %a, %t, 2;
	setp.eq.u32 %p, %a, 0;
	@%p bra ONE;
	mov.u32 %d, 300;
	bra JOIN;
ONE:
	mov.u32 %d, 200;
	bra JOIN;
EVEN:
	mov.u32 %d, 100;
JOIN:
	activemask.b32 %c;
	popc.b32 %c, %c;
	add.u32 %d, %d, %c;`), 3, 50, func(_, thread int) uint32 {
		lanes := uint32(min(32, 50-thread/32*32))
		switch {
		case thread%2 == 0:
			return 100 + lanes
		case thread%4 == 1:
			return 200 + lanes
		}
		return 300 + lanes
	})
}

func TestLoopsOfDifferentLength(t *testing.T) {
	runConverging(t, outKernel("", `
	mov.u32 %d, 0;
	mov.u32 %a, 0;
OUTER:
	mov.u32 %c, 0;
INNER:
	add.u32 %d, %d, 1;
	add.u32 %c, %c, 1;
	setp.le.u32 %p, %c, %a;
	@%p bra INNER;
	add.u32 %a, %a, 1;
	setp.le.u32 %p, %a, %t;
	@%p bra OUTER;
	activemask.b32 %c;
	popc.b32 %c, %c;
	mad.lo.u32 %d, %c, 10000, %d;`), 2, 64, func(_, thread int) uint32 {
		n := uint32(thread + 1)
		return n*(n+1)/2 + 32*10000
	})
}

func TestEarlyReturnAndBarriers(t *testing.T) {
	// Threads leave a loop with a barrier one by one. Those that have exited are not waited for.
	runOut(t, outKernel("", `
	.shared .align 4 .b32 s[64];
	mov.u32 %a, 0;
	mov.u32 %d, 0;
	st.global.u32 [%o], %t;
LOOP:
	setp.ge.u32 %p, %a, %t;
	@%p exit;
	shl.b32 %c, %t, 2;
	mov.u32 %e, s;
	add.u32 %c, %c, %e;
	st.shared.u32 [%c], %a;
	bar.sync 0;
	ld.shared.u32 %e, [s+252];
	bar.sync 0;
	add.u32 %d, %d, %e;
	st.global.u32 [%o], %d;
	add.u32 %a, %a, 1;
	bra LOOP;`), 3, 64, func(_, thread int) uint32 { return uint32(thread * (thread - 1) / 2) })
}

func TestBarrierInDivergentCode(t *testing.T) {
	// Each half of the block waits at another barrier instruction. As on the GPU that is one
	// barrier.
	runOut(t, outKernel("", `
	.shared .align 4 .b32 s[64];
	shl.b32 %c, %t, 2;
	mov.u32 %e, s;
	add.u32 %c, %c, %e;
	st.shared.u32 [%c], %t;
	and.b32 %a, %t, 1;
	setp.eq.u32 %p, %a, 0;
	@%p bra EVEN;
	bar.sync 0;
	bra JOIN;
EVEN:
	bar.sync 0;
JOIN:
	xor.b32 %a, %t, 63;
	shl.b32 %c, %a, 2;
	add.u32 %c, %c, %e;
	ld.shared.u32 %d, [%c];`), 2, 64, func(_, thread int) uint32 { return uint32(63 - thread) })
}

func TestNamedBarriers(t *testing.T) {
	// Producers (the first two warps) arrive, consumers (the third) wait: 96 threads at barrier 5.
	runOut(t, outKernel("", `
	.shared .align 4 .b32 s[64];
	mov.u32 %e, s;
	setp.ge.u32 %p, %t, 64;
	@%p bra CONSUME;
	shl.b32 %c, %t, 2;
	add.u32 %c, %c, %e;
	st.shared.u32 [%c], %t;
	bar.arrive 5, 96;
	mov.u32 %d, 7;
	bra JOIN;
CONSUME:
	barrier.sync 5, 96;
	sub.u32 %a, %t, 64;
	shl.b32 %c, %a, 2;
	add.u32 %c, %c, %e;
	ld.shared.u32 %d, [%c];
	ld.shared.u32 %a, [%c+128];
	add.u32 %d, %d, %a;
JOIN:`), 2, 96, func(_, thread int) uint32 {
		if thread < 64 {
			return 7
		}
		return uint32(2*(thread-64) + 32)
	})
}

func TestBarrierReductions(t *testing.T) {
	runOut(t, outKernel("", `
	rem.u32 %a, %t, 3;
	setp.eq.u32 %p, %a, 0;
	bar.red.popc.u32 %d, 1, %p;
	setp.lt.u32 %p, %t, 70;
	barrier.red.and.pred %q, 2, %p;
	selp.u32 %a, 1000, 0, %q;
	add.u32 %d, %d, %a;
	setp.eq.u32 %p, %t, 69;
	bar.red.or.pred %q, 3, %p;
	selp.u32 %a, 2000, 0, %q;
	add.u32 %d, %d, %a;
	setp.eq.u32 %p, %t, 5;
	bar.red.and.pred %q, 4, !%p;
	selp.u32 %a, 4000, 0, %q;
	add.u32 %d, %d, %a;`), 2, 70, func(_, _ int) uint32 { return 24 + 1000 + 2000 })
}

// TestLaneLock takes a lock in turn by the lanes of one warp, which works only when a lane that
// holds it can run while the others spin at a lower place.
func TestLaneLock(t *testing.T) {
	text := outKernel(".global .u32 lock;\n.global .u32 sum;", `
	mov.u64 %x, lock;
	mov.u64 %y, sum;
SPIN:
	atom.global.cas.b32 %a, [%x], 0, 1;
	setp.ne.u32 %p, %a, 0;
	@%p bra SPIN;
	membar.gl;
	ld.volatile.global.u32 %d, [%y];
	add.u32 %c, %d, 1;
	st.volatile.global.u32 [%y], %c;
	membar.gl;
	atom.global.exch.b32 %a, [%x], 0;`)
	orders(t, text, func(r *rig, l Launch) {
		const grid, block = 4, 40
		out := upload(r, make([]uint32, grid*block))
		r.run(l, "k", x(grid), x(block), out)
		got := view[uint32](r, out, grid*block)
		slices.Sort(got)
		for i, v := range got {
			if v != uint32(i) {
				r.t.Fatalf("ticket %d is missing: %v", i, got)
			}
		}
	})
}

// TestBlocksWaitForEachOther has every block spin on a flag of the next one, the last going first.
func TestBlocksWaitForEachOther(t *testing.T) {
	text := outKernel(".global .u32 flag[65];", `
	mov.u64 %x, flag;
	mad.wide.u32 %x, %b, 4, %x;
	setp.ne.u32 %p, %t, 0;
	@%p bra WAIT;
	mov.u32 %a, %nctaid.x;
	sub.u32 %a, %a, 1;
	setp.eq.u32 %p, %a, %b;
	@%p bra SET;
SPIN:
	ld.acquire.gpu.global.u32 %a, [%x+4];
	setp.eq.u32 %p, %a, 0;
	@%p bra SPIN;
SET:
	st.release.gpu.global.u32 [%x], 1;
WAIT:
	bar.sync 0;
	ld.relaxed.gpu.global.u32 %d, [%x];`)
	runOut(t, text, 64, 40, func(int, int) uint32 { return 1 })
}

func TestRecursion(t *testing.T) {
	// Fibonacci, whose lanes recurse to different depths, with a local variable in every frame.
	fib := `
.func (.param .b32 r) fib(.param .b32 n)
{
	.local .align 4 .b32 keep[2];
	.reg .pred %p;
	.reg .b32 %a, %b, %c;
	ld.param.u32 %a, [n];
	setp.lt.u32 %p, %a, 2;
	@%p bra BASE;
	sub.u32 %b, %a, 1;
	{
	.param .b32 arg;
	.param .b32 res;
	st.param.b32 [arg], %b;
	call.uni (res), fib, (arg);
	ld.param.b32 %c, [res];
	}
	st.local.u32 [keep+4], %c;
	sub.u32 %b, %a, 2;
	{
	.param .b32 arg;
	.param .b32 res;
	st.param.b32 [arg], %b;
	call.uni (res), fib, (arg);
	ld.param.b32 %a, [res];
	}
	ld.local.u32 %c, [keep+4];
	add.u32 %a, %a, %c;
BASE:
	st.param.b32 [r], %a;
	ret;
}`
	runConverging(t, outKernel(fib, `
	rem.u32 %a, %t, 9;
	{
	.param .b32 arg;
	.param .b32 res;
	st.param.b32 [arg], %a;
	call.uni (res), fib, (arg);
	ld.param.b32 %d, [res];
	}
	activemask.b32 %c;
	popc.b32 %c, %c;
	mad.lo.u32 %d, %c, 1000, %d;`), 2, 33, func(_, thread int) uint32 {
		lanes := uint32(32)
		if thread == 32 {
			lanes = 1
		}
		return []uint32{0, 1, 1, 2, 3, 5, 8, 13, 21}[thread%9] + 1000*lanes
	})
}

// TestLocalAlignment has local variables of every alignment up to 4,096, in a kernel and in a function
// that it calls: the address of each is a multiple of its alignment.
func TestLocalAlignment(t *testing.T) {
	for align := 1; align <= 4096; align *= 2 {
		f := fmt.Sprintf(`
.func (.param .b32 r) low(.param .b32 n)
{
	.local .b8 small[3];
	.local .align %d .b8 large[5];
	.reg .b32 %%a;
	.reg .b64 %%x;
	mov.u64 %%x, large;
	st.local.u8 [%%x+4], 7;
	cvt.u32.u64 %%a, %%x;
	and.b32 %%a, %%a, %d;
	st.param.b32 [r], %%a;
	ret;
}`, align, align-1)
		runOut(t, outKernel(f, fmt.Sprintf(`
	.local .b8 odd[7];
	.local .align %d .b8 l[9];
	{
	.param .b32 arg;
	.param .b32 res;
	st.param.b32 [arg], %%t;
	call.uni (res), low, (arg);
	ld.param.b32 %%d, [res];
	}
	mov.u64 %%x, l;
	cvta.local.u64 %%x, %%x;
	st.u8 [%%x+8], 7;
	cvt.u32.u64 %%a, %%x;
	and.b32 %%a, %%a, %d;
	or.b32 %%d, %%d, %%a;`, align, align-1)), 1, 33, func(_, _ int) uint32 { return 0 })
	}
}

func TestIndirectCalls(t *testing.T) {
	decls := `
.func (.reg .b32 r) twice(.reg .b32 a) { add.u32 r, a, a; ret; }
.func (.reg .b32 r) square(.reg .b32 a) { mul.lo.u32 r, a, a; ret; }
.global .u64 table[2] = {twice, square};`
	runOut(t, outKernel(decls, `
	and.b32 %a, %t, 1;
	mov.u64 %x, table;
	mad.wide.u32 %x, %a, 8, %x;
	ld.global.u64 %y, [%x];
	proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);
	call (%d), %y, (%t), proto;`), 2, 40, func(_, thread int) uint32 {
		if thread%2 == 0 {
			return uint32(2 * thread)
		}
		return uint32(thread * thread)
	})
}

func TestIndexedBranch(t *testing.T) {
	runConverging(t, outKernel("", `
	rem.u32 %a, %t, 3;
	ts: .branchtargets L0, L1, L2;
	brx.idx %a, ts;
L0:
	mov.u32 %d, 10;
	bra JOIN;
L1:
	mov.u32 %d, 20;
	bra JOIN;
L2:
	mov.u32 %d, 30;
JOIN:
	activemask.b32 %c;
	popc.b32 %c, %c;
	add.u32 %d, %d, %c;`), 2, 32, func(_, thread int) uint32 { return uint32(10*(thread%3+1) + 32) })
}

func TestGuardedControl(t *testing.T) {
	// A guarded call, a guarded shuffle under the mask of those that do it, a guarded return.
	decls := ".func (.reg .b32 r) plus(.reg .b32 a) { add.u32 r, a, 1000; ret; }"
	runOut(t, outKernel(decls, `
	setp.lt.u32 %p, %t, 16;
	mov.u32 %d, %t;
	@%p call (%d), plus, (%d);
	@%p shfl.sync.bfly.b32 %d, %d, 1, 31, 0xffff;
	st.global.u32 [%o], %d;
	@!%p ret;
	add.u32 %d, %d, 1;`), 2, 32, func(_, thread int) uint32 {
		if thread < 16 {
			return uint32(thread^1) + 1001
		}
		return uint32(thread)
	})
}

func TestPartialShuffles(t *testing.T) {
	// Halves of a warp shuffle among themselves in different branches, in one branch after the
	// other.
	runOut(t, outKernel("", `
	and.b32 %a, %t, 31;
	setp.lt.u32 %p, %a, 16;
	@%p bra LOW;
	shfl.sync.idx.b32 %d, %t, 20, 31, 0xffff0000;
	bra JOIN;
LOW:
	shfl.sync.down.b32 %d|%q, %t, 4, 31, 0xffff;
	@!%q add.u32 %d, %d, 100;
JOIN:
	shfl.sync.up.b32 %c|%q, %d, 1, 0, 0xffffffff;
	@!%q mov.u32 %c, 0;
	mad.lo.u32 %d, %c, 1000, %d;`), 2, 64, func(_, thread int) uint32 {
		value := func(lane int) uint32 {
			base := thread / 32 * 32
			if lane >= 16 {
				return uint32(base + 20)
			}
			if lane >= 12 {
				return 0 // from lanes that are not in the mask
			}
			return uint32(base + lane + 4)
		}
		lane := thread % 32
		if lane == 0 {
			return value(0)
		}
		return value(lane) + 1000*value(lane-1)
	})
}

// TestShuffleAcrossInstructions has lanes meet at different instructions of one kind: the manual
// asks for the same qualifiers and mask, not for the same place.
func TestShuffleAcrossInstructions(t *testing.T) {
	runOut(t, outKernel("", `
	and.b32 %a, %t, 1;
	setp.eq.u32 %p, %a, 0;
	@%p bra EVEN;
	add.u32 %c, %t, 500;
	shfl.sync.bfly.b32 %d, %c, 1, 31, 0xffffffff;
	bra JOIN;
EVEN:
	add.u32 %e, %t, 900;
	shfl.sync.bfly.b32 %a, %e, 1, 31, 0xffffffff;
	mov.u32 %d, %a;
JOIN:
	bar.warp.sync 0xffffffff;`), 2, 64, func(_, thread int) uint32 {
		if thread%2 == 0 {
			return uint32(thread + 1 + 500)
		}
		return uint32(thread - 1 + 900)
	})
}

func TestWarpOperations(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want func(thread int) uint32
	}{
		"match.all, equal": {"mov.u32 %a, 5;\nmatch.all.sync.b32 %d|%p, %a, 0xffffffff;\n@!%p mov.u32 %d, 1;", func(int) uint32 { return ^uint32(0) }},
		"match.all, different": {"match.all.sync.b32 %d|%p, %t, 0xffffffff;\n@!%p add.u32 %d, %d, 7;",
			func(int) uint32 { return 7 }},
		"match.any 64": {"and.b32 %a, %t, 3;\ncvt.u64.u32 %x, %a;\nmatch.any.sync.b64 %d, %x, 0xffffffff;", func(i int) uint32 { return 0x11111111 << (i % 4) }},
		"vote.uni":     {"setp.lt.u32 %p, %t, 32;\nvote.sync.uni.pred %q, %p, 0xffffffff;\nselp.u32 %d, 1, 0, %q;", func(int) uint32 { return 1 }},
		"vote.any not": {"setp.lt.u32 %p, %t, 1000;\nvote.sync.any.pred %q, !%p, 0xffffffff;\nselp.u32 %d, 1, 0, %q;", func(int) uint32 { return 0 }},
		"redux.add": {"redux.sync.add.u32 %d, %t, 0xffffffff;",
			func(i int) uint32 { return uint32(496 + i/32*1024) }},
		"redux.min": {"sub.u32 %a, 5, %t;\nredux.sync.min.s32 %d, %a, 0xffffffff;",
			func(i int) uint32 { return uint32(5 - (i/32*32 + 31)) }},
		"redux.xor": {"redux.sync.xor.b32 %d, %t, 0xffffffff;", func(int) uint32 { return 0 }},
		"elect": {"elect.sync %d|%p, 0xffffffff;\n@%p add.u32 %d, %d, 9;",
			func(i int) uint32 { return raw1(i%32 == 0) * 9 }},
		"ballot of a part": {"setp.lt.u32 %p, %t, 1000;\nmov.u32 %d, 1;\nand.b32 %a, %t, 1;\nsetp.eq.u32 %q, %a, 1;\n@%q vote.sync.ballot.b32 %d, %p, 0xaaaaaaaa;",
			func(i int) uint32 { return []uint32{1, 0xaaaaaaaa}[i%2] }},
		"lane masks": {"mov.u32 %d, %lanemask_lt;\nmov.u32 %a, %lanemask_ge;\nxor.b32 %d, %d, %a;\nmov.u32 %a, %laneid;\nadd.u32 %d, %d, %a;",
			func(i int) uint32 { return ^uint32(0) + uint32(i%32) }},
	} {
		t.Run(name, func(t *testing.T) {
			runOut(t, outKernel("", c.body), 2, 64, func(_, thread int) uint32 { return c.want(thread) })
		})
	}
}

func raw1(b bool) uint32 { return lanes.Bit(b) }

// TestDeterminism runs a kernel whose result depends on the order of everything, and on the seed
// with it.
func TestDeterminism(t *testing.T) {
	text := outKernel(".global .u32 last;", `
	mov.u64 %x, last;
	st.global.u32 [%x], %i;
	atom.global.exch.b32 %d, [%x], %i;`)
	run := func(l Launch) string {
		l.Observer = discard{}
		r := newRig(t, text, Config{})
		out := upload(r, make([]uint32, 5*70))
		r.run(l, "k", x(5), x(70), out)
		return fmt.Sprint(view[uint32](r, out, 5*70))
	}
	results := map[string]bool{}
	for _, l := range []Launch{{}, {Order: Descending}, {Order: Random, Seed: 1}, {Order: Random, Seed: 2},
		{Order: Random, Seed: 3}} {
		a := run(l)
		if a != run(l) {
			t.Errorf("%+v: two runs differ", l)
		}
		results[a] = true
	}
	if len(results) != 5 {
		t.Errorf("5 orders give %d results", len(results))
	}
}

// TestManyBlocks checks that every block of a grid of three dimensions runs once, in each order.
func TestManyBlocks(t *testing.T) {
	text := `.visible .entry k(.param .u64 out)
{
	.reg .b32 %x, %y, %z, %nx, %ny;
	.reg .b64 %o;
	mov.u32 %x, %ctaid.x;
	mov.u32 %y, %ctaid.y;
	mov.u32 %z, %ctaid.z;
	mov.u32 %nx, %nctaid.x;
	mov.u32 %ny, %nctaid.y;
	mad.lo.u32 %z, %z, %ny, %y;
	mad.lo.u32 %z, %z, %nx, %x;
	ld.param.u64 %o, [out];
	mad.wide.u32 %o, %z, 4, %o;
	mov.u32 %x, %tid.x;
	mov.u32 %y, %tid.y;
	mad.lo.u32 %x, %y, 10, %x;
	mov.u32 %z, %tid.z;
	mad.lo.u32 %x, %z, 100, %x;
	red.global.add.u32 [%o], %x;
	ret;
}`
	orders(t, text, func(r *rig, l Launch) {
		out := upload(r, make([]uint32, 5*7*3))
		r.run(l, "k", [3]int{5, 7, 3}, [3]int{3, 5, 4}, out)
		want := make([]uint32, 5*7*3)
		for i := range want {
			want[i] = 20*(0+1+2) + 10*12*(0+1+2+3+4) + 100*15*(0+1+2+3)
		}
		equalSlices(r, "out", view[uint32](r, out, len(want)), want)
	})
}
