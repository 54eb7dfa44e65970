package engines

import (
	"math"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/ptx"
)

// program is one or more launches, with a twin in Go.
type program struct {
	name string
	load func(tb testing.TB) *ptx.Module
	// start prepares the program for n. run does it once, and may change what reset puts back. It returns
	// a number that says whether the result is right.
	start func(r *rig, n int) (reset func(), run func() float64)
	inGo  func(n int) (reset func(), run func() float64)
	n     int // measured
	small int // tested
	// within is how far the numbers may be apart, relative to the larger.
	within float64
}

func x(n int) [3]int { return [3]int{n, 1, 1} }

func nothing() {}

var programs = []program{
	{"conjugate gradient, one launch of 50 steps", ownKernels, startSolve, solveInGo, 100_000, 1000, 1e-9},
	{"look-back scan", lookback, startScan, scanInGo, 1_000_000, 2560, 0},
	{"radix sort of uint32", gallery, startSort, sortInGo, 1_000_000, 3000, 0},
	{"causal attention by wgmma, 2 heads of 64", attention, startAttention, attentionInGo, 512, 96, 2e-3},
	{"GELU, float32", gallery, startGELU, geluInGo, 1_000_000, 1000, 1e-5},
}

func ownKernels(tb testing.TB) *ptx.Module { return compiled(tb, "testdata/kernels.go") }
func lookback(tb testing.TB) *ptx.Module {
	return compiled(tb, "../../machine/check/testdata/lookback/lookback.go")
}
func gallery(tb testing.TB) *ptx.Module {
	return module(tb, "../../../examples/gallery/kernels_gen.ptx.zst")
}
func attention(tb testing.TB) *ptx.Module {
	return module(tb, "../../machine/sim/testdata/triton/attention.ptx")
}

const (
	solveSteps  = 50
	solveBlocks = 16
)

// right is the right side of the equations.
func right(n int) []float64 {
	b := make([]float64, n)
	for i := range b {
		b[i] = float64(i%17) - 8
	}
	return b
}

func startSolve(r *rig, n int) (reset func(), run func() float64) {
	b := right(n)
	xs, solution := upload(r, make([]float64, n))
	rs, rest := upload(r, b)
	ps, direction := upload(r, b)
	qs, _ := upload(r, b)
	sums, _ := upload(r, make([]float64, 2*(solveSteps+1)*solveBlocks))
	reset = func() { clear(solution); copy(rest, b); copy(direction, b) }
	return reset, func() float64 {
		r.launch("Solve", sim.Launch{Grid: x(solveBlocks), Block: x(256)}, xs, n, rs, n, ps, n, qs, n, sums, 2*(solveSteps+1)*solveBlocks, solveSteps)
		return norm(solution)
	}
}

func solveInGo(n int) (reset func(), run func() float64) {
	b := right(n)
	xs, rs, ps, qs := make([]float64, n), slices.Clone(b), slices.Clone(b), make([]float64, n)
	reset = func() { clear(xs); copy(rs, b); copy(ps, b) }
	return reset, func() float64 {
		rr := product(rs, rs)
		for range solveSteps {
			for i, v := range ps {
				v *= 2.01
				if i > 0 {
					v -= ps[i-1]
				}
				if i < n-1 {
					v -= ps[i+1]
				}
				qs[i] = v
			}
			alpha := rr / product(ps, qs)
			for i := range xs {
				xs[i] += alpha * ps[i]
				rs[i] -= alpha * qs[i]
			}
			next := product(rs, rs)
			for i := range ps {
				ps[i] = rs[i] + next/rr*ps[i]
			}
			rr = next
		}
		return norm(xs)
	}
}

func product(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

func norm(v []float64) float64 { return math.Sqrt(product(v, v)) }

// counts are numbers to scan.
func counts(n int) []int32 {
	a := make([]int32, n)
	for i := range a {
		a[i] = int32(i % 7)
	}
	return a
}

func startScan(r *rig, n int) (reset func(), run func() float64) {
	blocks := (n + 255) / 256
	in, _ := upload(r, counts(n))
	out, result := upload(r, make([]int32, n))
	state, states := upload(r, make([]uint32, blocks))
	sums, _ := upload(r, make([]uint32, 2*blocks))
	ticket, tickets := upload(r, make([]uint32, 1))
	reset = func() { clear(states); clear(tickets) }
	return reset, func() float64 {
		r.launch("Scan", sim.Launch{Grid: x(blocks), Block: x(256)}, in, n, out, n, state, blocks, sums, 2*blocks, ticket, 1)
		return mixed(result)
	}
}

func scanInGo(n int) (reset func(), run func() float64) {
	in, out := counts(n), make([]int32, n)
	return nothing, func() float64 {
		sum := int32(0)
		for i, v := range in {
			sum += v
			out[i] = sum
		}
		return mixed(out)
	}
}

// mixed depends on all numbers and their order.
func mixed[T int32 | uint32](list []T) float64 {
	h := uint64(0)
	for _, v := range list {
		h = h*31 + uint64(v)
	}
	return float64(h >> 12)
}

const sortTile = 1024 // of examples/gallery

func keys(n int) []uint32 {
	list := make([]uint32, n)
	h := uint32(1)
	for i := range list {
		h = h*1664525 + 1013904223
		list[i] = h >> (i % 3 * 10)
	}
	return list
}

func startSort(r *rig, n int) (reset func(), run func() float64) {
	tiles := (n + sortTile - 1) / sortTile
	host := keys(n)
	a, from := upload(r, host)
	b, _ := upload(r, host)
	sums, _ := upload(r, make([]uint32, 256*tiles))
	return func() { copy(from, host) }, func() float64 {
		in, out := a, b
		for shift := 0; shift < 32; shift += 8 {
			each := sim.Launch{Grid: x(tiles), Block: x(256)}
			r.launch("CountDigits", each, in, n, shift, sums, 256*tiles)
			r.launch("AddCounts", sim.Launch{Grid: x(1), Block: x(256)}, sums, 256*tiles)
			r.launch("MoveKeys", each, in, n, out, n, shift, sums, 256*tiles)
			in, out = out, in
		}
		return mixed(from)
	}
}

// sortInGo sorts by the same passes, with one tile.
func sortInGo(n int) (reset func(), run func() float64) {
	host, a, b := keys(n), keys(n), make([]uint32, n)
	return func() { copy(a, host) }, func() float64 {
		in, out := a, b
		for shift := 0; shift < 32; shift += 8 {
			var next [257]int
			for _, k := range in {
				next[k>>shift&255+1]++
			}
			for d := range 256 {
				next[d+1] += next[d]
			}
			for _, k := range in {
				d := k >> shift & 255
				out[next[d]] = k
				next[d]++
			}
			in, out = out, in
		}
		return mixed(a)
	}
}

func startGELU(r *rig, n int) (reset func(), run func() float64) {
	in, _ := upload(r, points(n))
	out, result := upload(r, make([]float32, n))
	return nothing, func() float64 {
		r.launch("GELU_float32", sim.Launch{Grid: x(64), Block: x(128)}, in, n, out, n)
		return total(result)
	}
}

func points(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(i)*12/float32(n) - 6
	}
	return list
}

func geluInGo(n int) (reset func(), run func() float64) {
	in, out := points(n), make([]float32, n)
	return nothing, func() float64 {
		for i, v := range in {
			out[i] = v / 2 * float32(math.Erfc(float64(v*(-1/math.Sqrt2))))
		}
		return total(out)
	}
}

func total(list []float32) (sum float64) {
	for _, v := range list {
		sum += float64(v)
	}
	return sum
}
