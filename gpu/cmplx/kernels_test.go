package cmplx_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu/cmplx"
	"github.com/gridstride/gridstride/gpu/cmplx/internal/kernels"
)

// points are complex numbers of all parts that are special, and random ones.
func points[C cmplx.Complex]() (z, w []C) {
	special := []float64{0, math.Copysign(0, -1), 1, -0.5, 30, 711, 1e-310, 1e300, math.Inf(1), math.Inf(-1), math.NaN()}
	r := rand.New(rand.NewPCG(1, 2))
	for _, x := range special {
		for _, y := range special {
			z = append(z, C(complex(x, y)), C(complex(4*r.NormFloat64(), 4*r.NormFloat64())))
		}
	}
	for range z {
		w = append(w, z[r.IntN(len(z))])
	}
	return z, w
}

// same reports whether two numbers have the same bits, or are both NaN: its sign is not defined.
func same(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
}

// compare launches a kernel and compares its results with the host's.
func compare[C cmplx.Complex](t *testing.T, launch func(dev *gridstride.Device, z, w gridstride.Buffer[C], out gridstride.Buffer[[kernels.Results]C]) error) {
	t.Helper()
	dev, err := gridstride.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	hostZ, hostW := points[C]()
	z, err := gridstride.CopyOf(dev, hostZ)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Free()
	w, err := gridstride.CopyOf(dev, hostW)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Free()
	out, err := gridstride.Make[[kernels.Results]C](dev, len(hostZ))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Free()
	if err := launch(dev, z, w, out); err != nil {
		t.Fatal(err)
	}
	got, err := out.Read(t.Context(), dev.Stream(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		for f, want := range kernels.Of(hostZ[i], hostW[i]) {
			g, h := complex128(got[i][f]), complex128(want)
			if !same(real(g), real(h)) || !same(imag(g), imag(h)) {
				t.Errorf("function %d of %v and %v is %v, on the host %v", f, hostZ[i], hostW[i], g, h)
			}
		}
	}
}

// TestComplex64 compares a kernel with the host, bit for bit.
func TestComplex64(t *testing.T) {
	t.Parallel()
	compare(t, func(dev *gridstride.Device, z, w gridstride.Buffer[complex64], out gridstride.Buffer[[kernels.Results]complex64]) error {
		k, err := kernels.LoadOwn[complex64](dev)
		if err != nil {
			return err
		}
		return k.Launch(dev.Stream(), gridstride.Grid(3).Block(33), z, w, out)
	})
}

// TestStandard is the same for complex128, by the names of math/cmplx.
func TestStandard(t *testing.T) {
	t.Parallel()
	compare(t, func(dev *gridstride.Device, z, w gridstride.Buffer[complex128], out gridstride.Buffer[[kernels.Results]complex128]) error {
		k, err := kernels.LoadStandard(dev)
		if err != nil {
			return err
		}
		return k.Launch(dev.Stream(), gridstride.Grid(3).Block(33), z, w, out)
	})
}
