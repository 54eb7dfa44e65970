package sim

import (
	"fmt"
	"strings"
	"testing"
)

// boundsKernel accesses memory of boundsBytes bytes twice by one instruction: lane t at step*t, or
// at step*(t%8) + stride*(t/8), and then delta bytes further. So the second time the instruction
// knows the allocation.
func boundsKernel(op, regs string, step, stride, delta int, shared bool) string {
	space, base, at := "global", "ld.param.u64 %x0, [out];", "%x1"
	lane := fmt.Sprintf("mul.lo.u32 %%r7, %%r0, %d;", step)
	if stride != 0 {
		lane = fmt.Sprintf("and.b32 %%r7, %%r0, 7;\nmul.lo.u32 %%r7, %%r7, %d;\nshr.u32 %%r5, %%r0, 3;\nmad.lo.u32 %%r7, %%r5, %d, %%r7;", step, stride)
	}
	address := lane + "cvt.u64.u32 %x1, %r7;\nadd.s64 %x1, %x1, %x0;"
	next := fmt.Sprintf("add.s64 %%x1, %%x1, %d;", delta)
	if shared {
		space, base, at = "shared", "mov.u32 %r5, s;", "%r5"
		address, next = lane+"\nmov.u32 %r5, s;\nadd.u32 %r5, %r7, %r5;", fmt.Sprintf("add.s32 %%r5, %%r5, %d;", delta)
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
	cvt.u32.u64 %%r5, %%x2;
	mad.lo.u32 %%r4, %%r4, 3, %%r5;
	mad.lo.u32 %%r4, %%r1, 5, %%r4;
	mul.wide.u32 %%x1, %%r0, 4;
	add.s64 %%x1, %%x1, %%x0;
	st.global.u32 [%%x1], %%r4;
	ret;
}`, boundsBytes, base, address, access, next)
}

const boundsBytes = 1024

// TestCompiledBounds has accesses of compiled code at the ends of an allocation and beyond, aligned
// and not, by whole warps and by some lanes.
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
					text := boundsKernel(c.op, c.regs, step, 0, delta, shared)
					got := launchBoth(t, map[string]*compiler{"as usual": newCompiler()}, header+text, "k", func(r *rig) (Launch, uint64, int, []any) {
						out := upload(r, numbered(boundsBytes/4))
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

// TestCompiledStrips has accesses of strips of 8 lanes at the ends of an allocation and beyond: a
// row for each strip, or an element.
func TestCompiledStrips(t *testing.T) {
	t.Parallel()
	faults := 0
	for _, c := range []struct {
		op, regs string
		size     int
	}{{"ld.u32", "%r4", 4}, {"ld.f64", "%x2", 8}, {"st.u32", "%r4", 4}, {"st.u64", "%x2", 8}, {"ld.u16", "%r4", 2}} {
		for _, step := range []int{0, c.size} {
			for _, stride := range []int{c.size, 24, 64, 72, 200, 1 << 28, -1 << 30} {
				last := 7*step + 3*stride + c.size
				for _, delta := range []int{0, 2, 4, -1, -4, boundsBytes - last, boundsBytes - last + 1, boundsBytes - last + c.size, 1 << 12} {
					for _, shared := range []bool{false, true} {
						text := boundsKernel(c.op, c.regs, step, stride, delta, shared)
						got := launchBoth(t, map[string]*compiler{"as usual": newCompiler()}, header+text, "k", func(r *rig) (Launch, uint64, int, []any) {
							out := upload(r, numbered(boundsBytes/4))
							return Launch{Grid: x(1), Block: x(32)}, out, boundsBytes / 4, []any{out}
						})
						if got.err != "<nil>" {
							faults++
						}
						if t.Failed() {
							t.Fatalf("%s of strips %d apart, %+d:\n%s", c.op, stride, delta, text)
						}
					}
				}
			}
		}
	}
	if faults < 400 {
		t.Errorf("%d accesses are faults", faults)
	}
}

// numbered are n words that differ.
func numbered(n int) []uint32 {
	words := make([]uint32, n)
	for i := range words {
		words[i] = uint32(i) * 2654435761
	}
	return words
}

// TestCompiledSteps has an instruction access elements that are apart by one distance, and then by
// another: some follow each other, and some are not aligned.
func TestCompiledSteps(t *testing.T) {
	t.Parallel()
	for op, size := range map[string]int{"ld.u8 %r4": 1, "ld.s16 %r4": 2, "ld.u32 %r4": 4, "ld.s32 %x2": 4, "ld.u64 %x2": 8, "st.u32 %r4": 4} {
		name, reg, _ := strings.Cut(op, " ")
		kind, what, _ := strings.Cut(name, ".")
		access := fmt.Sprintf("ld.global.%s %s, [%%x1];", what, reg)
		if kind == "st" {
			access = fmt.Sprintf("st.global.%s [%%x1], %s;", what, reg)
		}
		for step := range 10 {
			text := fmt.Sprintf(`
.visible .entry k(.param .u64 out)
{
	.reg .pred %%p<2>;
	.reg .b32 %%r<8>;
	.reg .b64 %%x<6>;
	ld.param.u64 %%x0, [out];
	mov.u32 %%r0, %%tid.x;
	mov.u32 %%r6, %d;
	mov.u32 %%r4, 7;
	mov.b64 %%x2, 9;
L:	mul.lo.u32 %%r7, %%r0, %%r6;
	cvt.u64.u32 %%x1, %%r7;
	add.s64 %%x1, %%x1, %%x0;
	%s
	cvt.u32.u64 %%r5, %%x2;
	mad.lo.u32 %%r4, %%r4, 3, %%r5;
	setp.ne.u32 %%p0, %%r6, %d;
	mov.u32 %%r6, %d;
	@%%p0 bra L;
	mul.wide.u32 %%x1, %%r0, 4;
	add.s64 %%x1, %%x1, %%x0;
	st.global.u32 [%%x1+512], %%r4;
	ret;
}`, 2*size, access, step, step)
			launchBoth(t, map[string]*compiler{"as usual": newCompiler()}, header+text, "k", func(r *rig) (Launch, uint64, int, []any) {
				out := upload(r, numbered(boundsBytes/4))
				return Launch{Grid: x(1), Block: x(32)}, out, boundsBytes / 4, []any{out}
			})
			if t.Failed() {
				t.Fatalf("%s, %d bytes apart:\n%s", op, step, text)
			}
		}
	}
}
