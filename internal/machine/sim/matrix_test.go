package sim

import (
	"fmt"
	"strings"
	"testing"
)

// matrixKernel has 32 lines of eight numbers of 16 bits in shared memory, 48 bytes each: line i has
// 8i, 8i+1, …. %c is the address of the line of a lane, and body makes %d.
func matrixKernel(body string) string {
	var fill strings.Builder
	for i := range 8 {
		fmt.Fprintf(&fill, "mad.lo.u32 %%a, %%t, 8, %d;\nst.shared.u16 [%%c+%d], %%a;\n", i, 2*i)
	}
	return outKernel("", `
	.reg .b32 %r<4>;
	.shared .align 16 .b8 s[1536];
	mov.u32 %e, s;
	mad.lo.u32 %c, %t, 48, %e;
	`+fill.String()+`
	bar.sync 0;
	`+body)
}

// TestLdMatrix reads matrices. Lane i has elements 2(i%4) and 2(i%4)+1 of line i/4, or with .trans
// element i/4 of lines 2(i%4) and 2(i%4)+1.
func TestLdMatrix(t *testing.T) {
	t.Parallel()
	pair := func(low, high int) uint32 { return uint32(low) | uint32(high)<<16 }
	for matrix := range 4 {
		regs := []string{"%r0", "%r1", "%r2", "%r3"}
		regs[matrix] = "%d"
		list := strings.Join(regs, ", ")
		runOut(t, matrixKernel("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {"+list+"}, [%c];"), 2, 32, func(_, lane int) uint32 {
			line := 8*matrix + lane/4
			return pair(8*line+2*(lane%4), 8*line+2*(lane%4)+1)
		})
		runOut(t, matrixKernel("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {"+list+"}, [%c];"), 1, 32, func(_, lane int) uint32 {
			line := 8*matrix + 2*(lane%4)
			return pair(8*line+lane/4, 8*(line+1)+lane/4)
		})
	}
}

// TestLdMatrixLanes: of the lanes whose lines one matrix does not have, no address counts.
func TestLdMatrixLanes(t *testing.T) {
	t.Parallel()
	runOut(t, matrixKernel(`
	setp.ge.u32 %p, %t, 8;
	@%p mov.u32 %c, 1;
	ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d}, [%c];`), 1, 32, func(_, lane int) uint32 {
		return uint32(8*(lane/4)+2*(lane%4))*0x10001 + 0x10000
	})
}

// TestStMatrix writes matrices and reads their elements in memory.
func TestStMatrix(t *testing.T) {
	t.Parallel()
	body := func(trans string) string {
		return matrixKernel(`
	mad.lo.u32 %a, %t, 131072, 65536;
	mad.lo.u32 %a, %t, 2, %a;
	stmatrix.sync.aligned.m8n8.x1` + trans + `.shared.b16 [%c], {%a};
	bar.sync 0;
	and.b32 %n, %t, 7;
	mad.lo.u32 %n, %n, 48, %e;
	ld.shared.u16 %d, [%n+6];`)
	}
	runOut(t, body(""), 1, 32, func(_, lane int) uint32 { return uint32(2*(4*(lane%8)+1) + 1) })
	runOut(t, body(".trans"), 1, 32, func(_, lane int) uint32 { return uint32(2*(4*3+lane%8/2) + lane%2) })
}
