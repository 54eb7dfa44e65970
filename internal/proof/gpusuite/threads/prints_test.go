package threads

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

// TestPrintKinds compares with package fmt.
func TestPrintKinds(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	dev := gputest.Device(t, gridstride.Output(&out))
	k := load[*PrintKindsKernel](t)(LoadPrintKinds(dev))
	for _, x := range []int64{0, 1, -1, 1 << 40, -200} {
		for _, f := range []float64{0, 1.5, -1e30, 1.0 / 3} {
			suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(1).Block(1), x, f))
			suitetest.Must(t, dev.Stream().Wait(t.Context()))
			want := fmt.Sprintf("%d %d %d %d %d|", int(x), int8(x), int16(x), int32(x), x) +
				fmt.Sprintf("%x %X %#x %v %08b|", uint8(x), uint16(x), uint32(x), uint64(x), uint(x)&255) +
				fmt.Sprintf("%g %.3f %e %v %8.2f|", f, float32(f), f, float32(f), f) +
				fmt.Sprintf("%t %v %s %-6s %q %d%% %c|", x < 0, f > 0, "100%", "ab", "c", int8(x), 'a'+rune(x&7)) +
				fmt.Sprintf("%v %g %.3f %s %q|", gpu.Float16Of(f), gpu.BFloat16Of(f), gpu.E4M3Of(f), gpu.E5M2Of(f), gpu.Float16Of(x)) +
				fmt.Sprintf("%+v %6.2f %x|", gpu.Float16x2{X: gpu.Float16Of(f), Y: gpu.Float16Of(0.1)},
					[2]gpu.BFloat16{gpu.BFloat16Of(f)}, gpu.Float16Of(f)) +
				"+7 true 2.5 constants\n"
			if got := out.String(); got != want {
				t.Errorf("%q\nwant %q", got, want)
			}
			out.Reset()
		}
	}
}

// TestPrintParts compares with package fmt, which prints the same values.
func TestPrintParts(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	dev := unchecked(t, gridstride.Output(&out))
	k := load[*PrintPartsKernel](t)(LoadPrintParts(dev))
	rays := make([]Ray, 3)
	for i := range rays {
		x := float32(i) + 0.25
		rays[i] = Ray{From: [2]Spot{{x, -x, 1}, {1e10 * x, 0, -2}}, Spot: Spot{X: x}, depth: complex(x, -x), hit: i == 1}
	}
	r := rays[2]
	r.To[1].X = 3.5
	for n := range rays {
		suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(1).Block(1), r, suitetest.OnDevice(t, dev, rays), n))
		suitetest.Must(t, dev.Stream().Wait(t.Context()))
		far := Spot{X: r.To[n&1].X, Y: -1, Of: 2}
		want := fmt.Sprintf("%v|%+v\n", r, r.From) +
			fmt.Sprintf("%+v|%6.2v\n", rays[n], rays[n].Spot) +
			fmt.Sprintf("%v %+v %g\n", far, [1]Spot{far}, [3]float64{1, float64(n), -0.5}) +
			fmt.Sprintf("%v %x %03d %v %8.3f %+v\n", [3]uint8{1, 2, uint8(n)}, [2]int{n, 255}, [2]int16{-1, int16(n)},
				struct{}{}, complex(float64(n), -1.5), r.depth*2)
		if got := out.String(); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
		out.Reset()
	}
}

// TestPrintThreads has many threads print: whole lines, in order for each thread, and for launches,
// too.
func TestPrintThreads(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	dev := gputest.Device(t, gridstride.Output(&out))
	k := load[*PrintThreadsKernel](t)(LoadPrintThreads(dev))
	some := load[*PrintSomeKernel](t)(LoadPrintSome(dev))
	count := suitetest.OnDevice(t, dev, make([]int32, 1))
	const blocks, threads, rounds = 3, 33, 4
	suitetest.Must(t, some.Launch(dev.Stream(), gridstride.Grid(1).Block(1), count, 1))
	suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(blocks).Block(threads), rounds))
	suitetest.Must(t, some.Launch(dev.Stream(), gridstride.Grid(1).Block(1), count, 1))
	if out.Len() > 0 {
		t.Errorf("before the program waits: %q", &out)
	}
	suitetest.Read(t, dev, count)
	lines := strings.Split(out.String(), "\n")
	if n := len(lines); n != blocks*threads*rounds+3 || lines[0] != "0" || lines[n-2] != "0" || lines[n-1] != "" {
		t.Fatalf("%d lines:\n%s", n, &out)
	}
	next := map[string]int{}
	for _, line := range lines[1 : len(lines)-2] {
		thread, round, _ := strings.Cut(line, " round ")
		if round != fmt.Sprint(next[thread]) {
			t.Errorf("%q, want round %d", line, next[thread])
		}
		next[thread]++
	}
	for b := range blocks {
		for th := range threads {
			if n := next[fmt.Sprintf("block %d thread %d", b, th)]; n != rounds {
				t.Errorf("thread %d of block %d printed %d lines", th, b, n)
			}
		}
	}
}

// TestPrintPrefix asks for the block and the thread of each line, on two streams.
func TestPrintPrefix(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	dev := unchecked(t, gridstride.Output(&out), gridstride.PrintThreads())
	k := load[*PrintSomeKernel](t)(LoadPrintSome(dev))
	count := suitetest.OnDevice(t, dev, make([]int32, 2))
	other := dev.NewStream()
	defer other.Close()
	for _, s := range []*gridstride.Stream{dev.Stream(), other} {
		suitetest.Must(t, k.Launch(s, gridstride.Grid(3).Block(33), count, 40))
	}
	suitetest.Must(t, dev.Wait(t.Context()))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	slices.Sort(lines)
	want := []string{"block (0,0,0) thread (0,0,0): 0", "block (1,0,0) thread (7,0,0): 40", "block (2,0,0) thread (14,0,0): 80"}
	want = append(want, want...)
	slices.Sort(want)
	if !slices.Equal(lines, want) {
		t.Errorf("%q\nwant %q", lines, want)
	}
}

// TestPrintOverflow fills the buffer: as many lines come as fit, and it is said how many do not.
// The next launch prints as if nothing had been.
func TestPrintOverflow(t *testing.T) {
	t.Parallel()
	for _, fit := range []int{0, 1, 7, 100} {
		var out bytes.Buffer
		dev := unchecked(t, gridstride.Output(&out), gridstride.PrintBuffer(48*fit+40)) // and a part of one more
		k := load[*PrintSomeKernel](t)(LoadPrintSome(dev))
		count := suitetest.OnDevice(t, dev, make([]int32, 1))
		for _, n := range []int{33 * 7, 1 + fit/2, 33 * 7} {
			out.Reset()
			suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(n).Block(1), count, 1))
			suitetest.Must(t, dev.Stream().Wait(t.Context()))
			text := out.String()
			if n > fit {
				warning := fmt.Sprintf("gridstride: %d calls of gpu.Printf are lost: the buffer has %d bytes between two waits (gridstride.PrintBuffer)\n",
					n-fit, 48*fit+40)
				var ok bool
				if text, ok = strings.CutSuffix(text, warning); !ok {
					t.Errorf("of %d lines %d fit:\n%s\nwant at the end %q", n, fit, text, warning)
				}
			}
			lines := strings.Fields(text)
			slices.Sort(lines)
			if len(lines) != min(n, fit) || len(slices.Compact(lines)) != min(n, fit) {
				t.Errorf("%d of %d lines came, want %d", len(lines), n, min(n, fit))
			}
		}
	}
}

// TestPrintAtEnd waits for nothing: what was printed comes with the device's end.
func TestPrintAtEnd(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	dev, err := gridstride.Open(gridstride.Output(&out))
	suitetest.Must(t, err)
	k := load[*PrintThreadsKernel](t)(LoadPrintThreads(dev))
	s := dev.Stream()
	suitetest.Must(t, k.Launch(s, gridstride.Grid(1).Block(2), 1))
	ran := make(chan struct{})
	suitetest.Must(t, s.LaunchHostFunc(func() { close(ran) }))
	<-ran
	suitetest.Must(t, dev.Close())
	if got := out.String(); got != "block 0 thread 0 round 0\nblock 0 thread 1 round 0\n" {
		t.Errorf("%q", got)
	}
}

// TestPrintAtEvent waits for an event. It expects the lines printed before it, and no line of a
// later kernel that has not run. It runs alone: while a host function blocks, the driver may block
// a goroutine that allocates memory, and that blocks all others.
func TestPrintAtEvent(t *testing.T) {
	var out bytes.Buffer
	dev := unchecked(t, gridstride.Output(&out))
	k := load[*PrintThreadsKernel](t)(LoadPrintThreads(dev))
	s := dev.Stream()
	wants := func(want string) {
		t.Helper()
		if got := out.String(); got != want {
			t.Errorf("%q\nwant %q", got, want)
		}
		out.Reset()
	}
	suitetest.Must(t, k.Launch(s, gridstride.Grid(1).Block(1), 2))
	before := s.Record()
	gate := make(chan struct{})
	suitetest.Must(t, s.LaunchHostFunc(func() { <-gate }))
	suitetest.Must(t, k.Launch(s, gridstride.Grid(1).Block(2), 1))
	after := s.Record()
	wants("")
	suitetest.Must(t, before.Wait(t.Context()))
	wants("block 0 thread 0 round 0\nblock 0 thread 0 round 1\n")
	close(gate)
	suitetest.Must(t, after.Wait(t.Context()))
	wants("block 0 thread 0 round 0\nblock 0 thread 1 round 0\n")
	suitetest.Must(t, s.Wait(t.Context()))
	wants("")
}

// TestPrintManyEvents records more events than the reader takes lines at, and waits once.
func TestPrintManyEvents(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	dev := unchecked(t, gridstride.Output(&out))
	k := load[*PrintThreadsKernel](t)(LoadPrintThreads(dev))
	for _, wait := range []func(context.Context) error{dev.Stream().Wait, dev.Wait} {
		const events, rounds = 33, 3
		for range events {
			suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(1).Block(1), rounds))
			dev.Stream().Record()
		}
		suitetest.Must(t, wait(t.Context()))
		want := strings.Repeat("block 0 thread 0 round 0\nblock 0 thread 0 round 1\nblock 0 thread 0 round 2\n", events)
		if got := out.String(); got != want {
			t.Errorf("%d lines, want %d", strings.Count(got, "\n"), events*rounds)
		}
		out.Reset()
	}
}

// slowWriter tells when its first Write begins, and ends it at the end of a context.
type slowWriter struct {
	begun chan struct{}
	end   context.Context
	once  sync.Once
	bytes.Buffer
}

func (w *slowWriter) Write(text []byte) (int, error) {
	w.once.Do(func() {
		close(w.begun)
		<-w.end.Done()
	})
	return w.Buffer.Write(text)
}

// TestPrintSlowly launches and waits while the output blocks another wait: none waits for longer
// than its context, and no line is lost.
func TestPrintSlowly(t *testing.T) {
	t.Parallel()
	end, release := context.WithCancel(t.Context())
	out := slowWriter{begun: make(chan struct{}), end: end}
	dev := unchecked(t, gridstride.Output(&out))
	k := load[*PrintThreadsKernel](t)(LoadPrintThreads(dev))
	s := dev.Stream()
	suitetest.Must(t, k.Launch(s, gridstride.Grid(1).Block(1), 1))
	first := make(chan error)
	go func() { first <- s.Wait(context.Background()) }()
	<-out.begun
	suitetest.Must(t, k.Launch(s, gridstride.Grid(1).Block(2), 1))
	event := s.Record()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for _, wait := range []func(context.Context) error{s.Wait, event.Wait, dev.Wait} {
		if err := wait(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	}
	release()
	suitetest.Must(t, <-first)
	suitetest.Must(t, s.Wait(t.Context()))
	want := "block 0 thread 0 round 0\n"
	want += want + "block 0 thread 1 round 0\n"
	if got := out.String(); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// TestAssertValues looks at the message of a failed assertion.
func TestAssertValues(t *testing.T) {
	t.Parallel()
	assertValues(t, unchecked(t))
}

// TestAssertValuesChecked is the same under the checks.
func TestAssertValuesChecked(t *testing.T) {
	t.Parallel()
	gputest.Expect(t, gputest.Finding{Kind: "failed-check"})
	assertValues(t, gputest.Device(t))
}

func assertValues(t *testing.T, dev *gridstride.Device) {
	k := load[*AssertValuesKernel](t)(LoadAssertValues(dev))
	a := make([]float32, 100)
	a[37] = -0.25
	suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(2).Block(33), suitetest.OnDevice(t, dev, a), 200))
	const want = "assertion failed: element 37 is -0.25, and not at least 0 and below 200"
	var failed *gridstride.KernelError
	if err := dev.Stream().Wait(t.Context()); !errors.As(err, &failed) || failed.Message != want {
		t.Errorf("%v\nwant %q", err, want)
	}
}
