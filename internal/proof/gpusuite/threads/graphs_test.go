package threads

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

// TestGraphPrints has kernels print in a graph: the lines come with the wait for the stream that it
// was launched on, whichever that is, and also if the graph is closed before.
func TestGraphPrints(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	dev := unchecked(t, gridstride.Output(&out))
	k := load[*PrintThreadsKernel](t)(LoadPrintThreads(dev))
	s, other := dev.Stream(), dev.NewStream()
	print := func(s *gridstride.Stream) error { return k.Launch(s, gridstride.Grid(1).Block(1), 2) }
	g, err := s.Capture(print)
	suitetest.Must(t, err)
	exec, err := g.Instantiate()
	suitetest.Must(t, err)
	const text = "block 0 thread 0 round 0\nblock 0 thread 0 round 1\n"
	want := func(what string, launches int) {
		t.Helper()
		if got := out.String(); got != strings.Repeat(text, launches) {
			t.Errorf("%s: %q, want %d launches", what, got, launches)
		}
		out.Reset()
	}
	suitetest.Must(t, exec.Launch(s))
	suitetest.Must(t, exec.Launch(s))
	want("before a wait", 0)
	suitetest.Must(t, s.Wait(t.Context()))
	want("two launches", 2)
	suitetest.Must(t, exec.Launch(other))
	suitetest.Must(t, other.Record().Wait(t.Context()))
	want("another stream", 1)
	suitetest.Must(t, errors.Join(print(s), exec.Launch(s), print(s)))
	suitetest.Must(t, s.Wait(t.Context()))
	want("a launch among others", 3)
	for range 40 { // more records of events than there are buffers for lines
		suitetest.Must(t, exec.Launch(s))
		s.Record()
	}
	suitetest.Must(t, s.Wait(t.Context()))
	want("many events", 40)
	suitetest.Must(t, errors.Join(exec.Launch(s), exec.Close(), g.Close()))
	suitetest.Must(t, s.Wait(t.Context()))
	want("closed", 1)
}

// TestGraphMeetOrFail has two branches of a graph with grids that meet, and one fails: the wait
// says so, and the next launch is as if nothing had been.
func TestGraphMeetOrFail(t *testing.T) {
	t.Parallel()
	dev := unchecked(t)
	k := load[*MeetOrFailKernel](t)(LoadMeetOrFail(dev))
	const threads, n = 70, 2 * 70
	s := dev.Stream()
	a, b := suitetest.OnDevice(t, dev, make([]int32, n)), suitetest.OnDevice(t, dev, make([]int32, n))
	meet := func(x gridstride.Buffer[int32], bad int) func(*gridstride.Stream) error {
		return func(s *gridstride.Stream) error {
			return k.Launch(s, gridstride.Grid(n/threads).Block(threads), x, bad)
		}
	}
	g := gridstride.NewGraph(dev)
	_, err1 := g.Add(meet(a, -1))
	second, err2 := g.Add(meet(b, threads+1))
	suitetest.Must(t, errors.Join(err1, err2))
	exec, err := g.Instantiate()
	suitetest.Must(t, err)
	for range 3 {
		suitetest.Must(t, exec.Launch(s))
		var failed *gridstride.KernelError
		if err := s.Wait(t.Context()); !errors.As(err, &failed) || failed.Block.X != 1 || failed.Thread.X != 1 {
			t.Errorf("the wait returns %v", err)
		}
	}
	suitetest.Must(t, exec.Set(second, meet(b, -1)))
	suitetest.Must(t, exec.Launch(s))
	for _, x := range []gridstride.Buffer[int32]{a, b} {
		for i, got := range suitetest.Read(t, dev, x) {
			if int(got) != i {
				t.Fatalf("element %d is %d", i, got)
			}
		}
	}
	suitetest.Must(t, errors.Join(exec.Close(), g.Close()))
}
