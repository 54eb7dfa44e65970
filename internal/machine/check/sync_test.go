package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/check/initcheck"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"

	"github.com/gridstride/gridstride/internal/machine/report/format"
)

// TestSynchronization checks kernels that synchronise through memory, with the cause that a race
// must have.
func TestSynchronization(t *testing.T) {
	t.Parallel()
	ints := func(n int) []int32 { return make([]int32, n) }
	b := compilePackage(t, "sync")
	for _, c := range []struct {
		kernel      string
		grid, block [3]int
		args        []any
		want        []report.Cause
		pedantic    []report.Cause
	}{
		{"Lock", x(5), x(40), []any{ints(1), ints(1)}, nil, nil},
		{"LockNoAcquire", x(5), x(1), []any{ints(1), ints(1)}, []report.Cause{report.NoAcquireFence}, []report.Cause{report.NoAcquireFence}},
		{"LockNoRelease", x(5), x(1), []any{ints(1), ints(1)}, []report.Cause{report.NoReleaseFence}, []report.Cause{report.NoReleaseFence}},
		{"LockBlockFence", x(5), x(1), []any{ints(1), ints(1)}, []report.Cause{report.ScopeTooNarrow}, []report.Cause{report.ScopeTooNarrow}},
		{"LockBlockFence", x(1), x(5), []any{ints(1), ints(1)}, nil, nil},
		{"LockNotHeld", x(3), x(1), []any{ints(1), ints(1), ints(1)}, []report.Cause{report.LockNotHeld}, []report.Cause{report.LockNotHeld}},
		{"Flag", x(2), x(1), []any{ints(1), ints(1), ints(1)}, nil, []report.Cause{report.NoFenceAtFlag}},
		{"FlagNoFence", x(2), x(1), []any{ints(1), ints(1), ints(1)}, []report.Cause{report.NoReleaseFence}, []report.Cause{report.NoReleaseFence}},
		{"Chain", x(3), x(1), []any{ints(2), ints(1), ints(1)}, nil, []report.Cause{report.NoFenceAtFlag}},
		{"BlockFlag", x(2), x(64), []any{ints(1), ints(64), ints(64)}, nil, []report.Cause{report.NoFenceAtFlag}},
		{"BlockFlagNoBarrier", x(2), x(64), []any{ints(1), ints(64), ints(64)}, []report.Cause{report.BlocksUnordered}, nil},
		{"Mixed", x(2), x(33), []any{ints(1), ints(66)}, []report.Cause{report.AtomicWithPlain}, []report.Cause{report.AtomicWithPlain}},
		{"Histogram", x(3), x(64), []any{make([]uint8, 1000), ints(64)}, nil, nil},
		{"MaxLoop", x(2), x(33), []any{ramp(66), ints(1)}, nil, []report.Cause{report.AtomicWithPlain}},
		{"Bytes", x(1), x(33), []any{make([]uint8, 33)}, nil, nil},
		{"BytesNeighbour", x(1), x(33), []any{make([]uint8, 34)}, []report.Cause{report.NoBarrier}, nil},
		{"Shorts", x(1), x(66), []any{make([]uint16, 66), make([]uint16, 66)}, nil, nil},
		{"ShortsRace", x(1), x(66), []any{make([]uint16, 66), make([]uint16, 66)}, []report.Cause{report.NoWarpSync}, nil},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			b.tb = t
			run := func(b *bench) result { return b.check(c.kernel, c.grid, c.block, Options{}, c.args...) }
			r := run(b)
			advise(t, b, r, run)
			if got := causes(r); !slices.Equal(got, c.want) {
				t.Errorf("causes %q, want %q\n%v", got, c.want, r)
			}
			if c.pedantic == nil {
				return
			}
			run = func(b *bench) result { return b.check(c.kernel, c.grid, c.block, Options{Pedantic: true}, c.args...) }
			r = run(b)
			advise(t, b, r, run)
			if got := causes(r); !slices.Equal(got, c.pedantic) {
				t.Errorf("pedantic: causes %q, want %q\n%v", got, c.pedantic, r)
			}
		})
	}
}

// causes lists the causes of a report's failures, each once.
func causes(r result) []report.Cause {
	var list []report.Cause
	for _, f := range r.Failures() {
		if !slices.Contains(list, f.Cause) {
			list = append(list, f.Cause)
		}
	}
	slices.Sort(list)
	return list
}

func ptxBench(t *testing.T) *bench { return loadPTX(t, "sync.ptx") }

// loadPTX loads a file of testdata.
func loadPTX(t *testing.T, name string) *bench {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return loadModule(t, name, string(text))
}

// TestMbarrier checks threads that hand data over through an mbarrier, which orders memory. Without
// the wait they race.
func TestMbarrier(t *testing.T) {
	t.Parallel()
	b := loadPTX(t, "mbarrier.ptx")
	for _, threads := range []int{1, 31, 33, 64} {
		for _, o := range []Options{{}, {Orders: 4, Seed: 2}, {Pedantic: true}} {
			verdict(t, b.check("reverse", x(2), x(threads), o, ramp(64), slices.Repeat([]int32{-1}, 64), 1), silent)
			run := func(b *bench) result { return b.check("reverse", x(1), x(threads), o, ramp(64), make([]int32, 64), 0) }
			r := run(b)
			advise(t, b, r, run)
			verdict(t, r, race) // also for one thread: its copy need not have arrived
			if f := r.Findings[0]; f.Object.Name != "s" || f.Cause != report.NoMbarrierWait {
				t.Errorf("the race is not of s, for the lack of a wait at the mbarrier:\n%v", r)
			}
		}
	}
}

// TestPTX checks what only PTX can say.
func TestPTX(t *testing.T) {
	t.Parallel()
	b := ptxBench(t)
	for _, c := range []struct {
		kernel      string
		grid, block [3]int
		args        []any
		kind        report.Kind
		cause       report.Cause
	}{
		{"block_scope", x(1), x(40), []any{make([]uint32, 1)}, silent, report.NoCause},
		{"block_scope", x(2), x(1), []any{make([]uint32, 1)}, report.Race, report.ScopeTooNarrow},
		{"volatile_tree", x(1), x(32), []any{0}, report.Race, report.NoWarpSync},
		{"producer", x(2), x(64), []any{make([]int32, 32)}, report.SameValue, report.NoCause},
		{"producer_late", x(1), x(64), []any{make([]int32, 32)}, report.Race, report.NoBarrier},
		{"two_numbers", x(1), x(64), []any{0}, report.Barrier, report.BranchSplits},
		{"waits", x(1), x(1), []any{make([]uint32, 1)}, report.NoProgress, report.NoCause},
		{"volatile_flag", x(2), x(1), []any{make([]uint32, 1), make([]uint32, 1)}, silent, report.NoCause},
		{"acquire_flag", x(2), x(1), []any{make([]uint32, 1), make([]uint32, 1)}, silent, report.NoCause},
		{"reads", x(1), x(1), []any{make([]uint32, 4), 12}, silent, report.NoCause},
		{"reads", x(1), x(1), []any{make([]uint32, 4), 16}, report.OutOfBounds, report.NoCause},
		{"reads", x(1), x(1), []any{make([]uint32, 4), -4}, report.OutOfBounds, report.NoCause},
		{"reads", x(1), x(1), []any{make([]uint32, 4), 2}, report.Misaligned, report.NoCause},
		{"reads", x(1), x(1), []any{0, 8}, report.NullPointer, report.NoCause},
		{"reads_shared", x(1), x(1), []any{int32(12)}, silent, report.NoCause},
		{"reads_shared", x(1), x(1), []any{int32(16)}, report.OutOfBounds, report.NoCause},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			b.tb = t
			run := func(b *bench) result { return b.check(c.kernel, c.grid, c.block, Options{Budget: 10_000}, c.args...) }
			r := run(b)
			advise(t, b, r, run)
			var kind report.Kind
			var cause report.Cause
			if len(r.Findings) > 0 {
				kind, cause = r.Findings[0].Kind, r.Findings[0].Cause
			}
			if c.kind == report.SameValue { // two blocks write the same there
				cause = report.NoCause
			}
			if kind != c.kind || cause != c.cause {
				t.Errorf("%s, %s; want %s, %s\n%v", kind, cause, c.kind, c.cause, r)
			}
			if testing.Verbose() {
				t.Logf("\n%v", r)
			}
		})
	}
}

func TestUseAfterFree(t *testing.T) {
	t.Parallel()
	b := ptxBench(t)
	addr := b.alloc(make([]uint32, 4))
	params := b.params(b.entry("reads"), addr, 4)
	if err := b.m.Free(addr); err != nil {
		t.Fatal(err)
	}
	r := b.checkLaunch("reads", sim.Launch{Grid: x(1), Block: x(1), Params: params}, Options{})
	verdict(t, r, report.UseAfterFree)
}

// TestUses tells uses of unwritten data from copies, byte by byte.
func TestUses(t *testing.T) {
	t.Parallel()
	b := ptxBench(t)
	for _, c := range []struct {
		kernel  string
		written int64
		want    string
	}{
		{"uses", 0, "in a branch"}, {"uses", 4, "as an address"}, {"uses", 8, ""},
		{"bytes", 0, "global memory"}, {"bytes", 2, "global memory"}, {"bytes", 3, ""}, {"bytes", 4, ""},
	} {
		in, out := b.alloc(make([]uint32, 2)), b.alloc(make([]uint32, 2))
		init := &initcheck.Init{}
		init.Fresh(in, 8)
		init.Wrote(in, c.written)
		r := b.check(c.kernel, x(1), x(1), Options{Init: init}, in, out)
		text := ""
		if len(r.Findings) > 0 {
			text = r.Findings[0].Summary
		}
		if (text == "") != (c.want == "") || !strings.Contains(text, c.want) {
			t.Errorf("%s with %d bytes written: %q, want %q\n%v", c.kernel, c.written, text, c.want, r)
		}
	}
}

// TestDecided tells where what a shuffle read from a lane that has returned matters: in a branch,
// or in what is stored.
func TestDecided(t *testing.T) {
	t.Parallel()
	b := ptxBench(t)
	for which := range 6 {
		for flip, want := range []report.Kind{silent, report.WarpSync} {
			for _, tools := range [][]report.Tool{nil, {report.Synccheck}, {report.Initcheck}} {
				r := b.check("decided", x(1), x(32), Options{Tools: tools}, make([]uint32, 1), int32(which), int32(flip))
				if len(tools) > 0 && tools[0] == report.Initcheck {
					want = silent
				}
				verdict(t, r, want)
				if len(r.Findings) > 0 && r.Findings[0].Cause != report.AbsentLane {
					t.Errorf("%d: %s\n%v", which, r.Findings[0].Cause, r)
				}
			}
		}
	}
}

// TestSameValue holds a note to be no failure, in whatever order the lanes of an instruction write.
func TestSameValue(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "conformance")
	for _, c := range []struct{ grid, block, notes int }{{1, 32, 1}, {1, 64, 2}, {2, 33, 3}} {
		r := b.check("SameValue", x(c.grid), x(c.block), Options{Orders: 4}, make([]int32, 1))
		for _, f := range r.Findings {
			if f.Kind != report.SameValue || f.Level != report.Note {
				t.Errorf("%s %s, want a note\n%v", f.Kind, f.Level, r)
			}
		}
		if len(r.Findings) != c.notes || r.Verdict() != report.Clean {
			t.Errorf("%d blocks of %d: %d findings, verdict %v; want a note each for the warp, the block and the grid, and clean\n%v",
				c.grid, c.block, len(r.Findings), r.Verdict(), r)
		}
	}
}

// TestValues has every thread write its number: a witness's value, where one is shown, is that
// thread's.
func TestValues(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "conformance")
	for _, orders := range []int{1, 2, 5} {
		r := b.check("OneCell", x(2), x(96), Options{Orders: orders})
		shown := 0
		for _, f := range r.Findings {
			for _, p := range f.Witnesses {
				if p.Value == "" {
					continue
				}
				shown++
				if want := fmt.Sprint(p.Thread.Thread[0]); p.Value != want {
					t.Errorf("thread %s wrote %s\n%v", want, p.Value, r)
				}
			}
		}
		if shown < len(r.Findings)+1 {
			t.Errorf("%d values in %d findings\n%v", shown, len(r.Findings), r)
		}
	}
}

// TestAllow shows a suppressed race, and a comment that suppresses nothing.
func TestAllow(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "sync")
	r := b.check("Allowed", x(1), x(64), Options{}, make([]int32, 65), 2)
	if r.Verdict() != report.Found { // flag[0] races as allowed, flag[t+1] with nothing
		for _, f := range r.Findings {
			if f.Allowed != "any thread's number will do" {
				t.Errorf("allowed %q\n%v", f.Allowed, r)
			}
		}
	} else {
		t.Errorf("the comment does not suppress\n%v", r)
	}
	if len(r.Findings) == 0 {
		t.Error("what is allowed is not listed")
	}
	unused := r.Unused()
	if len(unused) != 1 || unused[0].Reason != "nothing races here any more" || !strings.Contains(r.String(), "UNUSED  //gpu:allow race at sync.go:") {
		t.Errorf("unused %+v\n%v", unused, r)
	}
	var sarif strings.Builder
	if err := format.SARIF(&sarif, r.Report); err != nil || strings.Count(sarif.String(), `"ruleId": "unused-allow"`) != 1 {
		t.Errorf("%v, and SARIF does not tell of the unused comment:\n%s", err, &sarif)
	}
}

// TestFailedChecks shows checks that the kernel makes itself.
func TestFailedChecks(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "sync")
	one := slices.Repeat([]int32{1}, 64)
	for _, c := range []struct {
		threads int
		data    []int32
		kind    report.Kind
		want    string
	}{
		{40, one, silent, ""},
		{41, one, report.FailedCheck, "assertion failed: at most 40 threads"},
		{40, append(make([]int32, 1), one...), report.FailedCheck, "integer divide by zero"},
		{40, one[:39], report.OutOfBounds, "index out of range [39] with length 39"},
	} {
		r := b.check("Divides", x(1), x(c.threads), Options{}, c.data)
		verdict(t, r, c.kind)
		if c.want != "" && len(r.Findings) > 0 && r.Findings[0].Summary != c.want {
			t.Errorf("%q, want %q", r.Findings[0].Summary, c.want)
		}
	}
	if _, n := b.m.Used(); n != 4 {
		t.Errorf("%d allocations are left, want the test's own 4", n)
	}
}

// TestUndecided ends a check from outside: what was found so far, and no pass.
func TestUndecided(t *testing.T) {
	t.Parallel()
	b := ptxBench(t)
	e := b.entry("waits")
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	r, err := Run(ctx, b.m, e, sim.Launch{Grid: x(1), Block: x(1), Params: b.params(e, make([]uint32, 1))}, Options{
		Budget: 1 << 40, Progress: func(Progress) {
			if n++; n == 2 {
				cancel()
			}
		},
	})
	if !errors.Is(err, context.Canceled) || r == nil || r.Verdict() != report.Undecided || len(r.Undone) != 1 {
		t.Errorf("error %v, report %+v", err, r)
	}
	if (&report.Report{}).Verdict() != report.Undecided {
		t.Error("nothing launched is a pass")
	}
}
