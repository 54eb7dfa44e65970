package check

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// endless are kernels that do not come to an end.
const endless = `.version 7.0
.target sm_70
.address_size 64
.file 1 "endless.cu"
.visible .entry spin(.param .u64 a)
{
	.reg .pred %p;
	.reg .b32 %r;
	.reg .b64 %x;
	ld.param.u64 %x, [a];
	.loc 1 3 1
L:
	ld.volatile.global.u32 %r, [%x];
	setp.eq.u32 %p, %r, 0;
	@%p bra L;
	ret;
}
.visible .entry exchange(.param .u64 a)
{
	.reg .pred %p;
	.reg .b32 %r;
	.reg .b64 %x;
	ld.param.u64 %x, [a];
	.loc 1 3 1
L:
	atom.global.cas.b32 %r, [%x], 1, 2;
	setp.ne.u32 %p, %r, 1;
	@%p bra L;
	ret;
}
.visible .entry count(.param .u64 a)
{
	.reg .b32 %r;
	.reg .b64 %x;
	ld.param.u64 %x, [a];
	.loc 1 3 1
L:
	ld.global.u32 %r, [%x];
	add.u32 %r, %r, 1;
	st.global.u32 [%x], %r;
	bra L;
}
.visible .entry outside(.param .u64 a)
{
	.reg .b32 %r;
	.reg .b64 %x;
	ld.param.u64 %x, [a];
	.loc 1 3 1
L:
	st.global.u32 [%x+4], 1;
	add.u64 %x, %x, 4;
	bra L;
}
.visible .entry table(.param .u64 a, .param .u32 n)
{
	.reg .pred %p;
	.reg .b32 %r, %n;
	.reg .b64 %x;
	ld.param.u64 %x, [a];
	ld.param.u32 %n, [n];
L:
	ld.volatile.global.u32 %r, [%x];
	add.u64 %x, %x, 4;
	sub.u32 %n, %n, 1;
	setp.ne.u32 %p, %n, 0;
	@%p bra L;
	ret;
}
`

// TestSpinIsGivenUp runs threads that wait for a write that nobody makes, with the default budget,
// in blocks of all sizes. It takes a second at most. The test would take minutes if the budget were
// as large as for other loops.
func TestSpinIsGivenUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kernel  string
		threads int
	}{{"spin", 1}, {"spin", 33}, {"spin", 1024}, {"exchange", 1024}} {
		b := loadModule(t, "endless.ptx", endless)
		start := time.Now()
		r := b.check(c.kernel, x(2), x(c.threads), Options{}, make([]uint32, 1))
		if len(r.Findings) != 1 || r.Findings[0].Kind != report.NoProgress {
			t.Errorf("%s, %d threads: want a finding that there is no progress, got\n%v", c.kernel, c.threads, r)
		}
		t.Logf("%s, %d threads: %v", c.kernel, c.threads, time.Since(start))
	}
}

// TestTableIsNoSpin polls, but at ever new addresses, for longer than a spin may.
func TestTableIsNoSpin(t *testing.T) {
	t.Parallel()
	b := loadModule(t, "endless.ptx", endless)
	const n = 1000
	r := b.check("table", x(1), x(1), Options{Budget: 8 * n}, make([]uint32, n), n)
	if len(r.Findings) > 0 || r.Verdict() != report.Clean {
		t.Error(r)
	}
}

// TestTimeLimit ends a kernel that changes memory for ever.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	b := loadModule(t, "endless.ptx", endless)
	e := b.entry("count")
	l := sim.Launch{Grid: x(3), Block: x(1), Params: b.params(e, make([]uint32, 1))}
	r, err := Run(t.Context(), b.m, e, l, Options{TimeLimit: 50 * time.Millisecond})
	if !errors.Is(err, event.ErrTimeLimit) || r.Verdict() != report.Undecided {
		t.Errorf("verdict %v, error %v", r.Verdict(), err)
	}
	const (
		begin = "count, ascending: over the time limit of 50ms, when 0 of 3 blocks had ended and threads of block (0,0,0) were at endless.cu:3:1"
		end   = "; a longer one is set with --timeout, or gputest.TimeLimit"
	)
	if len(r.Undone) != 1 || !strings.HasPrefix(r.Undone[0], begin) || !strings.HasSuffix(r.Undone[0], end) {
		t.Errorf("undecided: %q, want %q", r.Undone, begin+" …"+end)
	}
}

// TestSecondOrderOverTime ends the second order of a launch: that is not decided, but the launch
// has ended, and memory is as the first order made it.
func TestSecondOrderOverTime(t *testing.T) {
	t.Parallel()
	b := compileSource(t, &compile.Source{Path: "example.com/late", Name: "late", Files: []compile.File{{Name: "late.go", Text: []byte(late)}}})
	e := b.entry("Late")
	data := make([]int32, 4)
	l := sim.Launch{Grid: x(2), Block: x(1), Params: b.params(e, data)}
	r, err := Run(t.Context(), b.m, e, l, Options{TimeLimit: 200 * time.Millisecond})
	if err != nil || len(r.Undone) != 1 || !strings.HasPrefix(r.Undone[0], "Late, descending: over the time limit of 200ms, when 0 of 2") {
		t.Errorf("error %v, undecided %q", err, r.Undone)
	}
	if got := b.contents(l.Params, []any{data}); !bytes.Equal(got, []byte{1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) {
		t.Errorf("memory is %v", got)
	}
}

// late never ends when the second block runs first.
const late = `package late

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Late(a []int32) {
	b := gpu.BlockIdx.X
	for b == 1 && a[0] == 0 {
		a[2]++
	}
	a[b] = 1
}
`

// TestBadAccessesWithoutEnd runs a loop of stores that leaves its buffer and never ends.
func TestBadAccessesWithoutEnd(t *testing.T) {
	t.Parallel()
	for _, tools := range [][]report.Tool{nil, {report.Racecheck}} {
		b := loadModule(t, "endless.ptx", endless)
		r := b.check("outside", x(2), x(64), Options{Tools: tools}, make([]uint32, 1))
		if tools == nil && (len(r.Findings) == 0 || r.Findings[0].Kind != report.OutOfBounds || len(r.Undone) > 0 ||
			!strings.HasSuffix(r.Findings[0].Why, "; the launch was ended at 16384 bad accesses, so what it would do then is not checked")) {
			t.Errorf("want a finding of an access out of bounds, got\n%v", r)
		}
		if tools != nil && (r.Verdict() != report.Undecided || len(r.Undone) != 2 || !strings.HasSuffix(r.Undone[0], "too many faults to go on: there are 16384")) {
			t.Errorf("without memcheck: verdict %v, undecided %q", r.Verdict(), r.Undone)
		}
	}
}

// TestUntouchedCostsNothing checks a kernel that writes one element of a variable of 4 GiB. It is
// not parallel, as it looks at the memory of the process.
func TestUntouchedCostsNothing(t *testing.T) {
	mod, err := ptx.Parse("huge.ptx", strings.Replace(endless, ".visible .entry spin", `.global .b64 huge[536870911];
.visible .entry one()
{
	st.global.u64 [huge+2147483648], 7;
	ret;
}
.visible .entry spin`, 1))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{tb: t, m: sim.New(sim.Config{Workers: 1, Memory: 1 << 33})}
	if b.prog, err = b.m.Load(mod); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := b.check("one", x(1), x(1), Options{})
	runtime.ReadMemStats(&after)
	if r.Verdict() != report.Clean {
		t.Error(r)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("the check takes %d bytes", n)
	}
}
