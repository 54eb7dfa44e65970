package along

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/library/kernels/kerneltest"
	ktile "github.com/gridstride/gridstride/internal/library/kernels/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
	"github.com/gridstride/gridstride/internal/machine/sim/tensor"
)

// problem is products of a batch. B is along k if it is deep, and otherwise across.
type problem struct {
	deepB       bool
	shape       warpgroups.Shape
	sharedB     bool
	alpha, beta float32
}

// problems have edges in each direction, more rounds than places, more tiles than clusters,
// batches, and rows of C that begin at multiples of 16 bytes and anywhere.
var problems = map[string]problem{
	"along":   {true, warpgroups.Shape{M: 33, N: 20, K: 4*32 + 7, Count: 1, RowC: 20}, false, -1, 0},
	"whole":   {false, warpgroups.Shape{M: 256, N: 256, K: 64, Count: 1, RowC: 256}, false, 1, 0},
	"long":    {false, warpgroups.Shape{M: 40, N: 9, K: 5*32 + 7, Count: 1, RowC: 12}, false, 2, 0},
	"several": {false, warpgroups.Shape{M: 66, N: 257, K: 20, Count: 1, RowC: 260}, false, -1, 0.5},
	"boxes":   {false, warpgroups.Shape{M: 68, N: 20, K: 4, Count: 2, RowC: 24, BatchC: 70 * 24}, false, 3, 0},
	"batch":   {false, warpgroups.Shape{M: 31, N: 33, K: 15, Count: 2, RowC: 33, BatchC: 33*31 + 1}, true, 1, 1},
}

// normal is random numbers in number lines of a multiple of 16 bytes.
func normal(r *rand.Rand, number, length int) (x []float32, row int) {
	row = (length + 3) / 4 * 4
	x = make([]float32, number*row)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x, row
}

// dot adds products like the tensor cores of an H200, 8 at a time.
func dot(x, y []float32) float32 {
	unit := tensor.UnitFor(tensor.WGMMA, 90, tensor.TF32, tensor.TF32, tensor.F32, 8)
	sum := uint32(0)
	for ; len(x) > 0; x, y = x[8:], y[8:] {
		var a, b [8]uint32
		for i := range a {
			a[i], b[i] = nearest(x[i]), nearest(y[i])
		}
		sum = unit.Dot(a[:], b[:], sum)
	}
	return math.Float32frombits(sum)
}

// nearest is the bits of the TF32 nearest to x, as copies round it.
func nearest(x float32) uint32 {
	b := math.Float32bits(x)
	return (b + 0xfff + b>>13&1) &^ 0x1fff
}

// solve compares products with the model of tensor cores, bit for bit, and the memory between the
// rows of C with its former contents.
func solve(t *testing.T, p problem) {
	dev := gputest.Device(t)
	plan, err := LoadTF32(dev)
	kerneltest.Must(t, err)
	r, s := rand.New(rand.NewPCG(1, 2)), &p.shape
	a, rowA := normal(r, s.M*s.Count, s.K)
	linesB, lengthB := s.K, s.N
	if p.deepB {
		linesB, lengthB = s.N, s.K
	}
	b, rowB := normal(r, linesB*s.Count, lengthB)
	c := make([]float32, max(s.BatchC, s.M*s.RowC)*s.Count)
	for i := range c {
		c[i] = float32(i)
	}
	factor := func(x []float32, row, batch int) Factor[gpu.TF32] {
		buffer, err := gridstride.CopyOf(dev, x)
		kerneltest.Must(t, err)
		t.Cleanup(func() { kerneltest.Must(t, buffer.Free()) })
		data, err := gridstride.Cast[gpu.TF32](buffer)
		kerneltest.Must(t, err)
		return Factor[gpu.TF32]{Data: data, Row: row, Batch: batch}
	}
	left, right := factor(a, rowA, s.M*rowA), factor(b, rowB, linesB*rowB)
	if p.sharedB {
		right.Batch = 0
	}
	z, err := gridstride.CopyOf(dev, c)
	kerneltest.Must(t, err)
	oneCluster := gridstride.Grid(warpgroups.Cluster) // which takes all tiles
	launch := plan.turnedOn
	if p.deepB {
		launch = plan.launchOn
	}
	kerneltest.Must(t, launch(dev.Stream(), oneCluster, left, right, z, *s, p.alpha, p.beta))
	got, err := z.Read(t.Context(), dev.Stream(), nil)
	kerneltest.Must(t, err)
	kerneltest.Must(t, z.Free())
	x, y := make([]float32, (s.K+7)/8*8), make([]float32, (s.K+7)/8*8)
	for i := range s.Count * s.M * s.N {
		batch, row, col := i/(s.M*s.N), i/s.N%s.M, i%s.N
		for k := range s.K {
			line, at := k, col
			if p.deepB {
				line, at = col, k
			}
			x[k], y[k] = a[batch*left.Batch+row*rowA+k], b[batch*right.Batch+line*rowB+at]
		}
		at := batch*s.BatchC + row*s.RowC + col
		c[at] = ktile.Scaled(p.alpha, dot(x, y), p.beta, c[at])
	}
	for i := range c {
		if got[i] != c[i] {
			t.Fatalf("element %d is %v, want %v", i, got[i], c[i])
		}
	}
}

func TestTF32(t *testing.T) {
	t.Parallel()
	for name, p := range problems {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			solve(t, p)
		})
	}
}
