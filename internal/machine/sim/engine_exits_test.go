package sim

import (
	"fmt"
	"maps"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
)

// exits counts where a kernel leaves machine code, by the places in the order of basic blocks and the
// instructions.
type exits map[[2]int]int

func (n exits) sum() (all int) {
	for _, k := range n {
		all += k
	}
	return all
}

// exitsOf runs a kernel on one worker.
func exitsOf(t *testing.T, e *compiler, text, entry string, launch func(r *rig) (Launch, []any)) (exits, Stats) {
	t.Helper()
	n := exits{}
	e.left = func(at place) { n[[2]int{int(at.b.order[0]), at.inst}]++ }
	r := newRigWith(t, text, Config{Workers: 1}, e)
	l, args := launch(r)
	stats, err := r.launchAs(entry, l, args...)
	if err != nil {
		t.Fatal(err)
	}
	stats.Elapsed = 0
	return n, stats
}

// exitsKernel leaves machine code at exitsFirst by itself: at the first access by an instruction, since
// the interpreter finds the memory, and at the barrier, since a small budget allows no team.
const exitsKernel = header + `
.visible .entry k(.param .u64 out)
{
	.reg .pred %p<2>;
	.reg .b32 %r<4>;
	.reg .b64 %x<2>;
	ld.param.u64 %x0, [out];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, 0;
	mad.wide.u32 %x0, %r0, 4, %x0;
L:	add.u32 %r1, %r1, 3;
	xor.b32 %r2, %r1, 5;
	st.global.u32 [%x0], %r2;
	ld.global.u32 %r3, [%x0];
	add.u32 %r1, %r1, %r3;
	setp.lt.u32 %p0, %r1, 1000;
	@%p0 bra L;
	bar.sync 0;
	st.global.u32 [%x0], %r1;
	ret;
}`

var exitsFirst = exits{{0, 0}: 1, {1, 2}: 1, {1, 3}: 1, {2, 0}: 1, {3, 0}: 1}

// exitsBlocks are its blocks: how many instructions precede the end, how often it runs, and where a warp
// is before its first instruction.
var exitsBlocks = []struct {
	insts, runs int
	before      [2]int
}{{4, 1, [2]int{0, 0}}, {6, 7, [2]int{0, 4}}, {0, 1, [2]int{1, 6}}, {1, 1, [2]int{2, 0}}}

func launchExits(r *rig) (Launch, []any) {
	return Launch{Grid: x(1), Block: x(32), Budget: turnFuel / 2}, []any{upload(r, make([]uint32, 32))}
}

// TestCompiledExits forces an exit at each instruction, and counts: a warp leaves machine code there as
// often as machine code comes there, which it does not where the interpreter ran the instruction before.
// The warp leaves it nowhere else.
func TestCompiledExits(t *testing.T) {
	t.Parallel()
	usual, stats := exitsOf(t, newCompiler(), exitsKernel, "k", launchExits)
	equalExits(t, "as usual", usual, exitsFirst)
	for block, c := range exitsBlocks {
		before := c.before
		for i := range c.insts {
			at := [2]int{block, i}
			want := maps.Clone(exitsFirst)
			if want[at] = c.runs - exitsFirst[before]; want[at] == 0 {
				delete(want, at)
			}
			leave := func(b *code.Block, j int) bool { return b.Order[0] == block && i == j }
			got, n := exitsOf(t, &compiler{limit: nativeLimit, leave: leave}, exitsKernel, "k", launchExits)
			equalExits(t, fmt.Sprintf("leaving at %d of block %d", i, block), got, want)
			if n != stats {
				t.Errorf("leaving at %d of block %d: %+v; want %+v", i, block, n, stats)
			}
			before = at
		}
	}
}

func equalExits(t *testing.T, what string, got, want exits) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: the code was left at %v; want %v", what, got, want)
	}
	for at, n := range want {
		if got[at] != n {
			t.Errorf("%s: the code was left at %v; want %v", what, got, want)
			break
		}
	}
}

// TestCompiledFuel gives compiled code fuel for one instruction: it exits at each end of a block.
func TestCompiledFuel(t *testing.T) {
	t.Parallel()
	_, want := exitsOf(t, newCompiler(), exitsKernel, "k", launchExits)
	got, stats := exitsOf(t, &compiler{limit: 1}, exitsKernel, "k", launchExits)
	if stats != want {
		t.Errorf("%+v; want %+v", stats, want)
	}
	ends := maps.Clone(exitsFirst)
	for block, c := range exitsBlocks[:2] { // the code ends at the barrier, and at the last access
		ends[[2]int{block, c.insts}] += c.runs
	}
	equalExits(t, "with fuel for an instruction", got, ends)
}

// TestCompiledStays bounds how often kernels leave machine code. More exits mean that teams, lanes that
// part, operations of warps or an instruction got lost.
func TestCompiledStays(t *testing.T) {
	t.Parallel()
	for _, m := range measuredKernels {
		got, _ := exitsOf(t, newCompiler(), m.text(t), m.entry, m.launch)
		if n := got.sum(); n > m.exits || n < m.exits/2 {
			t.Errorf("%s: machine code is left %d times; want at most %d, and not half of that", m.name, n, m.exits)
		}
	}
}
