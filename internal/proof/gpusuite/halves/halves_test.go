package halves

import (
	"errors"
	"flag"
	"runtime"
	"sync"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
	"github.com/gridstride/gridstride/packed"
)

var indices = flag.Int("indices", 0, "compare the results of so many indices; 0 is 10,000,000 on a GPU, and some on the simulator")

// kinds are the kernels of each format, and the host's twin.
var kinds = map[string]func(seed uint64, index int) Results{"Float16": Float16At, "BFloat16": BFloat16At, "Float8": Float8At}

// TestDevice compares what the kernels of every target write with what the host computes. On a GPU
// the indices have all 2^16 numbers in one operand, and ten million sets of operands.
func TestDevice(t *testing.T) {
	t.Parallel()
	dev := suitetest.Open(t)
	c := comparison{dev: dev, n: *indices, step: 1, seed: 12}
	if c.n == 0 && dev.Info().Backend == "cuda" {
		c.n = 10_000_000
	} else if c.n == 0 {
		c.n, c.step = 5003, 337 // spread over the 2^16 numbers
	}
	for target, data := range map[string]string{"sm_70": kernelsPTXsm70, "sm_80": kernelsPTXsm80, "sm_90a": kernelsPTXsm90a} {
		text, err := packed.Unpack(data)
		if err != nil {
			t.Fatal(err)
		}
		module, err := dev.Load("kernels_gen_"+target+".ptx", text)
		if errors.Is(err, gridstride.ErrTarget) {
			t.Logf("%s does not run %s", dev, target)
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		for kind := range kinds {
			t.Run(target+"/"+kind, func(t *testing.T) { c.run(t, module, kind) })
		}
	}
}

// A comparison is of n indices on a device.
type comparison struct {
	dev     *gridstride.Device
	seed    uint64
	n, step int
}

func (c *comparison) run(t *testing.T, module *gridstride.Module, kind string) {
	kernel, err := module.Kernel(kind + "s")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := gridstride.Make[uint64](c.dev, c.n)
	if err != nil {
		t.Fatal(err)
	}
	defer sums.Free()
	grid := gridstride.Grid(min((c.n+127)/128, 4096)).Block(128)
	if err := kernel.Launch(c.dev.Stream(), grid, c.seed, 0, c.step, sums); err != nil {
		t.Fatal(err)
	}
	got, err := sums.Read(t.Context(), c.dev.Stream(), nil)
	if err != nil {
		t.Fatal(err)
	}
	bad, index := c.differing(got, kinds[kind])
	if bad == 0 {
		return
	}
	t.Errorf("%d of %d indices differ, seed %d", bad, c.n, c.seed)
	c.details(t, module, kind, index)
}

// differing counts the sums that are not the host's, and gives an index of one.
func (c *comparison) differing(got []uint64, at func(uint64, int) Results) (bad, index int) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	parts := runtime.GOMAXPROCS(0)
	for part := range parts {
		wg.Go(func() {
			for i := part; i < len(got); i += parts {
				if at(c.seed, i*c.step).Sum() != got[i] {
					mu.Lock()
					bad, index = bad+1, i*c.step
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return bad, index
}

// details reports which results of an index differ.
func (c *comparison) details(t *testing.T, module *gridstride.Module, kind string, index int) {
	kernel, err := module.Kernel(kind + "Details")
	if err != nil {
		t.Fatal(err)
	}
	out, err := gridstride.Make[Results](c.dev, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Free()
	if err := kernel.Launch(c.dev.Stream(), gridstride.Grid(1).Block(32), c.seed, index, out); err != nil {
		t.Fatal(err)
	}
	got, err := out.Read(t.Context(), c.dev.Stream(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range kinds[kind](c.seed, index) {
		if got[0][i] != want {
			t.Errorf("index %d: result %d is %#08x, want %#08x", index, i, got[0][i], want)
		}
	}
}
