package check

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// TestClusterScopes runs kernels whose atomics, flags and mbarriers have the scope of the cluster,
// in clusters of several sizes and with one line changed.
func TestClusterScopes(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/conformance/clusters.ptx")
	if err != nil {
		t.Fatal(err)
	}
	const fence = "fence.mbarrier_init.release.cluster;"
	words := func(n int) []uint32 { return make([]uint32, n) }
	for _, c := range []struct {
		kernel, from, to string
		blocks, cluster  int
		args             []any
		pedantic         bool
		want             report.Kind
		cause            report.Cause
	}{
		{"handed", "", "", 4, 2, []any{words(128)}, false, silent, ""},
		{"handed", fence, "", 2, 2, []any{words(64)}, false, race, report.InitUnordered},
		{"handed", fence, "fence.acq_rel.cluster;", 2, 2, []any{words(64)}, false, silent, ""},
		{"handed", fence, "fence.acq_rel.cta;", 2, 2, []any{words(64)}, false, race, report.InitUnordered},
		{"handed", "mbarrier.init.shared::cta.b64 [%r3], 32;", fence + " mbarrier.init.shared::cta.b64 [%r3], 32; bra READY;",
			2, 2, []any{words(64)}, false, race, report.InitUnordered},
		{"handed", "try_wait.parity.shared", "try_wait.parity.acquire.cta.shared", 2, 2, []any{words(64)}, false, race, report.ScopeTooNarrow},
		{"handed", "", "", 2, 2, []any{words(64)}, true, race, report.ScopeTooNarrow},
		{"handed", "mbarrier.arrive.shared", "mbarrier.arrive.release.cta.shared", 2, 2, []any{words(64)}, false, race, report.ScopeTooNarrow},
		{"passed", "", "", 2, 2, []any{words(1), words(2)}, false, silent, ""},
		{"passed", "", "", 4, 4, []any{words(1), words(4)}, true, silent, ""},
		{"passed", "", "", 4, 2, []any{words(1), words(4)}, false, race, report.ScopeTooNarrow},
		{"passed", "", "", 2, 1, []any{words(1), words(2)}, false, race, report.ScopeTooNarrow},
		{"passed", "red.release.cluster", "red.release.gpu", 4, 2, []any{words(1), words(4)}, false, race, report.ScopeTooNarrow},
		{"passed", "cluster.global", "gpu.global", 4, 2, []any{words(1), words(4)}, false, silent, ""},
		{"counted", "", "", 8, 8, []any{words(1)}, false, silent, ""},
		{"counted", "", "", 8, 4, []any{words(1)}, false, race, report.ScopeTooNarrow},
		{"counted", "", "", 2, 1, []any{words(1)}, false, race, report.ScopeTooNarrow},
		{"counted", ".cluster.", ".gpu.", 2, 1, []any{words(1)}, false, silent, ""},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			text := string(raw)
			if c.from != "" {
				if text = strings.ReplaceAll(text, c.from, c.to); text == string(raw) {
					t.Fatalf("%q is not there", c.from)
				}
			}
			b := loadModule(t, "clusters.ptx", text)
			run := func(b *bench) result {
				l := sim.Launch{Grid: x(c.blocks), Block: x(32), Cluster: x(c.cluster), Params: b.params(b.entry(c.kernel), c.args...)}
				if c.kernel == "passed" {
					l.Block = x(1)
				}
				return b.checkLaunch(c.kernel, l, Options{Pedantic: c.pedantic})
			}
			r := run(b)
			advise(t, b, r, run)
			verdict(t, r, c.want)
			if f := r.Failures(); c.cause != "" && !slices.ContainsFunc(f, func(f *report.Finding) bool { return f.Cause == c.cause }) {
				t.Errorf("no finding has the cause %q: %v", c.cause, f)
			}
		})
	}
}
