package halves

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/gputest"
	ktile "github.com/gridstride/gridstride/internal/library/kernels/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
	"github.com/gridstride/gridstride/internal/machine/sim/tensor"
)

// must ends the test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// problem is products of a batch.
type problem struct {
	deepA, deepB bool
	shape        warpgroups.Shape
	sharedA      bool
	alpha, beta  float32
}

// problems have each of the layouts, edges in each direction, more rounds than places, more tiles
// than clusters, batches, and rows of C that begin at multiples of 16 bytes and anywhere.
var problems = map[string]problem{
	"whole":   {true, true, warpgroups.Shape{M: 256, N: 256, K: 64, Count: 1, RowC: 256}, false, 1, 0},
	"long":    {true, false, warpgroups.Shape{M: 9, N: 40, K: 4*64 + 7, Count: 1, RowC: 40}, false, 2, 0},
	"several": {false, true, warpgroups.Shape{M: 257, N: 66, K: 40, Count: 1, RowC: 68}, false, -1, 0.5},
	"boxes":   {true, true, warpgroups.Shape{M: 17, N: 68, K: 8, Count: 2, RowC: 72, BatchC: 18 * 72}, false, 3, 0},
	"batch":   {false, false, warpgroups.Shape{M: 33, N: 31, K: 15, Count: 2, RowC: 31, BatchC: 33*31 + 1}, true, 1, 1},
}

// side is a factor of rows of A, or columns of B, on the host.
type side[T any] struct {
	x []T
	f warpgroups.Factor[T]
}

// newSide is random numbers of normal distribution, in lines of a multiple of 16 bytes.
func newSide[T any](r *rand.Rand, number func(x float64) T, rows, k, count int, deep, shared bool) side[T] {
	lines, width := k, rows
	if deep {
		lines, width = rows, k
	}
	s := side[T]{f: warpgroups.Factor[T]{Row: (width + 7) / 8 * 8, Deep: deep}}
	s.f.Batch = s.f.Row * lines
	s.x = make([]T, s.f.Batch*count)
	if shared {
		s.f.Batch = 0
	}
	for i := range s.x {
		s.x[i] = number(r.NormFloat64())
	}
	return s
}

// along is the elements along k of a row of A, or a column of B, with zeros after them.
func (s *side[T]) along(to []T, batch, row, k int) []T {
	clear(to)
	for i := range k {
		at := batch * s.f.Batch
		if s.f.Deep {
			at += row*s.f.Row + i
		} else {
			at += i*s.f.Row + row
		}
		to[i] = s.x[at]
	}
	return to
}

// bits is a number of 16 bits.
type bits interface {
	tile.Half
	Bits() uint16
}

// dot adds products like the tensor cores of an H200, 16 at a time.
func dot[T bits](format tensor.Format, x, y []T) float32 {
	unit := tensor.UnitFor(tensor.WGMMA, 90, format, format, tensor.F32, 16)
	sum := uint32(0)
	for ; len(x) > 0; x, y = x[16:], y[16:] {
		var a, b [16]uint32
		for i := range a {
			a[i], b[i] = uint32(x[i].Bits()), uint32(y[i].Bits())
		}
		sum = unit.Dot(a[:], b[:], sum)
	}
	return math.Float32frombits(sum)
}

// solve compares products with the model of tensor cores, bit for bit, and the memory between the
// rows of C with its former contents.
func solve[T bits](t *testing.T, p problem, format tensor.Format, number func(x float64) T) {
	dev := gputest.Device(t)
	plan, err := NewPlan[T](dev)
	must(t, err)
	oneCluster := gridstride.Grid(warpgroups.Cluster) // which takes all tiles
	r, s := rand.New(rand.NewPCG(1, 2)), &p.shape
	a := newSide(r, number, s.M, s.K, s.Count, p.deepA, p.sharedA)
	b := newSide(r, number, s.N, s.K, s.Count, p.deepB, false)
	c := make([]float32, max(s.BatchC, s.M*s.RowC)*s.Count)
	for i := range c {
		c[i] = float32(i)
	}
	onDevice := func(x []T) gridstride.Buffer[T] {
		buffer, err := gridstride.CopyOf(dev, x)
		must(t, err)
		t.Cleanup(func() { must(t, buffer.Free()) })
		return buffer
	}
	a.f.Data, b.f.Data = onDevice(a.x), onDevice(b.x)
	z, err := gridstride.CopyOf(dev, c)
	must(t, err)
	must(t, plan.launchOn(dev.Stream(), oneCluster, a.f, b.f, z, *s, p.alpha, p.beta))
	got, err := z.Read(t.Context(), dev.Stream(), nil)
	must(t, err)
	must(t, z.Free())
	x, y := make([]T, (s.K+15)/16*16), make([]T, (s.K+15)/16*16)
	for i := range s.Count * s.M * s.N {
		batch, row, col := i/(s.M*s.N), i/s.N%s.M, i%s.N
		at := batch*s.BatchC + row*s.RowC + col
		c[at] = ktile.Scaled(p.alpha, dot(format, a.along(x, batch, row, s.K), b.along(y, batch, col, s.K)), p.beta, c[at])
	}
	for i := range c {
		if got[i] != c[i] {
			t.Fatalf("element %d is %v, want %v", i, got[i], c[i])
		}
	}
}

func TestProduct(t *testing.T) {
	t.Parallel()
	for name, p := range problems {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if p.deepA {
				solve(t, p, tensor.BF16, gpu.BFloat16Of[float64])
			} else {
				solve(t, p, tensor.F16, gpu.Float16Of[float64])
			}
		})
	}
}
