package sim

import (
	"fmt"
	"testing"
)

// steadyBodies begin kernels with registers that keep their values from block to block, and with others that
// only look so. Each body leaves a value in %r9.
var steadyBodies = map[string]string{
	"indices":         "mad.lo.u32 %r3, %r0, 7, %r2;\nxor.b32 %r9, %r3, %r5;",
	"the block":       "mad.lo.u32 %r3, %r0, 7, %r1;\nmad.lo.u32 %r9, %r3, %r3, %r1;",
	"the cluster":     "mov.u32 %r3, %clusterid.x;\nadd.u32 %r4, %r3, %r0;\nadd.u32 %r9, %r4, %r4;",
	"written twice":   "add.u32 %r3, %r0, 3;\nadd.u32 %r3, %r3, %r1;\nxor.b32 %r9, %r3, %r5;",
	"written later":   "add.u32 %r3, %r0, 3;\nsetp.gt.u32 %p0, %r1, 1;\n@%p0 bra B;\nadd.u32 %r9, %r3, 1;\nbra C;\nB:\nadd.u32 %r9, %r3, 5;\nxor.b32 %r3, %r3, %r1;\nadd.u32 %r9, %r3, %r9;\nC:",
	"by some lanes":   "add.u32 %r3, %r0, 3;\nsetp.gt.u32 %p0, %r0, 40;\n@%p0 bra B;\nxor.b32 %r3, %r3, %r1;\nadd.u32 %r3, %r3, 9;\nadd.u32 %r4, %r3, 9;\nB:\nadd.u32 %r9, %r3, %r5;",
	"read before":     "add.u32 %r9, %r3, %r1;\nadd.u32 %r3, %r0, 77;\nadd.u32 %r9, %r9, %r3;",
	"of itself":       "add.u32 %r3, %r3, 5;\nadd.u32 %r9, %r3, %r1;",
	"guarded":         "setp.gt.u32 %p0, %r1, 2;\nadd.u32 %r3, %r0, 3;\n@%p0 mov.u32 %r3, 8;\nadd.u32 %r9, %r3, 1;",
	"a loop":          "mov.u32 %r4, 0;\nmov.u32 %r9, 0;\nL:\nadd.u32 %r3, %r0, %r4;\nadd.u32 %r4, %r4, 1;\nadd.u32 %r9, %r9, %r3;\nsetp.lt.u32 %p0, %r4, %r1;\n@%p0 bra L;",
	"interpreted":     "add.u32 %r3, %r0, 3;\nprmt.b32 %r9, %r3, %r1, 0x2103;\nadd.cc.u32 %r4, %r3, -4;\naddc.u32 %r9, %r9, %r1;",
	"an access":       "mul.wide.u32 %x2, %r0, 4;\nadd.s64 %x2, %x2, %x0;\nadd.u32 %r3, %r5, 6;\nld.global.u32 %r4, [%x2];\nadd.u32 %r9, %r4, %r3;\nadd.u32 %r9, %r9, %r1;",
	"quotients":       "mad.lo.u32 %r3, %r0, 99, %r5;\ndiv.u32 %r4, %r3, 7;\ncvt.u64.u32 %x2, %r4;\nrem.u64 %x3, %x2, 11;\ncvt.u32.u64 %r4, %x3;\nadd.u32 %r9, %r4, %r1;",
	"floats":          "cvt.rn.f32.u32 %f0, %r0;\ndiv.rn.f32 %f1, %f0, %f2;\nadd.f32 %f1, %f1, %f3;\nmov.b32 %r3, %f1;\nadd.u32 %r9, %r3, %r1;",
	"halves of pairs": "mov.b64 %x2, {%r0, %r5};\nadd.s64 %x2, %x2, 5;\nmov.b64 {%r3, %r4}, %x2;\nxor.b32 %r3, %r3, %r4;\nadd.u32 %r9, %r3, %r1;",
}

const steadyKernel = header + `
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .pred %%p<2>;
	.reg .b32 %%r<12>;
	.reg .f32 %%f<4>;
	.reg .b64 %%x<6>;
%s	ld.param.u64 %%x0, [out];
	ld.param.u32 %%r5, [n];
	mov.u32 %%r0, %%tid.x;
	mov.u32 %%r1, %%ctaid.x;
	mov.u32 %%r2, %%ntid.x;
	%s
	mad.lo.u32 %%r10, %%r1, %%r2, %%r0;
	mad.wide.u32 %%x1, %%r10, 4, %%x0;
	st.global.u32 [%%x1], %%r9;
	%s
	ret;
}`

// TestCompiledSteady holds registers that a warp keeps from block to block to the interpreter. A second
// launch has other parameters and another grid. The kernel may come to its first instruction again.
func TestCompiledSteady(t *testing.T) {
	t.Parallel()
	const words = 64*9 + 64
	for name, body := range steadyBodies {
		for _, around := range []bool{false, true} {
			begin, end := "", ""
			if around {
				begin, end = "L0:\n", "setp.ge.u32 %p1, %r11, 7;\nadd.u32 %r11, %r11, 7;\n@!%p1 bra L0;"
			}
			text := fmt.Sprintf(steadyKernel, begin, body, end)
			got := launchBoth(t, compilers(), text, "k", func(r *rig) (Launch, uint64, int, []any) {
				out := upload(r, numbered(words))
				if _, err := r.launchAs("k", Launch{Grid: x(5), Block: x(64)}, out, uint32(3)); err != nil {
					t.Error(err)
				}
				return Launch{Grid: x(9), Block: x(64)}, out, words, []any{out, uint32(1000)}
			})
			if got.err != "<nil>" || t.Failed() {
				t.Fatalf("%s: %s\n%s", name, got.err, text)
			}
		}
	}
}
