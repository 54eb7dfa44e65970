package threads

import (
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

// TestNames runs kernels whose parameters have the names of kernels.
func TestNames(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	twice, more := load[*doubleKernel](t)(loadDouble(dev)), load[*incrementKernel](t)(loadIncrement(dev))
	x := suitetest.OnDevice(t, dev, []int32{0, 1, -5})
	suitetest.Must(t, twice.Launch(dev.Stream(), gridstride.Grid(1).Block(33), x, 10))
	suitetest.Must(t, more.Launch(dev.Stream(), gridstride.Grid(1).Block(33), x))
	if got, want := suitetest.Read(t, dev, x), []int32{11, 13, 1}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
