package check

import (
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// TestClusters runs each kernel in clusters of some blocks, with the verdict that its tool must
// give and no finding of another.
func TestClusters(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "clusters")
	ints := func(n int) []int32 { return make([]int32, n) }
	for _, c := range []struct {
		kernel                 string
		blocks, cluster, block int
		args                   []any
		want                   report.Kind
	}{
		{"Exchange", 4, 2, 33, []any{ints(132)}, silent},
		{"Exchange", 8, 8, 64, []any{ints(512)}, silent},
		{"Exchange", 3, 1, 33, []any{ints(99)}, silent},
		{"ExchangeBlock", 4, 2, 33, []any{ints(132)}, race},
		{"ExchangeBlock", 2, 2, 1, []any{ints(2)}, race},
		{"ExchangeBlock", 2, 1, 33, []any{ints(66)}, silent},
		{"ExchangeTwice", 4, 2, 33, []any{ints(132)}, race},
		{"ExchangeRounds", 4, 4, 33, []any{ints(132)}, silent},
		{"ExchangeGlobal", 4, 2, 33, []any{ints(132), ints(132)}, silent},
		{"ExchangeGrid", 2, 2, 33, []any{ints(66), ints(66)}, silent},
		{"ExchangeGrid", 4, 2, 33, []any{ints(132), ints(132)}, race},
		{"EarlyArrival", 4, 2, 33, []any{ints(132)}, race},
		{"Arrival", 4, 2, 33, []any{ints(132)}, silent},
		{"Leader", 4, 2, 64, []any{ints(256)}, silent},
		{"Leaves", 4, 2, 33, []any{ints(132)}, report.NoPeer},
		{"Leaves", 3, 1, 33, []any{ints(99)}, silent},
		{"Counts", 4, 2, 33, []any{ints(2)}, silent},
		{"CountsNarrow", 4, 2, 33, []any{ints(2)}, race},
		{"CountsNarrow", 4, 1, 33, []any{ints(4)}, silent},
		{"Unwritten", 4, 2, 33, []any{ints(132), 33}, silent},
		{"Unwritten", 4, 2, 33, []any{ints(132), 32}, uninit},
		{"Filled", 4, 2, 33, []any{ints(132)}, silent},
		{"Skips", 4, 2, 64, []any{ints(256), 64}, silent},
		{"Skips", 4, 2, 64, []any{ints(256), 32}, barrier},
		{"Credits", 4, 2, 32, []any{ints(64), 5, 0}, silent},
		{"Credits", 4, 4, 32, []any{ints(64), 3, 0}, silent},
		{"Credits", 2, 2, 32, []any{ints(64), 3, 1}, race},
		{"Credits", 2, 2, 32, []any{ints(64), 3, 2}, race},
		{"Credits", 2, 2, 32, []any{ints(64), 3, 3}, race},
		{"Credits", 2, 2, 32, []any{ints(64), 3, 4}, barrier},
		{"Credits", 2, 2, 32, []any{ints(64), 3, 5}, report.BadAddress},
		{"Credits", 2, 2, 32, []any{ints(64), 3, 6}, silent},
		{"Around", 4, 2, 33, []any{ints(132), ints(132), 0}, silent},
		{"Around", 4, 1, 33, []any{ints(132), ints(132), 0}, silent},
		{"Around", 4, 2, 33, []any{ints(132), ints(132), 1}, race},
		{"Around", 4, 2, 33, []any{ints(132), ints(132), 2}, barrier},
		{"Parted", 4, 4, 64, []any{ints(256), 4}, silent},
		{"Parted", 4, 4, 64, []any{ints(256), 2}, barrier},
		{"Branches", 4, 2, 32, []any{ints(128)}, silent},
		{"Branches", 4, 2, 64, []any{ints(256)}, barrier},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			b.tb = t
			run := func(b *bench) result {
				l := sim.Launch{Grid: x(c.blocks), Block: x(c.block), Cluster: x(c.cluster), Params: b.params(b.entry(c.kernel), c.args...)}
				return b.checkLaunch(c.kernel, l, Options{Budget: 100_000})
			}
			r := run(b)
			advise(t, b, r, run)
			if c.want != barrier {
				r = withoutHangs(r)
			}
			verdict(t, r, c.want)
		})
	}
}

// TestClusterTexts looks at what is said of a race in a cluster, of a block that has ended and of
// blocks that wait for each other.
func TestClusterTexts(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "clusters")
	for _, c := range []struct {
		kernel string
		args   []any
		want   []string
	}{
		{"ExchangeBlock", []any{make([]int32, 128)}, []string{
			"no cluster barrier between", "the shared memory belongs to block (1,0,0)",
			"the two threads are in different blocks of a cluster; only a barrier of the cluster orders them",
			"gpu.SyncCluster() between clusters.go:29 and clusters.go:31"}},
		{"Leaves", []any{make([]int32, 128)}, []string{
			"the block with rank 1 of the cluster has ended, and its shared memory with it",
			"let all blocks of the cluster meet, gpu.SyncCluster(), after the last access to another block and before any of them ends"}},
		{"Credits", []any{make([]int32, 32), 3, 4}, []string{
			"threads wait for a phase that never ends",
			"phase 1 of empty of block (0,0,0) has 31 of 32 arrivals, of threads 1..31 of block (1,0,0); " +
				"threads 0 of block (1,0,0) arrived in the phase before and not in this one"}},
		{"Credits", []any{make([]int32, 32), 3, 1}, []string{
			"nothing orders the init or inval of the mbarrier", "gpu.SyncCluster() between the end of `if t == 0` (clusters.go:241) and clusters.go:248"}},
		{"Branches", []any{make([]int32, 128)}, []string{
			"threads of one block wait at different barriers", "one gpu.SyncCluster() after the branch"}},
		{"Parted", []any{make([]int32, 128), 1}, []string{
			"threads wait for a part of the cluster that never comes", "wait for the cluster at",
			"the barrier of the cluster has 96 of the 128 threads that have not finished, and lacks 32 of block (1,0,0)",
			"barrier 1 has 32 of 64 threads", "let every thread of the cluster make the same calls of gpu.SyncCluster()"}},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			b.tb = t
			l := sim.Launch{Grid: x(2), Block: x(64), Cluster: x(2), Params: b.params(b.entry(c.kernel), c.args...)}
			if c.kernel == "Credits" {
				l.Block = x(32)
			}
			text := b.checkLaunch(c.kernel, l, Options{Budget: 100_000}).String()
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("it lacks %q:\n%s", want, text)
				}
			}
		})
	}
}
