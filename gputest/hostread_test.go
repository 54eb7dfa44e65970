package gputest_test

import (
	"context"
	_ "embed"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
)

//go:embed testdata/hostread.go
var hostReadGo string

// pair is the kernel's Pair.
type pair struct {
	A int8
	B int32
	C [2]int16
	D bool
	_ int32
}

// host is a test's host program over the kernels of testdata/hostread.go.
type host struct {
	*testing.T
	dev *gridstride.Device
	m   *gridstride.Module
}

func (h *host) launch(kernel string, threads int, args ...any) {
	h.Helper()
	k, err := h.m.Kernel(kernel)
	must(h, err)
	must(h, k.Launch(h.dev.Stream(), gridstride.Grid((threads+63)/64).Block(min(threads, 64)), args...))
}

func (h *host) buffer(n int) gridstride.Buffer[int32] { return makeOf[int32](h, n) }

func makeOf[T any](h *host, n int) gridstride.Buffer[T] {
	h.Helper()
	b, err := gridstride.Make[T](h.dev, n)
	must(h, err)
	h.Cleanup(func() { must(h, b.Free()) })
	return b
}

func read[T any](h *host, b gridstride.Buffer[T]) {
	h.Helper()
	_, err := b.Read(context.Background(), h.dev.Stream(), nil)
	must(h, err)
}

// TestHostRead reads on the host what kernels and copies have written, and what they have not.
func TestHostRead(t *testing.T) {
	t.Parallel()
	r, err := compile.Compile(compiletest.Source("example.com/hostread", "hostread.go", hostReadGo), compiletest.Importer(t), compile.Options{})
	must(t, err)
	text := r.PTX.String()
	for _, c := range []struct {
		name string
		run  func(h *host)
		want []string // of the report, "" for none: what its findings say
	}{
		{"nothing launched", func(h *host) { read(h, h.buffer(33)) }, []string{
			"global memory that nothing has written, read by the host", "buffer[0]  int32, bytes 0..3 of 132",
			"made   the host   hostread_test.go:", "read   the host   hostread_test.go:",
			"no thread and no copy has written 33 elements (buffer[0..32]) of 33",
		}},
		{"no elements", func(h *host) { read(h, h.buffer(0)) }, nil},
		{"written by the host", func(h *host) {
			b := h.buffer(31)
			must(h, b.Write(h.Context(), h.dev.Stream(), make([]int32, 31)))
			read(h, b)
		}, nil},
		{"filled", func(h *host) {
			b := h.buffer(31)
			must(h, b.Fill(h.dev.Stream(), 7))
			read(h, b)
		}, nil},
		{"grid too small", func(h *host) {
			b := h.buffer(200)
			h.launch("Count", 192, b, -1)
			read(h, b)
		}, []string{
			"kernel Count, grid 3x1x1, block 64x1x1", "out[192]  int32, bytes 768..771 of 800",
			"8 elements (out[192..199]) of 200; Count, which has written others, ran 192 threads", "launched from hostread_test.go:",
		}},
		{"grid large enough", func(h *host) {
			b := h.buffer(200)
			h.launch("Count", 256, b, -1)
			read(h, b)
		}, nil},
		{"what was written of it", func(h *host) {
			b := h.buffer(200)
			h.launch("Count", 192, b, -1)
			read(h, b.Slice(0, 192))
		}, nil},
		{"a view", func(h *host) {
			b := h.buffer(200)
			h.launch("Count", 192, b, -1)
			read(h, b.Slice(190, 199))
		}, []string{"buffer[2]  int32, bytes 8..11 of 36", "7 elements (buffer[2..8]) of 9"}},
		{"pinned", func(h *host) {
			b := h.buffer(3)
			p, err := gridstride.MakePinned[int32](h.dev, 3)
			must(h, err)
			must(h, b.ReadAsync(h.dev.Stream(), p))
			must(h, h.dev.Stream().Wait(h.Context()))
			must(h, p.Free())
		}, []string{"3 elements (buffer[0..2]) of 3", "must(h, b.ReadAsync("}},
		{"copied from shared memory", func(h *host) {
			b := h.buffer(64)
			h.launch("Hole", 64, b, 40)
			read(h, b)
		}, []string{
			"shared memory that nothing has written, copied to what the host reads", "kernel Hole",
			"cache[40]", "read   thread (40,0,0)", "hostread.go:15:", "made   the host  ",
			"no thread and no copy has written cache[40] before it is read; 24 elements (out[40..63]) of 64 that the host reads hold such copies",
		}},
		{"all written in shared memory", func(h *host) {
			b := h.buffer(64)
			h.launch("Hole", 64, b, 64)
			read(h, b)
		}, nil},
		{"the copies overwritten", func(h *host) {
			b := h.buffer(64)
			h.launch("Hole", 64, b, 40)
			h.launch("Count", 64, b, -1)
			read(h, b)
		}, nil},
		{"copied on by a kernel and the device", func(h *host) {
			x, y, z := h.buffer(64), h.buffer(64), h.buffer(64)
			h.launch("Hole", 64, x, 63)
			h.launch("Forward", 64, y, x)
			must(h, gridstride.Copy(h.dev.Stream(), z, y))
			read(h, z)
		}, []string{"kernel Hole", "cache[63]", "1 element (buffer[63]) of 64 that the host reads hold"}},
		{"copied, and used by a kernel", func(h *host) {
			x, y := h.buffer(64), h.buffer(64)
			h.launch("Hole", 64, x, 63)
			h.launch("Triple", 64, y, x)
		}, []string{
			"global memory that nothing has written, used in arithmetic", "kernel Triple",
			"in[63] holds a copy of cache[63], which nothing had written when Hole read it (hostread.go:15)",
		}},
		{"fields of a struct", func(h *host) {
			b := makeOf[pair](h, 31)
			h.launch("Pairs", 31, b)
			read(h, b)
		}, nil},
		{"a struct too few", func(h *host) {
			b := makeOf[pair](h, 31)
			h.launch("Pairs", 30, b.Slice(0, 30))
			read(h, b)
		}, []string{"[30]  gputest_test.pair, bytes 600..612 of 620", "1 element (out[30]) of 31"}},
		{"half of an element", func(h *host) {
			b := h.buffer(4)
			half, err := gridstride.Cast[int16](b.Slice(0, 2))
			must(h, err)
			must(h, half.Slice(0, 3).Fill(h.dev.Stream(), 1))
			read(h, b)
		}, []string{"buffer[1]  int32, bytes 6..7 of 16", "3 elements (buffer[1..3]) of 4"}},
		{"allowed", func(h *host) {
			b := h.buffer(4)
			_, err := b.Read(h.Context(), h.dev.Stream(), nil) //gpu:allow uninitialized the test wants to see poison
			must(h, err)
		}, nil},
		{"behind a race, which is the finding", func(h *host) {
			b := h.buffer(64)
			h.launch("Shares", 64, b)
			read(h, b)
		}, []string{"RACE"}},
		{"behind a failure, which is the finding", func(h *host) {
			b := h.buffer(64)
			h.launch("Count", 64, b, 5)
			if _, err := b.Read(h.Context(), h.dev.Stream(), nil); err == nil {
				h.Error("no error of the kernel")
			}
			read(h, b)
		}, []string{"FAILED CHECK"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := &probe{TB: t}
			h := &host{T: t, dev: gputest.Device(p)}
			m, err := h.dev.Load("hostread.ptx", text)
			must(t, err)
			h.m = m
			c.run(h)
			must(t, h.dev.Stream().Wait(t.Context()))
			got := gputest.Report(p)
			n := strings.Count(got, "\n  seen ") - strings.Count(got, "\n  allow ")
			if c.want != nil && n != 1 || c.want == nil && n+len(p.errors) != 0 {
				t.Errorf("%d findings\n%s", n, got)
			}
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("this is missing: %s\n%s", want, got)
				}
			}
			t.Cleanup(func() { p.end() })
		})
	}
}
