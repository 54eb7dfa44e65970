package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// TestAsync is the conformance table of kernels in Go with asynchronous copies, matrices in shared
// memory and mbarriers. The second argument of a row is the mistake, 0 for none.
func TestAsync(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "async")
	copied := func() []any { return []any{ramp(64), make([]float32, 64)} }
	staged := func() []any { return []any{make([]float32, 7*32), make([]float32, 32)} }
	matrix := func() []any { return []any{make([]uint16, 128), make([]uint16, 128)} }
	handed := func(arrivals int) func() []any { return func() []any { return []any{make([]int32, 32), arrivals} } }
	ring := func() []any { return []any{make([]int32, 6*32), make([]int32, 6*32)} }
	bytes := func(n int) func() []any { return func() []any { return []any{make([]int32, 32), n} } }
	for _, c := range []struct {
		kernel  string
		threads int
		args    func() []any
		fault   int
		want    report.Kind
		cause   report.Cause
		hangs   bool // in some order it also waits for ever
	}{
		{"Copied", 64, copied, 0, silent, report.NoCause, false},
		{"Copied", 64, copied, 1, race, report.NoCopyWait, false},
		{"Copied", 64, copied, 2, race, report.CopyNotCommitted, false},
		{"Copied", 64, copied, 3, race, report.CopyLeft, false},
		{"Copied", 64, copied, 4, race, report.NoBarrier, false},
		{"Copied", 64, copied, 5, race, report.NoCopyWait, false},
		{"Copied", 64, copied, 6, race, report.NoCopyWait, false},
		{"Copied", 64, copied, 7, race, report.NoCopyWait, false},
		{"Copied", 64, copied, 8, race, report.NoCopyWait, false},
		{"Stages", 32, staged, 0, silent, report.NoCause, false},
		{"Stages", 32, staged, 1, race, report.NoCause, false},
		{"Stages", 32, staged, 2, race, report.CopyLeft, false},
		{"Matrix", 32, matrix, 0, silent, report.NoCause, false},
		{"Matrix", 32, matrix, 1, race, report.NoCopyWait, false},
		{"Matrix", 32, matrix, 2, report.Misaligned, report.NoCause, false},
		{"Matrix", 32, matrix, 3, warp, report.NoCause, false},
		{"Matrix", 32, matrix, 4, uninit, report.NoCause, false},
		{"Matrix", 32, matrix, 5, race, report.NoWarpSync, false},
		{"Handed", 64, handed(64), 0, silent, report.NoCause, false},
		{"Handed", 64, handed(64), 1, barrier, report.NoMbarrier, false},
		{"Handed", 64, handed(64), 2, race, report.InitUnordered, false},
		{"Handed", 64, handed(64), 3, barrier, report.LiveMbarrier, false},
		{"Handed", 64, handed(64), 4, barrier, report.PhaseNeverEnds, false},
		{"Handed", 64, handed(65), 0, barrier, report.PhaseNeverEnds, false},
		{"Handed", 64, handed(63), 0, race, report.PhasesMixed, true},
		{"Handed", 64, handed(64), 6, race, report.NoBarrier, false},
		{"Handed", 64, handed(64), 7, race, report.WrongPhase, true},
		{"Handed", 64, handed(64), 8, barrier, report.NoMbarrier, false},
		{"Handed", 64, handed(0), 0, barrier, report.NoCause, false},
		{"Handed", 64, handed(1 << 20), 0, barrier, report.NoCause, false},
		{"Ring", 64, ring, 0, silent, report.NoCause, false},
		{"Ring", 64, ring, 1, barrier, report.PhaseNeverEnds, false},
		{"Ring", 64, ring, 2, race, report.NoCause, true},
		{"Ring", 64, ring, 3, race, report.NoCause, false},
		{"Ring", 64, ring, 4, race, report.NoCause, false},
		{"Ring", 64, ring, 5, race, report.NoCopyWait, false},
		{"Ring", 64, ring, 6, barrier, report.PhaseNeverEnds, false},
		{"Bytes", 32, bytes(128), 0, silent, report.NoCause, false},
		{"Bytes", 32, bytes(132), 0, barrier, report.PhaseNeverEnds, false},
		{"Bytes", 32, bytes(124), 0, barrier, report.PhaseNeverEnds, false},
		{"Bytes", 32, bytes(1 << 20), 0, barrier, report.NoCause, false},
		{"Bytes", 32, bytes(-4), 0, barrier, report.NoCause, false},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			b.tb = t
			run := func(b *bench) result {
				return b.check(c.kernel, x(1), x(c.threads), Options{Budget: 100_000}, append(c.args(), c.fault)...)
			}
			r := run(b)
			advise(t, b, r, run)
			if c.hangs {
				r = withoutHangs(r)
			}
			verdict(t, r, c.want)
			has := func(f *report.Finding) bool { return f.Cause == c.cause }
			for _, f := range r.Failures() {
				if c.kernel == "Ring" && c.fault == 1 && !strings.Contains(f.Fix, "wait for parity 1 instead of 0") {
					t.Errorf("the advice is not about the parity\n%v", r)
				}
			}
			if c.cause != report.NoCause && !slices.ContainsFunc(r.Failures(), has) {
				t.Errorf("fault %d: no finding has cause %q\n%v", c.fault, c.cause, r)
			}
		})
	}
}
