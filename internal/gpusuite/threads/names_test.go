package threads

import (
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
)

// TestNames runs kernels whose parameters have the names of kernels.
func TestNames(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	twice, more := load[*doubleKernel](t)(loadDouble(dev)), load[*incrementKernel](t)(loadIncrement(dev))
	x := onDevice(t, dev, []int32{0, 1, -5})
	must(t, twice.Launch(dev.Stream(), gridstride.Grid(1).Block(33), x))
	must(t, more.Launch(dev.Stream(), gridstride.Grid(1).Block(33), x))
	if got, want := read(t, dev, x), []int32{1, 3, -9}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
