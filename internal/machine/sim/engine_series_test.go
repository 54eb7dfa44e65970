package sim

import (
	"context"
	"fmt"
	"maps"
	"sync/atomic"
	"testing"
)

// seriesKernel has each thread keep what a block begins with: its index, the order in which it ran, a
// register and a word of shared memory that nothing has written. Then it writes them, so that a block would
// show it that began with another block's registers. %s ends some threads, or does more.
const seriesKernel = header + `
.visible .entry k(.param .u64 out)
{
	.reg .pred %%p<4>;
	.reg .b32 %%r<12>;
	.reg .b32 %%u<4>;
	.reg .b64 %%x<4>;
	.shared .align 4 .b8 s[%d];
	ld.param.u64 %%x0, [out];
	mov.u32 %%r0, %%tid.x;
	mov.u32 %%r1, %%ctaid.x;
	mov.u32 %%r2, %%ctaid.y;
	mov.u32 %%r3, %%ctaid.z;
	mov.u32 %%r4, %%nctaid.x;
	mov.u32 %%r5, %%nctaid.y;
	mov.u32 %%r6, %%clusterid.y;
	mad.lo.u32 %%r7, %%r3, %%r5, %%r2;
	mad.lo.u32 %%r7, %%r7, %%r4, %%r1;
	mov.u32 %%r8, %%ntid.x;
	mad.lo.u32 %%r8, %%r7, %%r8, %%r0;
	mad.wide.u32 %%x1, %%r8, 16, %%x0;
	%s
	setp.eq.u32 %%p1, %%r0, 40;
	@%%p1 bra A;
	xor.b32 %%r9, %%r9, %%r0;
	add.u32 %%r9, %%r9, 1;
A:	mov.u32 %%r9, s;
	and.b32 %%r10, %%r0, 3;
	shl.b32 %%r10, %%r10, 2;
	add.u32 %%r9, %%r9, %%r10;
	ld.shared.u32 %%r10, [%%r9];
	atom.global.add.u32 %%r11, [%%x0], 1;
	st.global.u32 [%%x1+16], %%r11;
	xor.b32 %%r11, %%u0, %%r10;
	st.global.u32 [%%x1+20], %%r11;
	xor.b32 %%r11, %%u1, %%r6;
	st.global.u32 [%%x1+24], %%r11;
	shl.b32 %%r11, %%r2, 8;
	mad.lo.u32 %%r11, %%r3, 65536, %%r11;
	add.u32 %%r11, %%r11, %%r1;
	st.global.u32 [%%x1+28], %%r11;
	bar.sync 0;
	st.shared.u32 [%%r9], %%r0;
	mov.u32 %%u0, %%r8;
	add.u32 %%u1, %%r8, -1;
	ret;
}`

// seriesFaults are ends of threads of some blocks, and a carry, which no block inherits.
var seriesFaults = []string{
	"", "setp.eq.u32 %p0, %r7, 7;\n@%p0 trap;", "setp.eq.u32 %p0, %r8, 170;\n@%p0 st.global.u32 [%x0+-1024], %r8;",
	"setp.eq.u32 %p0, %r8, 130;\n@%p0 ret;", "setp.lt.u32 %p0, %r0, 32;\n@%p0 ret;",
	"addc.u32 %u2, %r1, %r2;\nst.global.u32 [%x1+28], %u2;\nadd.cc.u32 %u2, %r8, -1;",
}

// TestCompiledSeries holds blocks that follow each other in machine code to the interpreter, in grids of
// several shapes, with blocks of one warp, of several, and of parts of warps.
func TestCompiledSeries(t *testing.T) {
	t.Parallel()
	ways := compilers()
	for limit := int64(2); limit < 90; limit += 11 {
		ways[fmt.Sprint(limit, " instructions at a time")] = &compiler{limit: limit}
	}
	for i, grid := range [][3]int{{13, 1, 1}, {3, 5, 1}, {1, 2, 7}, {2, 3, 3}, {1, 1, 17}} {
		for j, fault := range seriesFaults {
			if testing.Short() && i != j && j > 0 {
				continue
			}
			threads := []int{64, 32, 96, 40, 128}[(i+j)%5]
			text := fmt.Sprintf(seriesKernel, []int{16, 31, 32, 100, 4096}[(i+2*j)%5], fault)
			words := 4 * (grid[0]*grid[1]*grid[2]*threads + 1)
			got := launchBoth(t, maps.Clone(ways), text, "k", func(r *rig) (Launch, uint64, int, []any) {
				out := upload(r, make([]uint32, words))
				l := Launch{Grid: grid, Block: x(threads)}
				if j%2 == 1 {
					l.Budget = 1 << 20
				}
				return l, out, words, []any{out}
			})
			if faults := j == 1 || j == 2; (got.err != "<nil>") != faults {
				t.Errorf("grid %v, %q: the error is %s", grid, fault, got.err)
			}
		}
	}
}

// TestCompiledSeriesWorkers runs a grid on several workers. All blocks run once.
func TestCompiledSeriesWorkers(t *testing.T) {
	t.Parallel()
	const text = header + `
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<6>;
	.reg .b64 %x<2>;
	ld.param.u64 %x0, [out];
	mov.u32 %r0, %ctaid.x;
	mov.u32 %r1, %ctaid.y;
	mov.u32 %r2, %nctaid.x;
	mad.lo.u32 %r0, %r1, %r2, %r0;
	mad.wide.u32 %x0, %r0, 4, %x0;
	add.u32 %r3, %r0, 1;
	red.global.add.u32 [%x0], %r3;
	ret;
}`
	for _, workers := range []int{1, 2, 7} {
		r := newRigWith(t, text, Config{Workers: workers}, newCompiler())
		var exits atomic.Int64
		r.m.engine.(*compiler).left = func(place) { exits.Add(1) }
		e, err := r.p.Entry("k")
		if err != nil {
			t.Fatal(err)
		}
		grid := [3]int{37, 111, 1}
		n := grid[0] * grid[1]
		const rounds = 5
		for range rounds {
			out := upload(r, make([]uint32, n))
			stats, err := r.m.Launch(context.Background(), e, Launch{Grid: grid, Block: x(64), Params: r.params(e, out)})
			if err != nil {
				t.Fatal(err)
			}
			if stats.Blocks != n || stats.Instructions != uint64(2*9*n) || stats.LaneInstructions != uint64(64*9*n) {
				t.Errorf("%d workers: %+v; want %d blocks of 18 instructions", workers, stats, n)
			}
			for i, v := range view[uint32](r, out, n) {
				if v != uint32(64*(i+1)) {
					t.Fatalf("%d workers: word %d is %d; want %d", workers, i, v, 64*(i+1))
				}
			}
		}
		if exits := exits.Load(); exits > int64(rounds*n/10) {
			t.Errorf("%d workers: machine code is left %d times in %d blocks", workers, exits, rounds*n)
		}
	}
}
