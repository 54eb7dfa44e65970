package fast_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/dot/fast"
	"github.com/gridstride/gridstride/gputest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// testLaunch computes products of views of one vector, at whose ends a tile begins or not, with one
// plan, and leaves them side by side on the device.
func testLaunch[T fast.Float](t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	tile := fast.Tile[T]()
	host := make([]T, 5*tile+7)
	for i := range host {
		host[i] = T(i%11 - 5)
	}
	x, err := gridstride.CopyOf(dev, host)
	must(t, err)
	cuts := [][2]int{{0, 0}, {3, 4}, {0, 31}, {1, 34}, {0, tile}, {2, tile}, {0, 2 * tile}, {0, 2*tile + 1}, {4, 5*tile + 7}, {3, 5*tile + 6}}
	results, err := gridstride.Make[T](dev, len(cuts))
	must(t, err)
	s := dev.Stream()
	for _, blocks := range []int{1, 2, fast.MaxBlocks} {
		p, err := fast.NewPlan[T](dev, blocks)
		must(t, err)
		for i, c := range cuts {
			n := c[1] - c[0]
			must(t, p.Launch(s, x.Slice(c[0], c[1]), x.Slice(0, n), results.Slice(i, i+1)))
		}
		got, err := results.Read(t.Context(), s, nil)
		must(t, err)
		for i, c := range cuts {
			var want T
			for j, v := range host[c[0]:c[1]] {
				want += v * host[j]
			}
			if got[i] != want {
				t.Errorf("%d blocks, elements %v: %v, want %v", blocks, c, got[i], want)
			}
		}
		must(t, p.Free())
	}
	must(t, errors.Join(x.Free(), results.Free()))
}

func TestLaunch(t *testing.T) {
	t.Parallel()
	t.Run("float32", testLaunch[float32])
	t.Run("float64", testLaunch[float64])
}

func TestRefused(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	s := dev.Stream()
	x, err := gridstride.CopyOf(dev, []float32{1, 2, 3})
	must(t, err)
	p, err := fast.NewPlan[float32](dev, 1)
	must(t, err)
	for want, err := range map[string]error{
		"a has 3 elements and b 2":                  p.Launch(s, x, x.Slice(1, 3), x),
		"the buffer for the result has no elements": p.Launch(s, x, x, gridstride.Buffer[float32]{}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	must(t, p.Free())
	if err := p.Launch(s, x, x, x); !errors.Is(err, gridstride.ErrFreed) {
		t.Errorf("plan freed: %v", err)
	}
	must(t, x.Free())
}

// TestBlocks has one block for what it is done with alone, and no more than allowed.
func TestBlocks(t *testing.T) {
	t.Parallel()
	tile := fast.Tile[float64]()
	for _, test := range []struct{ n, most, want int }{
		{0, 9, 1}, {1, 9, 1}, {2 * tile, 9, 1}, {2*tile + 1, 9, 3}, {2*tile + 1, 2, 2}, {100 * tile, 9, 9},
	} {
		if got := fast.Blocks[float64](test.n, test.most); got != test.want {
			t.Errorf("%d elements, %d blocks at most: %d blocks, want %d", test.n, test.most, got, test.want)
		}
	}
}
