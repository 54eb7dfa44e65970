package check

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// agentLaunches are the launches of testdata/conformance/agents.ptx: threads, how many words the
// kernel reads, and whether it has a parameter for tiles.
var agentLaunches = map[string]struct {
	threads, words int
	tiles          int
	want           func(i int) uint32 // out[i] of in[i] = i+1
}{
	"single":         {64, 64, 0, func(i int) uint32 { return uint32(64 - i) }},
	"double_buffer":  {64, 5 * 64, 5, func(i int) uint32 { return uint32(5*(64-i) + 640) }},
	"named_barriers": {64, 5 * 32, 5, func(i int) uint32 { return uint32(5*(32-i) + 320) }},
	"mbarriers":      {64, 5 * 32, 5, func(i int) uint32 { return uint32(5*(32-i) + 320) }},
	"block_barrier":  {64, 2 * 64, 0, func(i int) uint32 { return uint32(2*(64-i) + 64) }},
}

// checkAgents checks a kernel of agents.ptx, with a change, and says what it wrote.
func checkAgents(t *testing.T, kernel, from, to string, blocks int, o Options) (result, []uint32) {
	t.Helper()
	raw, err := os.ReadFile("testdata/conformance/agents.ptx")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(raw), ".visible .entry "+kernel+"(")
	body, rest, _ := strings.Cut(rest, "\n}\n")
	if from != "" && strings.Count(body, from) != 1 {
		t.Fatalf("%q stands %d times in %s", from, strings.Count(body, from), kernel)
	}
	text := head + ".visible .entry " + kernel + "(" + strings.Replace(body, from, to, 1) + "\n}\n" + rest
	b := loadModule(t, "agents.ptx", text)
	l := agentLaunches[kernel]
	o.Budget = 100_000
	var got []uint32
	r := advised(t, b, func(b *bench) result {
		out := b.alloc(make([]uint32, l.threads))
		args := []any{ramp(l.words), out}
		if l.tiles > 0 {
			args = append(args, l.tiles)
		}
		r := b.check(kernel, x(blocks), x(l.threads), o, args...)
		if got == nil {
			got = b.words(out, l.threads)
		}
		return r
	})
	return r, got
}

// TestAgentsAreSilent checks the correct kernels: no findings in any order, and the right result.
func TestAgentsAreSilent(t *testing.T) {
	t.Parallel()
	for kernel, l := range agentLaunches {
		for _, o := range []Options{{}, {Pedantic: true}, {Orders: 10, Seed: 5}} {
			r, got := checkAgents(t, kernel, "", "", 2, o)
			if verdict(t, r, silent); r.Verdict() != report.Clean {
				t.Errorf("%s: verdict %v", kernel, r.Verdict())
			}
			for i, v := range got {
				if want := l.want(i); v != want && (i < 32 || l.tiles == 0) {
					t.Fatalf("%s: out[%d] is %d, want %d", kernel, i, v, want)
				}
			}
		}
	}
}

// TestCopyInFlightAtTheEnd: what becomes of a copy whose thread ends is open, so it is a finding
// for the pedantic. (In mbarriers an arrival follows the copies with which its producer ends.)
func TestCopyInFlightAtTheEnd(t *testing.T) {
	t.Parallel()
	const late = "// the end\n\tbar.sync 0;\n\tcp.async.ca.shared.global [%r3], [%rd1], 4;"
	r, _ := checkAgents(t, "single", "// the end", late, 1, Options{})
	verdict(t, r, silent)
	r, _ = checkAgents(t, "single", "// the end", late, 1, Options{Pedantic: true})
	if f := r.Failures(); len(f) != 1 || f[0].Cause != report.CopyAtExit || f[0].Level != report.Pedantic {
		t.Errorf("want one finding, of a copy in flight at the end\n%v", r)
	}
	r, _ = checkAgents(t, "single", "// the end", late+"\n\tcp.async.wait_all;", 1, Options{Pedantic: true})
	verdict(t, r, silent)
}

// TestAgents is the conformance table of copies and mbarriers: correct kernels with one change, the
// verdict, and the causes it must have.
func TestAgents(t *testing.T) {
	t.Parallel()
	const (
		wait0  = "cp.async.wait_group 0;"
		commit = "cp.async.commit_group;"
		inval  = "mbarrier.inval.shared.b64 [%r7];"
	)
	for _, c := range []struct {
		name, kernel, from, to string
		kind                   report.Kind
		causes                 []report.Cause // those that some finding must have
		hangs                  bool           // in some order it also waits for ever
	}{
		{"no wait_group", "single", wait0, "", race, []report.Cause{report.NoCopyWait}, false},
		{"no commit_group", "single", commit, "", race, []report.Cause{report.CopyNotCommitted}, false},
		{"wait_all commits", "single", commit, "cp.async.wait_all;", silent, nil, false},
		{"wait_group 1 for 0", "single", wait0, "cp.async.wait_group 1;", race, []report.Cause{report.CopyLeft}, false},
		{"no barrier behind the wait", "single", "bar.sync 0;", "", race, []report.Cause{report.NoBarrier}, false},
		{"wait behind the barrier", "single", "bar.sync 0;", "bar.sync 0;\n\tcp.async.wait_all;", silent, nil, false},
		{"only waited for behind the barrier", "single", wait0 + "\n\t// arrived\n\tbar.sync 0;",
			"bar.sync 0;\n\t" + wait0, race, []report.Cause{report.NoCopyWait}, false},
		{"source overwritten", "single", "// in flight", "st.global.u32 [%rd1], 7;", race, []report.Cause{report.NoCopyWait}, false},
		{"source overwritten when the copy has arrived", "single", "// arrived", "st.global.u32 [%rd1], 7;", silent, nil, false},
		{"destination overwritten", "single", "// in flight", "st.shared.u32 [%r3], 7;", race, []report.Cause{report.NoCopyWait}, false},
		{"destination overwritten when the copy has arrived", "single", "// arrived", "st.shared.u32 [%r3], 7;", silent, nil, false},
		{"own copy read in flight", "single", "// in flight", "ld.shared.u32 %r5, [%r3];", race, []report.Cause{report.NoCopyWait}, false},
		{"two copies to one place", "single", "// in flight", "cp.async.ca.shared.global [%r3], [%rd1], 4;", race,
			[]report.Cause{report.NoCopyWait}, false},

		{"no wait_group", "double_buffer", "cp.async.wait_group 1;", "", race, []report.Cause{report.NoCopyWait}, false},
		{"a group too many left", "double_buffer", "cp.async.wait_group 1;", "cp.async.wait_group 2;", race,
			[]report.Cause{report.CopyLeft}, false},
		{"wait_group 0 waits for more than it must", "double_buffer", "cp.async.wait_group 1;", wait0, silent, nil, false},
		{"no barrier behind the wait", "double_buffer", "bar.sync 0; // the tile is there", "", race,
			[]report.Cause{report.NoBarrier, report.CopyLeft}, false},
		{"next tile copied over the one that is read", "double_buffer", "bar.sync 0; // the tile has been read", "", race,
			[]report.Cause{report.BarrierTooLate}, false},

		{"no wait", "named_barriers", "cp.async.wait_all;", "", race, []report.Cause{report.NoCopyWait}, false},
		{"buffer not empty", "named_barriers", "ld.shared.u32 %r13, [%r12];\n\tadd.u32 %r6, %r6, %r13;\n\tadd.u32 %r11, %r10, 3;\n\tbar.arrive %r11, 64;",
			"add.u32 %r11, %r10, 3;\n\tbar.arrive %r11, 64;\n\tld.shared.u32 %r13, [%r12];\n\tadd.u32 %r6, %r6, %r13;", race,
			[]report.Cause{report.NoBarrier}, false},

		{"no wait", "mbarriers", "mbarrier.try_wait.parity.shared.b64 %p2, [%r12], %r11;\n\t@!%p2 bra FULL;", "", race,
			[]report.Cause{report.PhasesMixed, report.NoMbarrierWait}, true},
		{"buffer not empty", "mbarriers", "@!%p2 bra EMPTY;", "", race, []report.Cause{report.NoMbarrierWait, report.PhasesMixed}, true},
		{"wrong phase", "mbarriers", "and.b32 %r11, %r11, 1;\n\tmad.lo.u32 %r12, %r10, 8, %r14;",
			"and.b32 %r11, %r11, 1;\n\txor.b32 %r11, %r11, 1;\n\tmad.lo.u32 %r12, %r10, 8, %r14;", race, []report.Cause{report.WrongPhase}, true},
		{"arrival not behind the copies", "mbarriers", "cp.async.mbarrier.arrive.noinc.shared.b64 [%r12];",
			"mbarrier.arrive.shared.b64 _, [%r12];", race, []report.Cause{report.NoCopyWait}, false},
		{"init not ordered", "mbarriers", "bar.sync 0; // the mbarriers are there", "", race, []report.Cause{report.InitUnordered}, false},
		{"more arrivals than expected", "mbarriers", "mbarrier.init.shared.b64 [full], 32;", "mbarrier.init.shared.b64 [full], 31;",
			race, []report.Cause{report.PhasesMixed}, false},
		{"fewer arrivals than expected", "mbarriers", "mbarrier.init.shared.b64 [full], 32;", "mbarrier.init.shared.b64 [full], 33;",
			barrier, []report.Cause{report.PhaseNeverEnds}, false},

		{"not the thread's own arrival", "block_barrier", "mbarrier.init.shared.b64 [%r7], 64;", "mbarrier.init.shared.b64 [%r7], 63;",
			race, []report.Cause{report.PhasesMixed, report.NoMbarrierWait}, true},
		{"use after inval", "block_barrier", "END:\n\t// the end", "END:\n\tbar.sync 0;\n\tmbarrier.arrive.shared.b64 _, [%r7];", barrier,
			[]report.Cause{report.NoMbarrier}, false},
		{"test after inval", "block_barrier", "END:\n\t// the end", "END:\n\tbar.sync 0;\n\tmbarrier.test_wait.shared.b64 %p2, [%r7], %rd4;",
			barrier, []report.Cause{report.NoMbarrier}, false},
		{"inval twice", "block_barrier", inval, inval + "\n\t" + inval, barrier, []report.Cause{report.NoMbarrier}, false},
		{"inval and init again", "block_barrier", inval, inval + "\n\tmbarrier.init.shared.b64 [%r7], 3;\n\t" + inval, silent, nil, false},
		{"inval and other use of the memory", "block_barrier", inval, inval + "\n\tst.shared.b64 [%r7], %rd4;", silent, nil, false},
		{"as many arrivals as are left", "block_barrier", inval, "mbarrier.arrive.noComplete.shared.b64 %rd4, [%r7], 63;\n\t" + inval,
			silent, nil, false},
		{"more arrivals than are left", "block_barrier", inval, "mbarrier.arrive.noComplete.shared.b64 %rd4, [%r7], 65;\n\t" + inval,
			barrier, []report.Cause{report.TooManyArrivals}, false},
		{"more arrivals than are left, one by one", "block_barrier", inval, "mbarrier.arrive.noComplete.shared.b64 %rd4, [%r7], 60;\n\t" +
			"mbarrier.arrive.noComplete.shared.b64 %rd4, [%r7], 5;\n\t" + inval, barrier, []report.Cause{report.TooManyArrivals}, false},
		{"init of a live mbarrier", "block_barrier", "@%p1 bra END;",
			"@%p1 bra END;\n\tmbarrier.init.shared.b64 [%r7], 64;", barrier, []report.Cause{report.LiveMbarrier}, false},
		{"no init", "block_barrier", "mbarrier.init.shared.b64 [%r7], 64;", "", barrier, []report.Cause{report.NoMbarrier}, false},
	} {
		t.Run(c.kernel+"/"+c.name, func(t *testing.T) {
			r, _ := checkAgents(t, c.kernel, c.from, c.to, 1, Options{})
			if c.hangs { // which is found, too
				r = withoutHangs(r)
			}
			verdict(t, r, c.kind)
			for _, want := range c.causes {
				if !slices.Contains(causes(r), want) {
					t.Errorf("causes %q, want %q\n%v", causes(r), want, r)
				}
			}
			if tool, finds := toolOf[c.kind]; finds { // also without the others
				r, _ := checkAgents(t, c.kernel, c.from, c.to, 1, Options{Tools: []report.Tool{tool}})
				verdict(t, r, c.kind)
			}
		})
	}
}

// TestInvalUnordered has threads use an mbarrier that another one may have ended: a race, and in
// the order in which it has, no mbarrier.
func TestInvalUnordered(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"bar.sync 0; // the tile has been read", "@%p1 bra END;"} {
		r, _ := checkAgents(t, "block_barrier", from, "", 1, Options{})
		got := causes(r)
		for _, want := range []report.Cause{report.InitUnordered, report.NoMbarrier} {
			if !slices.Contains(got, want) {
				t.Errorf("without %s: causes %q, want %q\n%v", from, got, want, r)
			}
		}
	}
}
