package dot_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/dot"
	"github.com/gridstride/gridstride/gputest"
)

// TestHostFinish has the host add up numbers that float64 alone, or float32, would get wrong.
func TestHostFinish(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	products64, err := dot.VariantNamed[float64]("products")
	must(t, err)
	if got := compute(t, dev, products64, dot.Options{}, []float64{1e16, 1, -1e16}, []float64{1, 1, 1}); got != 1 {
		t.Errorf("1e16 + 1 - 1e16 is %v", got)
	}
	products32, err := dot.VariantNamed[float32]("products")
	must(t, err)
	if got := compute(t, dev, products32, dot.Options{}, []float32{1 << 24, 1, 1}, []float32{1, 1, 1}); got != 1<<24+2 {
		t.Errorf("2^24 + 1 + 1 is %v", got)
	}
}

// TestPlansBesideEachOther has several goroutines compute with separate plans and streams, on one
// device and with the same vectors.
func TestPlansBesideEachOther(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	const n = 5000
	ramp, twos := make([]float64, n), make([]float64, n)
	for i := range n {
		ramp[i], twos[i] = float64(i), 2
	}
	a, b := copyOf(t, dev, ramp), copyOf(t, dev, twos)
	var workers sync.WaitGroup
	for _, v := range dot.Variants[float64]()[6:] {
		workers.Go(func() {
			s := dev.NewStream()
			defer s.Close()
			plan, err := dot.NewPlan(dev, v, n, dot.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			for _, k := range []int{n, 1000, n} {
				got, err := plan.Dot(t.Context(), s, a.Slice(0, k), b.Slice(0, k))
				if want := float64(k * (k - 1)); err != nil || got != want {
					t.Errorf("%s, n %d: %v, %v; want %v", v.Name, k, got, err, want)
				}
			}
			if err := plan.Free(); err != nil {
				t.Error(err)
			}
		})
	}
	workers.Wait()
	must(t, errors.Join(a.Free(), b.Free()))
}

// TestNoRoom makes plans on a device that is too small for them: the error gives the needed and the
// free memory, and nothing remains allocated.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	dev, err := gridstride.Open(gridstride.Use("sim"), gridstride.SimMemory(3000))
	must(t, err)
	for _, name := range []string{"products", "twokernels"} {
		v, err := dot.VariantNamed[float64](name)
		must(t, err)
		n := 1000
		if v.OnDevice {
			n *= 10_000 // it takes a number a block
		}
		if _, err := dot.NewPlan(dev, v, n, dot.Options{}); !errors.Is(err, gridstride.ErrOutOfMemory) ||
			!strings.Contains(err.Error(), " bytes on device ") || !strings.Contains(err.Error(), "of 3000 bytes are in use") {
			t.Errorf("%s: no room: %v", name, err)
		}
	}
	if used := dev.Usage(); used != (gridstride.Usage{}) {
		t.Errorf("plans that failed leave %+v", used)
	}
	must(t, dev.Close())
}

// TestWrongDevice has a vector on another device than the plan.
func TestWrongDevice(t *testing.T) {
	t.Parallel()
	here, there := gputest.Device(t), gputest.Device(t)
	a, b := copyOf(t, here, []float32{1, 2}), copyOf(t, there, []float32{1, 2})
	for _, v := range dot.Variants[float32]() {
		plan, err := dot.NewPlan(here, v, 2, dot.Options{})
		must(t, err)
		for _, pair := range [][2]gridstride.Buffer[float32]{{a, b}, {b, a}} {
			if err := plan.Launch(here.Stream(), pair[0], pair[1]); !errors.Is(err, gridstride.ErrWrongDevice) {
				t.Errorf("%s: %v", v.Name, err)
			}
		}
		must(t, plan.Free())
		if err := plan.Free(); !errors.Is(err, gridstride.ErrFreed) {
			t.Errorf("%s: freed twice: %v", v.Name, err)
		}
	}
	must(t, errors.Join(a.Free(), b.Free()))
}

// testRefused keeps the last product where a launch is refused.
func testRefused[T dot.Float](t *testing.T, dev *gridstride.Device, v dot.Variant[T]) {
	s := dev.NewStream()
	a, freed := copyOf(t, dev, []T{1, 2, 3}), copyOf(t, dev, []T{4, 5, 6})
	must(t, freed.Free())
	plan, err := dot.NewPlan(dev, v, 3, dot.Options{})
	must(t, err)
	must(t, plan.Launch(s, a, a))
	for _, pair := range [][2]gridstride.Buffer[T]{{a, freed}, {freed, a}, {a, a.Slice(0, 2)}} {
		if err := plan.Launch(s, pair[0], pair[1]); err == nil {
			t.Error("a launch that is to be refused is not")
		}
	}
	if got, err := plan.Result(t.Context(), s); err != nil || got != 14 {
		t.Errorf("after launches that were refused the last result is %v, %v; want 14", got, err)
	}
	must(t, errors.Join(a.Free(), plan.Free()))
}

func TestRefused(t *testing.T) { each(t, testRefused[float32], testRefused[float64]) }

// TestHugePlan has room for every length there is, and as many blocks as a long vector needs.
func TestHugePlan(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	huge, err := dot.NewPlan(dev, dot.Best[float32](), math.MaxInt, dot.Options{})
	must(t, err)
	used := dev.Usage()
	must(t, huge.Free())
	long, err := dot.NewPlan(dev, dot.Best[float32](), 1<<40, dot.Options{})
	must(t, err)
	if now := dev.Usage(); used != now {
		t.Errorf("a plan for %d elements takes %+v, one for %d %+v", math.MaxInt, used, 1<<40, now)
	}
	must(t, long.Free())
}

// bits are the bits of TestBits's product by each variant, in float32 and float64. The simulator's
// hold on every device: a change in the order in which a variant adds shows here.
var bits = map[string][2]uint64{
	"products":    {0x40316806f7b6d350, 0x40316806fb594a9e},
	"single":      {0x4031680960000000, 0x40316806fb594aae},
	"shared":      {0x403168071f000000, 0x40316806fb594a9e},
	"divergent":   {0x40316806fe800000, 0x40316806fb594a9e},
	"conflicting": {0x40316806fe800000, 0x40316806fb594a9e},
	"sequential":  {0x403168071f000000, 0x40316806fb594a9e},
	"lastwarp":    {0x403168071f000000, 0x40316806fb594a9e},
	"shuffle":     {0x403168071be00000, 0x40316806fb594a9e},
	"vector":      {0x4031680702000000, 0x40316806fb594a9d},
	"twokernels":  {0x4031680700000000, 0x40316806fb594a9d},
	"onepass":     {0x4031680700000000, 0x40316806fb594a9d},
}

// TestBits holds each variant but "atomic", whose blocks come as they like, to the order in which
// it adds.
func TestBits(t *testing.T) { each(t, testBits[float32], testBits[float64]) }

func testBits[T dot.Float](t *testing.T, dev *gridstride.Device, v dot.Variant[T]) {
	want, ok := bits[v.Name]
	if !ok {
		if v.Name != "atomic" {
			t.Error("nothing says which bits are right")
		}
		return
	}
	r := rand.New(rand.NewPCG(11, 12))
	a, b := make([]T, 50_021), make([]T, 50_021)
	for i := range a {
		a[i], b[i] = T(r.Float64()-0.5), T(r.Float64()-0.5)
	}
	got := math.Float64bits(compute(t, dev, v, dot.Options{}, a, b))
	if k := int(unsafe.Sizeof(T(0)))/4 - 1; got != want[k] {
		t.Errorf("%#x, want %#x", got, want[k])
	}
}
