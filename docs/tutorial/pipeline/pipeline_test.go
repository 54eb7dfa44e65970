package pipeline

import (
	"errors"
	"flag"
	"os"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
)

var update = flag.Bool("update", false, "rewrite the finding")

// kernel is the launchers of both kernels.
type kernel interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.TensorMap[gpu.BFloat16], c gridstride.Buffer[float32], n int) error
}

// multiply computes a product of small integers, which is exact, and compares it.
func multiply[K kernel](t *testing.T, dev *gridstride.Device, load func(*gridstride.Device) (K, error)) {
	t.Helper()
	const n = 5 * 64
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	k, err := load(dev)
	must(err)
	x, y := make([]gpu.BFloat16, side*n), make([]gpu.BFloat16, side*n)
	for i := range x {
		x[i], y[i] = gpu.BFloat16Of(float64(i%7-3)), gpu.BFloat16Of(float64(i%5-2))
	}
	a, err := gridstride.CopyOf(dev, x)
	must(err)
	b, err := gridstride.CopyOf(dev, y)
	must(err)
	c, err := gridstride.Make[float32](dev, side*side)
	must(err)
	box := gridstride.Tensor{Dims: []int{n, side, 1}, Box: []int{64, side, 1}, Swizzle: 128}
	mapA, err := a.TensorMap(box)
	must(err)
	mapB, err := b.TensorMap(box)
	must(err)
	must(k.Launch(dev.Stream(), gridstride.Grid(1), mapA, mapB, c, n))
	got, err := c.Read(t.Context(), dev.Stream(), nil)
	must(err)
	for i, sum := range got {
		var want float32
		for j := range n {
			want += x[i/side*n+j].Float32() * y[i%side*n+j].Float32()
		}
		if sum != want {
			t.Fatalf("row %d, column %d: %v, want %v", i/side, i%side, sum, want)
		}
	}
	must(errors.Join(a.Free(), b.Free(), c.Free()))
}

// simulated is a device of the simulator that checks nothing.
func simulated(t *testing.T) *gridstride.Device {
	t.Helper()
	dev, err := gridstride.Open(gridstride.Use("sim"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// TestEarly has the result right, and the bug found all the same: finding.txt is the
// report.
func TestEarly(t *testing.T) {
	t.Parallel()
	if os.Getenv("GRIDSTRIDE_CHECK") == "" {
		multiply(t, simulated(t), LoadEarly)
	}
	gputest.Expect(t, gputest.Finding{Tool: "racecheck", Kind: "race", Cause: "the wait comes too late", At: []string{
		"gpu.CpAsyncBulkTensorMulticast(tile, m, full, blocks, k, row, batch)", "gpu.WGMMA(sum, x, y, add)",
	}})
	multiply(t, gputest.Device(t), LoadEarly)
	got := gputest.Report(t)
	if *update {
		if err := os.WriteFile("finding.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("finding.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the report is\n%s\nfinding.txt has (-update writes it)\n%s", got, want)
	}
}

func TestInTime(t *testing.T) {
	t.Parallel()
	multiply(t, gputest.Device(t), LoadInTime)
}
