package check

import (
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// fenceChain has a thread of each even block write and fence, another thread of the block raise a
// flag after a barrier, and a thread of the next block that sees the flag fence and read.
const fenceChain = `.version 6.0
.target sm_70
.address_size 64
.visible .entry chain(.param .u64 data, .param .u64 flag, .param .u64 out) {
	.reg .pred %p, %q; .reg .b32 %r<8>; .reg .b64 %a<6>;
	ld.param.u64 %a0, [data]; cvta.to.global.u64 %a0, %a0;
	ld.param.u64 %a1, [flag]; cvta.to.global.u64 %a1, %a1;
	ld.param.u64 %a2, [out]; cvta.to.global.u64 %a2, %a2;
	mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x;
	shr.u32 %r5, %r0, 1; mul.wide.u32 %a3, %r5, 4;
	add.u64 %a0, %a0, %a3; add.u64 %a1, %a1, %a3; add.u64 %a2, %a2, %a3;
	and.b32 %r5, %r0, 1;
	setp.ne.u32 %p, %r5, 0;
	@%p bra READ;
	setp.eq.u32 %q, %r1, RAISER;
	@%q BEFORE;
	setp.ne.u32 %p, %r1, 5;
	@%p bra MEET;
	st.global.u32 [%a0], 1;
	FENCE;
MEET:
	bar.sync 0;
	@!%q ret;
	RAISE;
	ret;
READ:
	setp.ne.u32 %p, %r1, 0;
	@%p ret;
	SEE;
	setp.ne.u32 %p, %r2, 1;
	@%p ret;
	FENCE;
	ld.global.u32 %r3, [%a0];
	st.global.u32 [%a2], %r3;
	ret;
}
`

// TestFenceChain checks that two fence.sc are ordered by a flag that a third thread raises without
// a fence, in however many blocks and whatever the third thread has released before.
func TestFenceChain(t *testing.T) {
	t.Parallel()
	const (
		store   = "st.relaxed.gpu.global.u32 [%a1], 1"
		load    = "ld.relaxed.gpu.global.u32 %r2, [%a1]"
		nothing = "mov.u32 %r6, 0"
		release = "st.release.gpu.global.u32 [%a1], 0"
	)
	for _, tt := range []struct {
		fence, before, raise, see string
		blocks                    int
		want                      report.Kind
	}{
		{"fence.sc.gpu", nothing, store, load, 2, silent},
		{"fence.acq_rel.gpu", nothing, store, load, 2, race},
		{"fence.sc.cta", nothing, store, load, 2, race},
		{"fence.sc.gpu", nothing, "atom.global.exch.b32 %r4, [%a1], 1", load, 2, silent},
		{"fence.sc.gpu", nothing, store, "atom.global.or.b32 %r2, [%a1], 0", 2, silent},
		{"fence.sc.gpu", nothing, store, "atom.global.cas.b32 %r2, [%a1], 1, 2", 2, silent},
		{"fence.sc.gpu", nothing, store, load, 150, silent},
		{"fence.acq_rel.gpu", nothing, store, load, 150, race},
		{"fence.sc.gpu", release, store, load, 2, silent},
		{"fence.acq_rel.gpu", release, store, load, 2, race},
	} {
		for _, raiser := range []string{"0", "6", "33"} {
			text := strings.NewReplacer("FENCE", tt.fence, "BEFORE", tt.before, "RAISER", raiser, "RAISE", tt.raise, "SEE", tt.see).
				Replace(fenceChain)
			for _, pedantic := range []bool{false, true} {
				b := loadModule(t, "chain.ptx", text)
				verdict(t, advised(t, b, func(b *bench) result {
					return b.check("chain", x(tt.blocks), x(64), Options{Pedantic: pedantic},
						make([]uint32, 100), make([]uint32, 100), make([]uint32, 100))
				}), tt.want)
			}
		}
	}
}
