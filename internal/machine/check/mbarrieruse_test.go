package check

import (
	"strings"
	"testing"
)

// unwrittenOperand reads %u, a word of shared memory that nobody has written, and lets an
// instruction use it. %b is the address of an mbarrier.
const unwrittenOperand = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k() {
	.reg .pred %p; .reg .b32 %u, %b, %a; .reg .b64 %s;
	.shared .align 8 .b64 bar[2];
	.shared .align 4 .b32 unwritten;
	ld.shared.u32 %u, [unwritten];
	and.b32 %u, %u, 8;
	mov.u32 %b, bar;
	add.u32 %a, %b, %u;
	mbarrier.init.shared.b64 [%b], 1;
	USE;
	ret;
}
`

// TestMbarrierOperands finds unwritten data in the operands of instructions on mbarriers, and as an
// address of instructions that move nothing.
func TestMbarrierOperands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ use, want string }{
		{"mbarrier.arrive.shared.b64 %s, [%b]", ""},
		{"mbarrier.init.shared.b64 [%a], 1", "as an address"},
		{"mbarrier.inval.shared.b64 [%a]", "as an address"},
		{"mbarrier.arrive.shared.b64 %s, [%a]", "as an address"},
		{"mbarrier.arrive.shared.b64 %s, [%b], %u", "as the count of an mbarrier"},
		{"mbarrier.init.shared.b64 [bar+8], %u", "as the count of an mbarrier"},
		{"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%b], %u", "as the count of an mbarrier"},
		{"mbarrier.test_wait.parity.shared.b64 %p, [%b], %u", "as the phase of an mbarrier"},
		{"mbarrier.try_wait.parity.shared.b64 %p, [%a], 0", "as an address"},
	} {
		b := loadModule(t, "operands.ptx", strings.Replace(unwrittenOperand, "USE", c.use, 1))
		r := b.check("k", x(1), x(1), Options{})
		found := ""
		for _, f := range r.Failures() {
			if f.Kind == uninit {
				found = f.Summary
			}
		}
		if (found == "") != (c.want == "") || !strings.Contains(found, c.want) {
			t.Errorf("%s: %q, want %q\n%v", c.use, found, c.want, r)
		}
	}
}
