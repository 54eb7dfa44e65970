package collective_test

import (
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective/internal/kernels"
	"github.com/gridstride/gridstride/gpu/onhost"
)

// TestOnHost runs the kernels of the comments as the Go functions that they are: collectives are
// made of barriers, shuffles and shared memory, and package onhost gives all of them the meaning
// that they have on a device.
func TestOnHost(t *testing.T) {
	launch := func(cfg gridstride.Config, kernel func()) {
		t.Helper()
		if err := onhost.Launch(t.Context(), cfg, kernel); err != nil {
			t.Fatal(err)
		}
	}
	a, sums := make([]float32, 1000), make([]float32, 3)
	for i := range a {
		a[i] = 1
	}
	launch(gridstride.Grid(3).Block(256), func() { kernels.Sum(a, sums) })
	if want := []float32{488, 256, 256}; !slices.Equal(sums, want) {
		t.Errorf("Sum gives %v, want %v", sums, want)
	}

	in, out, count := []int32{3, -1, 0, 4, -1, 5, 9}, make([]int32, 7), make([]int32, 1)
	launch(gridstride.Grid(1).Block(256), func() { kernels.Positive(in, out, count) })
	if want := []int32{3, 4, 5, 9}; !slices.Equal(out[:count[0]], want) {
		t.Errorf("Positive gives %v, want %v", out[:count[0]], want)
	}

	const columns = 301
	matrix := make([]float32, 2*columns)
	for i := range matrix {
		matrix[i] = float32(i * 7919 % 1009)
	}
	want := slices.Clone(matrix)
	slices.Sort(want[:columns])
	slices.Sort(want[columns:])
	launch(gridstride.Grid(2).Block(256), func() { kernels.Rows(matrix, columns) })
	if !slices.Equal(matrix, want) {
		t.Errorf("Rows gives %v, want %v", matrix, want)
	}

	text, letters := []byte("a barrier in a branch"), make([]uint32, 256)
	launch(gridstride.Grid(1).Block(256), func() { kernels.Letters(text, letters) })
	if letters['a'] != 4 || letters['r'] != 4 || letters['z'] != 0 {
		t.Errorf("Letters counts %d times a, %d times r and %d times z", letters['a'], letters['r'], letters['z'])
	}

	points, at := make([]gpu.Float32x2, 700), make([]int32, 3)
	for i := range points {
		points[i] = gpu.Float32x2{X: float32(i * 389 % 701)}
	}
	launch(gridstride.Grid(1).Block(256), func() { kernels.Farthest(points, 3, at) })
	for i, p := range at {
		if got := points[p].X; got != float32(700-i) {
			t.Errorf("Farthest gives point %d at %v", p, got)
		}
	}
}
