package sim

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
)

// The kernels of testdata/nvcc, compiled by nvcc, run as the comment of each says and are compared
// with plain Go.

// nvccTests are the kernels by file name without extension.
var nvccTests = map[string]func(r *rig, l Launch){
	"atomics":         testAtomics,
	"bits":            testBits,
	"device_function": testDeviceFunction,
	"dispatch":        testDispatch,
	"histogram":       testHistogram,
	"hopper":          testHopper,
	"last_block":      testLastBlock,
	"math":            testMath,
	"matmul":          testMatmul,
	"reduction":       testReduction,
	"scan":            testScan,
	"shuffles":        testShuffles,
	"spin_lock":       testSpinLock,
	"stencil":         testStencil,
	"tensor":          testTensor,
	"transpose":       testTranspose,
	"vectors":         testVectors,
	"votes":           testVotes,
	"wmma":            testWMMA,
}

func TestNvcc(t *testing.T) {
	files, err := filepath.Glob("testdata/nvcc/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal("no PTX in testdata/nvcc", err)
	}
	debug, _ := filepath.Glob("testdata/nvcc/debug/*.ptx")
	for _, file := range append(files, debug...) {
		base := strings.TrimSuffix(filepath.Base(file), ".ptx")
		test, ok := nvccTests[base]
		if !ok {
			t.Errorf("%s has no test", file)
			continue
		}
		for name, l := range map[string]Launch{
			"parallel": {}, "descending": {Order: Descending, Observer: discard{}},
			"random 1": {Order: Random, Seed: 1, Observer: discard{}}, "random 2": {Order: Random, Seed: 2},
		} {
			t.Run(strings.TrimPrefix(file, "testdata/nvcc/")+"/"+name, func(t *testing.T) {
				t.Parallel()
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				test(newRig(t, string(text), Config{Workers: nvccWorkers(base, 3)}), l)
			})
		}
	}
}

// nvccWorkers is how many workers may run a kernel of nvcc's: n of them, but one under the race
// detector for atomics, which reads a cell without an atomic before its compare-and-swap loop: a
// race by any rule.
func nvccWorkers(base string, n int) int {
	if base == "atomics" && raceEnabled {
		return 1
	}
	return n
}

// discard is an observer that looks at nothing.
type discard struct{}

func (discard) Observe(event.Event) {}

// run launches with the options of l.
func (r *rig) run(l Launch, name string, grid, block [3]int, args ...any) {
	r.t.Helper()
	l.Grid, l.Block = grid, block
	if _, err := r.launchAs(name, l, args...); err != nil {
		r.t.Fatal(err)
	}
}

func x(n int) [3]int { return [3]int{n, 1, 1} }

func equalSlices[T comparable](r *rig, what string, got, want []T) {
	r.t.Helper()
	for i := range want {
		if got[i] != want[i] {
			r.t.Fatalf("%s: element %d of %d is %v, want %v", what, i, len(want), got[i], want[i])
		}
	}
}

func random(n int) *rand.Rand { return rand.New(rand.NewPCG(1, uint64(n))) }

func randomInts(n, bound int) []int32 {
	rnd := random(n)
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(rnd.IntN(bound))
	}
	return list
}

func testAtomics(r *rig, l Launch) {
	for _, n := range []int{1, 31, 33, 500} {
		u := upload(r, []uint32{0, 0, ^uint32(0), ^uint32(0), 0, 0, 0, 0, 0})
		long, f, d, s := upload(r, make([]uint64, 2)), upload(r, make([]float32, 1)), upload(r,
			make([]float64, 1)), upload(r, make([]int32, 1))
		r.run(l, "atomics", x(9), x(64), u, long, f, d, s, int32(n))
		want := []uint32{uint32(n), uint32(n - 1), 0, ^uint32(0), 0, 0, 0, uint32(n % 7), uint32(n)}
		var sum uint64
		for i := range uint32(n) {
			want[3] &= ^i
			want[4] |= i
			want[5] ^= i
			sum += uint64(i)
		}
		got := view[uint32](r, u, 9)
		if got[6] >= uint32(n) {
			r.t.Fatalf("exch left %d", got[6])
		}
		want[6] = got[6]
		equalSlices(r, "u", got, want)
		equalSlices(r, "l", view[uint64](r, long, 2), []uint64{sum, uint64(n - 1)})
		equalSlices(r, "f", view[float32](r, f, 1), []float32{float32(n) * 0.5})
		equalSlices(r, "d", view[float64](r, d, 1), []float64{float64(n) * 0.25})
		equalSlices(r, "s", view[int32](r, s, 1), []int32{-int32(n - 1)})
	}
}

func testBits(r *rig, l Launch) {
	odd := []uint32{0, 1, ^uint32(0), 1 << 31, 1<<31 - 1, 0x12345678}
	var in []uint32
	for _, a := range odd {
		for _, b := range odd {
			in = append(in, a, b)
		}
	}
	rnd := random(1)
	for range 100 {
		in = append(in, rnd.Uint32(), rnd.Uint32()>>rnd.IntN(32))
	}
	n := len(in) / 2
	out := upload(r, make([]uint32, 16*n))
	r.run(l, "bits", x((n+63)/64), x(64), upload(r, in), out, int32(n))
	for i := range n {
		equalSlices(r, fmt.Sprintf("bits of %#x, %#x", in[2*i], in[2*i+1]),
			view[uint32](r, out+uint64(64*i), 16), wantBits(in[2*i], in[2*i+1]))
	}
}

func wantBits(a, b uint32) []uint32 {
	w := uint64(a)<<32 | uint64(b)
	o := make([]uint32, 16)
	o[0], o[1], o[2] = uint32(bits.OnesCount32(a)), uint32(bits.LeadingZeros32(a)), bits.Reverse32(a)
	if a != 0 {
		o[3] = uint32(bits.TrailingZeros32(a)) + 1
	}
	o[4] = bits.RotateLeft32(a, int(b%32))
	for i, sel := range []uint32{5, 1, 7, 3} { // 0x3715 from the low end
		v := a
		if sel >= 4 {
			v = b
		}
		o[5] |= v >> (8 * (sel % 4)) & 0xff << (8 * i)
	}
	o[6] = uint32(uint64(a) * uint64(b) >> 32)
	o[7] = (a & 0xffffff) * (b & 0xffffff)
	o[8] = max(a, b) - min(a, b)
	o[9], o[10] = uint32(bits.OnesCount64(w)), uint32(bits.LeadingZeros64(w))
	if b != 0 {
		o[11], o[12] = a/b, a%b
		if !(a == 1<<31 && b == ^uint32(0)) {
			o[13] = uint32(int32(a) / int32(b))
		}
	}
	o[14] = a >> 5 & 0xff
	o[15] = 1
	for i := 0; i < 32; i += 8 {
		o[15] += uint32(int32(int8(a>>i)) * int32(int8(b>>i)))
	}
	return o
}

func testDeviceFunction(r *rig, l Launch) {
	var fib func(n int) int32
	fib = func(n int) int32 {
		if n < 2 {
			return int32(n)
		}
		return fib(n-1) + fib(n-2)
	}
	for _, n := range []int{1, 33, 200} {
		in := make([]uint32, n)
		want, hyp := make([]int32, n), make([]float64, n)
		for i := range in {
			in[i] = uint32(i*7 + 1)
			for v := in[i]; v != 1; want[i]++ {
				if v%2 != 0 {
					v = 3*v + 1
				} else {
					v /= 2
				}
			}
			want[i] += fib(i % 12)
			v := float64(in[i])
			hyp[i] = math.Sqrt(math.FMA(v, v, float64(i))) + float64(7+i) // nvcc contracts
		}
		out, h := upload(r, make([]int32, n)), upload(r, make([]float64, n))
		r.run(l, "device_function", x((n+63)/64), x(64), upload(r, in), out, h, int32(n))
		equalSlices(r, "out", view[int32](r, out, n), want)
		for i, got := range view[float64](r, h, n) {
			if math.Abs(got-hyp[i]) > 1e-9*hyp[i] { // the debug build does not contract
				r.t.Fatalf("hyp[%d] = %v, want %v", i, got, hyp[i])
			}
		}
	}
}

func testDispatch(r *rig, l Launch) {
	const n = 100
	code := []uint8{0, 1, 2, 3, 4, 5, 6, 7, 6, 6, 1, 7, 0, 0, 0, 0, 5, 4, 3, 2, 1, 0, 5, 5, 7, 0, 0, 0, 0, 0, 0, 0}
	want := make([]int32, n)
	for i := range want {
		acc := int32(i)
	program:
		for _, op := range code[i%4*8 : i%4*8+8] {
			switch op {
			case 0:
				acc += 3
			case 1:
				acc *= 5
			case 2:
				acc ^= 0x55
			case 3:
				acc <<= 1
			case 4:
				acc -= int32(i)
			case 5:
				acc = ^acc
			case 6:
				acc *= acc
			case 7:
				break program
			}
		}
		want[i] = acc
	}
	out := upload(r, make([]int32, n))
	r.run(l, "dispatch", x(2), x(64), upload(r, code), out, int32(n))
	equalSlices(r, "out", view[int32](r, out, n), want)
}

func testHistogram(r *rig, l Launch) {
	for _, n := range []int{0, 1, 1000, 5003} {
		data := make([]uint8, n)
		want := make([]uint32, 256)
		rnd := random(n)
		for i := range data {
			data[i] = uint8(rnd.IntN(256) & rnd.IntN(256))
			want[data[i]]++
		}
		bins := upload(r, make([]uint32, 256))
		r.run(l, "histogram", x(3), x(256), upload(r, data), bins, uint64(n))
		equalSlices(r, "bins", view[uint32](r, bins, 256), want)
	}
}

func testLastBlock(r *rig, l Launch) {
	for _, n := range []int{0, 1, 33, 3000} {
		in := randomInts(n, 1000)
		var want int32
		for _, v := range in {
			want += v
		}
		const grid = 7
		ticket, out := upload(r, make([]uint32, 1)), upload(r, make([]int32, 1))
		r.run(l, "last_block", x(grid), x(128), upload(r, in), int32(n), upload(r, make([]int32, grid)), ticket, out)
		equalSlices(r, "out", view[int32](r, out, 1), []int32{want})
		equalSlices(r, "ticket", view[uint32](r, ticket, 1), []uint32{0})
	}
}

func testMath(r *rig, l Launch) {
	inf := float32(math.Inf(1))
	in := []float32{0, 1, -1, 2, 0.5, 1.5, 2.5, -2.5, 3e-39, -3e-39, 1e30, 3.3e38, inf, -inf,
		float32(math.NaN()), 1e-45, 88, -87, 7.25}
	rnd := random(2)
	for range 200 {
		in = append(in, float32(rnd.NormFloat64()*10))
	}
	n := len(in)
	out := upload(r, make([]float32, 12*n))
	r.run(l, "math", x((n+63)/64), x(64), upload(r, in), out, int32(n))
	for i, v := range in {
		got := view[float32](r, out+uint64(48*i), 12)
		d := float64(v)
		exact := map[int]float32{
			0: float32(math.Sqrt(d)), 2: softfloat.FMA32(v, v, 1), 3: v / 3, 4: float32(math.Floor(d)),
			5: float32(math.Trunc(d)),
			6: float32(math.RoundToEven(d)), 7: min(v, 1), 8: float32(math.Copysign(1, d)),
		}
		if v != v {
			exact[7], exact[8] = 1, got[8] // a NaN's sign is not said
		}
		for k, want := range exact {
			if math.Float32bits(got[k]) != math.Float32bits(want) && (got[k] == got[k] || want == want) {
				r.t.Errorf("x = %v: out[%d] = %v, want %v", v, k, got[k], want)
			}
		}
		for k, want := range map[int]float64{1: 1 / math.Sqrt(d), 9: math.Exp(d), 10: math.Log(math.Abs(d)),
			11: math.Sin(d)} {
			if g := float64(got[k]); math.Abs(g-float64(float32(want))) > 1e-6*(math.Abs(want)+0.01) &&
				float32(g) != float32(want) {
				r.t.Errorf("x = %v: out[%d] = %v, want %v", v, k, g, want)
			}
		}
	}
}

func testMatmul(r *rig, l Launch) {
	for _, s := range [][3]int{{1, 1, 1}, {16, 16, 16}, {33, 17, 20}, {20, 40, 1}} {
		m, n, k := s[0], s[2], s[1]
		grid := [3]int{(n + 15) / 16, (m + 15) / 16, 1}
		a, b := randomInts(m*k, 100), randomInts(k*n, 100)
		want := make([]float64, m*n) // small integers: exact in any order
		for i := range m {
			for j := range n {
				for q := range k {
					want[i*n+j] += float64(a[i*k+q]) * float64(b[q*n+j])
				}
			}
		}
		c := upload(r, make([]float64, m*n))
		r.run(l, "matmul_f64", grid, [3]int{16, 16, 1}, upload(r, floats[float64](a)),
			upload(r, floats[float64](b)), c, int32(m), int32(k), int32(n))
		equalSlices(r, "f64", view[float64](r, c, m*n), want)
		c = upload(r, make([]float32, m*n))
		r.run(l, "matmul_f32", grid, [3]int{16, 16, 1}, upload(r, floats[float32](a)),
			upload(r, floats[float32](b)), c, int32(m), int32(k), int32(n))
		for i, got := range view[float32](r, c, m*n) {
			if float64(got) != want[i] {
				r.t.Fatalf("f32: element %d is %v, want %v", i, got, want[i])
			}
		}
	}
}

func floats[F float32 | float64](in []int32) []F {
	list := make([]F, len(in))
	for i, v := range in {
		list[i] = F(v)
	}
	return list
}

func testReduction(r *rig, l Launch) {
	for _, n := range []int{0, 1, 255, 257, 5000} {
		const grid = 3
		in := randomInts(n, 1000)
		want := make([]float32, grid)
		for i, v := range in {
			want[i/256%grid] += float32(v)
		}
		out := upload(r, make([]float32, grid))
		r.run(l, "reduction", x(grid), x(256), upload(r, floats[float32](in)), out, int32(n))
		equalSlices(r, "out", view[float32](r, out, grid), want)
	}
}

func testScan(r *rig, l Launch) {
	for _, n := range []int{1, 31, 512, 1300} {
		in := randomInts(n, 1000)
		want := slices.Clone(in)
		for i := range want {
			if i%512 != 0 {
				want[i] += want[i-1]
			}
		}
		out := upload(r, make([]int32, n))
		with := l
		with.Shared = 2 * 512 * 4
		r.run(with, "scan", x((n+511)/512), x(512), upload(r, in), out, int32(n))
		equalSlices(r, "out", view[int32](r, out, n), want)
	}
}

func testShuffles(r *rig, l Launch) {
	const n = 192
	in := randomInts(n, 1000)
	want := make([]int32, 6*n)
	for i := range in {
		warp, lane := i/32*32, i%32
		o := want[6*i:]
		o[0] = in[warp+(lane+1)%32]
		for j := range 32 {
			if j <= lane {
				o[1] += in[warp+j]
			}
			o[2] += in[warp+j]
		}
		o[3] = in[i]
		if lane+3 < 32 {
			o[3] = in[i+3]
		}
		o[4] = in[i/8*8]
		o[5] = in[warp+(lane^16)]
	}
	out := upload(r, make([]int32, 6*n))
	r.run(l, "shuffles", x(3), x(64), upload(r, in), out)
	equalSlices(r, "out", view[int32](r, out, 6*n), want)
}

func testSpinLock(r *rig, l Launch) {
	for _, size := range [][2]int{{1, 1}, {3, 70}, {9, 33}} {
		lock, sum := upload(r, make([]int32, 1)), upload(r, make([]uint64, 1))
		r.run(l, "spin_lock", x(size[0]), x(size[1]), lock, sum)
		n := uint64(size[0] * size[1])
		equalSlices(r, "sum", view[uint64](r, sum, 1), []uint64{n * (n - 1) / 2})
		equalSlices(r, "lock", view[int32](r, lock, 1), []int32{0})
	}
}

func testStencil(r *rig, l Launch) {
	for _, n := range []int{1, 3, 127, 129, 500} {
		in := floats[float32](randomInts(n, 100))
		want := make([]float32, n)
		for i := range want {
			for k := -3; k <= 3; k++ {
				if j := i + k; j >= 0 && j < n {
					want[i] += []float32{1, 2, 3, 4, 3, 2, 1}[k+3] * in[j]
				}
			}
		}
		out := upload(r, make([]float32, n))
		r.run(l, "stencil", x((n+127)/128), x(128), upload(r, in), out, int32(n))
		equalSlices(r, "out", view[float32](r, out, n), want)
	}
}

func testTranspose(r *rig, l Launch) {
	for _, s := range [][2]int{{1, 1}, {32, 32}, {33, 65}, {100, 7}} {
		w, h := s[0], s[1]
		in := floats[float64](randomInts(w*h, 1000))
		want := make([]float64, w*h)
		for i := range in {
			want[i%w*h+i/w] = in[i]
		}
		out := upload(r, make([]float64, w*h))
		r.run(l, "transpose", [3]int{(w + 31) / 32, (h + 31) / 32, 1}, [3]int{32, 8, 1}, upload(r, in), out,
			int32(w), int32(h))
		equalSlices(r, "out", view[float64](r, out, w*h), want)
	}
}

func testVectors(r *rig, l Launch) {
	type params struct {
		A float32
		N int32
	}
	for _, n := range []int{1, 33, 100} {
		u, y := floats[float32](randomInts(4*n, 100)), floats[float32](randomInts(4*n, 77))
		want := make([]float32, 4*n)
		for i := range want {
			want[i] = 2.5*u[i] + y[i]
		}
		h, wantH := make([]uint16, n), make([]uint16, n)
		for i := range h {
			h[i] = uint16(softfloat.Half.Round(float64(i)*0.125-3, softfloat.Nearest))
			wantH[i] = uint16(softfloat.Half.Round(2.5*softfloat.Half.Value(uint32(h[i]))+1, softfloat.Nearest))
		}
		dy, dh := upload(r, y), upload(r, h)
		r.run(l, "vectors", x((n+31)/32), x(32), params{2.5, int32(n)}, upload(r, u), dy, dh)
		equalSlices(r, "y", view[float32](r, dy, 4*n), want)
		equalSlices(r, "h", view[uint16](r, dh, n), wantH)
	}
}

func testVotes(r *rig, l Launch) {
	for _, n := range []int{1, 64, 190} {
		in := make([]int32, n)
		rnd := random(n)
		for i := range in {
			in[i] = int32(rnd.IntN(120) - 5)
		}
		const threads = 192
		padded := append(slices.Clone(in), make([]int32, threads-n)...)
		want := make([]uint32, threads/32*4)
		for i, v := range padded {
			o, lane := want[i/32*4:], i%32
			if lane == 0 {
				o[2] = 1
			}
			o[0] |= uint32(v&1) << lane
			if v > 100 {
				o[1] = 1
			}
			if v < 0 {
				o[2] = 0
			}
			if v&3 == padded[i/32*32]&3 {
				o[3] |= 1 << lane
			}
		}
		out := upload(r, make([]uint32, len(want)))
		r.run(l, "votes", x(3), x(64), upload(r, in), out, int32(n))
		equalSlices(r, "out", view[uint32](r, out, len(want)), want)
	}
}
