package sim

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// systemPTX has kernels that call the device's own functions, as nvcc writes them.
const systemPTX = `
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 args);
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.extern .func (.param .b32 r) missing(.param .b32 x);
.global .b8 text[] = {116, 105, 100, 32, 37, 100, 32, 37, 46, 50, 102, 10, 0};
.global .b8 cond[] = {120, 32, 62, 32, 48, 0};
.global .b8 file[] = {97, 46, 99, 117, 0};
.visible .entry print(.param .u64 out)
{
	.local .align 8 .b8 depot[16];
	.reg .b64 %rd<8>; .reg .b32 %r<4>; .reg .f64 %f;
	mov.u64 %rd1, depot;
	mov.u32 %r1, %tid.x;
	st.local.u32 [%rd1], %r1;
	cvt.rn.f64.u32 %f, %r1;
	st.local.f64 [%rd1+8], %f;
	cvta.local.u64 %rd2, %rd1;
	mov.u64 %rd3, text;
	cvta.global.u64 %rd4, %rd3;
	{
		.param .b64 p0; .param .b64 p1; .param .b32 ret;
		st.param.b64 [p0], %rd4;
		st.param.b64 [p1], %rd2;
		call.uni (ret), vprintf, (p0, p1);
		ld.param.b32 %r2, [ret];
	}
	ld.param.u64 %rd5, [out];
	mad.wide.u32 %rd5, %r1, 4, %rd5;
	st.global.u32 [%rd5], %r2;
	ret;
}
.visible .entry positive(.param .s32 x)
{
	.reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p;
	ld.param.s32 %r1, [x];
	setp.gt.s32 %p, %r1, 0;
	@%p bra DONE;
	mov.u64 %rd1, cond;
	mov.u64 %rd2, file;
	{
		.param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
		st.param.b64 [a], %rd1;
		st.param.b64 [b], %rd2;
		st.param.b32 [c], 12;
		st.param.b64 [d], 0;
		st.param.b64 [e], 1;
		call.uni __assertfail, (a, b, c, d, e);
	}
DONE:
	ret;
}
.func (.param .b64 r) take(.param .b64 n)
{
	.reg .b64 %rd;
	ld.param.b64 %rd, [n];
	{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd; call (b), malloc, (a); ld.param.b64 %rd, [b]; }
	st.param.b64 [r], %rd;
	ret;
}
.func give(.param .b64 p)
{
	.reg .b64 %rd;
	ld.param.b64 %rd, [p];
	{ .param .b64 a; st.param.b64 [a], %rd; call free, (a); }
	ret;
}
.visible .entry make(.param .u64 out, .param .u64 n)
{
	.reg .b64 %rd<4>; .reg .pred %p; .reg .b32 %r;
	ld.param.u64 %rd1, [n];
	call (%rd2), take, (%rd1);
	mov.u32 %r, %tid.x;
	ld.param.u64 %rd3, [out];
	mad.wide.u32 %rd3, %r, 8, %rd3;
	st.global.u64 [%rd3], %rd2;
	setp.eq.u64 %p, %rd2, 0;
	@!%p st.u32 [%rd2], %r;
	ret;
}
.visible .entry drop(.param .u64 out)
{
	.reg .b64 %rd<4>; .reg .b32 %r;
	mov.u32 %r, %tid.x;
	ld.param.u64 %rd3, [out];
	mad.wide.u32 %rd3, %r, 8, %rd3;
	ld.global.u64 %rd2, [%rd3];
	call give, (%rd2);
	ret;
}
.visible .entry late(.param .u64 out)
{
	.reg .b64 %rd<4>; .reg .b32 %r;
	call (%rd1), take, (16);
	st.u32 [%rd1], 1;
	call give, (%rd1);
	ld.u32 %r, [%rd1];
	ret;
}
.visible .entry absent(.param .u32 n)
{
	.reg .b32 %r; .reg .pred %p;
	ld.param.u32 %r, [n];
	setp.eq.u32 %p, %r, 0;
	@%p bra DONE;
	call (%r), missing, (%r);
DONE:
	ret;
}
`

func (r *rig) start(name string, block int, l Launch, args ...any) error {
	r.t.Helper()
	e, err := r.p.Entry(name)
	r.must(err)
	l.Grid, l.Block, l.Params = x(1), x(block), r.params(e, args...)
	_, err = r.m.Launch(r.t.Context(), e, l)
	return err
}

func TestPrintf(t *testing.T) {
	t.Parallel()
	r := newRig(t, systemPTX, Config{})
	out := upload(r, make([]uint32, 33))
	var text bytes.Buffer
	r.must(r.start("print", 33, Launch{Output: &text}, out))
	if lines := strings.Split(text.String(), "\n"); len(lines) != 34 || lines[0] != "tid 0 0.00" || lines[32] != "tid 32 32.00" {
		t.Errorf("%q", lines)
	}
	for i, n := range view[uint32](r, out, 33) {
		if n != 2 {
			t.Errorf("thread %d: vprintf gives %d", i, n)
		}
	}
	r.must(r.start("print", 1, Launch{}, out))
}

// TestPrintfConversions holds conversions to what glibc's printf gives.
func TestPrintfConversions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format, want string
		args         []uint64
	}{
		{"100%%", "100%", nil},
		{"[%5d|%-5d|%05d|%+d|% d]", "[   42|42   |00042|+42| 42]", []uint64{42, 42, 42, 42, 42}},
		{"[%.3d|%08.3d]", "[007|     007]", []uint64{7, 7}},
		{"%d %u", "-1 4294967295", []uint64{math.MaxUint32, math.MaxUint32}},
		{"%lld %llu %hd", "-1 18446744073709551615 5", []uint64{math.MaxUint64, math.MaxUint64, 5}},
		{"%x %#X %o %#o", "ff 0XFF 10 010", []uint64{255, 255, 8, 8}},
		{"%c%c", "ok", []uint64{'o', 'k'}},
		{"[%*d|%.*f]", "[   7|1.500]", []uint64{4, 7, 3, math.Float64bits(1.5)}},
		{"%f %e %g %G", "1.500000 1.500000e+00 1.5 1E-10",
			[]uint64{math.Float64bits(1.5), math.Float64bits(1.5), math.Float64bits(1.5), math.Float64bits(1e-10)}},
		{"%g %g %g", "100000 1e+06 0.0001", []uint64{math.Float64bits(1e5), math.Float64bits(1e6), math.Float64bits(1e-4)}},
		{"%f %F [%6f] [%-6f] %+f", "nan INF [  -inf] [inf   ] +inf", []uint64{math.Float64bits(math.NaN()),
			math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(-1)), math.Float64bits(math.Inf(1)),
			math.Float64bits(math.Inf(1))}},
		{"%a %.2a", "0x1.8p+0 -0x1.80p+3", []uint64{math.Float64bits(1.5), math.Float64bits(-12)}},
		{"%p", "0x7f", []uint64{0x7f}},
	} {
		p := printing{arguments: fakeArguments{c.args, new(int)}}
		if got, ok := p.format(c.format); !ok || got != c.want {
			t.Errorf("%s: %q, want %q", c.format, got, c.want)
		}
	}
	for _, bad := range []string{"%", "%5", "%k", "%-l"} {
		p := printing{arguments: fakeArguments{[]uint64{1}, new(int)}}
		if got, ok := p.format(bad); ok {
			t.Errorf("%s: %q", bad, got)
		}
	}
}

// fakeArguments gives one argument after the other, wherever they are looked for.
type fakeArguments struct {
	list []uint64
	at   *int
}

func (f fakeArguments) word(_ uint64, n int) uint64 {
	v := f.list[*f.at]
	*f.at++
	return v & (1<<(8*n-1)<<1 - 1)
}

func (f fakeArguments) text(uint64) string { return "text" }

func TestAssertFail(t *testing.T) {
	t.Parallel()
	r := newRig(t, systemPTX, Config{})
	r.must(r.start("positive", 33, Launch{}, int32(1)))
	err := r.start("positive", 33, Launch{}, int32(-1))
	if !errors.Is(err, event.Trap) || !strings.Contains(err.Error(), "assertion `x > 0` failed at a.cu:12") {
		t.Error(err)
	}
}

func TestMissingFunction(t *testing.T) {
	t.Parallel()
	r := newRig(t, systemPTX, Config{})
	r.must(r.start("absent", 1, Launch{}, uint32(0)))
	err := r.start("absent", 1, Launch{}, uint32(1))
	if !errors.Is(err, event.BadTarget) || !strings.Contains(err.Error(), "call of missing, which is declared but has no body") {
		t.Error(err)
	}
}

// TestHeap allocates in one launch and frees in the next, as CUDA's heap allows.
func TestHeap(t *testing.T) {
	t.Parallel()
	r := newRig(t, systemPTX, Config{})
	out := upload(r, make([]uint64, 33))
	before, _ := r.m.Used()
	for range 3 {
		r.must(r.start("make", 33, Launch{}, out, uint64(100000)))
		seen := map[uint64]bool{}
		for i, p := range view[uint64](r, out, 33) {
			if seen[p] || p == 0 || view[uint32](r, p, 1)[0] != uint32(i) {
				t.Errorf("thread %d got %#x", i, p)
			}
			seen[p] = true
		}
		if used, _ := r.m.Used(); used != before+33*100000 {
			t.Errorf("%d bytes more in use", used-before)
		}
		r.must(r.start("drop", 33, Launch{}, out))
		if used, _ := r.m.Used(); used != before {
			t.Errorf("%d bytes are left", used-before)
		}
	}
	if err := r.start("drop", 1, Launch{}, out); !errors.Is(err, event.BadFree) {
		t.Error("freed twice:", err)
	}
	if err := r.start("late", 1, Launch{}, out); !errors.Is(err, event.UseAfterFree) {
		t.Error("read after free:", err)
	}
	r.must(r.start("make", 2, Launch{}, out, uint64(5<<20)))
	if p := view[uint64](r, out, 2); p[0] == 0 || p[1] != 0 {
		t.Errorf("two blocks of 5 MiB at %#x, and the heap has 8", p)
	}
}

// TestHeapOfRuns runs launches again from the memory that they found.
func TestHeapOfRuns(t *testing.T) {
	t.Parallel()
	r := newRig(t, systemPTX, Config{})
	out := upload(r, make([]uint64, 2))
	before, _ := r.m.Used()
	var first, second HeapChanges
	r.must(r.start("make", 2, Launch{Heap: &first}, out, uint64(64)))
	saved := [2]uint64(view[uint64](r, out, 2))
	r.must(r.start("make", 2, Launch{Heap: &second}, out, uint64(64)))
	r.m.DropHeap(&second)
	r.m.KeepHeap(&first)
	copy(view[uint64](r, out, 2), saved[:])
	for range 2 {
		var again HeapChanges
		r.must(r.start("drop", 2, Launch{Heap: &again}, out))
		if err := r.start("drop", 1, Launch{Heap: &again}, out); !errors.Is(err, event.BadFree) {
			t.Error("freed twice in one run:", err)
		}
	}
	if used, _ := r.m.Used(); used != before+128 {
		t.Errorf("%d bytes more in use, want 128", used-before)
	}
	var last HeapChanges
	r.must(r.start("drop", 2, Launch{Heap: &last}, out))
	r.m.KeepHeap(&last)
	if used, _ := r.m.Used(); used != before {
		t.Errorf("%d bytes are left", used-before)
	}
}
