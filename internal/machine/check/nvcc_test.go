package check

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/check/initcheck"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// nvccLaunches are launches of the kernels that nvcc compiled, by file name.
var nvccLaunches = map[string]func(b *bench) []launchCase{
	"atomics": func(b *bench) []launchCase {
		return []launchCase{{"atomics", x(9), x(64), 0, []any{
			[]uint32{0, 0, ^uint32(0), ^uint32(0), 0, 0, 0, 0, 0}, make([]uint64, 2), make([]float32, 1), make([]float64, 1), make([]int32, 1), int32(500)}}}
	},
	"bits": func(b *bench) []launchCase {
		return []launchCase{{"bits", x(2), x(64), 0, []any{make([]uint32, 200), make([]uint32, 1600), int32(100)}}}
	},
	"device_function": func(b *bench) []launchCase {
		return []launchCase{{"device_function", x(2), x(64), 0, []any{ramp(100), make([]int32, 100), make([]float64, 100), int32(100)}}}
	},
	"dispatch": func(b *bench) []launchCase {
		return []launchCase{{"dispatch", x(2), x(64), 0, []any{[]uint8{0, 1, 2, 3, 4, 5, 6, 7, 6, 6, 1, 7, 0, 0, 0, 0, 5, 4, 3, 2, 1, 0, 5, 5, 7, 0, 0, 0, 0, 0, 0, 0}, make([]int32, 100), int32(100)}}}
	},
	"histogram": func(b *bench) []launchCase {
		return []launchCase{{"histogram", x(3), x(256), 0, []any{make([]uint8, 5003), make([]uint32, 256), 5003}}}
	},
	"hopper": func(b *bench) []launchCase {
		args := []any{make([]uint16, 128*192), make([]uint16, 64*192), make([]float32, 128*64), int32(192)}
		return []launchCase{{"hopper", x(2), x(256), 2*2*8192 + 32, args}, {"hopper_once", x(2), x(256), 2*2*8192 + 32, args}}
	},
	"last_block": func(b *bench) []launchCase {
		return []launchCase{{"last_block", x(7), x(128), 0, []any{ramp(3000), int32(3000), make([]int32, 7), make([]uint32, 1), make([]int32, 1)}}}
	},
	"math": func(b *bench) []launchCase {
		return []launchCase{{"math", x(2), x(64), 0, []any{make([]float32, 100), make([]float32, 1200), int32(100)}}}
	},
	"matmul": func(b *bench) []launchCase {
		return []launchCase{
			{"matmul_f64", [3]int{3, 2, 1}, [3]int{16, 16, 1}, 0, []any{make([]float64, 33*20), make([]float64, 20*40), make([]float64, 33*40), int32(20), int32(20), int32(40)}},
			{"matmul_f32", [3]int{3, 3, 1}, [3]int{16, 16, 1}, 0, []any{make([]float32, 33*20), make([]float32, 20*40), make([]float32, 33*40), int32(33), int32(20), int32(40)}},
		}
	},
	"reduction": func(b *bench) []launchCase {
		return []launchCase{{"reduction", x(3), x(256), 0, []any{make([]float32, 5000), make([]float32, 3), int32(5000)}}}
	},
	"scan": func(b *bench) []launchCase {
		return []launchCase{{"scan", x(3), x(512), 4096, []any{ramp(1300), make([]int32, 1300), int32(1300)}}}
	},
	"shuffles": func(b *bench) []launchCase {
		return []launchCase{{"shuffles", x(3), x(64), 0, []any{ramp(192), make([]int32, 6*192)}}}
	},
	"spin_lock": func(b *bench) []launchCase {
		return []launchCase{
			{"spin_lock", x(9), x(33), 0, []any{make([]int32, 1), make([]uint64, 1)}},
			{"spin_lock", x(3), x(70), 0, []any{make([]int32, 1), make([]uint64, 1)}},
		}
	},
	"stencil": func(b *bench) []launchCase {
		return []launchCase{{"stencil", x(4), x(128), 0, []any{make([]float32, 500), make([]float32, 500), int32(500)}}}
	},
	"tensor": func(b *bench) []launchCase {
		grid := func(rows int) [3]int { return [3]int{2, 32 / rows, 1} }
		return []launchCase{
			{"tensor_f64", grid(8), x(32), 0, []any{make([]float64, 32*64), make([]float64, 16*64), make([]float64, 32*16), int32(16), int32(64)}},
			{"tensor_tf32", grid(16), x(32), 0, []any{make([]float32, 32*64), make([]float32, 16*64), make([]float32, 32*16), int32(16), int32(64)}},
			{"tensor_s8", grid(16), x(32), 0, []any{make([]int8, 32*64), make([]int8, 16*64), make([]int32, 32*16), int32(16), int32(64)}},
			{"tensor_bf16", grid(16), x(32), 0, []any{make([]uint16, 32*64), make([]uint16, 16*64), make([]float32, 32*16), int32(16), int32(64)}},
		}
	},
	"transpose": func(b *bench) []launchCase {
		return []launchCase{{"transpose", [3]int{2, 3, 1}, [3]int{32, 8, 1}, 0, []any{make([]float64, 33*65), make([]float64, 33*65), int32(33), int32(65)}}}
	},
	"vectors": func(b *bench) []launchCase {
		return []launchCase{{"vectors", x(4), x(32), 0, []any{uint64(math.Float32bits(2.5)) | 100<<32, make([]float32, 400), make([]float32, 400), make([]uint16, 100)}}}
	},
	"wmma": wmmaLaunches,
	"votes": func(b *bench) []launchCase {
		return []launchCase{{"votes", x(3), x(64), 0, []any{ramp(190), make([]uint32, 24), int32(190)}}}
	},
}

// wmmaLaunches multiply 32 by 64 and 64 by 32 elements.
func wmmaLaunches(b *bench) (list []launchCase) {
	for _, k := range []struct {
		name       string
		rows, cols int
		args       []any
	}{
		{"wmma_f16", 16, 16, []any{make([]uint16, 2048), make([]uint16, 2048), make([]float32, 1024), make([]float32, 1024)}},
		{"wmma_f16_m32_t", 32, 8, []any{make([]uint16, 2048), make([]uint16, 2048), make([]float32, 1024), make([]float32, 1024)}},
		{"wmma_f16_m8", 8, 32, []any{make([]uint16, 2048), make([]uint16, 2048), make([]float32, 1024), make([]float32, 1024)}},
		{"wmma_f16_f16_t", 16, 16, []any{make([]uint16, 2048), make([]uint16, 2048), make([]uint16, 1024), make([]uint16, 1024)}},
		{"wmma_tf32", 16, 16, []any{make([]float32, 2048), make([]float32, 2048), make([]float32, 1024), make([]float32, 1024)}},
		{"wmma_s8_t", 16, 16, []any{make([]int8, 2048), make([]int8, 2048), make([]int32, 1024), make([]int32, 1024)}},
		{"wmma_f64", 8, 8, []any{make([]float64, 2048), make([]float64, 2048), make([]float64, 1024), make([]float64, 1024)}},
	} {
		args := append(k.args, int32(32), int32(32), int32(64))
		list = append(list, launchCase{k.name, [3]int{32 / k.cols, 32 / k.rows, 1}, x(32), 0, args})
	}
	return append(list, wmmaShared(1024))
}

// wmmaShared is a launch of one block whose product has the given number of elements in memory.
func wmmaShared(elements int) launchCase {
	return launchCase{"wmma_shared", x(1), x(128), 0, []any{make([]uint16, 32*128), make([]uint16, 32*128), make([]float32, elements),
		int32(32), int32(128), float32(2)}}
}

type launchCase struct {
	kernel      string
	grid, block [3]int
	shared      int
	args        []any
}

func ramp(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i + 1)
	}
	return s
}

// TestNvccKernelsAreSilent checks every kernel that nvcc compiled at two orders and a random one:
// they are correct.
func TestNvccKernelsAreSilent(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../sim/testdata/nvcc/*.ptx")
	debug, _ := filepath.Glob("../sim/testdata/nvcc/debug/*.ptx")
	if len(files) == 0 {
		t.Fatal("no kernels")
	}
	for _, file := range append(files, debug...) {
		name := strings.TrimSuffix(filepath.Base(file), ".ptx")
		t.Run(strings.TrimPrefix(file, "../sim/testdata/nvcc/"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			launches := nvccLaunches[name]
			if launches == nil {
				t.Fatal("the kernel has no launch in this test")
			}
			b := loadModule(t, file, string(text))
			for _, c := range launches(b) {
				l := sim.Launch{Grid: c.grid, Block: c.block, Shared: c.shared, Params: b.params(b.entry(c.kernel), c.args...)}
				if name == "hopper" {
					l.Cluster = x(2)
				}
				r := b.checkLaunch(c.kernel, l, Options{Orders: 3, Init: b.fresh()})
				if r.Verdict() != report.Clean || len(r.Findings) > 0 {
					t.Errorf("%s: verdict %v\n%v", c.kernel, r.Verdict(), r)
				}
				for _, tool := range r.Tools {
					if tool.Tool != report.Synccheck && tool.Seen == 0 {
						t.Errorf("%s: %s saw nothing", c.kernel, tool.Tool)
					}
				}
			}
		})
	}
}

// fresh knows all memory that is allocated now for written, and so finds what a kernel leaves
// unwritten.
func (b *bench) fresh() *initcheck.Init { return &initcheck.Init{} }

// TestDotIsSilent checks the kernel of examples/dot with lengths that do and do not fit its launch.
func TestDotIsSilent(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 31, 33, 256, 1000, 100_000} {
		w := dotWorkload(t, n)
		if rep := w.checkLaunch(w.kernel, w.l, Options{}); rep.Verdict() != report.Clean || len(rep.Findings) > 0 {
			t.Errorf("n = %d: verdict %v\n%v", n, rep.Verdict(), rep)
		}
	}
}

// TestHopperMistakes changes lines of a pipeline for sm_90, and expects what they were for.
func TestHopperMistakes(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../sim/testdata/nvcc/hopper.ptx")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change []string // from, to and so on
		want   report.Cause
	}{
		{[]string{"fence.mbarrier_init.release.cluster;", ""}, report.InitUnordered},
		{[]string{"fence.proxy.async;", "", "fence.proxy.async.shared::cta;", ""}, report.NoProxyFence},
		{[]string{"wgmma.wait_group.sync.aligned 0;", "wgmma.wait_group.sync.aligned 1;"}, report.SumInFlight},
		{[]string{"wgmma.fence.sync.aligned;", ""}, report.NoProductFence},
		{[]string{"setmaxnreg.inc.sync.aligned.u32 232;", "setmaxnreg.inc.sync.aligned.u32 256;",
			".minnctapersm 1", ".minnctapersm 2"}, report.RegistersNeverCome},
	} {
		text := strings.NewReplacer(c.change...).Replace(string(raw))
		if text == string(raw) {
			t.Fatalf("%q is not there", c.change)
		}
		b := loadModule(t, "hopper.ptx", text)
		r := advised(t, b, func(b *bench) result {
			l := sim.Launch{Grid: x(2), Block: x(256), Cluster: x(2), Shared: 2*2*8192 + 32, Params: b.params(b.entry("hopper"),
				make([]uint16, 128*64), make([]uint16, 64*64), make([]float32, 128*64), int32(64))}
			return b.checkLaunch("hopper", l, Options{Budget: 100_000})
		})
		if !slices.ContainsFunc(r.Failures(), func(f *report.Finding) bool { return f.Cause == c.want }) {
			t.Errorf("%q: no finding has the cause %q\n%v", c.change, c.want, r)
		}
	}
}

// TestWMMAMistakes changes lines of a kernel of wmma with tiles in shared memory, and expects what
// they were for.
func TestWMMAMistakes(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../sim/testdata/nvcc/wmma.ptx")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to string
		elements int
		want     report.Kind
	}{
		{"", "", 1024, silent},
		{"", "", 1023, outside},
		{"bar.sync \t0;", "", 1024, race},
		{"cp.async.wait_group 1;", "cp.async.wait_group 2;", 1024, race},
		{"cp.async.cg.shared.global [%r46], [%rd17], 16, 16;", "", 1024, uninit},
		{"mov.u32 \t%r248, 72;", "mov.u32 \t%r248, 71;", 1024, report.Misaligned},
		{"[%r247], %r248;", "[%r247], %r1;", 1024, report.BadAddress},
	} {
		text := strings.ReplaceAll(string(raw), c.from, c.to)
		if c.from == "" {
			text = string(raw)
		} else if text == string(raw) {
			t.Fatalf("%q is not there", c.from)
		}
		b := loadModule(t, "wmma.ptx", text)
		l := wmmaShared(c.elements)
		r := advised(t, b, func(b *bench) result {
			return b.checkLaunch(l.kernel, sim.Launch{Grid: l.grid, Block: l.block, Params: b.params(b.entry(l.kernel), l.args...)},
				Options{Init: b.fresh()})
		})
		verdict(t, r, c.want)
	}
}

// TestWMMAProfile counts the products of wmma, and its loads and stores, which need no more passes
// and sectors than their bytes.
func TestWMMAProfile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../sim/testdata/nvcc/wmma.ptx")
	if err != nil {
		t.Fatal(err)
	}
	b := loadModule(t, "wmma.ptx", string(text))
	l := wmmaShared(1024)
	p := b.profile(l.kernel, l.grid, l.block, 0, l.args...).Total
	const products = 4 * 128 / 16 // of four warps, with 16 of 128 elements of k at a time
	if p.TensorInstructions != products || p.TensorMultiplyAdds != products*16*16*16 {
		t.Errorf("%d products of %d multiply-adds, want %d of %d", p.TensorInstructions, p.TensorMultiplyAdds, products, products*16*16*16)
	}
	if p.SharedPasses != p.SharedIdealPasses || p.GlobalSectors != p.GlobalIdealSectors {
		t.Errorf("%+v: passes and sectors that are not needed", p)
	}
}
