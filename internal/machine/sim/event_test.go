package sim

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

var update = flag.Bool("update", false, "rewrite the golden files of testdata/events")

// logger writes events down, one a line.
type logger struct {
	strings.Builder
	noSteps bool
}

func (l *logger) Observe(e event.Event) {
	switch e := e.(type) {
	case *event.BlockStart:
		fmt.Fprintf(l, "block %v starts, %d threads, %d bytes shared\n", e.Block.Index, e.Block.Threads(),
			e.Block.Shared)
	case *event.BlockEnd:
		fmt.Fprintf(l, "block %v ends\n", e.Block.Index)
	case *event.Access:
		first := firstLane(e.Mask)
		l.line(&e.Warp, "%s %s size %d %s %s at %#x value %v%s", e.Kind, e.Space, e.Size, e.Order, e.Scope,
			e.Addrs[first], e.Bytes(first), byAgent(e.Agent))
	case *event.Atomic:
		first := e.Lanes[0]
		l.line(&e.Warp, "atomic %s %s size %d %s %s at %#x red %v lanes %v old %d new %d wrote %#x%s%s",
			e.Op, e.Space, e.Size, e.Order, e.Scope, e.Addrs[first], e.Red, e.Lanes, e.Old[first],
			e.New[first], e.Wrote, passed(e), byAgent(e.Agent))
	case *event.AgentOp:
		l.line(&e.Warp, "agent %s groups %d number %d", e.Kind, e.Groups, e.Number)
	case *event.Fence:
		l.line(&e.Warp, "fence %s %s", e.Order, e.Scope)
	case *event.BarrierArrive:
		l.line(&e.Warp, "arrive %d %s of %d", e.ID, e.Kind, e.Expected)
	case *event.BarrierComplete:
		fmt.Fprintf(l, "barrier %d complete: arrived %#x exited %#x at %d places\n", e.ID, e.Arrived, e.Exited,
			len(e.Sites))
	case *event.WarpSync:
		l.line(&e.Warp, "warp sync %s member %#x", e.Op, e.Member)
		if e.Sources != nil {
			fmt.Fprintf(l, "  sources %v\n", *e.Sources)
		}
	case *event.Branch:
		l.line(&e.Warp, "branch taken %#x", e.Taken)
	case *event.Call:
		l.line(&e.Warp, "call %s frame %d -> %d copies %+v", e.Callee, e.Frame, e.CalleeFrame, e.Copies)
	case *event.Return:
		l.line(&e.Warp, "return frame %d -> %d copies %+v", e.Frame, e.CallerFrame, e.Copies)
	case *event.Exit:
		l.line(&e.Warp, "exit")
	case *event.Step:
		if !l.noSteps {
			l.line(&e.Warp, "step reads %v writes %v: %s", e.Site.Reads, e.Site.Writes, e.Site.Instr)
		}
	case *event.Skip:
		l.line(&e.Warp, "skip: %s", e.Site.Instr)
	default:
		fmt.Fprintf(l, "unexpected %T\n", e)
	}
}

// byAgent is empty for what threads do themselves.
func byAgent(a *event.Agent) string {
	if a == nil {
		return ""
	}
	return fmt.Sprintf(" by the agent, number %d", a.Number)
}

// passed describes the result of a test of an mbarrier. It is empty for other atomics.
func passed(e *event.Atomic) string {
	if !strings.HasSuffix(e.Op, "_wait") {
		return ""
	}
	return fmt.Sprintf(" passed %#x", e.Passed)
}

func (l *logger) line(w *event.Warp, format string, args ...any) {
	fmt.Fprintf(l, "warp %d lanes %#x %s: %s\n", w.Index, w.Mask, w.Site.Source, fmt.Sprintf(format, args...))
}

// TestEvents compares the streams of the kernels of testdata/events with the text files next to
// them. -update writes these.
func TestEvents(t *testing.T) {
	files, _ := filepath.Glob("testdata/events/*.ptx")
	if len(files) == 0 {
		t.Fatal("no kernels in testdata/events")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			r := rigFile(t, file, Config{})
			steps := strings.Contains(file, "steps")
			log := &logger{}
			out := upload(r, make([]uint32, 80))
			_, err := r.launchAs("k", Launch{Grid: x(2), Block: x(40), Observer: log, Steps: steps}, out)
			r.must(err)
			golden := strings.TrimSuffix(file, ".ptx") + ".txt"
			if *update {
				r.must(os.WriteFile(golden, []byte(log.String()), 0o666))
			}
			want, err := os.ReadFile(golden)
			r.must(err)
			if log.String() != string(want) {
				t.Errorf("events differ from %s:\n%s", golden, log)
			}
		})
	}
}

// TestObserved checks that an observer changes no result, and that its counts agree with Stats.
func TestObserved(t *testing.T) {
	r := rigFile(t, "testdata/nvcc/reduction.ptx", Config{})
	counts := &counter{}
	in := floats[float32](randomInts(1000, 100))
	a, b := upload(r, make([]float32, 3)), upload(r, make([]float32, 3))
	src := upload(r, in)
	s1, err := r.launchAs("reduction", Launch{Grid: x(3), Block: x(256), Observer: counts, Steps: true}, src,
		a, int32(1000))
	r.must(err)
	s2, err := r.launchAs("reduction", Launch{Grid: x(3), Block: x(256)}, src, b, int32(1000))
	r.must(err)
	equalSlices(r, "sums", view[float32](r, a, 3), view[float32](r, b, 3))
	if s1.Instructions != s2.Instructions || s1.LaneInstructions != s2.LaneInstructions || s1.Blocks != 3 ||
		s2.Blocks != 3 {
		t.Errorf("%+v observed, %+v not", s1, s2)
	}
	if counts.steps != s1.Instructions || counts.lanes != s1.LaneInstructions {
		t.Errorf("%d steps of %d lanes, %d instructions of %d", counts.steps, counts.lanes, s1.Instructions,
			s1.LaneInstructions)
	}
}

// TestPredicate reads a predicate at the instructions that use it, one of them by its negation.
func TestPredicate(t *testing.T) {
	r := newRig(t, outKernel("", `
	setp.lt.u32 %q, %t, 35;
	selp.u32 %d, 1, 2, %q;
	selp.u32 %d, 1, 2, !%q;
	setp.ge.u32 %q, %t, 35;
	`), Config{})
	want, seen := map[int]uint32{0: ^uint32(0), 1: 7}, 0
	_, err := r.launchAs("k", Launch{Grid: x(1), Block: x(40), Steps: true, Observer: observerFunc(func(e event.Event) {
		if s, ok := e.(*event.Step); ok && s.Site.Instr.Op == "selp" {
			seen++
			if got := s.Predicate(s.Site.Reads[0]) & s.Mask; got != want[s.Index] {
				t.Errorf("warp %d: %s sees %#x, want %#x", s.Index, s.Site, got, want[s.Index])
			}
			if got := s.Predicate(s.Site.Writes[0]); got != 0 {
				t.Errorf("%#x is the predicate in a register of 32 bits", got)
			}
		}
	})}, upload(r, make([]uint32, 40)))
	r.must(err)
	if seen != 4 {
		t.Errorf("%d steps of selp, want 4", seen)
	}
}

// TestProxyFences checks that observers see the fences between proxies, with their memory.
func TestProxyFences(t *testing.T) {
	r := newRig(t, outKernel("", `
	fence.proxy.async;
	fence.proxy.async.shared::cta;
	fence.proxy.alias;
	setp.lt.u32 %p, %t, 8;
	@%p fence.proxy.async.global;
	mov.u32 %d, 0;`), Config{})
	var got []string
	_, err := r.launchAs("k", Launch{Grid: x(1), Block: x(32), Observer: observerFunc(func(e event.Event) {
		if f, ok := e.(*event.ProxyFence); ok {
			got = append(got, fmt.Sprintf("%q %#x", f.Space, f.Mask))
		}
	})}, upload(r, make([]uint32, 32)))
	r.must(err)
	want := []string{`"" 0xffffffff`, `"shared" 0xffffffff`, `"global" 0xff`}
	if !slices.Equal(got, want) {
		t.Errorf("fences %q, want %q", got, want)
	}
}

type observerFunc func(event.Event)

func (f observerFunc) Observe(e event.Event) { f(e) }

type counter struct{ steps, lanes uint64 }

func (c *counter) Observe(e event.Event) {
	if s, ok := e.(*event.Step); ok {
		c.steps++
		c.lanes += uint64(popcount(s.Mask))
	}
}

// slowObserver takes a while for each event.
type slowObserver struct{}

func (slowObserver) Observe(event.Event) { time.Sleep(200 * time.Microsecond) }

// TestTimeLimitOfEvents ends a launch in time whose observer is slow: within one turn of a warp.
func TestTimeLimitOfEvents(t *testing.T) {
	t.Parallel()
	p := newRig(t, `.version 7.0
.target sm_70
.address_size 64
.visible .entry k()
{
	.reg .b32 %r<2>; .reg .pred %p; .shared .b32 s;
	mov.u32 %r0, 0;
LOOP:
	st.shared.u32 [s], %r0;
	add.u32 %r0, %r0, 1;
	setp.lt.u32 %p, %r0, 1000000;
	@%p bra LOOP;
	ret;
}
`, Config{Workers: 1})
	ctx, cancel := WithTimeLimit(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	e, err := p.p.Entry("k")
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.m.Launch(ctx, e, Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Observer: slowObserver{}})
	if !errors.Is(err, event.ErrTimeLimit) || time.Since(start) > 5*time.Second {
		t.Errorf("%v after %v, want the time limit", err, time.Since(start))
	}
}
