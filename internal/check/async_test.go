package check

import (
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/report"
)

// TestAsync is the conformance table of kernels in Go with asynchronous copies, matrices in shared
// memory and mbarriers. The second argument of a row is the mistake, 0 for none.
func TestAsync(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "async")
	copied := func() []any { return []any{ramp(64), make([]float32, 64)} }
	staged := func() []any { return []any{make([]float32, 7*32), make([]float32, 32)} }
	matrix := func() []any { return []any{make([]uint16, 128), make([]uint16, 128)} }
	for _, c := range []struct {
		kernel  string
		threads int
		args    func() []any
		fault   int
		want    report.Kind
		cause   report.Cause
	}{
		{"Copied", 64, copied, 0, silent, report.NoCause},
		{"Copied", 64, copied, 1, race, report.NoCopyWait},
		{"Copied", 64, copied, 2, race, report.CopyNotCommitted},
		{"Copied", 64, copied, 3, race, report.CopyLeft},
		{"Copied", 64, copied, 4, race, report.NoBarrier},
		{"Copied", 64, copied, 5, race, report.NoCopyWait},
		{"Copied", 64, copied, 6, race, report.NoCopyWait},
		{"Copied", 64, copied, 7, race, report.NoCopyWait},
		{"Copied", 64, copied, 8, race, report.NoCopyWait},
		{"Stages", 32, staged, 0, silent, report.NoCause},
		{"Stages", 32, staged, 1, race, report.NoCause},
		{"Stages", 32, staged, 2, race, report.CopyLeft},
		{"Matrix", 32, matrix, 0, silent, report.NoCause},
		{"Matrix", 32, matrix, 1, race, report.NoCopyWait},
		{"Matrix", 32, matrix, 2, report.Misaligned, report.NoCause},
		{"Matrix", 32, matrix, 3, warp, report.NoCause},
		{"Matrix", 32, matrix, 4, uninit, report.NoCause},
		{"Matrix", 32, matrix, 5, race, report.NoWarpSync},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			b.tb = t
			r := b.check(c.kernel, x(1), x(c.threads), Options{}, append(c.args(), c.fault)...)
			verdict(t, r, c.want)
			has := func(f *report.Finding) bool { return f.Cause == c.cause }
			if c.cause != report.NoCause && !slices.ContainsFunc(r.Failures(), has) {
				t.Errorf("fault %d: no finding has cause %q\n%v", c.fault, c.cause, r)
			}
		})
	}
}
