package kernels

import (
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/gputest"
)

// opcodes are the opcodes of a kernel's instructions in a PTX file, in alphabetical order.
func opcodes(t *testing.T, file, kernel string) (list []string) {
	_, body, found := strings.Cut(file, ".visible .entry "+kernel+"(")
	if !found {
		t.Fatalf("no kernel %s", kernel)
	}
	body, _, _ = strings.Cut(body, ".visible .entry")
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if strings.HasSuffix(line, ";") && !strings.HasPrefix(line, ".") {
			if guard, rest, ok := strings.Cut(line, " "); ok && strings.HasPrefix(guard, "@") {
				line = rest
			}
			opcode, _, _ := strings.Cut(line, " ")
			list = append(list, opcode)
		}
	}
	slices.Sort(list)
	return list
}

// TestCostsNothing expects the kernel with package tile to have the instructions of the one
// without, each as often.
func TestCostsNothing(t *testing.T) {
	tiled, byHand := opcodes(t, kernelsPTXsm90a, "Tiled"), opcodes(t, kernelsPTXsm90a, "ByHand")
	if !slices.Contains(byHand, "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16") {
		t.Error("there is no product")
	}
	if !slices.Equal(tiled, byHand) {
		t.Errorf("%q, by hand %q", tiled, byHand)
	}
}

// TestProducts compares both kernels with sums on the host, which are exact.
func TestProducts(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	tiled, err := LoadTiled(dev)
	must(t, err)
	byHand, err := LoadByHand(dev)
	must(t, err)
	const rows, cols, k = side, 2 * side, 3*tile.Depth + 8 // more than there are places
	a, b := make([]gpu.BFloat16, rows*k), make([]gpu.BFloat16, cols*k)
	for i := range a {
		a[i] = gpu.BFloat16Of(float64(i%7 - 3))
	}
	for i := range b {
		b[i] = gpu.BFloat16Of(float64(i%11 - 5))
	}
	want := make([]float32, rows*cols)
	for i := range want {
		for d := range k {
			want[i] += a[i/cols*k+d].Float32() * b[i%cols*k+d].Float32()
		}
	}
	mapA, mapB := matrix(t, dev, a, rows, k), matrix(t, dev, b, cols, k)
	for _, kernel := range []interface {
		Launch(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.TensorMap[gpu.BFloat16], c gridstride.Buffer[float32], k int) error
	}{tiled, byHand} {
		c, err := gridstride.Make[float32](dev, len(want))
		must(t, err)
		must(t, kernel.Launch(dev.Stream(), gridstride.Grid(cols/side, rows/side), mapA, mapB, c, k))
		got, err := c.Read(t.Context(), dev.Stream(), nil)
		must(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("%T is wrong", kernel)
		}
		must(t, c.Free())
	}
}

// matrix is a matrix of k columns on the device, and its map.
func matrix(t *testing.T, dev *gridstride.Device, x []gpu.BFloat16, rows, k int) gridstride.TensorMap[gpu.BFloat16] {
	b, err := gridstride.CopyOf(dev, x)
	must(t, err)
	t.Cleanup(func() { must(t, b.Free()) })
	m, err := b.TensorMap(gridstride.Tensor{Dims: []int{k, rows, 1}, Box: tile.Box[tile.AlongK](side), Swizzle: tile.LineBytes})
	must(t, err)
	return m
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
