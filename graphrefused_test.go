package gridstride_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride"
)

// TestCaptureRefused makes calls in a capture that no graph can hold: the call says so, and the
// capture does, though the function returns no error. The stream works as before.
func TestCaptureRefused(t *testing.T) {
	w := newGraphWork(t)
	b, other := w.filled(10), w.dev.NewStream()
	outside := other.Record()
	var old *gridstride.Event
	_, err := w.s.Capture(func(s *gridstride.Stream) error { old = s.Record(); return nil })
	must(t, err)
	for name, call := range map[string]func(s *gridstride.Stream) error{
		"wait":    func(s *gridstride.Stream) error { return s.Wait(t.Context()) },
		"read":    func(s *gridstride.Stream) error { _, err := b.Read(t.Context(), s, nil); return err },
		"native":  func(s *gridstride.Stream) error { return s.Native(func(uintptr) error { return nil }) },
		"outside": func(s *gridstride.Stream) error { return s.After(outside) },
	} {
		var inner error
		_, err := w.s.Capture(func(s *gridstride.Stream) error {
			must(t, w.scale(b, 2)(s))
			inner = call(s)
			return nil
		})
		if !errors.Is(inner, gridstride.ErrCapture) || !errors.Is(err, gridstride.ErrCapture) {
			t.Errorf("%s: %v, and the capture: %v", name, inner, err)
		}
	}
	for name, call := range map[string]func(s *gridstride.Stream) error{
		"event's wait":   func(s *gridstride.Stream) error { return s.Record().Wait(t.Context()) },
		"event done":     func(s *gridstride.Stream) error { _, err := s.Record().Done(); return err },
		"old event":      func(s *gridstride.Stream) error { return other.After(old) },
		"old event here": func(s *gridstride.Stream) error { return s.After(old) },
		"twice": func(s *gridstride.Stream) error {
			_, err := s.Capture(func(*gridstride.Stream) error { return nil })
			return err
		},
	} {
		_, err := w.s.Capture(call)
		wantKind(t, err, gridstride.ErrCapture)
		if err == nil {
			t.Error(name)
		}
	}
	must(t, w.scale(b, 2)(w.s))
	w.want(b, 2)
}

// TestCaptureUnjoined leaves another stream's work without an order to the end of the capture.
func TestCaptureUnjoined(t *testing.T) {
	w := newGraphWork(t)
	b, other := w.filled(10), w.dev.NewStream()
	_, err := w.s.Capture(func(s *gridstride.Stream) error {
		return errors.Join(w.scale(b, 2)(s), other.After(s.Record()), w.scale(b, 2)(other))
	})
	wantKind(t, err, gridstride.ErrCapture)
	if err == nil || !strings.Contains(err.Error(), "does not wait for the launch of scale at graph_test.go:") {
		t.Error(err)
	}
	must(t, w.scale(b, 3)(other))
	must(t, other.Wait(t.Context()))
	w.want(b, 3)
}

// TestCaptureAbandoned ends captures by an error, a panic and the end of the goroutine.
func TestCaptureAbandoned(t *testing.T) {
	w := newGraphWork(t)
	b, other := w.filled(10), w.dev.NewStream()
	mine := errors.New("mine")
	if _, err := w.s.Capture(func(s *gridstride.Stream) error { return mine }); err != mine {
		t.Error(err)
	}
	var wg sync.WaitGroup
	for _, end := range []func(){func() { panic(mine) }, runtime.Goexit} {
		wg.Go(func() {
			defer func() { _ = recover() }()
			_, err := w.s.Capture(func(s *gridstride.Stream) error {
				must(t, errors.Join(w.scale(b, 2)(s), other.After(s.Record())))
				end()
				return nil
			})
			t.Errorf("the capture returned %v", err)
		})
		wg.Wait()
		must(t, w.scale(b, 2)(w.s))
		must(t, w.scale(b, 1)(other))
		must(t, other.Wait(t.Context()))
	}
	w.want(b, 4)
}

// TestGraphKeeps frees what graphs use: memory that the capture itself has freed is the graph's. A
// launch is refused when the program has freed a buffer later.
func TestGraphKeeps(t *testing.T) {
	w := newGraphWork(t)
	b := w.filled(100)
	x := w.instantiate(w.s.Capture(func(s *gridstride.Stream) error {
		work, err := gridstride.Make[float32](w.dev, 100)
		return errors.Join(err, work.Fill(s, 5), gridstride.Copy(s, b, work), work.Free())
	}))
	for i := range 50 {
		must(t, b.Zero(w.s))
		must(t, x.Launch(w.s))
		taken := w.filled(100 + i) // which must not get the working memory
		w.want(b, 5)
		w.want(taken, 1)
		must(t, taken.Free())
	}
	var made gridstride.Buffer[float32]
	g, err := w.s.Capture(func(s *gridstride.Stream) error {
		made = w.filled(7)
		return w.scale(made, 2)(s)
	})
	must(t, err)
	y, err := g.Instantiate()
	must(t, err)
	must(t, y.Launch(w.s))
	must(t, made.Free())
	err = y.Launch(w.s)
	wantKind(t, err, gridstride.ErrFreed)
	if !strings.Contains(err.Error(), "launch of a graph: the buffer made at ") || !strings.Contains(err.Error(), "was freed at graphrefused_test.go:") {
		t.Error(err)
	}
	_, err = g.Instantiate()
	wantKind(t, err, gridstride.ErrFreed)
	wantKind(t, x.Update(g), gridstride.ErrFreed)
	must(t, y.Close())
	must(t, y.Close())
	wantError(t, y.Launch(w.s), gridstride.ErrClosed, "launch of a graph: it is closed")
	must(t, g.Close())
	_, err = g.Instantiate()
	wantKind(t, err, gridstride.ErrClosed)
	_, err = g.Add(w.scale(b, 1))
	wantKind(t, err, gridstride.ErrClosed)
	must(t, w.s.Wait(t.Context()))
}

// TestGraphClosedModule closes the module of a graph's kernel.
func TestGraphClosedModule(t *testing.T) {
	w := newGraphWork(t)
	m, err := w.dev.Load("kernels.ptx", kernels)
	must(t, err)
	k, err := m.Kernel("scale")
	must(t, err)
	b := w.filled(10)
	x := w.instantiate(w.s.Capture(func(s *gridstride.Stream) error { return k.Launch(s, gridstride.Grid(1).Block(32), b, float32(2)) }))
	must(t, x.Launch(w.s))
	must(t, m.Close())
	wantKind(t, x.Launch(w.s), gridstride.ErrClosed)
	w.want(b, 2)
}

// TestGraphWrongDevice mixes devices and graphs.
func TestGraphWrongDevice(t *testing.T) {
	w, o := newGraphWork(t), newGraphWork(t)
	b, ob := w.filled(10), o.filled(10)
	g, err := w.s.Capture(w.scale(b, 2))
	must(t, err)
	defer g.Close()
	x, err := g.Instantiate()
	must(t, err)
	defer x.Close()
	og := gridstride.NewGraph(o.dev)
	on, err := og.Add(o.scale(ob, 2))
	must(t, err)
	wantKind(t, x.Launch(o.s), gridstride.ErrWrongDevice)
	wantKind(t, x.Launch(nil), gridstride.ErrArgument)
	wantKind(t, x.Update(og), gridstride.ErrWrongDevice)
	wantKind(t, x.Update(nil), gridstride.ErrWrongDevice)
	wantKind(t, x.Set(on, w.scale(b, 2)), gridstride.ErrArgument)
	_, err = g.AddGraph(og)
	wantKind(t, err, gridstride.ErrWrongDevice)
	_, err = g.Add(w.scale(b, 2), on)
	wantKind(t, err, gridstride.ErrArgument)
	_, err = g.Add(w.scale(b, 2), nil)
	wantKind(t, err, gridstride.ErrArgument)
	_, err = w.s.Capture(func(s *gridstride.Stream) error { return gridstride.Copy(s, b, ob) })
	wantKind(t, err, gridstride.ErrCapture)
	_, err = w.s.Capture(func(s *gridstride.Stream) error { return o.s.After(s.Record()) })
	wantKind(t, err, gridstride.ErrCapture)
	_, err = (*gridstride.Stream)(nil).Capture(w.scale(b, 2))
	wantKind(t, err, gridstride.ErrArgument)
	must(t, og.Close())
}

// TestGraphClosed closes streams and devices while graphs are made and run.
func TestGraphClosed(t *testing.T) {
	w := newGraphWork(t)
	b, s := w.filled(10), w.dev.NewStream()
	_, err := s.Capture(func(s *gridstride.Stream) error { return errors.Join(w.scale(b, 2)(s), s.Close(), w.scale(b, 2)(s)) })
	wantKind(t, err, gridstride.ErrClosed)
	_, err = s.Capture(w.scale(b, 2))
	wantKind(t, err, gridstride.ErrClosed)

	g, err := w.s.Capture(w.scale(b, 2))
	must(t, err)
	x, err := g.Instantiate()
	must(t, err)
	var wg sync.WaitGroup
	for range 8 { // launches and a Close by turns
		wg.Go(func() {
			for range 50 {
				if err := x.Launch(w.s); err != nil && !errors.Is(err, gridstride.ErrClosed) {
					t.Error(err)
				}
			}
		})
	}
	must(t, x.Close())
	wg.Wait()
	must(t, w.s.Wait(t.Context()))

	dev, err := gridstride.Open()
	must(t, err)
	o := &graphWork{t, dev, dev.NewStream(), kernel(t, dev, "scale")}
	ob := o.filled(10)
	og, err := o.s.Capture(o.scale(ob, 2))
	must(t, err)
	ox, err := og.Instantiate()
	must(t, err)
	must(t, ox.Launch(o.s))
	must(t, ob.Free())
	_, err = o.s.Capture(func(s *gridstride.Stream) error { return dev.Close() })
	if err != nil && !errors.Is(err, gridstride.ErrClosed) {
		t.Error(err)
	}
	wantKind(t, ox.Launch(o.s), gridstride.ErrClosed)
	wantKind(t, ox.Update(og), gridstride.ErrClosed)
	_, err = og.Instantiate()
	wantKind(t, err, gridstride.ErrClosed)
	_, err = og.Add(o.scale(ob, 2))
	wantKind(t, err, gridstride.ErrClosed)
	must(t, errors.Join(ox.Close(), og.Close()))
}

// TestGraphGarbage makes graphs and forgets them: their memory comes back.
func TestGraphGarbage(t *testing.T) {
	dev := open(t, gridstride.SimMemory(64<<20))
	w := &graphWork{t, dev, dev.NewStream(), kernel(t, dev, "scale")}
	for i := range 200 { // of 1 MiB each, on a device of 64
		b, err := gridstride.Make[float32](dev, 1<<18)
		if errors.Is(err, gridstride.ErrOutOfMemory) {
			runtime.GC()
			for range 1000 {
				runtime.Gosched()
			}
			continue
		}
		must(t, err)
		x, err := func() (*gridstride.GraphExec, error) {
			g, err := w.s.Capture(func(s *gridstride.Stream) error { return b.Zero(s) })
			must(t, err)
			return g.Instantiate()
		}()
		must(t, err)
		must(t, x.Launch(w.s))
		must(t, w.s.Wait(t.Context()))
		must(t, b.Free())
		if i == 199 {
			t.Log(fmt.Sprint(dev.Usage()))
		}
	}
}
