package sim

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// clusterKernel has in %e the address of a word of shared memory, in %a the rank of the block in
// its cluster, and in %c the rank of the next block. The block after the last is the first.
func clusterKernel(body string) string {
	return outKernel("", `
	.reg .b32 %m;
	.shared .align 8 .b32 s[64];
	mov.u32 %e, s;
	mov.u32 %a, %cluster_ctarank;
	mov.u32 %n, %cluster_nctarank;
	add.u32 %c, %a, 1;
	rem.u32 %c, %c, %n;
`+body)
}

const meet = "barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;\n"

// neighbour is the word of the next block that a thread of a cluster of four blocks in a row reads.
func neighbour(block, thread int) uint32 {
	return uint32(1000*(block/4*4+(block+1)%4) + thread)
}

// fillShared writes 1000 times the block's index and the thread's to the thread's word.
const fillShared = "mad.lo.u32 %m, %t, 4, %e;\nmad.lo.u32 %d, %b, 1000, %t;\nst.shared.u32 [%m], %d;\n"

// TestDistributedShared reads and writes the shared memory of the next block of the cluster in all
// ways.
func TestDistributedShared(t *testing.T) {
	for name, body := range map[string]string{
		"shared":  "mapa.shared::cluster.u32 %m, %m, %c;\nld.shared::cluster.u32 %d, [%m];\n",
		"generic": "cvt.u64.u32 %x, %m;\ncvta.shared.u64 %x, %x;\nmapa.u64 %x, %x, %c;\nld.u32 %d, [%x];\n",
		"through the window": "mapa.shared::cluster.u32 %m, %m, %c;\ncvt.u64.u32 %x, %m;\ncvta.shared::cluster.u64 %x, %x;\n" +
			"ld.u32 %d, [%x];\n",
		"atomic": "mapa.shared::cluster.u32 %m, %m, %c;\natom.shared::cluster.add.u32 %d, [%m], 0;\n",
	} {
		t.Run(name, func(t *testing.T) {
			text := clusterKernel(fillShared + meet + body + meet)
			orders(t, text, func(r *rig, l Launch) {
				l.Cluster = [3]int{4, 1, 1}
				runOutAs(r, l, 8, 33, neighbour)
			})
		})
	}
}

// TestClusterRegisters reads the special registers about clusters.
func TestClusterRegisters(t *testing.T) {
	for _, c := range []struct {
		register string
		want     [8]uint32 // of blocks 0 to 7 of a row, in clusters of 4
	}{
		{"%clusterid.x", [8]uint32{0, 0, 0, 0, 1, 1, 1, 1}},
		{"%nclusterid.x", [8]uint32{2, 2, 2, 2, 2, 2, 2, 2}},
		{"%cluster_ctaid.x", [8]uint32{0, 1, 2, 3, 0, 1, 2, 3}},
		{"%cluster_nctaid.x", [8]uint32{4, 4, 4, 4, 4, 4, 4, 4}},
		{"%cluster_nctaid.y", [8]uint32{1, 1, 1, 1, 1, 1, 1, 1}},
		{"%cluster_ctarank", [8]uint32{0, 1, 2, 3, 0, 1, 2, 3}},
		{"%cluster_nctarank", [8]uint32{4, 4, 4, 4, 4, 4, 4, 4}},
	} {
		orders(t, clusterKernel("mov.u32 %d, "+c.register+";\n"), func(r *rig, l Launch) {
			l.Cluster = [3]int{4, 1, 1}
			runOutAs(r, l, 8, 33, func(block, _ int) uint32 { return c.want[block] })
		})
	}
}

// TestRankOfAddress asks for the rank of the block that has an address.
func TestRankOfAddress(t *testing.T) {
	text := clusterKernel("mapa.shared::cluster.u32 %m, %e, %c;\ngetctarank.shared::cluster.u32 %d, %m;\n" +
		"getctarank.shared::cluster.u32 %n, %e;\nmad.lo.u32 %d, %n, 10, %d;\n")
	orders(t, text, func(r *rig, l Launch) {
		l.Cluster = [3]int{4, 1, 1}
		runOutAs(r, l, 8, 33, func(block, _ int) uint32 { return uint32(block%4*10 + (block+1)%4) })
	})
}

// TestClusterOfThreeDimensions runs a grid of 4 by 2 by 3 blocks in clusters of 2 by 2 by 1: each
// block reads from the one with the next rank which block it is.
func TestClusterOfThreeDimensions(t *testing.T) {
	text := `.visible .entry k(.param .u64 out)
.reqnctapercluster 2, 2
{
	.shared .align 4 .b32 s;
	.reg .b32 %r<12>;
	.reg .b64 %x;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ctaid.y;
	mov.u32 %r3, %ctaid.z;
	mad.lo.u32 %r4, %r3, 2, %r2;
	mad.lo.u32 %r4, %r4, 4, %r1;
	st.shared.u32 [s], %r4;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	mov.u32 %r5, %cluster_ctarank;
	add.u32 %r5, %r5, 1;
	and.b32 %r5, %r5, 3;
	mov.u32 %r6, s;
	mapa.shared::cluster.u32 %r6, %r6, %r5;
	ld.shared::cluster.u32 %r7, [%r6];
	barrier.cluster.arrive;
	barrier.cluster.wait;
	ld.param.u64 %x, [out];
	mad.wide.u32 %x, %r4, 4, %x;
	st.global.u32 [%x], %r7;
	ret;
}`
	orders(t, text, func(r *rig, l Launch) {
		out := upload(r, make([]uint32, 24))
		r.run(l, "k", [3]int{4, 2, 3}, x(1), out)
		for i, got := range view[uint32](r, out, 24) {
			at, next := [3]int{i % 4, i / 4 % 2, i / 8}, i
			switch rank := at[0]%2 + 2*(at[1]%2); rank {
			case 0, 2:
				next++
			case 1: // to the left and down
				next += 3
			default: // to the left and up
				next -= 5
			}
			if got != uint32(next) {
				t.Errorf("block %v read %d, want %d", at, got, next)
			}
		}
	})
}

// TestArriveThenWait does something between arriving and waiting, and lets a part of the block end
// without either.
func TestArriveThenWait(t *testing.T) {
	text := clusterKernel("setp.ge.u32 %p, %t, 32;\n@%p exit;\n" + fillShared +
		"barrier.cluster.arrive;\nadd.u32 %d, %d, 0;\nbarrier.cluster.wait;\n" +
		"mapa.shared::cluster.u32 %m, %m, %c;\nld.shared::cluster.u32 %d, [%m];\n" + meet)
	orders(t, text, func(r *rig, l Launch) {
		l.Cluster = [3]int{4, 1, 1}
		runOutAs(r, l, 8, 40, func(block, thread int) uint32 {
			if thread >= 32 {
				return 0
			}
			return neighbour(block, thread)
		})
	})
}

// TestClusterFaults are accesses that reach no block, and a barrier that is not arrived at.
func TestClusterFaults(t *testing.T) {
	for _, c := range []struct {
		body, want string
		kind       event.FaultKind
	}{
		{"add.u32 %c, %c, 4;\nmapa.shared::cluster.u32 %m, %e, %c;\nld.shared::cluster.u32 %d, [%m];\n",
			"the address is in block 5 of a cluster of 4", event.NoPeer},
		{"mapa.shared::cluster.u32 %m, %e, %c;\nld.shared.u32 %d, [%m];\n",
			"this is an address in the shared memory of another block of the cluster", event.WrongSpace},
		{"mapa.shared::cluster.u32 %m, %e, %c;\nld.shared::cluster.u32 %d, [%m+256];\n", "past the end of shared memory", event.OutOfBounds},
		{meet + "mapa.shared::cluster.u32 %m, %e, %c;\nld.shared::cluster.u32 %d, [%m];\n",
			"has ended, and its shared memory with it", event.NoPeer},
		{"barrier.cluster.wait;\n", "it waits for the barrier of the cluster, and has not arrived at it", event.BadBarrier},
		{"barrier.cluster.arrive;\n" + meet, "it arrives at the barrier of the cluster again", event.BadBarrier},
	} {
		r := newRig(t, clusterKernel(c.body), Config{Workers: 2})
		out := upload(r, make([]uint32, 8*33))
		_, err := r.launchAs("k", Launch{Grid: x(8), Block: x(33), Cluster: [3]int{4, 1, 1}}, out)
		checkFaultKind(t, err, c.kind, c.want)
	}
}

// TestClusterDeadlock has one block of a cluster wait for something that never comes, with the
// others at the barrier of the cluster.
func TestClusterDeadlock(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"a part of a block": {"setp.lt.u32 %p, %t, 32;\n@%p bra OTHER;\nbar.sync 1;\nbra END;\nOTHER:\n" + meet + "END:\n",
			"the barrier of the cluster has 128 of the 132 threads that have not finished, and lacks 1 of block (0,0,0), 1 of block (1,0,0)"},
		"a block": {"setp.eq.u32 %p, %a, 2;\nsetp.lt.and.u32 %p, %t, 5, %p;\n@%p bra OTHER;\n" + meet + "bra END;\nOTHER:\nbar.sync 1, 64;\nEND:\n",
			"the barrier of the cluster has 127 of the 132 threads that have not finished, and lacks 5 of block (2,0,0)"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, clusterKernel(c.body), Config{Workers: 2})
			out := upload(r, make([]uint32, 4*33))
			_, err := r.launchAs("k", Launch{Grid: x(4), Block: x(33), Cluster: [3]int{4, 1, 1}}, out)
			var s *event.Stuck
			if !errors.As(err, &s) || !errors.Is(err, event.ErrDeadlock) || len(s.Blocks) != 4 || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), "wait for the cluster at") {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestClusterLimits refuses clusters that no device runs.
func TestClusterLimits(t *testing.T) {
	r := newRig(t, clusterKernel("mov.u32 %d, 1;\n")+"\n.visible .entry two(.param .u64 out) .reqnctapercluster 2 { ret; }", Config{})
	for _, c := range []struct {
		kernel  string
		grid    int
		cluster [3]int
		want    string
	}{
		{"k", 9, [3]int{9, 1, 1}, "launch k: blocks of a cluster is 9, the limit is 8"},
		{"k", 6, [3]int{4, 1, 1}, "launch k: grid x dimension, which is whole clusters, is 6, the limit is 4"},
		{"k", 6, [3]int{2, 2, 1}, "launch k: grid y dimension, which is whole clusters, is 1, the limit is 0"},
		{"k", 6, [3]int{-1, 1, 1}, "launch k: cluster x dimension is -1, must be at least 1"},
		{"two", 4, [3]int{4, 1, 1}, "launch two: cluster x dimension is 4, the kernel needs 2"},
		{"two", 3, [3]int{}, "launch two: grid x dimension, which is whole clusters, is 3, the limit is 2"},
	} {
		_, err := r.launchAs(c.kernel, Launch{Grid: x(c.grid), Block: x(1), Cluster: c.cluster}, uint64(0))
		if err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestClusterEvents tells whose shared memory an access is of.
func TestClusterEvents(t *testing.T) {
	r := newRig(t, clusterKernel(fillShared+meet+"mapa.shared::cluster.u32 %m, %m, %c;\nld.shared::cluster.u32 %d, [%m];\n"+
		"red.shared::cluster.add.u32 [%m], 1;\n"+meet), Config{})
	out := upload(r, make([]uint32, 4))
	var homes []int
	completes, passes := 0, 0
	observe := observerFunc(func(e event.Event) {
		switch e := e.(type) {
		case *event.Access:
			if e.Home != nil && e.Kind == event.Load {
				homes = append(homes, e.Home.Linear-e.Block.Linear)
				if e.Addrs[0] != 0 {
					t.Errorf("the word lies at %#x", e.Addrs[0])
				}
			}
		case *event.Atomic:
			homes = append(homes, e.Home.Linear-e.Block.Linear)
		case *event.ClusterComplete:
			if completes++; len(e.Blocks) != 2 {
				t.Errorf("%d blocks meet", len(e.Blocks))
			}
		case *event.ClusterPass:
			passes++
		}
	})
	r.run(Launch{Cluster: [3]int{2, 1, 1}, Observer: observe}, "k", x(2), x(1), out)
	slices.Sort(homes)
	if !slices.Equal(homes, []int{-1, -1, 1, 1}) || completes != 2 || passes != 4 {
		t.Errorf("accesses of blocks %v, %d meetings, %d passes", homes, completes, passes)
	}
}
