package cuda_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/device/cuda/simdriver"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// gpu is a GPU of a simulated driver, with a stream.
type gpu struct {
	*cuda.Context
	stream cuda.Stream
}

// gpus returns two GPUs. The first can reach the second.
func gpus(t *testing.T) (first, second gpu) {
	t.Helper()
	d, err := simdriver.Open(simdriver.Config{Devices: 2, Version: 13000, Memory: 1 << 20})
	must(t, err)
	for i, g := range []*gpu{&first, &second} {
		g.Context, err = d.Retain(i)
		must(t, err)
		g.stream, err = g.NewStream()
		must(t, err)
		t.Cleanup(func() {
			must(t, g.DestroyStream(g.stream))
			must(t, g.Release())
		})
	}
	return first, second
}

// memory is memory with a copy of host.
func (g gpu) memory(t *testing.T, host []byte) cuda.DevicePtr {
	t.Helper()
	p, err := g.Alloc(int64(len(host)))
	must(t, err)
	t.Cleanup(func() { must(t, g.Free(p)) })
	must(t, g.CopyIn(p, host, g.stream))
	must(t, g.WaitStream(t.Context(), g.stream))
	return p
}

// read is n bytes of memory.
func (g gpu) read(t *testing.T, p cuda.DevicePtr, n int) []byte {
	t.Helper()
	host := make([]byte, n)
	must(t, g.CopyOut(host, p, g.stream))
	must(t, g.WaitStream(t.Context(), g.stream))
	return host
}

// TestHostFuncs: functions are called in the order of their stream, between its copies.
func TestHostFuncs(t *testing.T) {
	t.Parallel()
	g, _ := gpus(t)
	p := g.memory(t, make([]byte, 4))
	pinned, err := g.AllocHost(4)
	must(t, err)
	var seen []byte
	for i := range 3 {
		must(t, g.Fill(p, byte(i+1), 4, g.stream))
		must(t, g.CopyOut(pinned, p, g.stream))
		must(t, g.LaunchHostFunc(g.stream, func() { seen = append(seen, pinned[3]) }))
	}
	must(t, g.WaitStream(t.Context(), g.stream))
	if want := []byte{1, 2, 3}; !slices.Equal(seen, want) {
		t.Errorf("the functions see %v, want %v", seen, want)
	}
	must(t, g.FreeHost(pinned))
}

// TestCopyRows: rows are a pitch apart on both sides, and the bytes between them do not change.
func TestCopyRows(t *testing.T) {
	t.Parallel()
	g, _ := gpus(t)
	for _, size := range []struct{ width, rows, from, to int }{{1, 1, 1, 1}, {3, 4, 3, 5}, {31, 3, 33, 31}, {5, 2, 7, 9}, {0, 3, 4, 4}, {3, 0, 4, 4}} {
		src := make([]byte, max(size.rows*size.from, 1))
		for i := range src {
			src[i] = byte(i + 1)
		}
		want := bytes.Repeat([]byte{0xee}, max(size.rows*size.to, 1))
		a, b := g.memory(t, src), g.memory(t, want)
		for i := range size.rows {
			copy(want[i*size.to:][:size.width], src[i*size.from:])
		}
		must(t, g.CopyRows(b, int64(size.to), a, int64(size.from), int64(size.width), int64(size.rows), g.stream))
		if got := g.read(t, b, len(want)); !bytes.Equal(got, want) {
			t.Errorf("%+v: %v, want %v", size, got, want)
		}
	}
}

// TestPeers: the first GPU reaches the second, in each of several calls, and not the other way
// round.
func TestPeers(t *testing.T) {
	t.Parallel()
	first, second := gpus(t)
	for _, c := range []struct {
		from, to gpu
		want     bool
	}{{first, second, true}, {second, first, false}} {
		can, err := c.from.Driver().CanReach(c.from.Device(), c.to.Device())
		must(t, err)
		if can != c.want {
			t.Errorf("GPU %d reaches GPU %d: %v, want %v", c.from.Device(), c.to.Device(), can, c.want)
		}
		for range 2 {
			if err := c.from.Reach(c.to.Context); (err == nil) != c.want {
				t.Errorf("reaching GPU %d from GPU %d: %v", c.to.Device(), c.from.Device(), err)
			}
		}
	}
	a, b := first.memory(t, []byte{1, 2, 3}), second.memory(t, make([]byte, 3))
	must(t, first.CopyPeer(second.Context, b, first.Context, a, 3, first.stream))
	must(t, first.WaitStream(t.Context(), first.stream))
	if got := second.read(t, b, 3); !bytes.Equal(got, []byte{1, 2, 3}) {
		t.Errorf("a copy to the other GPU is %v", got)
	}
}
