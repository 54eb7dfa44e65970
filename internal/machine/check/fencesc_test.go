package check

import (
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// manyWriters is the reduction in one launch as many libraries have it: every thread writes and
// fences, a barrier follows, and then one thread of the block takes the ticket.
const manyWriters = `.version 6.0
.target sm_70
.address_size 64
.visible .entry manyWriters(.param .u64 data, .param .u64 count, .param .u64 out) {
	.reg .pred %p; .reg .b32 %r<8>; .reg .b64 %a<6>;
	.shared .align 4 .b8 last[4];
	ld.param.u64 %a0, [data]; cvta.to.global.u64 %a0, %a0;
	ld.param.u64 %a1, [count]; cvta.to.global.u64 %a1, %a1;
	ld.param.u64 %a2, [out]; cvta.to.global.u64 %a2, %a2;
	mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x;
	mad.lo.u32 %r3, %r0, %r2, %r1;
	mul.wide.u32 %a3, %r3, 4; add.u64 %a4, %a0, %a3; add.u64 %a5, %a2, %a3;
	st.global.u32 [%a4], %r3;
	FENCE;
	bar.sync 0;
	setp.ne.u32 %p, %r1, 0;
	@%p bra WAIT;
	atom.global.add.u32 %r4, [%a1], 1;
	st.shared.u32 [last], %r4;
WAIT:
	bar.sync 0;
	ld.shared.u32 %r4, [last];
	mov.u32 %r5, %nctaid.x; sub.u32 %r5, %r5, 1;
	setp.ne.u32 %p, %r4, %r5;
	@%p ret;
	FENCE;
	xor.b32 %r3, %r3, 64;
	mul.wide.u32 %a3, %r3, 4; add.u64 %a4, %a0, %a3;
	ld.global.u32 %r4, [%a4];
	st.global.u32 [%a5], %r4;
	ret;
}
`

// TestFencesInSequence checks that fence.sc also orders the writes that other threads of its block
// made before their own fences, and that a fence that is not sequentially consistent does not.
func TestFencesInSequence(t *testing.T) {
	for _, tt := range []struct {
		fence string
		want  report.Kind
	}{
		{"membar.gl", silent},
		{"membar.sys", silent},
		{"fence.sc.gpu", silent},
		{"fence.sc.cta", race},
		{"membar.cta", race},
		{"fence.acq_rel.gpu", race},
	} {
		for _, pedantic := range []bool{false, true} {
			t.Run(tt.fence, func(t *testing.T) {
				t.Parallel()
				b := loadModule(t, "manywriters.ptx", strings.ReplaceAll(manyWriters, "FENCE", tt.fence))
				verdict(t, advised(t, b, func(b *bench) result {
					return b.check("manyWriters", x(2), x(64), Options{Orders: 8, Pedantic: pedantic},
						make([]uint32, 128), make([]uint32, 1), make([]uint32, 128))
				}), tt.want)
			})
		}
	}
}
