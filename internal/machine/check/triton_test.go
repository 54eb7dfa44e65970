package check

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// numbers are elements of a format, of the given width in bytes, that follow from a seed. They have
// any sign and any mantissa, and the number of exponents given, from the lowest on.
type numbers struct {
	bytes, exponent, mantissa int
	lowest, exponents         uint64
}

var (
	singles   = numbers{4, 8, 23, 124, 5}
	bfloat16s = numbers{2, 8, 7, 124, 5}
	float16s  = numbers{2, 5, 10, 12, 5}
	e4m3s     = numbers{1, 4, 3, 5, 4}
)

// splitMix is the finaliser of SplitMix64.
func splitMix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

// matrix is n of the elements, as memory holds them.
func (f numbers) matrix(seed, n uint64) (mem []byte) {
	for i := range n {
		h := splitMix(i + seed<<32)
		x := h&1<<(f.exponent+f.mantissa) | (f.lowest+h>>32%f.exponents)<<f.mantissa | h>>1&(1<<f.mantissa-1)
		mem = append(mem, binary.LittleEndian.AppendUint64(nil, x)[:f.bytes]...)
	}
	return mem
}

// permutation is the order of the numbers below n by their hashes.
func permutation(seed, n uint64) []int32 {
	var list []int32
	for i := range n {
		list = append(list, int32(i))
	}
	slices.SortFunc(list, func(a, b int32) int {
		return int(splitMix(uint64(a)+seed<<32)%(1<<20)) - int(splitMix(uint64(b)+seed<<32)%(1<<20))
	})
	return list
}

// output is an argument with the results, and what is there before.
type output []byte

// tritonLaunch is a launch that was run on an H200 on 2026-11-23: of a kernel that Triton 3.6
// compiled for it from internal/machine/sim/testdata/triton/kernels.py.
type tritonLaunch struct {
	file, kernel string
	grid         [3]int
	threads      int
	shared       int
	args         []any  // with scratch memory, which Triton gives each kernel
	hash         uint64 // of what the GPU wrote (FNV-1a)
}

// tensorMap describes a matrix by rows.
func tensorMap(mem []byte, rows, cols uint64, box uint32, swizzle int) mapped {
	return mapped{mem, abi.TensorMap{
		Type: abi.TensorBFloat16, Dims: []uint64{cols, rows}, Strides: []uint64{2 * cols}, Box: []uint32{64, box}, Swizzle: swizzle,
	}}
}

func tritonLaunches() []tritonLaunch {
	product := func(f numbers, m, n, k, result int, ints ...any) []any {
		args := []any{f.matrix(1, uint64(m*k)), f.matrix(2, uint64(n*k)), make(output, m*n*result), int32(m), int32(n), int32(k)}
		return append(append(args, ints...), uint64(0), uint64(0))
	}
	heads := func(seed uint64) []byte { return float16s.matrix(seed, 2*100*64) }
	a, b := bfloat16s.matrix(1, 192*160), bfloat16s.matrix(2, 128*160)
	described := []any{}
	for _, m := range []mapped{
		tensorMap(a, 192, 160, 64, 128), tensorMap(b, 128, 160, 64, 128), tensorMap(make([]byte, 2*192*128), 192, 128, 64, 128),
	} {
		dims := m.as.Dims
		described = append(described, m, int32(dims[1]), int32(dims[0]), dims[0], uint64(1))
	}
	described = append(described, int32(192), int32(128), int32(160), uint64(0), uint64(0))
	return []tritonLaunch{
		{"bf16", "matmul", [3]int{2, 2, 1}, 128, 24576, product(bfloat16s, 96, 80, 112, 4, int32(112), int32(80), int32(80)), 0xda9a7f30cd64a1a6},
		{"mma", "matmul", [3]int{3, 3, 1}, 64, 8192, product(bfloat16s, 96, 80, 112, 4, int32(112), int32(80), int32(80)), 0xda9a7f30cd64a1a6},
		{"tf32", "matmul", [3]int{2, 2, 1}, 128, 49152, product(singles, 96, 80, 112, 4, int32(112), int32(80), int32(80)), 0x30e777004e1dfc0e},
		{"e4m3", "matmul", [3]int{2, 2, 1}, 128, 24576, product(e4m3s, 96, 80, 128, 4, int32(128), int32(128), int32(80)), 0xd344b4ab3f93fe89},
		{"described", "described", x(3), 128, 57368, described, 0x7c91932835d3777d},
		{"persistent", "persistent", x(3), 128, 32792, []any{a, b, make(output, 2*192*128), int32(192), int32(128), int32(160),
			make([]byte, 3*384), uint64(0)}, 0x7c91932835d3777d},
		{"softmax", "softmax", x(3), 128, 16, []any{singles.matrix(1, 7*781), make(output, 4*7*781), int32(7), int32(781),
			uint64(0), uint64(0)}, 0x93747edf26a5f18d},
		{"attention", "attention", [3]int{2, 2, 1}, 128, 24576, []any{heads(1), heads(2), heads(3), make(output, 2*2*100*64),
			int32(100), float32(1.4426950408889634 / math.Sqrt(64)), uint64(0), uint64(0)}, 0x6dee1338b9f75a92},
		{"scatter_bf16", "scatter", x(3), 128, 2048, []any{bfloat16s.matrix(1, 700), permutation(2, 700), output(bfloat16s.matrix(3, 700)), int32(700),
			uint64(0), uint64(0)}, 0x51856bc3a120cddc},
	}
}

// TestTriton runs kernels that Triton compiled (internal/machine/sim/testdata/triton) under all
// checks. They are clean, and have the bits that the GPU gave.
func TestTriton(t *testing.T) {
	t.Parallel()
	for _, c := range tritonLaunches() {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			file := "../sim/testdata/triton/" + c.file + ".ptx"
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			b := loadModule(t, file, string(text))
			e := b.entry(c.kernel)
			var result uint64
			size := 0
			for i, a := range c.args {
				if mem, ok := a.(output); ok {
					result, size = b.alloc([]byte(mem)), len(mem)
					c.args[i] = result
				}
			}
			params := b.params(e, c.args...)
			if size == 0 { // the result is the last tensor map's
				m, _ := abi.DecodeTensorMap(params[e.Params[10].Offset:][:abi.TensorMapSize])
				result, size = m.Address, int(m.Dims[1]*m.Strides[0])
			}
			l := sim.Launch{Grid: c.grid, Block: x(c.threads), Shared: c.shared, Params: params}
			r := b.checkLaunch(c.kernel, l, Options{Init: b.fresh()})
			if r.Verdict() != report.Clean || len(r.Findings) > 0 {
				t.Errorf("verdict %v\n%v", r.Verdict(), r)
			}
			mem, err := b.m.Bytes(result, int64(size))
			if err != nil {
				t.Fatal(err)
			}
			h := fnv.New64a()
			h.Write(mem)
			if h.Sum64() != c.hash {
				t.Errorf("the results have the hash %#x, the GPU's %#x", h.Sum64(), c.hash)
			}
		})
	}
}

// TestTensorMapMistakes changes lines of a kernel that makes its tensor maps by itself.
func TestTensorMapMistakes(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../sim/testdata/triton/persistent.ptx")
	if err != nil {
		t.Fatal(err)
	}
	a, b := bfloat16s.matrix(1, 192*160), bfloat16s.matrix(2, 128*160)
	for _, c := range []struct {
		from, to string
		want     report.Kind
		text     string
	}{
		{"bar.warp.sync \t-1;", "", race, "no warp sync between"},
		{"@%p3 tensormap.cp_fenceproxy.global", "@!%p3 tensormap.cp_fenceproxy.global", outside, "is no tensor map"},
		{"b1024.b32 [ %rd1 + 0 ], 0xa;", "b1024.b32 [ %rd1 + 0 ], 0xc;", outside, "elemtype 12 of a tensor map is not known here"},
	} {
		text := strings.Replace(string(raw), c.from, c.to, 1)
		if text == string(raw) {
			t.Fatalf("%q is not there", c.from)
		}
		r := advised(t, loadModule(t, "persistent.ptx", text), func(on *bench) result {
			params := on.params(on.entry("persistent"), a, b, make([]byte, 2*192*128), int32(192), int32(128), int32(160),
				make([]byte, 3*384), uint64(0))
			return on.checkLaunch("persistent", sim.Launch{Grid: x(3), Block: x(128), Shared: 32792, Params: params}, Options{Budget: 10_000})
		})
		if !slices.ContainsFunc(r.Failures(), func(f *report.Finding) bool { return f.Kind == c.want && strings.Contains(f.Summary, c.text) }) {
			t.Errorf("%q: no finding of kind %s says %q\n%v", c.from, c.want, c.text, r)
		}
	}
}
