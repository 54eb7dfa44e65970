package gridstride_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride"
)

// graphWork makes the work of tests of graphs: a kernel that multiplies a buffer.
type graphWork struct {
	*testing.T
	dev *gridstride.Device
	s   *gridstride.Stream
	k   *gridstride.Kernel
}

func newGraphWork(t *testing.T) *graphWork {
	dev := open(t)
	return &graphWork{t, dev, dev.NewStream(), kernel(t, dev, "scale")}
}

// scale is work that multiplies a buffer.
func (w *graphWork) scale(b gridstride.Buffer[float32], by float32) func(*gridstride.Stream) error {
	return func(s *gridstride.Stream) error { return w.k.Launch(s, gridstride.Grid(2).Block(32), b, by) }
}

// filled is a buffer of n elements of 1.
func (w *graphWork) filled(n int) gridstride.Buffer[float32] {
	return copyOf(w, w.dev, slices.Repeat([]float32{1}, n))
}

// want checks that all elements of a buffer are x.
func (w *graphWork) want(b gridstride.Buffer[float32], x float32) {
	w.Helper()
	for i, got := range read(w, w.s, b) {
		if got != x {
			w.Fatalf("element %d is %v, want %v", i, got, x)
		}
	}
}

// instantiate is Instantiate for tests. The graph is closed at once, since the GraphExec does
// not need it.
func (w *graphWork) instantiate(g *gridstride.Graph, err error) *gridstride.GraphExec {
	w.Helper()
	must(w, err)
	x, err := g.Instantiate()
	must(w, err)
	must(w, g.Close())
	w.Cleanup(func() { must(w, x.Close()) })
	return x
}

// TestCapture captures two launches and launches the graph. Nothing runs before. Each launch of the
// graph runs both, on this stream and on another.
func TestCapture(t *testing.T) {
	w := newGraphWork(t)
	for _, n := range []int{1, 33, 1000} {
		b := w.filled(n)
		x := w.instantiate(w.s.Capture(func(s *gridstride.Stream) error {
			return errors.Join(w.scale(b, 2)(s), w.scale(b, 3)(s))
		}))
		w.want(b, 1)
		must(t, x.Launch(w.s))
		w.want(b, 6)
		other := w.dev.NewStream()
		for range 2 {
			must(t, x.Launch(other))
		}
		must(t, w.s.After(other.Record()))
		must(t, x.Launch(w.s))
		w.want(b, 6*6*6*6)
		must(t, other.Close())
	}
}

// TestCaptureJoined forks work to two other streams and joins it.
func TestCaptureJoined(t *testing.T) {
	w := newGraphWork(t)
	a, b, c := w.filled(100), w.filled(77), w.filled(33)
	s2, s3 := w.dev.NewStream(), w.dev.NewStream()
	x := w.instantiate(w.s.Capture(func(s *gridstride.Stream) error {
		must(t, a.Fill(s, 2))
		must(t, s2.After(s.Record()))
		must(t, w.scale(b, 2)(s2))
		must(t, s3.After(s2.Record()))
		must(t, w.scale(c, 5)(s3))
		must(t, w.scale(b, 2)(s2))
		must(t, s2.After(s3.Record()))
		must(t, w.scale(a, 3)(s))
		must(t, s.After(s2.Record()))
		return gridstride.Copy(s, a.Slice(0, 33), c)
	}))
	must(t, w.scale(b, 10)(s2)) // the streams are their own again
	must(t, s2.Wait(t.Context()))
	must(t, s3.Wait(t.Context()))
	for range 2 {
		must(t, x.Launch(w.s))
	}
	w.want(c, 25)
	w.want(b, 160)
	w.want(a.Slice(0, 33), 25)
	w.want(a.Slice(33, 100), 6)
}

// TestGraphNodes makes a diamond of nodes, and a graph of graphs.
func TestGraphNodes(t *testing.T) {
	w := newGraphWork(t)
	a, b := w.filled(40), w.filled(41)
	g := gridstride.NewGraph(w.dev)
	add := func(f func(*gridstride.Stream) error, after ...*gridstride.Node) *gridstride.Node {
		t.Helper()
		n, err := g.Add(f, after...)
		must(t, err)
		return n
	}
	start := add(func(s *gridstride.Stream) error { return errors.Join(a.Fill(s, 1), b.Fill(s, 2)) })
	left := add(w.scale(a, 3), start)
	right := add(w.scale(b, 5), start)
	nothing := add(func(*gridstride.Stream) error { return nil }, left, right)
	end := add(func(s *gridstride.Stream) error { return gridstride.Copy(s, a.Slice(0, 20), b.Slice(0, 20)) }, nothing)
	child, err := w.s.Capture(w.scale(b, 2))
	must(t, err)
	if _, err := g.AddGraph(child, end); err != nil {
		t.Fatal(err)
	}
	if n := len(g.Nodes()); n != 6 {
		t.Errorf("%d nodes, want 6", n)
	}
	if text := left.String(); !strings.HasPrefix(text, "launch of scale at graph_test.go:") {
		t.Errorf("a node is %q", text)
	}
	x := w.instantiate(g, nil)
	for range 3 {
		must(t, x.Launch(w.s))
	}
	w.want(a.Slice(0, 20), 10)
	w.want(a.Slice(20, 40), 3)
	w.want(b, 20)
}

// TestGraphOperations captures every operation there is. They read the host's memory at the
// capture, and pinned memory at each launch.
func TestGraphOperations(t *testing.T) {
	w := newGraphWork(t)
	in, out := pinned[float32](t, w.dev, 33), pinned[float32](t, w.dev, 33)
	b, c := w.filled(33), w.filled(2000)
	odd, err := gridstride.Make[[3]int64](w.dev, 5000)
	must(t, err)
	defer odd.Free()
	array, err := gridstride.MakeArray[float32](w.dev, gridstride.ArrayShape{Width: 33})
	must(t, err)
	defer array.Free()
	host := ramp(2000)
	calls := 0
	x := w.instantiate(w.s.Capture(func(s *gridstride.Stream) error {
		return errors.Join(
			c.Write(t.Context(), s, host), b.WriteAsync(s, in), odd.Fill(s, [3]int64{1, 2, 3}), c.Slice(1, 9).Zero(s),
			w.scale(b, 2)(s), array.CopyFrom(s, b), b.Fill(s, 9), array.CopyTo(s, b), b.ReadAsync(s, out),
			gridstride.CopyMatrix(s, gridstride.Matrix[float32]{Data: c, Rows: 3, Cols: 2, Stride: 100}, gridstride.Matrix[float32]{Data: b, Rows: 3, Cols: 2, Stride: 11}),
			s.LaunchHostFunc(func() { calls++ }),
		)
	}))
	want := ramp(2000)
	clear(want[1:9])
	clear(host)
	for run := range 3 {
		for i := range in.Data() {
			in.Data()[i] = float32(i + run)
		}
		must(t, x.Launch(w.s))
		must(t, w.s.Wait(t.Context()))
		for i, got := range out.Data() {
			if got != float32(2*(i+run)) {
				t.Fatalf("run %d: element %d is %v", run, i, got)
			}
		}
		for row := range 3 {
			copy(want[100*row:], out.Data()[11*row:11*row+2])
		}
		if got := read(t, w.s, c); !slices.Equal(got, want) {
			t.Fatalf("run %d: %v, want %v", run, got, want)
		}
	}
	for i, got := range read(t, w.s, odd) {
		if got != [3]int64{1, 2, 3} {
			t.Fatalf("element %d is filled with %v", i, got)
		}
	}
	if calls != 3 {
		t.Errorf("%d calls of the host, want 3", calls)
	}
}

// TestGraphFault fails a check in a graph: the next wait on the stream of the launch says so, once,
// and no wait on another.
func TestGraphFault(t *testing.T) {
	w := newGraphWork(t)
	check, other := kernel(t, w.dev, "check"), w.dev.NewStream()
	g, err := w.s.Capture(func(s *gridstride.Stream) error {
		return errors.Join(check.Launch(s, gridstride.Grid(1).Block(4), 4), check.Launch(s, gridstride.Grid(1).Block(4), 3))
	})
	must(t, err)
	nodes := g.Nodes()
	x, err := g.Instantiate()
	must(t, err)
	failure := func(s *gridstride.Stream) {
		t.Helper()
		var e *gridstride.KernelError
		if err := s.Wait(t.Context()); !errors.As(err, &e) || e.Kernel != "check" || e.Thread.X != 3 {
			t.Errorf("the wait returns %v", err)
		}
		must(t, s.Wait(t.Context()))
	}
	for _, s := range []*gridstride.Stream{w.s, other, w.s} {
		must(t, x.Launch(s))
		must(t, x.Launch(s))
		failure(s)
	}
	must(t, x.Set(nodes[1], func(s *gridstride.Stream) error { return check.Launch(s, gridstride.Grid(1).Block(4), 9) }))
	must(t, x.Launch(w.s))
	must(t, w.s.Wait(t.Context()))
	must(t, x.Update(g))
	must(t, x.Launch(w.s))
	must(t, x.Close()) // before the wait
	failure(w.s)
	must(t, other.Wait(t.Context()))
}

// TestGraphSet changes arguments: of nodes that are launches, of others, of all by another capture.
func TestGraphSet(t *testing.T) {
	w := newGraphWork(t)
	a, b := w.filled(64), w.filled(65)
	g := gridstride.NewGraph(w.dev)
	both, err := g.Add(func(s *gridstride.Stream) error { return errors.Join(a.Fill(s, 1), w.scale(a, 2)(s)) })
	must(t, err)
	last, err := g.Add(w.scale(a, 10), both)
	must(t, err)
	x, err := g.Instantiate()
	must(t, err)
	must(t, x.Launch(w.s))
	w.want(a, 20)
	must(t, x.Set(last, w.scale(b, 7)))
	must(t, x.Launch(w.s))
	w.want(a, 2)
	w.want(b, 7)
	must(t, x.Set(both, func(s *gridstride.Stream) error { return errors.Join(a.Fill(s, 4), w.scale(a, 0.5)(s)) }))
	must(t, x.Launch(w.s))
	w.want(a, 2)
	w.want(b, 49)
	again, err := w.s.Capture(func(s *gridstride.Stream) error {
		return errors.Join(b.Fill(s, 3), w.scale(b, 3)(s), w.scale(b, 3)(s))
	})
	must(t, err)
	must(t, x.Update(again))
	must(t, x.Launch(w.s))
	w.want(b, 27)
	w.want(a, 2)
	larger, err := w.s.Capture(func(s *gridstride.Stream) error {
		return errors.Join(w.scale(a, 5)(s), w.scale(a, 5)(s), b.Zero(s), w.scale(a, 5)(s), a.Slice(0, 1).Write(t.Context(), s, []float32{250}))
	})
	must(t, err)
	must(t, x.Update(larger))
	must(t, x.Launch(w.s))
	w.want(a, 250)
	w.want(b, 0)

	wantError(t, x.Set(last, w.scale(a, 1)), gridstride.ErrArgument, "set: the node is not one of what was instantiated")
	wantError(t, x.Set(nil, w.scale(a, 1)), gridstride.ErrArgument, "set: the node is not one of what was instantiated")
	first := larger.Nodes()[0]
	wantKind(t, x.Set(first, func(s *gridstride.Stream) error { return a.Zero(s) }), gridstride.ErrCapture)
	wantKind(t, x.Set(first, func(s *gridstride.Stream) error { return nil }), gridstride.ErrCapture)
	wantKind(t, x.Set(first, func(s *gridstride.Stream) error { return s.Wait(t.Context()) }), gridstride.ErrCapture)
	wantKind(t, x.Set(first, func(s *gridstride.Stream) error {
		return kernel(t, w.dev, "nothing").Launch(s, gridstride.Grid(1).Block(1))
	}), gridstride.ErrCapture)
	wantKind(t, x.Set(first, func(s *gridstride.Stream) error { return w.k.Launch(s, gridstride.Grid(1).Block(32), a, 1) }), gridstride.ErrArgument)
	must(t, x.Launch(w.s))
	w.want(b, 0)
	must(t, x.Close())
	wantError(t, x.Set(first, w.scale(a, 1)), gridstride.ErrClosed, "set: it is closed")
	wantError(t, x.Update(larger), gridstride.ErrClosed, "update: it is closed")
	runtime.KeepAlive(g)
}

// wantKind checks an error's kind.
func wantKind(t testing.TB, err, kind error) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("error %v is no %v", err, kind)
	}
}

// pinned is MakePinned for tests.
func pinned[T any](t testing.TB, dev *gridstride.Device, n int) gridstride.Pinned[T] {
	t.Helper()
	p, err := gridstride.MakePinned[T](dev, n)
	must(t, err)
	t.Cleanup(func() { _ = p.Free() })
	return p
}

// TestManyNodes launches a graph of 1,000 branches of ten nodes each, which all write one buffer.
func TestManyNodes(t *testing.T) {
	w := newGraphWork(t)
	b := w.filled(1000)
	g := gridstride.NewGraph(w.dev)
	for i := range b.Len() {
		var last []*gridstride.Node
		for range 10 {
			n, err := g.Add(w.scale(b.Slice(i, i+1), 2), last...)
			must(t, err)
			last = []*gridstride.Node{n}
		}
	}
	x := w.instantiate(g, nil)
	must(t, x.Launch(w.s))
	w.want(b, 1024)
}

// TestGraphGoroutines has sixteen goroutines capture, launch and change their own graphs, and
// launch a common one.
func TestGraphGoroutines(t *testing.T) {
	w := newGraphWork(t)
	all := w.filled(33)
	shared := w.instantiate(w.s.Capture(w.scale(all, -1)))
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			s := w.dev.NewStream()
			defer s.Close()
			b := copyOf(t, w.dev, []float32{1})
			for i := range 5 {
				g, err := s.Capture(w.scale(b, 2))
				must(t, err)
				x, err := g.Instantiate()
				must(t, err)
				must(t, x.Launch(s))
				must(t, shared.Launch(s))
				must(t, x.Set(g.Nodes()[0], w.scale(b, 3)))
				must(t, x.Launch(s))
				must(t, errors.Join(x.Close(), g.Close()))
				if got := read(t, s, b)[0]; got != 6 {
					t.Errorf("round %d: %v, want 6", i, got)
				}
				must(t, b.Fill(s, 1))
			}
			must(t, s.Wait(t.Context()))
		})
	}
	wg.Wait()
	must(t, shared.Launch(w.s))
	w.want(all, -1)
}
