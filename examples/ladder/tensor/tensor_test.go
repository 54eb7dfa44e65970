package tensor_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride"
	ladder "github.com/gridstride/gridstride/examples/ladder/tensor"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/machine/sim/tensor"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// matrix makes one on the device.
func matrix[T gpu.BFloat16 | float32](t testing.TB, dev *gridstride.Device, rows, cols int, host []T) ladder.Matrix[T] {
	t.Helper()
	b, err := gridstride.CopyOf(dev, host)
	must(t, err)
	return ladder.Matrix[T]{Rows: rows, Cols: cols, Data: b}
}

// random is numbers of normal distribution.
func random(r *rand.Rand, n int) []gpu.BFloat16 {
	x := make([]gpu.BFloat16, n)
	for i := range x {
		x[i] = gpu.BFloat16Of(r.NormFloat64())
	}
	return x
}

// multiply is the product of an m by n matrix and the rows of an l by n one. C is NaN before, so
// that an unwritten element shows, and the buffer of C goes on after it, so that a write outside
// shows.
func multiply(t testing.TB, dev *gridstride.Device, v ladder.Variant, m, n, l int, hostA, hostB []gpu.BFloat16) []float32 {
	t.Helper()
	const behind = 300
	before := make([]float32, m*l+behind)
	for i := range before {
		before[i] = float32(math.NaN())
	}
	plan, err := ladder.NewPlan(dev, v)
	must(t, err)
	a, b, whole := matrix(t, dev, m, n, hostA), matrix(t, dev, l, n, hostB), matrix(t, dev, 1, len(before), before)
	s := dev.Stream()
	must(t, plan.Launch(s, a, b, ladder.Matrix[float32]{Rows: m, Cols: l, Data: whole.Data.Slice(0, m*l)}))
	c, err := whole.Data.Read(t.Context(), s, nil)
	must(t, err)
	for i, x := range c[m*l:] {
		if x == x {
			t.Errorf("%s, %dx%d by %dx%d: element %d behind C was written", v.Name, m, n, l, n, i)
		}
	}
	must(t, errors.Join(a.Data.Free(), b.Data.Free(), whole.Data.Free()))
	return c[:m*l]
}

// wgmma are the variants whose products are of warpgroups.
var wgmma = map[string]bool{"warpgroups": true, "roles": true, "clusters": true, "persistent": true, "stores": true}

// dot adds two rows' products like the tensor cores of an H200, 16 at a time.
func dot(v ladder.Variant, x, y []gpu.BFloat16) float32 {
	op := tensor.MMA
	if wgmma[v.Name] {
		op = tensor.WGMMA
	}
	unit := tensor.UnitFor(op, 90, tensor.BF16, tensor.BF16, tensor.F32, 16)
	sum := uint32(0)
	for k := 0; k < len(x); k += 16 {
		var a, b [16]uint32
		for i := range min(16, len(x)-k) {
			a[i], b[i] = uint32(x[k+i].Bits()), uint32(y[k+i].Bits())
		}
		sum = unit.Dot(a[:], b[:], sum)
	}
	return math.Float32frombits(sum)
}

// compare holds a variant's products to the model of tensor cores, bit for bit.
func compare(t *testing.T, dev *gridstride.Device, v ladder.Variant, m, n, l int) {
	t.Helper()
	if v.AlignedC {
		l = (l + 3) / 4 * 4
	}
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	a, b := random(r, m*n), random(r, l*n)
	for i, got := range multiply(t, dev, v, m, n, l, a, b) {
		row, col := i/l, i%l
		if want := dot(v, a[row*n:][:n], b[col*n:][:n]); got != want {
			t.Fatalf("%s, %dx%d by %dx%d: the element at row %d, column %d is %v, want %v", v.Name, m, n, l, n, row, col, got, want)
		}
	}
}

// plain is a device without checks, on a GPU if requested.
func plain(t *testing.T) *gridstride.Device {
	t.Helper()
	dev, err := gridstride.Open()
	must(t, err)
	t.Cleanup(func() { must(t, dev.Close()) })
	if c := dev.Info().Capability; c != "" && c != "9.0" {
		t.Skipf("there is no model of the tensor cores of %s", c)
	}
	return dev
}

// TestVariants multiplies matrices whose sizes are around the edges of the tiles, with more rounds
// than places, and more tiles than blocks run at once on a device of two.
func TestVariants(t *testing.T) {
	t.Parallel()
	for _, v := range ladder.Variants() {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			dev := plain(t)
			for _, size := range [][3]int{{0, 8, 5}, {5, 8, 0}, {3, 0, 2}, {1, 8, 1}, {31, 72, 33}, {257, 264, 3}} {
				compare(t, dev, v, size[0], size[1], size[2])
			}
		})
	}
	t.Run("unaligned", func(t *testing.T) {
		t.Parallel()
		compare(t, plain(t), ladder.Variants()[0], 33, 31, 35)
	})
}

// TestChecked has each variant fill its places, and the first of them again, under all checks.
func TestChecked(t *testing.T) {
	t.Parallel()
	for _, v := range ladder.Variants() {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			rounds := map[string]int{"shared": 1, "double": 2, "stages": 3, "tma": 3, "warpgroups": 3, "roles": 4, "clusters": 4, "persistent": 4,
				"stores": 4}
			compare(t, gputest.Device(t), v, 17, rounds[v.Name]*64+8, 9)
		})
	}
}
