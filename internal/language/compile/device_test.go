package compile_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
)

// A deviceTest launches a kernel of testdata/device. want is the output after it.
type deviceTest struct {
	entry string
	config
	in     []int64
	outLen int
	extra  []any // arguments after in and out
	want   func(in []int64) []int64
	after  []any // extra after the launch, if it differs
	fails  string
}

// ramp is n numbers that are all different and of both signs.
func ramp(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(i*37%101 - 20)
	}
	return out
}

func positive(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(i % 13)
	}
	return out
}

type particle struct {
	pos  gpu.Float32x4
	id   int32
	pair gpu.Int32x2
}

type halves struct {
	x    gpu.Float16
	pair gpu.Float16x2
	list [3]gpu.BFloat16
	same struct{ X, Y gpu.BFloat16 }
}

var (
	h = gpu.Float16Of[float64]
	b = gpu.BFloat16Of[float64]
)

// pairOf is two numbers, and eightOf first, first+1, … to first+7.
func pairOf(x, y float64) gpu.Float16x2 { return gpu.Float16x2{X: h(x), Y: h(y)} }

func eightOf(first float64) (v gpu.Float16x8) {
	for i := range v.Lanes() {
		v = v.With(i, h(first+float64(i)))
	}
	return v
}

func halvesOf(x float64, pair gpu.Float16x2, first float64) (v halves) {
	v.x, v.pair = h(x), pair
	for i := range v.list {
		v.list[i] = b(first + float64(i))
	}
	v.same.X, v.same.Y = b(first), b(-first)
	return v
}

type options struct {
	scale  float64
	offset [3]int16
	flip   bool
}

func f4(x, y, z, w float32) gpu.Float32x4 { return gpu.Float32x4{X: x, Y: y, Z: z, W: w} }

var inf32 = float32(math.Inf(1))

var deviceTests = []deviceTest{
	{entry: "Index", config: config{grid: [3]int{2, 3, 2}, block: [3]int{5, 3, 4}}, outLen: 2 * 12 * 60,
		want: wantIndex},
	{entry: "Strided", config: config{grid: [3]int{3}, block: [3]int{32}}, in: ramp(1000), outLen: 1003,
		want: wantStrided},
	{entry: "Strided", config: config{grid: [3]int{2}, block: [3]int{33}}, in: nil, outLen: 3,
		want: func([]int64) []int64 { return []int64{0, 3, 0} }},
	{entry: "Reverse", config: config{grid: [3]int{3}, block: [3]int{33}, shared: 33*4 + 3}, in: ramp(99),
		outLen: 102, want: wantReverse},
	{entry: "Warp", config: config{block: [3]int{32}}, in: positive(32), outLen: 256, want: wantWarp},
	{entry: "Match", config: config{block: [3]int{32}}, in: positive(32), outLen: 64, want: wantMatch},
	{entry: "Atomics_int32", config: config{block: [3]int{64}}, in: ramp(64), outLen: 80, want: wantAtomics[int32]},
	{entry: "Atomics_uint32", config: config{block: [3]int{64}}, in: ramp(64), outLen: 80, want: wantAtomics[uint32]},
	{entry: "Atomics_int64", config: config{block: [3]int{64}}, in: ramp(64), outLen: 80, want: wantAtomics[int64]},
	{entry: "Atomics_uint64", config: config{block: [3]int{64}}, in: ramp(64), outLen: 80, want: wantAtomics[uint64]},
	{entry: "Counters", config: config{grid: [3]int{2}, block: [3]int{40}},
		extra: []any{[]uint32{0, 0}, []float64{1}, []float32{0}},
		after: []any{[]uint32{80 % 7, 7 - 80%7}, []float64{41}, []float32{-160}}},
	{entry: "Vectors", config: config{block: [3]int{4}}, outLen: 1,
		extra: []any{
			[]gpu.Float32x4{f4(0, 1, 2, 3), f4(4, 5, 6, 7), f4(8, 9, 10, 11), f4(12, 13, 14, 15)},
			[]particle{{pos: f4(1, 1, 1, 1), id: 3, pair: gpu.Int32x2{X: 1, Y: 2}}, {}, {}, {}},
			[]gpu.Float64x2{{X: 1}, {X: 2}, {X: 3}, {X: 4}},
		},
		after: []any{
			[]gpu.Float32x4{f4(15, 13, 14, 12), f4(11, 9, 10, 8), f4(7, 5, 6, 4), f4(3, 1, 2, 0)},
			[]particle{{pos: f4(1, 14, 1, 1), id: 3, pair: gpu.Int32x2{X: 2, Y: 3}}, {pos: f4(0, 9, 0, 0)},
				{pos: f4(0, 5, 0, 0)}, {pos: f4(0, 1, 0, 0)}},
			[]gpu.Float64x2{{X: 15, Y: 1}, {X: 11, Y: 2}, {X: 7, Y: 3}, {X: 3, Y: 4}},
		},
		want: func([]int64) []int64 { return []int64{1} }},
	{entry: "Lanes_float32_gpu_Float32x2",
		extra: []any{[]gpu.Float32x2{{X: 0x1.001p0, Y: 2}, {X: 0x1.001p0, Y: 3}, {X: -0x1.002p0, Y: 1}, {}}, []float32{0}},
		after: []any{[]gpu.Float32x2{{X: 0x1.001p0, Y: 2}, {X: 0x1.001p0, Y: 3}, {X: -0x1.002p0, Y: 1}, {X: 0x1p-24, Y: 7}},
			[]float32{0x4.001p0}}},
	{entry: "Lanes_float32_gpu_Float32x4",
		extra: []any{[]gpu.Float32x4{f4(1, 2, 3, 0x1.001p0), f4(0x1p24, 1, 1, 0x1.001p0), f4(4, 5, 6, -0x1.002p0), {}}, []float32{0}},
		after: []any{[]gpu.Float32x4{f4(1, 2, 3, 0x1.001p0), f4(0x1p24, 1, 1, 0x1.001p0), f4(4, 5, 6, -0x1.002p0),
			f4(0x1p24+4, 7, 9, 0x1p-24)}, []float32{0x1p24 + 2}}}, // (2^24 + 1) + (1 + 1.0002…)
	{entry: "Lanes_float64_gpu_Float64x2",
		extra: []any{[]gpu.Float64x2{{X: 1 + 0x1p-27, Y: 2}, {X: 1 + 0x1p-27, Y: 3}, {X: -(1 + 0x1p-26), Y: 1}, {}}, []float64{0}},
		after: []any{[]gpu.Float64x2{{X: 1 + 0x1p-27, Y: 2}, {X: 1 + 0x1p-27, Y: 3}, {X: -(1 + 0x1p-26), Y: 1}, {X: 0x1p-54, Y: 7}},
			[]float64{4 + 0x1p-27}}},
	{entry: "Exact", extra: []any{[]float32{2, -1.5, 12: 0, 13: 0}},
		after: []any{[]float32{2, -1.5, float32(math.Sqrt(2)), 1.5, -1.5, 2, -2, -1, -1, -2, -2, 1, -inf32, inf32}}},
	{entry: "Halves", in: []int64{0, 2}, outLen: 11,
		extra: []any{halvesOf(1.5, pairOf(2, 0.25), -8), []halves{{}, halvesOf(7, pairOf(10, 20), 3)},
			[]gpu.Float16x8{eightOf(1), {}, {}}},
		after: []any{halvesOf(1.5, pairOf(2, 0.25), -8), []halves{halvesAfter(), halvesOf(7, pairOf(10, 20), 3)},
			[]gpu.Float16x8{eightOf(1), {X: pairOf(1, 5), Y: pairOf(4, 2), Z: pairOf(3, 7), W: pairOf(3, 1.5)},
				{X: pairOf(2, 9), Y: pairOf(13, 18), Z: pairOf(28, 43), W: pairOf(52, 65.5)}}},
		want: func([]int64) []int64 {
			return []int64{0x3e00, 0x4000, 0x3400, int64(b(-6).Bits()), int64(b(8).Bits()), 1, int64(h(6).Bits()),
				int64(h(3).Bits()), int64(h(3).Bits()), 1, 8}
		}},
	{entry: "Reals_gpu_Float16", extra: []any{[]gpu.Float16{h(0.1), h(0), h(0)}}, after: []any{[]gpu.Float16{h(0.1), h(0.2), h(0.033333)}}},
	{entry: "Reals_gpu_BFloat16", extra: []any{[]gpu.BFloat16{b(3e38), b(0), b(0)}},
		after: []any{[]gpu.BFloat16{b(3e38), b(math.Inf(1)), b(b(3e38).Float64() / 3)}}},
	{entry: "Reals_float32", extra: []any{[]float32{3e38, 0, 0}}, after: []any{[]float32{3e38, inf32, 3e38 / 3}}},
	{entry: "Reals_float64", extra: []any{[]float64{0.75, 0, 0}}, after: []any{[]float64{0.75, 1.5, 0.25}}},
	{entry: "Assertion", config: config{block: [3]int{8}}, outLen: 8, fails: "assertion failed: only seven threads",
		want: func([]int64) []int64 { return []int64{1, 1, 1, 1, 1, 1, 1, 0} }},
	complexTest(), matrixTest(), manyTest(),
	{entry: "Params", in: []int64{1}, outLen: 13,
		extra: []any{int8(-5), uint16(65535), int32(-70000), uint(1 << 63), float32(1.25), true,
			options{scale: 1.5, offset: [3]int16{3, -4, 5}, flip: true}, [80]int32{1: -7, 79: 9}, int64(-1)},
		want: func([]int64) []int64 {
			return []int64{-5, 65535, -70000, math.MinInt64, 5, 1, 3, -4, 1, -7, 9, -1,
				-6}
		}},
}

type signal struct {
	n int8
	c complex128
	d [2]complex64
}

func complexTest() deviceTest {
	z, w, s := make([]complex64, 32), make([]complex128, 32), make([]signal, 32)
	for i := range z {
		z[i], w[i] = complex(float32(i), -1), complex(0.1, float64(i))
	}
	p, q := complex64(1.5-2i), signal{n: -3, c: 1e-3 + 2i, d: [2]complex64{1, 2 - 5i}}
	test := deviceTest{entry: "Complex", config: config{block: [3]int{32}}, extra: []any{slices.Clone(z), slices.Clone(w), p, q, slices.Clone(s)}}
	cache := slices.Clone(z)
	for i := range cache {
		cache[i] *= p
	}
	for i := range z {
		w[i] += q.c * complex128(cache[31-i])
		z[i] = cache[31-i] / (q.d[i&1] + 1i)
		s[i].c, s[i].d[1] = w[i], complex(imag(z[i]), -3)
	}
	test.after = []any{z, w, p, q, s}
	return test
}

type matrix[T any] struct {
	data       []T
	_          [3]int32
	rows, cols int
}

type batch struct {
	lead  int8
	pair  [2]matrix[float64]
	scale gpu.Float32x4
	list  []gpu.Float32x4
	bias  complex64
}

func matrixTest() deviceTest {
	m := matrix[int32]{data: []int32{1, 2, 3, 4, 5, 6}, rows: 2, cols: 3}
	b := batch{
		lead: -3, scale: gpu.Float32x4{Z: 0.5, W: 7}, list: make([]gpu.Float32x4, 2), bias: 4 + 1i,
		pair: [2]matrix[float64]{{data: []float64{1, 2, 3, 40, 50, 60}, rows: 2, cols: 3}, {data: []float64{1, 2, 3, 4, 5, 6}, rows: 2, cols: 3}},
	}
	after, want := m, b
	after.data = []int32{3, 4, 5, 6, 7, 8}
	want.list = []gpu.Float32x4{{Y: 7}, {Y: 7}}
	want.pair[0].data = []float64{1, 2, 3, 8, 10, 12}
	return deviceTest{
		entry: "Matrices", in: []int64{0, 1000, 1}, outLen: 6, config: config{block: [3]int{6}}, extra: []any{m, b}, after: []any{after, want},
		want: func([]int64) []int64 { return slices.Repeat([]int64{6 + 3 - 3 + 1000}, 6) },
	}
}

func manyTest() deviceTest {
	var list, after [30]struct {
		s []int32
		n int
	}
	want := make([]int64, len(list))
	for i := range list {
		list[i].s, list[i].n = []int32{1, 20, 300}, i%3
		after[i].s, after[i].n = []int32{2, 20, 300}, i%3
		want[i] = int64(list[i].s[i%3]) + 5 + 2
	}
	return deviceTest{
		entry: "Many", in: []int64{5}, outLen: len(list), config: config{block: [3]int{len(list)}}, extra: []any{list}, after: []any{after},
		want: func([]int64) []int64 { return want },
	}
}

// halvesAfter is the second element after kernel Halves has run.
func halvesAfter() halves {
	v := halvesOf(7, pairOf(1.5, 20.25), 3)
	v.same.X, v.same.Y = b(-3), b(3)
	return v
}

// TestDevice runs the kernels of testdata/device.
func TestDevice(t *testing.T) {
	r, err := compile.Compile(folder(t, "testdata/device"), compiletest.Importer(t), compile.Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	d := newDevice(t, r)
	instances := map[string]compile.Instance{}
	for _, k := range r.Kernels {
		for _, inst := range k.Instances {
			instances[inst.PTXName] = inst
		}
	}
	tested := map[string]bool{}
	for _, test := range deviceTests {
		tested[test.entry] = true
		t.Run(test.entry, func(t *testing.T) { test.run(t, d, instances[test.entry]) })
	}
	for name := range instances {
		if !tested[name] {
			t.Errorf("%s is in no test", name)
		}
	}
}

func (test *deviceTest) run(t *testing.T, d *device, inst compile.Instance) {
	out := make([]int64, test.outLen)
	args := append([]any{slices.Clone(test.in), out}, test.extra...)
	if got := d.launch(t, inst, test.config, args...); got != test.fails {
		t.Errorf("it fails with %q, not %q", got, test.fails)
	}
	if test.want != nil {
		if diff := cmp.Diff(test.want(test.in), out); diff != "" {
			t.Errorf("output (-want +got):\n%s", diff)
		}
	}
	unexported := cmp.Exporter(func(reflect.Type) bool { return true })
	for i, want := range test.after {
		if diff := cmp.Diff(want, test.extra[i], unexported); diff != "" {
			t.Errorf("argument %d (-want +got):\n%s", i+2, diff)
		}
	}
}

func wantIndex([]int64) []int64 {
	var out []int64
	for range 2 * 3 * 2 {
		for i := range int64(5 * 3 * 4) {
			x, y, z := i%5, i/5%3, i/15
			out = append(out, x+100*y+10000*z, i%32+100*(i/32))
		}
	}
	return out
}

func wantStrided(in []int64) []int64 {
	const threads = 96
	out := make([]int64, len(in)+3)
	for t := range threads {
		for i := t; i < len(in); i += threads {
			if in[i]%5 == 0 {
				continue
			}
			if in[i] == 77 {
				break
			}
			out[i] = 2 * in[i]
			out[len(in)]++
		}
	}
	out[len(in)+1] = 3
	out[len(in)+2] = int64(len(in) - 1)
	return out
}

func wantReverse(in []int64) []int64 {
	out := make([]int64, len(in)+3)
	for i := range in {
		block, t := i/33, i%33
		v := in[block*33+32-t]
		out[i] = v*1000 + v
	}
	for b := range 3 {
		out[len(in)+b] = 33
	}
	return out
}

func wantWarp(in []int64) []int64 {
	out := make([]int64, 8*32)
	sum, odd := int64(0), int64(0)
	for i, v := range in {
		sum += v
		odd |= v % 2 << i
	}
	for i := range int64(32) {
		up := in[i]
		if i >= 3 {
			up = in[i-3]
		}
		copy(out[8*i:], []int64{sum, sum, up, in[5], odd, 3, 1<<32 - 1})
		if i < 16 {
			out[8*i+7] = 15
		}
	}
	return out
}

func wantMatch(in []int64) []int64 {
	out := make([]int64, 2*len(in))
	for i, x := range in {
		for j, y := range in {
			if x == y && i < 16 && j < 16 {
				out[2*i] |= 1 << j
			}
			if x == y {
				out[2*i+1] |= 1 << j
			}
		}
	}
	return out
}

func wantAtomics[T int32 | uint32 | int64 | uint64](in []int64) []int64 {
	s := [8]T{2: ^T(0), 4: ^T(0)}
	for _, x := range in {
		v := T(x)
		s[0] += v
		s[1] -= v
		s[2] = min(s[2], v)
		s[3] = max(s[3], v)
		s[4] &= v
		s[5] |= v
		s[6] ^= v
		s[7] += 2
	}
	out := make([]int64, 8+len(in)+8)
	for i, v := range s {
		out[i] = int64(v)
		out[8+len(in)+i] = 5
	}
	return out
}

// TestFaultPosition reads the position of a failure: file, line and column of the expression.
func TestFaultPosition(t *testing.T) {
	src := compiletest.Source("example.com/p", "dir/p.go", strings.Join([]string{
		"package p",
		"//gpu:kernel",
		"func K(in, out []int64) {",
		"	for i := range in {",
		"		out[0] += helper(in, i+1)",
		"	}",
		"}",
		"func helper(in []int64, i int) int64 {",
		"	return 1 +",
		"		in[i] / 2",
		"}",
	}, "\n"))
	r, err := compile.Compile(src, compiletest.Importer(t), compile.Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	text := r.PTX.String()
	if !strings.Contains(text, `.file 1 "example.com/p/p.go"`) {
		t.Errorf("no .file for the source:\n%s", text)
	}
	d := newDevice(t, r)
	if got := d.launch(t, r.Kernels[0].Instances[0], config{}, []int64{1, 2, 3},
		[]int64{0}); got != "index out of range [3] with length 3" {
		t.Errorf("it fails with %q", got)
	}
	if d.last.Line != 10 || d.last.Col != 3 || d.last.File != 1 {
		t.Errorf("the failure is at file %d, %d:%d", d.last.File, d.last.Line, d.last.Col)
	}
}
