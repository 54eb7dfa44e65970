package check

import (
	"fmt"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// TestVolatile checks two blocks of one thread that share a word through volatile accesses: what
// counts is whether somebody waits.
func TestVolatile(t *testing.T) {
	const write = "st.volatile.global.u32 [%a], 1;\n"
	for _, tt := range []struct {
		name, first, second string
		want, pedantic      report.Kind
	}{
		{"two writes", write, "st.volatile.global.u32 [%a], 2;\n", race, race},
		{"a read once", write, "ld.volatile.global.u32 %r1, [%a];\n", race, race},
		{"a poll", write, "L: ld.volatile.global.u32 %r1, [%a];\nsetp.eq.u32 %p, %r1, 0;\n@%p bra L;\n", silent, race},
		{"a poll through arithmetic", write,
			"L: ld.volatile.global.u32 %r1, [%a];\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p, %r2, 0;\n@%p bra L;\n", silent, race},
		{"a loop that waits for nothing", write,
			"mov.u32 %r2, 0;\nL: ld.volatile.global.u32 %r1, [%a];\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p, %r2, 3;\n@%p bra L;\n", race, race},
		{"an atomic", write, "atom.global.add.u32 %r1, [%a], 1;\n", silent, race},
	} {
		for _, pedantic := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.name, " pedantic ", pedantic), func(t *testing.T) {
				t.Parallel()
				b := loadModule(t, "volatile.ptx", `.version 6.0
.target sm_70
.address_size 64
.visible .entry volatile(.param .u64 word) {
	.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %a;
	ld.param.u64 %a, [word];
	cvta.to.global.u64 %a, %a;
	mov.u32 %r0, %ctaid.x;
	setp.ne.u32 %p, %r0, 0;
	@%p bra SECOND;
	`+tt.first+`ret;
SECOND:
	`+tt.second+`ret;
}
`)
				want := tt.want
				if pedantic {
					want = tt.pedantic
				}
				run := func(b *bench) result {
					return b.check("volatile", x(2), x(1), Options{Pedantic: pedantic}, make([]uint32, 1))
				}
				verdict(t, advised(t, b, run), want)
			})
		}
	}
}
