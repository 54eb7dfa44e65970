package rand_test

import (
	_ "embed"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/rand"
	"github.com/gridstride/gridstride/gpu/rand/internal/kernels"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/proof/doctest"
)

// sizes are numbers of elements.
var sizes = []int{0, 1, 31, 33, 150}

// TestKernel compares what a kernel draws with what the same function draws on the host, bit for
// bit.
func TestKernel(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	kernel, err := kernels.LoadDraws(dev)
	must(t, err)
	for _, n := range sizes {
		got := launch(t, dev, n, func(b gridstride.Buffer[kernels.Drawn]) error {
			return kernel.Launch(dev.Stream(), gridstride.Grid(2).Block(64), seed, b)
		})
		for i, d := range got {
			r := rand.New(seed, uint64(i))
			r.Skip(uint64(i))
			if want := kernels.Draw(&r); d != want {
				t.Fatalf("stream %d of %d: the kernel draws\n%+v, the host\n%+v", i, n, d, want)
			}
		}
	}
}

// TestVaries does the same with the other distributions: kernel and host compute the mathematics
// alike.
func TestVaries(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	kernel, err := kernels.LoadVaries(dev)
	must(t, err)
	for _, n := range sizes {
		got := launch(t, dev, n, func(b gridstride.Buffer[kernels.Varied]) error {
			return kernel.Launch(dev.Stream(), gridstride.Grid(2).Block(64), seed, b)
		})
		for i, v := range got {
			r := rand.New(seed, uint64(i))
			if want := kernels.Vary(&r); v != want {
				t.Fatalf("stream %d of %d: the kernel draws\n%+v, the host\n%+v", i, n, v, want)
			}
		}
	}
}

// TestInside runs the kernel of the package's comment.
func TestInside(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	kernel, err := kernels.LoadInside(dev)
	must(t, err)
	const points = 100
	for _, n := range sizes {
		got := launch(t, dev, n, func(b gridstride.Buffer[uint32]) error {
			if err := b.Zero(dev.Stream()); err != nil {
				return err
			}
			return kernel.Launch(dev.Stream(), gridstride.Grid(2).Block(32), seed, points, b)
		})
		for i, inside := range got {
			r := rand.New(seed, uint64(i))
			want := uint32(0)
			for range points {
				x, y := r.Float32(), r.Float32()
				if gpu.FMA(x, x, y*y) < 1 {
					want++
				}
			}
			if inside != want {
				t.Errorf("stream %d of %d: %d points of %d are inside, want %d", i, n, inside, points, want)
			}
		}
	}
}

//go:embed doc.go
var comment string

//go:embed internal/kernels/kernels.go
var compiled string

// TestComment holds the kernel in the package's comment to the one that is compiled.
func TestComment(t *testing.T) {
	t.Parallel()
	doctest.CheckComments(t, "doc.go", comment, compiled)
}

// launch gives a kernel n elements and returns what it has written to them.
func launch[T any](t *testing.T, dev *gridstride.Device, n int, run func(b gridstride.Buffer[T]) error) []T {
	t.Helper()
	b, err := gridstride.Make[T](dev, n)
	must(t, err)
	must(t, run(b))
	got, err := b.Read(t.Context(), dev.Stream(), nil)
	must(t, err)
	must(t, b.Free())
	return got
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
