package parallel

import (
	"errors"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
)

// TestGraph captures calls and launches the graph often, by turns with calls, and on another stream
// at the same time as calls.
func TestGraph(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	s, other := dev.NewStream(), dev.NewStream()
	w, err := New(s)
	must(t, err)
	const n = 9001
	host, want := make([]int32, n), make([]int32, n)
	for i := range host {
		host[i] = int32((i*7919)%1000 - 500)
	}
	copy(want, host)
	slices.Sort(want)
	for i := 1; i < n; i++ {
		want[i] += want[i-1]
	}
	from, err := gridstride.CopyOf(dev, host)
	must(t, err)
	mine, err := gridstride.Make[int32](dev, n)
	must(t, err)
	graphs, err := gridstride.Make[int32](dev, n)
	must(t, err)
	calls := func(x gridstride.Buffer[int32]) func(*gridstride.Stream) error {
		return func(*gridstride.Stream) error {
			return errors.Join(gridstride.Copy(s, x, from), Sort(w, x), InclusiveSum(w, x, x))
		}
	}
	g, err := s.Capture(calls(graphs))
	must(t, err)
	exec, err := g.Instantiate()
	must(t, err)
	for i := range 4 {
		on := []*gridstride.Stream{s, other}[i%2]
		must(t, exec.Launch(on))
		must(t, calls(mine)(s))
		for name, x := range map[string]gridstride.Buffer[int32]{"the graph": graphs, "the calls": mine} {
			from := s
			if name == "the graph" {
				from = on
			}
			got, err := x.Read(t.Context(), from, nil)
			must(t, err)
			if !slices.Equal(got, want) {
				t.Fatalf("launch %d: %s: wrong sums", i, name)
			}
		}
		must(t, errors.Join(mine.Zero(s), graphs.Zero(s), other.After(s.Record())))
	}
	must(t, errors.Join(exec.Close(), g.Close(), w.Close(), from.Free(), mine.Free(), graphs.Free()))
}
