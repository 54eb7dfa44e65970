package sim

import (
	"fmt"
	"strings"
	"testing"
)

// boundsKernel accesses memory of boundsBytes bytes twice by one instruction: lane t at step*t, and then
// at step*t+delta. So the second time the instruction knows the allocation.
func boundsKernel(op, regs string, step, delta int, shared bool) string {
	space, base, at := "global", "ld.param.u64 %x0, [out];", "%x1"
	address := fmt.Sprintf("mul.wide.u32 %%x1, %%r0, %d;\nadd.s64 %%x1, %%x1, %%x0;", step)
	next := fmt.Sprintf("add.s64 %%x1, %%x1, %d;", delta)
	if shared {
		space, base, at = "shared", "mov.u32 %r5, s;", "%r5"
		address, next = fmt.Sprintf("mad.lo.u32 %%r5, %%r0, %d, %%r5;", step), fmt.Sprintf("add.s32 %%r5, %%r5, %d;", delta)
	}
	name, kind, _ := strings.Cut(op, ".")
	access := fmt.Sprintf("%s.%s.%s %s, [%s];", name, space, kind, regs, at)
	if name == "st" {
		access = fmt.Sprintf("%s.%s.%s [%s], %s;", name, space, kind, at, regs)
	}
	return fmt.Sprintf(`
.visible .entry k(.param .u64 out)
{
	.reg .pred %%p<2>;
	.reg .b32 %%r<8>;
	.reg .b64 %%x<6>;
	.shared .align 16 .b8 s[%d];
	mov.u32 %%r0, %%tid.x;
	mov.u32 %%r1, 7;
	mov.u32 %%r2, 8;
	mov.u32 %%r3, 9;
	mov.u32 %%r4, %%r0;
	cvt.u64.u32 %%x2, %%r0;
	%s
	%s
	mov.u32 %%r6, 0;
L:	%s
	%s
	add.u32 %%r6, %%r6, 1;
	setp.lt.u32 %%p0, %%r6, 2;
	@%%p0 bra L;
	ret;
}`, boundsBytes, base, address, access, next)
}

const boundsBytes = 1024

// TestCompiledBounds has accesses of compiled code at the ends of an allocation and beyond, aligned and
// not, by whole warps and by some lanes.
func TestCompiledBounds(t *testing.T) {
	t.Parallel()
	faults := 0
	for _, c := range []struct {
		op, regs string
		size     int
	}{
		{"ld.u8", "%r4", 1}, {"ld.s16", "%r4", 2}, {"ld.u32", "%r4", 4}, {"ld.u64", "%x2", 8}, {"ld.v4.u32", "{%r1, %r2, %r3, %r4}", 16},
		{"st.u8", "%r4", 1}, {"st.u16", "%r4", 2}, {"st.u32", "%r4", 4}, {"st.u64", "%x2", 8}, {"st.v2.u32", "{%r1, %r4}", 8},
	} {
		for _, threads := range []int{32, 33, 7, 0} {
			step := c.size
			if threads == 0 { // all lanes at one address
				threads, step = 32, 0
			}
			row := step*(threads-1) + c.size
			for _, delta := range []int{
				0, 1, 2, 4, -1, -c.size, boundsBytes - row, boundsBytes - row + 1, boundsBytes - row + c.size, boundsBytes,
				boundsBytes + 1<<12, -boundsBytes, -1 << 31, 1<<31 - 16,
			} {
				for _, shared := range []bool{false, true} {
					text := boundsKernel(c.op, c.regs, step, delta, shared)
					got := launchBoth(t, map[string]*compiler{"as usual": newCompiler()}, header+text, "k", func(r *rig) (Launch, uint64, int, []any) {
						out := upload(r, make([]uint32, boundsBytes/4))
						return Launch{Grid: x(1), Block: x(threads)}, out, boundsBytes / 4, []any{out}
					})
					if got.err != "<nil>" {
						faults++
					}
					if t.Failed() {
						t.Fatalf("%s of %d threads, %+d:\n%s", c.op, threads, delta, text)
					}
				}
			}
		}
	}
	if faults < 400 {
		t.Errorf("%d accesses are faults", faults)
	}
}
