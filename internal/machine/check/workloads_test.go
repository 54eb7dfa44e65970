package check

import (
	"os"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim"
)

// workload is a launch by which the cost of the checks is measured, in time and in memory.
type workload struct {
	*bench
	name    string
	kernel  string
	l       sim.Launch
	touched int    // bytes of global memory that the launch accesses
	zero    []byte // memory that must be zero before each launch
}

// workloads are launches of all kinds of access: by words and by bytes, in shared and in global
// memory, by one thread and by several.
func workloads(tb testing.TB, n int) []workload {
	tb.Helper()
	bytes := compilePackage(tb, "bytes")
	image := func() []uint8 { return make([]uint8, n) }
	matrix := func() []float32 { return make([]float32, 128*128) }
	launch := func(name string, b *bench, kernel string, grid, block [3]int, touched int, args ...any) workload {
		params := b.params(b.entry(kernel), args...)
		return workload{b, name, kernel, sim.Launch{Grid: grid, Block: block, Params: params}, touched, nil}
	}
	words := func() []float32 { return make([]float32, n) }
	return []workload{
		dotWorkload(tb, 4*n),
		launch("reduction in shared memory", nvcc(tb, "reduction"), "reduction", x(n/256), x(256), 4*n+n/64,
			words(), make([]float32, n/256), n),
		launch("matrix product", nvcc(tb, "matmul"), "matmul_f32", [3]int{8, 8, 1}, [3]int{16, 16, 1}, 12*128*128,
			matrix(), matrix(), matrix(), 128, 128, 128),
		launch("histogram of bytes", nvcc(tb, "histogram"), "histogram", x(64), x(256), n+1024, image(), make([]uint32, 256), n),
		launch("stencil", nvcc(tb, "stencil"), "stencil", x(n/128), x(128), 8*n, words(), words(), n),
		launch("shuffles", nvcc(tb, "shuffles"), "shuffles", x(n/64), x(64), 28*n, ramp(n), make([]int32, 6*n)),
		launch("bytes copied", bytes, "Copy", x(n/256), x(256), 2*n, image(), image()),
		launch("bytes changed in place", bytes, "Invert", x(n/256), x(256), n, image()),
		launch("bytes written, then read by others", bytes, "Mirror", x(n/256), x(256), n, image(), make([]int32, 1)),
		launch("bytes read by three threads", bytes, "Blur_uint8", x(n/256), x(256), 2*n, image(), image()),
		launch("bytes read only, by three threads", bytes, "Window", x(n/256), x(256), n, image(), make([]int32, 1)),
		launch("bytes read by two threads in no order", bytes, "Gather", x(n/256), x(256), 2*n, image(), image()),
		launch("words read by three threads", bytes, "Blur_int32", x(n/256), x(256), 8*n, ramp(n), ramp(n)),
	}
}

// nvcc is a module of nvcc's.
func nvcc(tb testing.TB, name string) *bench {
	tb.Helper()
	text, err := os.ReadFile("../sim/testdata/nvcc/" + name + ".ptx")
	if err != nil {
		tb.Fatal(err)
	}
	return loadModule(tb, name+".ptx", string(text))
}

// dotWorkload is the kernel of examples/dot.
func dotWorkload(tb testing.TB, n int) workload {
	tb.Helper()
	text, err := os.ReadFile("../../../examples/dot/kernels_gen.ptx")
	if err != nil {
		tb.Fatal(err)
	}
	b := loadModule(tb, "kernels_gen.ptx", string(text))
	const name, blocks = "Partial_float32", 1024
	v := make([]float32, n)
	params := b.params(b.entry(name), v, v, make([]float32, blocks), 0)
	return workload{b, "dot product", name, sim.Launch{Grid: x(blocks), Block: x(256), Params: params}, 8*n + 4*blocks, nil}
}

// scanWorkload is a scan of n numbers in one pass, which looks back at the blocks before.
func scanWorkload(tb testing.TB, n int) workload {
	tb.Helper()
	b := compilePackage(tb, "lookback")
	blocks := (n + 255) / 256
	states := b.alloc(make([]uint32, 3*blocks+1)) // values, and the ticket
	mem, err := b.m.Bytes(states, int64(4*(3*blocks+1)))
	if err != nil {
		tb.Fatal(err)
	}
	values := make([]int32, n)
	a, out := b.alloc(values), b.alloc(values)
	params := b.params(b.entry("Scan"), a, n, out, n, states, blocks, states+uint64(4*blocks), 2*blocks, states+uint64(12*blocks), 1)
	return workload{b, "scan that looks back", "Scan", sim.Launch{Grid: x(blocks), Block: x(256), Params: params}, 8 * n, mem}
}

// gemmWorkload is a product of bfloat16 matrices by warpgroups.
func gemmWorkload(tb testing.TB) workload {
	tb.Helper()
	const n = 256
	b, l := gemm(tb, n)
	return workload{b, "product of 256x256x256 by warpgroups", "Gemm", l, 8 * n * n, nil}
}
