package formats

import (
	"fmt"
	"math"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/library/kernels/epilogue"
	"github.com/gridstride/gridstride/internal/library/kernels/kerneltest"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// endCase is a product with an end. The bias is inc apart, none where that is 0.
type endCase struct {
	m, n, k, trans, padC int
	beta                 float32
	inc                  int
	activation           epilogue.Activation
}

// TestEnds compares products with an end with products without, which get it on the host: in the
// kernels of warpgroups and after others.
func TestEnds(t *testing.T) {
	t.Parallel()
	groups := method{kernel: warpgroupKernels, Size: largeStaged().Size}
	small := method{kernel: smallKernel, Size: smallStaged().Size}
	for i, c := range []endCase{
		{70, 40, 24, 2, 0, 0, 1, epilogue.GELU}, {33, 40, 8, 0, 3, -1, 2, epilogue.ReLU},
		{130, 31, 24, 1, 1, 0.5, 0, epilogue.GELUTanh}, {5, 260, 64, 3, 0, 0, -3, epilogue.None},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			dev := kerneltest.Unchecked(t, "sm_90a")
			if i == 0 {
				dev = gputest.Device(t)
			}
			plans := NewPlans(dev)
			if i%2 == 0 {
				testEnd(t, dev, plans, plans.BF16, c, groups, gpu.BFloat16Of[float32])
			} else {
				testEnd(t, dev, plans, plans.F16, c, groups, gpu.Float16Of[float32])
			}
			if i == 0 {
				return
			}
			c.m, c.n = c.m/8+1, c.n/8+1
			testEnd(t, dev, plans, plans.TF32, c, small, func(x float32) float32 { return x })
		})
	}
}

func testEnd[T operand.Element](t *testing.T, dev *gridstride.Device, plans *Plans, plan *Plan[T, float32], c endCase, how method, of func(x float32) T) {
	t.Helper()
	plan.choose = func(*level3.Product[T, float32]) method { return how }
	mixed := mixedCase{m: c.m, n: c.n, k: c.k, trans: c.trans, count: 1}
	rowsA, colsA, rowsB, colsB := mixed.factors()
	a := newHost(rowsA, colsA, 0, 1, func(i int) T { return of(float32(math.Sin(float64(i)))) })
	b := newHost(rowsB, colsB, 0, 1, func(i int) T { return of(float32(math.Cos(float64(i * i)))) })
	sum := newHost(c.m, c.n, c.padC, 1, func(i int) float32 { return float32(i%11) / 8 })
	bias := make([]float32, max(c.inc, -c.inc)*(c.n-1)+1)
	for i := range bias {
		bias[i] = float32(i%5) - 1.5
	}
	want := mixedRun(t, dev, plan, mixed, a, b, sum, 0.75, c.beta)
	e := epilogue.Buffers{Inc: c.inc, Activation: c.activation}
	if c.inc < 0 {
		e.First = -c.inc * (c.n - 1)
	}
	for i := range c.m {
		for j := range c.n {
			x := &want[i*sum.stride+j]
			if c.inc != 0 {
				*x += bias[e.First+j*c.inc]
			}
			*x = c.activation.Of(*x)
		}
	}
	if c.inc != 0 {
		e.Bias = (&host[float32]{data: bias}).copyTo(t, dev)
	}
	p := level3.Product[T, float32]{TransA: c.trans&1 != 0, TransB: c.trans&2 != 0, Alpha: 0.75, Beta: c.beta, Count: 1,
		A: operand.Matrix[T]{Data: a.copyTo(t, dev), Rows: a.rows, Cols: a.cols, Stride: a.stride},
		B: operand.Matrix[T]{Data: b.copyTo(t, dev), Rows: b.rows, Cols: b.cols, Stride: b.stride},
		C: operand.Matrix[float32]{Data: sum.copyTo(t, dev), Rows: c.m, Cols: c.n, Stride: sum.stride}}
	kerneltest.Must(t, LaunchEnd(plans, plan, dev.Stream(), onepass.Work{}, p, e))
	got, err := p.C.Data.Read(t.Context(), dev.Stream(), nil)
	kerneltest.Must(t, err)
	for i := range got {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%+v, kernel %d: element %d is %v, want %v", c, how.kernel, i, got[i], want[i])
		}
	}
}

// TestRowMax holds the largest of each tile's columns to a sort of the elements of a product: of
// ties, infinities and NaN too.
func TestRowMax(t *testing.T) {
	t.Parallel()
	for i, c := range []mixedCase{{m: 70, n: 40, k: 24, trans: 2}, {m: 130, n: 300, k: 16, trans: 1}} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			dev := kerneltest.Unchecked(t, "sm_90a")
			if i == 0 {
				dev = gputest.Device(t)
			}
			plans := NewPlans(dev)
			if i%2 == 0 {
				testRowMax(t, dev, plans.BF16, c, gpu.BFloat16Of[float32])
			} else {
				testRowMax(t, dev, plans.F16, c, gpu.Float16Of[float32])
			}
		})
	}
}

func testRowMax[T operand.Element](t *testing.T, dev *gridstride.Device, plan *Plan[T, float32], c mixedCase, of func(x float32) T) {
	t.Helper()
	plan.choose = func(*level3.Product[T, float32]) method {
		return method{kernel: warpgroupKernels, Size: largeStaged().Size}
	}
	c.count = 1
	rowsA, colsA, rowsB, colsB := c.factors()
	inf := float32(math.Inf(1))
	a := newHost(rowsA, colsA, 0, 1, func(i int) T {
		row := i / colsA
		if c.trans&1 != 0 {
			row = i % colsA
		}
		return of([]float32{1, -inf, float32(math.NaN()), inf, 0.5}[max(0, row%8-3)])
	})
	b := newHost(rowsB, colsB, 0, 1, func(i int) T { return of(float32(1 + i*i%5)) })
	all := mixedRun(t, dev, plan, c, a, b, newHost(c.m, c.n, 0, 1, func(int) float32 { return 0 }), 1, 0)
	tiles := (c.n + MaxCols - 1) / MaxCols
	values, columns := (&host[float32]{data: make([]float32, c.m*tiles)}).copyTo(t, dev), (&host[int32]{data: make([]int32, c.m*tiles)}).copyTo(t, dev)
	kerneltest.Must(t, LaunchRowMax(plan, dev.Stream(), onepass.Work{}, level3.Product[T, float32]{TransA: c.trans&1 != 0, TransB: c.trans&2 != 0, Count: 1,
		A: operand.Matrix[T]{Data: a.copyTo(t, dev), Rows: a.rows, Cols: a.cols, Stride: a.stride},
		B: operand.Matrix[T]{Data: b.copyTo(t, dev), Rows: b.rows, Cols: b.cols, Stride: b.stride},
		C: operand.Matrix[float32]{Rows: c.m, Cols: c.n, Stride: tiles}}, values, columns))
	gotValues, err1 := values.Read(t.Context(), dev.Stream(), nil)
	gotColumns, err2 := columns.Read(t.Context(), dev.Stream(), nil)
	kerneltest.Must(t, err1)
	kerneltest.Must(t, err2)
	for i := range gotValues {
		row, first := i/tiles, i%tiles*MaxCols
		value, column := -inf, int32(-1)
		for j, x := range all[row*c.n+first : row*c.n+min(first+MaxCols, c.n)] {
			if x > value || column < 0 && x == value {
				value, column = x, int32(first+j)
			}
		}
		if gotValues[i] != value || gotColumns[i] != column {
			t.Fatalf("%+v: row %d, columns from %d on: %v at %d, want %v at %d", c, row, first, gotValues[i], gotColumns[i], value, column)
		}
	}
}
