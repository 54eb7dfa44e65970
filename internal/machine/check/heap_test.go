package check

import (
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// heapPTX allocates, uses and frees memory in each thread, as nvcc compiles malloc and free.
const heapPTX = `.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry heap(.param .u64 out) {
	.reg .b64 %a<4>; .reg .b32 %r<4>; .reg .pred %q;
	ld.param.u64 %a1, [out];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %a1, %r1, 4, %a1;
	{ .param .b64 p; .param .b64 q; st.param.b64 [p], 16; call (q), malloc, (p); ld.param.b64 %a2, [q]; }
	WRITE
	ld.u32 %r2, [%a2+OFFSET];
	{ .param .b64 p; st.param.b64 [p], %a2; call free, (p); }
	AGAIN
	st.global.u32 [%a1], %r2;
	ret;
}
`

func TestHeap(t *testing.T) {
	t.Parallel()
	const again = "{ .param .b64 p; st.param.b64 [p], %a2; call free, (p); }"
	for _, c := range []struct {
		name, write, offset, again string
		want                       report.Kind
	}{
		{"right", "st.u32 [%a2], %r1;", "0", "", silent},
		{"past the end", "st.u32 [%a2], %r1;", "16", "", outside},
		{"freed twice", "st.u32 [%a2], %r1;", "0", again, report.BadFree},
		{"not written", "", "0", "setp.eq.u32 %q, %r2, 0; @%q bra OUT; OUT:", uninit},
		{"used after", "st.u32 [%a2], %r1;", "0", "ld.u32 %r2, [%a2];", report.UseAfterFree},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := loadModule(t, "heap.ptx", strings.NewReplacer("WRITE", c.write, "OFFSET", c.offset, "AGAIN", c.again).
				Replace(heapPTX))
			before, _ := b.m.Used()
			r := advised(t, b, func(b *bench) result { return b.check("heap", x(2), x(33), Options{Orders: 4}, make([]uint32, 33)) })
			if c.want == silent {
				r = b.check("heap", x(1), x(33), Options{Orders: 4}, make([]uint32, 33))
				if used, _ := b.m.Used(); used != before+2*4*33 {
					t.Errorf("%d bytes more in use", used-before)
				}
			}
			verdict(t, r, c.want)
		})
	}
}
