package formats

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/library/kernels/kerneltest"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/tile"
)

// mixedCase is products of a batch, whose matrices have padding after each row.
type mixedCase struct {
	m, n, k, trans, count int
	padA, padB            int
	shared                bool // B, by all products of the batch
}

// mixedCases have sizes that no tile divides: all transposes, k of no stage, part of one and
// several, rows that begin at 16 bytes and not.
var mixedCases = []mixedCase{
	{1, 1, 1, 0, 1, 0, 0, false}, {31, 33, 0, 1, 2, 1, 0, false}, {33, 31, 5, 2, 1, 0, 0, false}, {8, 136, 80, 0, 2, 8, 0, false},
	{136, 16, 72, 1, 1, 0, 8, false}, {24, 40, 33, 2, 3, 7, 15, true}, {130, 8, 48, 3, 1, 14, 0, false}, {5, 131, 37, 0, 1, 0, 3, false},
	{80, 16, 48, 0, 2, 0, 0, false}, {16, 48, 144, 1, 1, 16, 0, false}, {17, 33, 80, 2, 2, 0, 0, true}, {16, 17, 16, 3, 1, 0, 16, false},
}

// mappedCases is the index of the first case whose factors are such as tensor maps take.
const mappedCases = 8

// host is a matrix of a batch, row by row.
type host[T any] struct {
	data           []T
	rows, cols     int
	stride, behind int // elements from row to row, and from matrix to matrix
}

func newHost[T any](rows, cols, pad, count int, element func(i int) T) *host[T] {
	h := &host[T]{rows: rows, cols: cols, stride: max(cols, 1) + pad}
	h.behind = rows * h.stride
	h.data = make([]T, count*h.behind)
	for i := range h.data {
		h.data[i] = element(i)
	}
	return h
}

func (h *host[T]) at(z, i, j int, trans bool) T {
	if trans {
		i, j = j, i
	}
	return h.data[z*h.behind+i*h.stride+j]
}

func (h *host[T]) copyTo(t *testing.T, dev *gridstride.Device) gridstride.Buffer[T] {
	t.Helper()
	b, err := gridstride.CopyOf(dev, h.data)
	kerneltest.Must(t, err)
	t.Cleanup(func() { kerneltest.Must(t, b.Free()) })
	return b
}

// mixedRun multiplies by a plan, and gives C's host before and what is read of it after.
func mixedRun[T operand.Element, S operand.Sum](t *testing.T, dev *gridstride.Device, plan *Plan[T, S], c mixedCase,
	a, b *host[T], sum *host[S], alpha, beta S,
) []S {
	t.Helper()
	matrixOf := func(h *host[T]) operand.Matrix[T] {
		return operand.Matrix[T]{Data: h.copyTo(t, dev), Rows: h.rows, Cols: h.cols, Stride: h.stride}
	}
	p := level3.Product[T, S]{TransA: c.trans&1 != 0, TransB: c.trans&2 != 0, Alpha: alpha, Beta: beta, Count: c.count,
		A: matrixOf(a), B: matrixOf(b), C: operand.Matrix[S]{Data: sum.copyTo(t, dev), Rows: c.m, Cols: c.n, Stride: sum.stride},
		StrideA: a.behind, StrideB: b.behind, StrideC: sum.behind}
	kerneltest.Must(t, plan.Launch(dev.Stream(), onepass.Work{}, p))
	got, err := p.C.Data.Read(t.Context(), dev.Stream(), nil)
	kerneltest.Must(t, err)
	return got
}

// factors are the sizes of A and B in memory.
func (c mixedCase) factors() (rowsA, colsA, rowsB, colsB int) {
	rowsA, colsA, rowsB, colsB = c.m, c.k, c.k, c.n
	if c.trans&1 != 0 {
		rowsA, colsA = colsA, rowsA
	}
	if c.trans&2 != 0 {
		rowsB, colsB = colsB, rowsB
	}
	return rowsA, colsA, rowsB, colsB
}

// methodsOf are the ways in which a plan computes.
func methodsOf[T operand.Element, S operand.Sum](plan *Plan[T, S], large tile.Size) []method {
	all := []method{{kernel: smallKernel, Size: smallStaged().Size}, {kernel: largeKernels, Size: large}}
	if m := plan.choose(&level3.Product[T, S]{Count: 1, C: operand.Matrix[S]{Rows: 1 << 14, Cols: 1 << 14}}); m.kernel == warpgroupKernels {
		all = append(all, m, method{groupKernels, fewTile()})
	}
	return all
}

// worthwhile reports whether a case is run by a method on a device. On a GPU each is. Simulating
// takes time, the more so for larger tiles and with the checks, which see each kernel once. Devices
// of 9.0 have the kernels of 8.0, and others, whose rings of places a case of TF32 goes round.
func worthwhile(dev *gridstride.Device, checked, tf32 bool, m method, at int) bool {
	switch {
	case dev.Info().Backend != "sim":
		return m.kernel != groupKernels || at >= mappedCases
	case m.kernel == groupKernels:
		return at >= mappedCases && checked == (at == mappedCases)
	case at >= mappedCases:
		return false
	case m.kernel == warpgroupKernels:
		return checked && (at == 3 && tf32 || at == 6 && !tf32)
	case dev.Info().Target == "sm_80" && m.kernel != smallKernel:
		return checked && at == 4
	case dev.Info().Target == "sm_80":
		return checked == (at == 5) && at != 3
	}
	return dev.Info().Target == "sm_70" && m.kernel == smallKernel && at >= 4 && checked == (at == 5)
}

// mixedDevice is a device with the plans of all formats.
type mixedDevice struct {
	dev     *gridstride.Device
	checked bool
	plans   *Plans
}

// testMixed holds a plan to sums that are exact in any order, with its large kernel and its small
// one.
func testMixed[T operand.Element, S operand.Sum](t *testing.T, on *mixedDevice, plan *Plan[T, S],
	large tile.Size, element func(i int) T, value func(x T) S) {
	methods := methodsOf(plan, large)
	for i, c := range mixedCases {
		for _, m := range methods {
			if !worthwhile(on.dev, on.checked, any(plan) == any(on.plans.TF32), m, i) {
				continue
			}
			plan.choose = func(*level3.Product[T, S]) method { return m }
			rowsA, colsA, rowsB, colsB := c.factors()
			a, b := newHost(rowsA, colsA, c.padA, c.count, element), newHost(rowsB, colsB, c.padB, c.count, func(i int) T { return element(i + 1) })
			if c.shared {
				b.data, b.behind = b.data[:b.behind], 0
			}
			sum := newHost(c.m, c.n, i%3, c.count, func(i int) S { return S(i%5 - 2) })
			alpha, beta := S(2), S(i%2*3)
			got := mixedRun(t, on.dev, plan, c, a, b, sum, alpha, beta)
			for z := range c.count {
				for i := range c.m {
					for j := range c.n {
						var s S
						for l := range c.k {
							s += value(a.at(z, i, l, c.trans&1 != 0)) * value(b.at(z, l, j, c.trans&2 != 0))
						}
						at := &sum.data[z*sum.behind+i*sum.stride+j]
						*at = alpha*s + beta**at
					}
				}
			}
			for i, x := range got {
				if x != sum.data[i] {
					t.Errorf("%+v by kernel %d: element %d of C is %v, want %v", c, m.kernel, i, x, sum.data[i])
					break
				}
			}
		}
	}
}

// TestMixed runs the kernels of every format, on tensor cores and not.
func TestMixed(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"sm_70", "sm_80", "sm_90a"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			dev := gputest.Device(t, gridstride.SimTarget(target))
			testFormats(t, &mixedDevice{dev, true, NewPlans(dev)})
			if dev.Info().Backend == "sim" {
				dev = kerneltest.Unchecked(t, target)
				testFormats(t, &mixedDevice{dev, false, NewPlans(dev)})
			}
		})
	}
}

// testFormats runs the kernels of every format that are worthwhile on a device.
func testFormats(t *testing.T, on *mixedDevice) {
	same := func(x float32) float32 { return x }
	t.Run("bf16", func(t *testing.T) {
		testMixed(t, on, on.plans.BF16, largeStaged().Size, func(i int) gpu.BFloat16 { return gpu.BFloat16Of(kerneltest.Integer(i)) }, gpu.BFloat16.Float32)
	})
	t.Run("f16", func(t *testing.T) {
		testMixed(t, on, on.plans.F16, largeStaged().Size, func(i int) gpu.Float16 { return gpu.Float16Of(kerneltest.Integer(i)) }, gpu.Float16.Float32)
	})
	t.Run("tf32", func(t *testing.T) { testMixed(t, on, on.plans.TF32, largeStaged().Size, kerneltest.Integer, same) })
	t.Run("bf16x6", func(t *testing.T) { testMixed(t, on, on.plans.BF16x6, partTile().Size, kerneltest.Integer, same) })
	t.Run("int8", func(t *testing.T) {
		testMixed(t, on, on.plans.Int8, largeStaged().Size, func(i int) int8 { return int8(i * i) }, func(x int8) int32 { return int32(x) })
	})
}

// TestExponents compares the exponents of rows spread over several blocks with the host's.
func TestExponents(t *testing.T) {
	t.Parallel()
	const rows, k = 33, exponentSide + 33
	for _, deep := range []bool{false, true} {
		dev := gputest.Device(t)
		r := rand.New(rand.NewPCG(4, 4))
		x, want := make([]float32, rows*k), make([]int32, rows)
		for i := range x {
			row := i % rows
			if deep {
				row = i / k
			}
			x[i] = wide32(r, -140, 120)
			if i%7 == 0 {
				x[i] = float32(math.Inf(i%2*2 - 1))
			} else {
				want[row] = max(want[row], int32(math.Float32bits(x[i])>>23&0xff))
			}
		}
		p := Packing{Rows: rows, K: k, Stride: rows, Deep: deep}
		if deep {
			p.Stride = k
		}
		from, err := gridstride.CopyOf(dev, x)
		kerneltest.Must(t, err)
		out, err := gridstride.CopyOf(dev, make([]int32, rows))
		kerneltest.Must(t, err)
		find, err := loadFindExponents(dev)
		kerneltest.Must(t, err)
		kerneltest.Must(t, find.Launch(dev.Stream(), gridstride.Grid(2*2), from, out, p))
		got, err := out.Read(t.Context(), dev.Stream(), nil)
		kerneltest.Must(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("deep %v: %v, want %v", deep, got, want)
		}
		kerneltest.Must(t, errors.Join(from.Free(), out.Free()))
	}
}

// TestTF32Ties holds every way to round a factor to the same: numbers between two TF32 become the
// even one.
func TestTF32Ties(t *testing.T) {
	t.Parallel()
	const n = 16
	for _, target := range []string{"sm_70", "sm_80", "sm_90a"} {
		dev := kerneltest.Unchecked(t, target)
		plan := NewPlans(dev).TF32
		for _, m := range methodsOf(plan, largeStaged().Size) {
			if dev.Info().Target == "sm_70" && m.kernel != smallKernel {
				continue
			}
			plan.choose = func(*level3.Product[float32, float32]) method { return m }
			tie := func(i int) float32 { return 1 + float32(i)/2048 } // each other one is between two
			one := func(i int) float32 { return float32(btoi(i%(n+1) == 0)) }
			a, b := newHost(n, n, 0, 1, tie), newHost(n, n, 0, 1, one)
			sum := newHost(n, n, 0, 1, func(int) float32 { return 0 })
			got := mixedRun(t, dev, plan, mixedCase{m: n, n: n, k: n, trans: 2, count: 1}, a, b, sum, 1, 0)
			for i, x := range got {
				if want := float32(math.RoundToEven(float64(tie(i))*1024) / 1024); x != want {
					t.Fatalf("%s, kernel %d: %v became %v, want %v", target, m.kernel, tie(i), x, want)
				}
			}
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// wide are numbers of all signs and many magnitudes, some of them subnormal, whose products add up
// to less than the largest float32.
func wide32(r *rand.Rand, from, to int) float32 {
	return float32(math.Ldexp(r.NormFloat64(), from+r.IntN(to-from+1)))
}

// TestParts holds the products of float32 on tensor cores to those in float64, with the bound that
// package gpublas states.
func TestParts(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"sm_80", "sm_90", "sm_90a"} {
		dev := kerneltest.Unchecked(t, target)
		plan, m, n, k := NewPlans(dev).BF16x6, 9, 11, 70
		if target == "sm_90a" { // package onegroup's
			m, n, k = 12, 8, 72
		}
		r := rand.New(rand.NewPCG(8, 8))
		for i, of := range []struct{ fromA, toA, fromB, toB int }{
			{0, 0, 0, 0}, {-8, 8, -8, 8}, {-149, -120, 80, 110}, {90, 125, -60, -20}, {-40, 60, -149, 40}, {-149, 60, 30, 30}, {-160, -130, -5, 5},
		} {
			c := mixedCase{m: m, n: n, k: k, trans: i % 4, count: 1}
			rowsA, colsA, rowsB, colsB := c.factors()
			a := newHost(rowsA, colsA, 0, 1, func(int) float32 { return wide32(r, of.fromA, of.toA) })
			b := newHost(rowsB, colsB, 0, 1, func(int) float32 { return wide32(r, of.fromB, of.toB) })
			sum := newHost(c.m, c.n, 0, 1, func(int) float32 { return 0 })
			got := mixedRun(t, dev, plan, c, a, b, sum, 1, 0)
			worst := 0.0
			for i := range c.m {
				for j := range c.n {
					want, size, mostA, mostB := 0.0, 0.0, 0.0, 0.0
					for l := range c.k {
						x, y := float64(a.at(0, i, l, c.trans&1 != 0)), float64(b.at(0, l, j, c.trans&2 != 0))
						want += x * y
						size += math.Abs(x * y)
						mostA, mostB = max(mostA, math.Abs(x)), max(mostB, math.Abs(y))
					}
					k := float64(c.k)
					bound := (k/16+28)*0x1p-24*size + k*0x1p-179*mostA*mostB + 0x1p-150
					worst = max(worst, math.Abs(float64(got[i*c.n+j])-want)/bound)
				}
			}
			t.Logf("%s, %v: the largest error is %.3f of the bound", target, of, worst)
			if !(worst <= 1) {
				t.Errorf("%s, %v: an error is %v times the bound", target, of, worst)
			}
		}
	}
}

// TestPartsSpecial: elements of C that are not finite equal float32's.
func TestPartsSpecial(t *testing.T) {
	t.Parallel()
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	dev := kerneltest.Unchecked(t, "sm_90a")
	plan := NewPlans(dev).BF16x6
	c := mixedCase{m: 8, n: 9, k: 36, trans: 2, count: 1}
	a, b := newHost(c.m, c.k, 0, 1, fraction32), newHost(c.n, c.k, 0, 1, fraction32)
	for _, s := range []struct {
		h   *host[float32]
		i   int
		new float32
	}{
		{a, 3, inf}, {a, c.k + 4, -inf}, {a, 2*c.k + 5, nan}, {a, 3*c.k + 1, inf}, {a, 3*c.k + 2, inf}, {a, 4*c.k + 30, inf}, {a, 5*c.k + 1, math.MaxFloat32},
		{b, 3, 1}, {b, c.k + 3, 0}, {b, 2*c.k + 3, 1e-45}, {b, 3*c.k + 30, -inf}, {b, 4*c.k + 1, 1}, {b, 4*c.k + 2, -1}, {b, 5*c.k + 1, -4},
	} {
		s.h.data[s.i] = s.new
	}
	sum := newHost(c.m, c.n, 0, 1, func(i int) float32 { return float32(i) })
	for _, m := range methodsOf(plan, partTile().Size)[1:] {
		plan.choose = func(*level3.Product[float32, float32]) method { return m }
		holdSpecial(t, c, a, b, sum, mixedRun(t, dev, plan, c, a, b, sum, 0.5, 2))
	}
}

// holdSpecial holds 0.5*A*B' + 2*C to float32's.
func holdSpecial(t *testing.T, c mixedCase, a, b, sum *host[float32], got []float32) {
	t.Helper()
	for i := range c.m {
		for j := range c.n {
			var want float32
			for l := range c.k {
				want = float32(math.FMA(float64(a.at(0, i, l, false)), float64(b.at(0, l, j, true)), float64(want)))
			}
			want = 0.5*want + 2*sum.data[i*c.n+j]
			x := got[i*c.n+j]
			if special := want-want != 0; special && x != want && (x == x || want == want) || !special && !(math.Abs(float64(x-want)) < 1e-3*(1+math.Abs(float64(want)))) {
				t.Errorf("element %d, %d of C is %v, want %v", i, j, x, want)
			}
		}
	}
}

func fraction32(i int) float32 { return float32(kerneltest.Fraction(i)) }

// bitsOf are checksums of products by an H200, and for sm_80 by the simulator, of numbers whose
// products are rounded.
var bitsOf = map[string]map[string]uint32{
	"sm_80": {"bf16": 0xc788be96, "f16": 0xd81dd3ea, "tf32": 0xc33dcc50, "bf16x6": 0x83c6bf2c},
	"sm_90": {"bf16": 0xdd2a78af, "f16": 0xb9447bef, "tf32": 0x9d00e301, "bf16x6": 0x2f752ddc},
}

// TestMixedBits: the bits of a product depend on the GPU's generation alone, not on the kernel, nor
// on the layout of the factors.
func TestMixedBits(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"sm_80", "sm_90a"} {
		dev := kerneltest.Unchecked(t, target)
		target = target[:5]
		info := dev.Info()
		if info.Backend == "cuda" {
			if target = map[string]string{"8.0": "sm_80", "9.0": "sm_90"}[info.Capability]; target == "" {
				t.Skipf("the bits of tensor cores of %s are not known", info.Capability)
			}
		}
		plans := NewPlans(dev)
		check := func(name string, methods []method, sum func(c mixedCase, m method) uint32) {
			for trans := range 4 {
				for _, m := range methods {
					if (m.kernel == warpgroupKernels || m.kernel == groupKernels || info.Backend == "sim" && (target == "sm_90" || name != "bf16")) && trans != 2 {
						continue // TestMixed has the transposes of the other formats. 8.0's are 9.0's, too
					}
					got := sum(mixedCase{m: 24, n: 16, k: 96, trans: trans, count: 1, padA: trans % 2}, m)
					if want := bitsOf[target][name]; got != want {
						t.Errorf("%s of %s has the checksum %#x, want %#x", name, target, got, want)
					}
				}
			}
		}
		check("bf16", methodsOf(plans.BF16, largeStaged().Size), func(c mixedCase, m method) uint32 {
			return mixedBits(t, dev, plans.BF16, c, m, func(x float32) gpu.BFloat16 { return gpu.BFloat16Of(x) })
		})
		check("f16", methodsOf(plans.F16, largeStaged().Size), func(c mixedCase, m method) uint32 {
			return mixedBits(t, dev, plans.F16, c, m, func(x float32) gpu.Float16 { return gpu.Float16Of(x) })
		})
		check("tf32", methodsOf(plans.TF32, largeStaged().Size), func(c mixedCase, m method) uint32 {
			return mixedBits(t, dev, plans.TF32, c, m, func(x float32) float32 { return x })
		})
		check("bf16x6", methodsOf(plans.BF16x6, partTile().Size), func(c mixedCase, m method) uint32 {
			return mixedBits(t, dev, plans.BF16x6, c, m, func(x float32) float32 { return x })
		})
	}
}

// mixedBits is a checksum of a product of the same numbers, in any layout.
func mixedBits[T operand.Element](t *testing.T, dev *gridstride.Device, plan *Plan[T, float32], c mixedCase, m method, convert func(x float32) T) uint32 {
	t.Helper()
	plan.choose = func(*level3.Product[T, float32]) method { return m }
	rowsA, colsA, rowsB, colsB := c.factors()
	place := func(h *host[T], trans bool, salt int) *host[T] {
		r := rand.New(rand.NewPCG(10, uint64(salt)))
		rows, cols := h.rows, h.cols
		if trans {
			rows, cols = cols, rows
		}
		for i := range rows {
			for j := range cols {
				at := i*h.stride + j
				if trans {
					at = j*h.stride + i
				}
				h.data[at] = convert(wide32(r, -6, 6))
			}
		}
		return h
	}
	zero := func(int) T { return convert(0) }
	a := place(newHost(rowsA, colsA, c.padA, 1, zero), c.trans&1 != 0, 1)
	b := place(newHost(rowsB, colsB, c.padB, 1, zero), c.trans&2 != 0, 2)
	got := mixedRun(t, dev, plan, c, a, b, newHost(c.m, c.n, 0, 1, func(int) float32 { return 0 }), 1, 0)
	sum := crc32.NewIEEE()
	kerneltest.Must(t, binary.Write(sum, binary.LittleEndian, got))
	return sum.Sum32()
}

// TestFewAlone: a small product of a GPU of 9.0 needs the kernels of package onegroup, and no
// others to be loaded.
func TestFewAlone(t *testing.T) {
	t.Parallel()
	dev := kerneltest.Unchecked(t, "sm_90a")
	plan := NewPlans(dev).BF16
	plan.load = func() (launcher[gpu.BFloat16, float32], error) { return nil, errors.New("other kernels are loaded") }
	element := func(i int) gpu.BFloat16 { return gpu.BFloat16Of(kerneltest.Integer(i)) }
	a, b := newHost(33, 8, 0, 1, element), newHost(8, 32, 0, 1, element)
	got := mixedRun(t, dev, plan, mixedCase{m: 33, n: 32, k: 8, count: 1}, a, b, newHost(33, 32, 0, 1, func(int) float32 { return 0 }), 1, 0)
	for i, x := range got {
		var want float32
		for k := range 8 {
			want += a.at(0, i/32, k, false).Float32() * b.at(0, k, i%32, false).Float32()
		}
		if x != want {
			t.Fatalf("element %d is %v, want %v", i, x, want)
		}
	}
}
