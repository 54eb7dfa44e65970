package perf

import (
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/packed"
)

// BenchmarkFirstLoad is the first load of this package's three kernels in a process. A run with an
// empty cache of the driver's (CUDA_CACHE_PATH names its folder) measures compiling, and a second
// run shows how much the cache saves. Run it with -benchtime=1x: a second load in one process would
// measure the driver's memory.
func BenchmarkFirstLoad(b *testing.B) {
	if b.N > 1 {
		b.Skip("run it with -benchtime=1x")
	}
	dev, err := gridstride.Open()
	must(b, err)
	defer func() { must(b, dev.Close()) }()
	if dev.Info().Backend != "cuda" {
		b.Skipf("needs a GPU; this is the %s", dev.Info().Name)
	}
	text, err := packed.Unpack(kernelsPTX)
	must(b, err)
	for b.Loop() {
		_, err := dev.Load("kernels_gen.ptx", text)
		must(b, err)
	}
	b.ReportMetric(b.Elapsed().Seconds()*1000, "ms")
}
