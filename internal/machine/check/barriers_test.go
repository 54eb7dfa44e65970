package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// TestSkippedBarriers checks barriers that some threads skip before they end. It is an error if the
// ways meet again before the end, whatever the threads do there. If the threads returned, only the
// pedantic are told.
func TestSkippedBarriers(t *testing.T) {
	t.Parallel()
	b := loadPTX(t, "barriers.ptx")
	const early = "early return" // silent unless pedantic
	for _, c := range []struct {
		kernel   string
		block, n int
		want     report.Kind
	}{
		{"skips", 64, 32, barrier},
		{"skips", 33, 31, barrier},
		{"skips", 64, 64, silent},
		{"skips", 64, 0, silent},
		{"returns", 64, 32, early},
		{"returns", 64, 50, early},
		{"returns", 64, 64, silent},
		{"exits", 64, 50, early},
		{"exits", 64, 64, silent},
		{"guarded", 64, 32, barrier},
		{"guarded", 64, 64, silent},
		{"tree", 64, 32, barrier},
		{"tree", 1, 1, silent},
		{"tree_right", 64, 32, silent},
		{"tree_returns", 64, 32, early},
		{"leaves", 128, 32, early},
		{"leaves", 33, 33, silent},
		{"strided", 64, 100, barrier},
		{"strided", 64, 50, barrier},
		{"strided", 64, 128, silent},
		{"calls", 64, 32, barrier},
		{"calls", 64, 64, silent},
		{"called", 64, 32, barrier},
		{"called", 64, 64, silent},
		{"named", 64, 32, barrier},
		{"named", 64, 64, silent},
		{"reduces", 64, 32, barrier},
		{"reduces", 64, 64, silent},
		{"counted", 64, 16, barrier},
		{"counted", 64, 32, silent},
		{"indexed", 64, 32, barrier},
		{"indexed", 64, 64, silent},
		{"warp", 64, 16, warp},
		{"warp", 64, 32, silent},
	} {
		t.Run(fmt.Sprintf("%s/%d of %d", c.kernel, c.n, c.block), func(t *testing.T) {
			b.tb = t
			want, pedantic := c.want, c.want
			if c.want == early {
				want, pedantic = silent, barrier
			}
			for _, o := range []Options{{}, {Tools: []report.Tool{report.Synccheck}}, {Orders: 8}} {
				verdict(t, advised(t, b, func(b *bench) result { return b.check(c.kernel, x(2), x(c.block), o, c.n) }), want)
			}
			r := advised(t, b, func(b *bench) result { return b.check(c.kernel, x(1), x(c.block), Options{Pedantic: true}, c.n) })
			verdict(t, r, pedantic)
			for _, f := range r.Failures() {
				if got := f.Cause == report.EarlyReturn; got != (c.want == early) {
					t.Errorf("cause %q\n%v", f.Cause, r)
				}
			}
		})
	}
}

// TestSkippedBarrierText checks that a finding names the branch, who went which way, and where the
// ways meet.
func TestSkippedBarrierText(t *testing.T) {
	t.Parallel()
	b := loadPTX(t, "barriers.ptx")
	for kernel, want := range map[string][]string{
		"skips": {
			"32 threads (0..31)    wait at      ptx:35   bar.sync 0\n",
			"32 threads (32..63)   finished at  ptx:38   ret          went past it to ptx:37, where the ways meet again\n",
			"the branch at ptx:34 sends part of the block past it",
		},
		"called":  {"went past it to the end of waits_or_returns, where the ways meet again\n"},
		"calls":   {"the branch at ptx:194 sends part of the block past it", "went past it to ptx:197,"},
		"guarded": {"the guard of ptx:78 lets only part of the block run it"},
	} {
		r := advised(t, b, func(b *bench) result { return b.check(kernel, x(1), x(64), Options{}, 32) })
		for _, line := range want {
			if !strings.Contains(r.String(), line) {
				t.Errorf("%s lacks %q\n%v", kernel, line, r)
			}
		}
	}
}
