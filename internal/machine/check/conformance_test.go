package check

import (
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/check/initcheck"
	"github.com/gridstride/gridstride/internal/machine/report"
)

// The verdicts of the conformance table.
const (
	silent  = ""
	race    = report.Kind(report.Race)
	barrier = report.Kind(report.Barrier)
	uninit  = report.Kind(report.Uninitialized)
	outside = report.Kind(report.OutOfBounds)
	warp    = report.Kind(report.WarpSync)
)

// TestConformance runs each kernel of the table, with the verdict that its tool must give and no
// finding of another.
func TestConformance(t *testing.T) {
	t.Parallel()
	ints := func(n int) []int32 { return make([]int32, n) }
	one := func(n int) []int32 { return slices.Repeat([]int32{1}, n) }
	b := compilePackage(t, "conformance")
	for _, c := range []struct {
		kernel      string
		grid, block [3]int
		args        []any
		want        report.Kind
	}{
		{"OneCell", x(1), x(16), nil, race},
		{"SharedPerBlock", x(2), x(64), nil, race},
		{"LargeShared", x(2), x(64), []any{ints(128)}, silent},
		{"LargeSharedRace", x(2), x(64), []any{ints(128)}, race},
		{"WidthMix", x(1), x(32), nil, race},
		{"TreeNoBarriers", x(1), x(64), []any{ints(64), ints(1)}, race},
		{"TreeBarriers", x(1), x(64), []any{ints(64), ints(1)}, silent},
		{"Closure", x(1), [3]int{8, 8, 1}, []any{one(64)}, silent},
		{"ScanOneBarrier", x(1), x(64), []any{one(64)}, race},
		{"LeaderSums", x(1), x(128), []any{ints(128), ints(1)}, race},
		{"LoopCarried", x(1), x(8), []any{one(32), ints(4), 4}, race},
		{"Neighbour", x(1), x(64), []any{ints(68)}, race},
		{"NeighbourSync", x(1), x(64), []any{ints(68)}, silent},
		{"Saxpy", x(1), x(32), []any{float32(2), make([]float32, 32), make([]float32, 32)}, silent},
		{"Saxpy", x(2), x(32), []any{float32(2), slices.Repeat([]float32{1}, 32), make([]float32, 32)}, race},
		{"HiddenByOrder", x(2), x(1), []any{ints(1), ints(2)}, race},
		{"BlocksUnordered", x(2), x(4), []any{ints(2)}, race},
		{"ValueDecides", x(1), x(512), []any{ints(1024), 185}, race},
		{"ValueDecides", x(1), x(512), []any{ints(1024), 186}, silent},
		{"DivergentBranch", x(1), x(32), []any{ints(34)}, barrier},
		{"TwoSites", x(1), x(64), nil, barrier},
		{"UniformArgument", x(2), x(64), []any{0}, silent},
		{"UniformArgument", x(2), x(64), []any{1}, silent},
		{"UniformBlock", x(2), x(64), nil, silent},
		{"RaggedLoop", x(1), x(64), []any{ints(1024)}, barrier},
		{"InlinedTwice", x(1), x(64), []any{ints(64)}, barrier},
		{"InlinedTwice", x(1), x(31), []any{ints(31)}, silent},
		{"InlinedUniform", x(2), x(64), []any{ints(128)}, silent},
		{"InlinedLoop", x(1), x(65), []any{ints(65), 5}, silent},
		{"InlinedOneBehindOther", x(1), x(64), []any{ints(64)}, silent},
		{"HalfReturns", x(1), x(64), []any{ints(64)}, barrier},
		{"Guard", x(1), x(64), []any{ints(64), 50}, silent},
		{"Tickets", x(1), x(2), []any{ints(1), ints(2)}, silent},
		{"TicketsZero", x(1), x(2), []any{ints(1), ints(2)}, race},
		{"TicketsThread", x(1), x(2), []any{ints(1), ints(2)}, race},
		{"LastBlock", x(4), x(64), []any{one(1000), ints(4), ints(1), make([]uint32, 1)}, silent},
		{"LastBlockNoFence", x(4), x(64), []any{one(1000), ints(4), ints(1), make([]uint32, 1)}, race},
		{"WarpLeader", x(1), x(64), []any{ints(2)}, race},
		{"WarpTree", x(1), x(32), []any{ints(32), ints(32)}, silent},
		{"WarpTreeRace", x(1), x(32), []any{ints(32), ints(32)}, race},
		{"Shuffle", x(1), x(32), []any{ints(32)}, race},
		{"ShuffleSync", x(1), x(32), []any{ints(32)}, silent},
		{"Mask", x(1), x(32), []any{ints(32)}, warp},
		{"MissingLane", x(1), x(32), []any{ints(32)}, warp},
		{"ReturnedLane", x(1), x(32), []any{ints(32), ints(32), 32}, silent},
		{"ReturnedLane", x(1), x(32), []any{ints(32), ints(32), 31}, warp},
		{"ReturnedLane", x(1), x(32), []any{ints(32), ints(32), 8}, warp},
		{"ReturnedSum", x(1), x(32), []any{ints(32), ints(1), 32}, silent},
		{"ReturnedSum", x(1), x(32), []any{ints(32), ints(1), 31}, warp},
		{"ReturnedSumGuarded", x(1), x(32), []any{ints(32), ints(32), 20}, silent},
		{"ReturnedMax", x(1), x(32), []any{ints(32), ints(32), 20}, silent},
		{"ReturnedBranch", x(1), x(32), []any{ints(32), ints(32), 31}, warp},
		{"ReturnedIndex", x(1), x(32), []any{ints(32), ints(32), 31}, warp},
		{"MaskedSum", x(1), x(32), []any{ints(32), ints(16), 1}, silent},
		{"MaskedSum", x(1), x(32), []any{ints(32), ints(16), 2}, warp},
		{"BlockSum", x(1), x(96), []any{ints(96), ints(1), 3}, silent},
		{"BlockSum", x(1), x(70), []any{ints(70), ints(1), 2}, silent},
		{"BlockSum", x(1), x(70), []any{ints(70), ints(1), 3}, warp},
		{"Bounds", x(8), x(8), []any{ints(64)}, silent},
		{"Bounds", x(8), x(8), []any{ints(25)}, outside},
		{"BelowZero", x(8), x(8), []any{ints(64)}, outside},
		{"Hole", x(1), x(64), []any{ints(64), ints(1), 64}, silent},
		{"Hole", x(1), x(64), []any{ints(64), ints(1), 63}, uninit},
		{"Hole", x(1), x(64), []any{ints(64), ints(1), 10}, uninit},
		{"WarpHole", x(1), x(32), []any{ints(32), ints(1), 32}, silent},
		{"WarpHole", x(1), x(32), []any{ints(32), ints(1), 31}, uninit},
		{"Histogram", x(2), x(64), []any{ints(100), ints(4)}, race},
		{"Histogram", x(1), x(1), []any{ints(1), ints(4)}, silent},
		{"HistogramAtomic", x(2), x(64), []any{ints(100), ints(4)}, silent},
		{"SharedMax", x(1), x(64), []any{one(64), ints(1)}, race},
		{"FirstElement", x(2), x(1), []any{ints(1)}, race},
		{"CountAll", x(1), x(64), []any{ints(128)}, silent},
		{"CountSome", x(1), x(64), []any{ints(128)}, barrier},
		{"Handed", x(1), x(64), []any{ints(32)}, silent},
		{"HandedTooEarly", x(1), x(64), []any{ints(32)}, race},
		{"OtherBarrier", x(1), x(64), []any{ints(32)}, barrier},
		{"TooFew", x(1), x(96), []any{ints(96)}, silent},
		{"TooFew", x(1), x(64), []any{ints(64)}, barrier},
		{"FlagRelease", x(2), x(33), []any{ints(1), ints(1), ints(1)}, silent},
		{"FlagRelease", x(1), x(2), []any{ints(1), ints(1), ints(1)}, silent},
		{"FlagAround", x(2), x(64), []any{ints(2), ints(1)}, silent},
		{"FlagRelaxed", x(2), x(1), []any{ints(1), ints(1), ints(1)}, race},
		{"FlagBlock", x(1), x(64), []any{ints(1), ints(1), ints(1)}, silent},
		{"FlagBlock", x(2), x(32), []any{ints(1), ints(1), ints(1)}, race},
		{"FlagPlain", x(2), x(1), []any{ints(1), ints(1), ints(1)}, race},
		{"LockAcquire", x(3), x(33), []any{make([]uint8, 2), ints(1)}, silent},
		{"LockRelaxed", x(3), x(1), []any{make([]uint8, 2), ints(1)}, race},
		{"TicketRelease", x(4), x(32), []any{ints(4), ints(1), make([]uint32, 1)}, silent},
		{"TicketAcquire", x(4), x(32), []any{ints(4), ints(1), make([]uint32, 1)}, race},
		{"BytesBeside", x(2), x(33), []any{make([]uint8, 4)}, silent},
		{"BytesMixed", x(2), x(33), []any{make([]uint8, 4)}, race},
		{"FloatExtremes", x(2), x(33), []any{make([]float32, 2)}, silent},
		{"GridNeighbour", x(3), x(33), []any{ints(99), ints(99)}, silent},
		{"GridNeighbour", x(1), x(1), []any{ints(1), ints(1)}, silent},
		{"BlockNeighbour", x(3), x(33), []any{ints(99), ints(99)}, race},
		{"BlockNeighbour", x(1), x(33), []any{ints(33), ints(33)}, silent},
		{"GridRounds", x(5), x(40), []any{ints(200), ints(200), 4}, silent},
		{"GridRoundsInPlace", x(5), x(40), []any{ints(200), 4}, race},
		{"GridLateWrite", x(3), x(64), []any{ints(1)}, race},
		{"GridUniform", x(3), x(31), []any{ints(93), 1}, silent},
		{"GridUniform", x(3), x(31), []any{ints(93), 0}, silent},
		{"GridReturned", x(3), x(33), []any{ints(99), 99}, silent},
		{"GridReturned", x(3), x(33), []any{ints(99), 98}, barrier},
		{"GridBlockReturned", x(3), x(32), []any{ints(96)}, barrier},
		{"GridBlockReturned", x(1), x(32), []any{ints(32)}, silent},
		{"GridOrBlock", x(2), x(64), []any{ints(128)}, barrier},
		{"FloatExtremesRead", x(1), x(33), []any{make([]float32, 2)}, race},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			b.tb = t
			r := b.check(c.kernel, c.grid, c.block, Options{}, c.args...)
			verdict(t, r, c.want)
			advise(t, b, r, func(b *bench) result { return b.check(c.kernel, c.grid, c.block, Options{}, c.args...) })
			if tool, finds := toolOf[c.want]; finds { // also without the others
				verdict(t, b.check(c.kernel, c.grid, c.block, Options{Tools: []report.Tool{tool}}, c.args...), c.want)
			}
		})
	}
}

// toolOf is the tool that a verdict is of.
var toolOf = map[report.Kind]report.Tool{race: report.Racecheck, barrier: report.Synccheck, uninit: report.Initcheck, outside: report.Memcheck, warp: report.Synccheck}

// TestWitnesses checks what the table says of who is at fault.
func TestWitnesses(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "conformance")

	r := b.check("SharedPerBlock", x(2), x(64), Options{})
	for _, f := range r.Failures() {
		if one, two := f.Witnesses[0].Thread.Block, f.Witnesses[1].Thread.Block; one != two {
			t.Errorf("shared memory is a block's own, but blocks %v and %v race\n%v", one, two, r)
		}
	}

	r = b.check("ValueDecides", x(1), x(512), Options{}, make([]int32, 1024), 185)
	if len(r.Findings) != 1 {
		t.Fatalf("%d findings, want one\n%v", len(r.Findings), r)
	}
	threads := []int{r.Findings[0].Witnesses[0].Thread.Thread[0], r.Findings[0].Witnesses[1].Thread.Thread[0]}
	if slices.Sort(threads); !slices.Equal(threads, []int{15, 200}) {
		t.Errorf("threads %v race, want 15 and 200\n%v", threads, r)
	}
}

// TestAdvice checks what findings tell the user to do: an atomic for a lost update, and no barrier
// between blocks.
func TestAdvice(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "conformance")
	for _, c := range []struct {
		kernel      string
		grid, block int
		args        []any
		want        string
	}{
		{"Histogram", 1, 32, []any{make([]int32, 32), make([]int32, 1)}, "use gpu.AtomicAdd, or an element for each thread"},
		{"Histogram", 1, 64, []any{make([]int32, 64), make([]int32, 1)}, "use gpu.AtomicAdd, or an element for each thread"},
		{"Histogram", 2, 1, []any{make([]int32, 64), make([]int32, 1)}, "use gpu.AtomicAdd, or an element for each thread"},
		{"SharedMax", 1, 64, []any{slices.Repeat([]int32{1}, 64), make([]int32, 1)}, "use gpu.AtomicMax, or an element for each thread"},
		{"FirstElement", 2, 1, []any{make([]int32, 1)}, "make both atomic, or make two launches of it"},
		{"Neighbour", 1, 64, []any{make([]int32, 68)}, "gpu.Sync"},
	} {
		r := b.check(c.kernel, x(c.grid), x(c.block), Options{}, c.args...)
		if len(r.Failures()) == 0 {
			t.Errorf("%s, %d blocks: no findings", c.kernel, c.grid)
		}
		for _, f := range r.Failures() {
			if !strings.HasPrefix(f.Fix, c.want) {
				t.Errorf("%s, %d blocks of %d: want %q\n%v", c.kernel, c.grid, c.block, c.want, r)
			}
		}
	}
}

// TestLastBlock runs the reduction in one launch over vectors and grids of several sizes: clean
// with its fence, a race without one as soon as there are two blocks.
func TestLastBlock(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "conformance")
	for _, n := range []int{0, 1, 63, 65, 1000} {
		for _, blocks := range []int{1, 2, 4, 9} {
			args := []any{slices.Repeat([]int32{1}, n), make([]int32, blocks), make([]int32, 1), make([]uint32, 1)}
			noFence := report.Kind(race)
			if blocks == 1 {
				noFence = silent
			}
			o := Options{Orders: 4, Seed: uint64(n)}
			verdict(t, b.check("LastBlock", x(blocks), x(64), o, args...), silent)
			verdict(t, advised(t, b, func(b *bench) result { return b.check("LastBlockNoFence", x(blocks), x(64), o, args...) }), noFence)
		}
	}
}

// TestBarrierTooLate checks that a barrier is called too late only where a loop has one, for
// threads of one warp and of two.
func TestBarrierTooLate(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "conformance")
	for _, c := range []struct {
		kernel string
		block  int
		args   []any
		want   bool
	}{
		{"LoopCarried", 8, []any{make([]int32, 32), make([]int32, 4), 4}, true},
		{"TreeNoBarriers", 32, []any{make([]int32, 64), make([]int32, 1)}, false},
		{"TreeNoBarriers", 64, []any{make([]int32, 64), make([]int32, 1)}, false},
		{"WarpTreeRace", 32, []any{make([]int32, 32), make([]int32, 32)}, false},
	} {
		r := b.check(c.kernel, x(1), x(c.block), Options{}, c.args...)
		late := func(f *report.Finding) bool { return f.Cause == report.BarrierTooLate }
		if got := slices.ContainsFunc(r.Failures(), late); got != c.want {
			t.Errorf("%s with %d threads: barrier too late: %v, want %v\n%v", c.kernel, c.block, got, c.want, r)
		}
	}
}

// TestOneByteShort has the host write all bytes but one of a buffer: only the thread that computes
// with it is at fault, and a kernel that copies is not.
func TestOneByteShort(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "conformance")
	for kernel, want := range map[string]report.Kind{"OneShort": uninit, "Copies": silent} {
		in, out := b.alloc(make([]int32, 123)), b.alloc(make([]int32, 123))
		init := &initcheck.Init{}
		init.Fresh(in, 4*123)
		init.Fresh(out, 4*123)
		init.Wrote(in, 4*123-1)
		r := b.check(kernel, x(1), x(123), Options{Init: init}, in, 123, out, 123)
		verdict(t, r, want)
		if want == uninit {
			if th := r.Findings[0].Witnesses[0].Thread; th.Thread != [3]int{122, 0, 0} {
				t.Errorf("thread %v, want 122", th.Thread)
			}
			if n := neverWritten(init, in, out); n != 1 {
				t.Errorf("%d bytes unwritten after the launch, want the one of the input", n)
			}
		} else if n := neverWritten(init, in, out); n != 2 {
			t.Errorf("%d bytes unwritten after the copy, want the one and its copy", n)
		}
	}
}

// neverWritten counts the bytes of buffers of 123 words that nothing has written.
func neverWritten(init *initcheck.Init, buffers ...uint64) (n int) {
	for _, b := range buffers {
		for i := range uint64(123) {
			n += bits.OnesCount32(init.Missing(b+4*i, 4))
		}
	}
	return n
}

// TestPedantic checks what is only found when asked for.
func TestPedantic(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "conformance")
	for _, c := range []struct {
		kernel string
		args   []any
		want   report.Cause
	}{
		{"Guard", []any{make([]int32, 64), 50}, report.EarlyReturn},
		{"OtherRound", nil, report.OtherRound},
		{"InlinedOneBehindOther", []any{make([]int32, 64)}, report.OtherRound},
		{"InlinedLoop", []any{make([]int32, 64), 5}, report.NoCause},
		{"TreeBarriers", []any{make([]int32, 64), make([]int32, 1)}, report.NoCause},
		{"RaggedSum", []any{make([]int32, 100), make([]int32, 64)}, report.NoCause},
	} {
		if r := b.check(c.kernel, x(1), x(64), Options{}, c.args...); len(r.Findings) > 0 {
			t.Errorf("%s, not pedantic:\n%v", c.kernel, r)
		}
		r := b.check(c.kernel, x(1), x(64), Options{Pedantic: true}, c.args...)
		if c.want == report.NoCause && len(r.Findings) == 0 {
			continue
		}
		if len(r.Findings) != 1 || r.Findings[0].Cause != c.want || r.Findings[0].Level != report.Pedantic || r.Verdict() != report.Found {
			t.Errorf("%s: want one finding, %q\n%v", c.kernel, c.want, r)
		}
	}
}

// TestPeek checks that a plain read whose guess a compare-and-swap checks is found only by the
// pedantic, in one block and in several.
func TestPeek(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "conformance")
	for _, blocks := range []int{1, 3} {
		verdict(t, b.check("Peek", x(blocks), x(33), Options{}, make([]uint32, 100)), silent)
		verdict(t, advised(t, b, func(b *bench) result {
			return b.check("Peek", x(blocks), x(33), Options{Pedantic: true}, make([]uint32, 100))
		}), race)
	}
}

// verdict checks that a report has findings of one kind only.
func verdict(t *testing.T, r result, want report.Kind) {
	t.Helper()
	var kinds []report.Kind
	for _, f := range r.Failures() {
		if !slices.Contains(kinds, f.Kind) {
			kinds = append(kinds, f.Kind)
		}
	}
	if want == silent && len(kinds) > 0 || want != silent && !slices.Equal(kinds, []report.Kind{want}) {
		t.Errorf("findings %q, want %q\n%v", kinds, want, r)
	}
	if testing.Verbose() {
		t.Logf("\n%v", r)
	}
}
