package fast

import (
	"errors"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
)

// TestSmallGrids launches the kernels with fewer blocks than a plan does, so that each goes through
// the vector several times, as in vectors of more than maxBlocks tiles.
func TestSmallGrids(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	p, err := NewPlan[int64](dev)
	must(t, err)
	result, err := gridstride.Make[int64](dev, 1)
	must(t, err)
	at, err := gridstride.Make[int](dev, 1)
	must(t, err)
	s := dev.Stream()
	for _, n := range []int{1, tile, 3*tile + 1, 7*tile - 1, 8 * tile} {
		host := make([]int64, n)
		for i := range host {
			host[i] = int64(i*7919%10_007 - 5000)
		}
		host[n/2], host[n-1-n/3] = -9999, 9999
		x, err := gridstride.CopyOf(dev, host)
		must(t, err)
		var sum, squares int64
		for _, v := range host {
			sum, squares = sum+v, squares+v*v
		}
		least, most := slices.Min(host), slices.Max(host)
		for _, grid := range []int{1, 2, 5} {
			for op, want := range map[Op]int64{OpSum: sum, OpSumSquares: squares, OpMin: least, OpMax: most} {
				must(t, p.values[op].Launch(s, gridstride.Grid(grid), x, p.partial, p.ticket, result))
				if got, err := result.Read(t.Context(), s, nil); err != nil || got[0] != want {
					t.Errorf("%v of %d elements by %d blocks: %d, %v; want %d", op, n, grid, got, err, want)
				}
			}
			for op, want := range map[Op]int64{OpArgMin: least, OpArgMax: most} {
				must(t, p.indices[op].Launch(s, gridstride.Grid(grid), x, p.partial, p.partialAt, p.ticket, result, at))
				if got, err := at.Read(t.Context(), s, nil); err != nil || got[0] != slices.Index(host, want) {
					t.Errorf("%v of %d elements by %d blocks: %d, %v; want %d", op, n, grid, got, err, slices.Index(host, want))
				}
			}
		}
		must(t, x.Free())
	}
	must(t, errors.Join(p.Free(), result.Free(), at.Free()))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
