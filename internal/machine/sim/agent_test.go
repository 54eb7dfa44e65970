package sim

import (
	"errors"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// copyKernel has each thread copy a word of in to shared memory, or run body instead. After a
// barrier thread i writes the word of thread i^1 to out.
func copyKernel(body string) string {
	return outKernel("", `
	.shared .align 16 .b8 s[2048];
	.shared .align 8 .b64 bar;
	mov.u32 %e, s;
	mad.lo.u32 %c, %t, 4, %e;
	st.shared.u32 [%c], 1000;
	st.global.u32 [%o], %t;
	bar.sync 0;
`+body+`
	bar.sync 0;
	xor.b32 %n, %t, 1;
	mad.lo.u32 %n, %n, 4, %e;
	ld.shared.u32 %d, [%n];`)
}

// TestCopiesInFlight: a copy that no wait completes has not arrived in an ascending order, and has
// in a descending one. Where the wait is right, every order gives the same.
func TestCopiesInFlight(t *testing.T) {
	const copies = "cp.async.ca.shared.global [%c], [%o], 4;\n"
	const second = "add.u32 %a, %c, 512;\ncp.async.ca.shared.global [%a], [%o], 4;\n"
	arrived := func(thread int) uint32 { return uint32(thread ^ 1) }
	before := func(int) uint32 { return 1000 }
	for _, c := range []struct {
		name, body string
		late       func(int) uint32
	}{
		{"wait_all", copies + "cp.async.wait_all;", arrived},
		{"commit and wait_group 0", copies + "cp.async.commit_group;\ncp.async.wait_group 0;", arrived},
		{"no wait", copies, before},
		{"no wait_group", copies + "cp.async.commit_group;", before},
		{"no commit_group", copies + "cp.async.wait_group 0;", before},
		{"wait_group 1 leaves the last group", copies + "cp.async.commit_group;\ncp.async.wait_group 1;", before},
		{"wait_group 1 waits for all but the last group",
			copies + "cp.async.commit_group;\n" + second + "cp.async.commit_group;\ncp.async.wait_group 1;", arrived},
		{"an empty group counts",
			copies + "cp.async.commit_group;\ncp.async.commit_group;\ncp.async.wait_group 1;", arrived},
		{"wait behind the barrier", copies + "bar.sync 0;\ncp.async.wait_all;", arrived},
		{"the source is read late",
			copies + "st.global.u32 [%o], 7;\ncp.async.wait_all;", func(int) uint32 { return 7 }},
		{"zeros behind what is read", "mov.u32 %a, 0;\ncp.async.ca.shared.global [%c], [%o], 4, %a;\ncp.async.wait_all;",
			func(int) uint32 { return 0 }},
		{"the source ignored", "setp.ge.u32 %p, %t, 0;\ncp.async.ca.shared.global [%c], [%o], 4, %p;\ncp.async.wait_all;",
			func(int) uint32 { return 0 }},
		{"the source not ignored", "setp.ge.u32 %p, %t, 0;\ncp.async.ca.shared.global [%c], [%o], 4, !%p;\ncp.async.wait_all;",
			arrived},
		{"the source ignored under a guard", "setp.ge.u32 %p, %t, 0;\n@%p cp.async.ca.shared.global [%c], [%o], 4, %p;\n" +
			"cp.async.wait_all;", func(int) uint32 { return 0 }},
		{"lanes wait apart", copies + "cp.async.commit_group;\nand.b32 %a, %t, 1;\nsetp.eq.u32 %p, %a, 0;\n@%p bra OVER;\n" +
			"cp.async.wait_group 0;\nOVER:\n", func(thread int) uint32 {
			if thread&1 == 0 {
				return arrived(thread)
			}
			return 1000
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, copyKernel(c.body), Config{})
			early := arrived
			if c.late(2) == 0 {
				early = c.late
			}
			for order, want := range map[Order]func(int) uint32{Ascending: c.late, Descending: early} {
				runOutAs(r, Launch{Order: order}, 3, 70, func(_, thread int) uint32 { return want(thread) })
			}
		})
	}
}

// barrierKernel has an mbarrier for n arrivals at [bar], its address in %x, and body after a
// barrier.
func barrierKernel(n, body string) string {
	return outKernel("", `
	.shared .align 16 .b8 s[2048];
	.shared .align 8 .b64 bar;
	mov.u32 %e, s;
	mad.lo.u32 %c, %t, 4, %e;
	mov.u64 %x, bar;
	st.global.u32 [%o], %t;
	setp.ne.u32 %p, %t, 0;
	@%p bra READY;
	mbarrier.init.shared.b64 [%x], `+n+`;
READY:
	bar.sync 0;
`+body)
}

// TestArrivalBehindCopies has threads that end before their copies have arrived, and others that
// wait for those at an mbarrier.
func TestArrivalBehindCopies(t *testing.T) {
	for _, arrive := range []string{
		"cp.async.mbarrier.arrive.noinc.shared.b64 [%x];",
		"cp.async.mbarrier.arrive.shared.b64 [%x];\nmbarrier.arrive.shared.b64 _, [%x];",
	} {
		runOut(t, barrierKernel("35", `
	setp.lt.u32 %p, %t, 35;
	@%p bra WAIT;
	cp.async.ca.shared.global [%c], [%o], 4;
	`+arrive+`
	exit;
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p, [%x], 0;
	@!%p bra WAIT;
	ld.shared.u32 %d, [%c+140];`), 2, 70, func(_, thread int) uint32 {
			if thread < 35 {
				return uint32(thread + 35)
			}
			return uint32(thread)
		})
	}
}

// TestTransactions ends a phase with its last byte, and not before.
func TestTransactions(t *testing.T) {
	runOut(t, barrierKernel("70", `
	mbarrier.arrive.expect_tx.shared.b64 _, [%x], 16;
	bar.sync 0;
	mbarrier.test_wait.parity.shared.b64 %p, [%x], 0;
	selp.u32 %d, 1, 0, %p;
	bar.sync 0;
	mbarrier.complete_tx.shared.b64 [%x], 12;
	mbarrier.expect_tx.shared.b64 [%x], 8;
	bar.sync 0;
	mbarrier.test_wait.parity.shared.b64 %p, [%x], 0;
	@%p add.u32 %d, %d, 2;
	bar.sync 0;
	mbarrier.complete_tx.shared.b64 [%x], 12;
	bar.sync 0;
	mbarrier.test_wait.parity.shared.b64 %p, [%x], 0;
	@%p add.u32 %d, %d, 4;
`), 2, 70, func(int, int) uint32 { return 4 })
}

// TestWaitInVain names the mbarrier that threads wait for, and how many arrivals it has.
func TestWaitInVain(t *testing.T) {
	r := newRig(t, barrierKernel("34", `
	mbarrier.arrive.shared.b64 %y, [%x];
WAIT:
	mbarrier.test_wait.shared.b64 %p, [%x], %y;
	@!%p bra WAIT;
	mov.u32 %d, 0;`), Config{})
	_, err := r.launchAs("k", Launch{Grid: x(1), Block: x(33), Budget: 10_000}, upload(r, make([]uint32, 33)))
	var stuck *event.Stuck
	if !errors.As(err, &stuck) || !errors.Is(err, event.ErrNoProgress) {
		t.Fatal(err)
	}
	list := stuck.Blocks[0].Threads
	if len(list) != 1 || list[0].State != event.AtMbarrier || list[0].Count != 33 || list[0].Mbarrier != 2048 ||
		!strings.Contains(list[0].Detail, "33 of 34 arrivals") || list[0].Site.Instr.Op != "mbarrier" {
		t.Error(err)
	}
}

// TestLongQueue: copies that nothing waits for come in when others follow, the oldest first.
func TestLongQueue(t *testing.T) {
	r := newRig(t, copyKernel(`
	mov.u32 %a, 0;
AGAIN:
	cp.async.ca.shared.global [%c], [%o], 4;
	add.u32 %a, %a, 1;
	setp.lt.u32 %p, %a, 1025;
	@%p bra AGAIN;`), Config{})
	runOutAs(r, Launch{}, 1, 64, func(_, thread int) uint32 { return uint32(thread ^ 1) })
}
