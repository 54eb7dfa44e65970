package blas_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/metric"
)

// recovered returns the value that a call panics with.
func recovered(call func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	call()
	return ""
}

// TestHostileSizes hands over sizes whose products overflow an int. Each of them once wrote beyond
// its slice, or panicked in a goroutine that nobody could recover from, or did not end.
func TestHostileSizes(t *testing.T) {
	t.Parallel()
	big := make([]float32, 1000)
	one := blas.MatrixOf(1, 1, []float32{1})
	three := blas.MatrixOf(3, 1, []float32{1, 1, 1})
	at := func(rows, cols, stride int) blas.Matrix[float32] {
		return blas.Matrix[float32]{Rows: rows, Cols: cols, Stride: stride, Data: big[:1:1]}
	}
	none := blas.Matrix[float32]{Rows: math.MaxInt, Stride: 1}
	noRows := blas.Matrix[float32]{Stride: 1}
	for name, test := range map[string]struct {
		call func()
		want string // "" for a call that returns
	}{
		"Gemm, stride 2^62+100": {func() { blas.Gemm(false, false, 1, three, one, 0, at(3, 1, 1<<62+100)) },
			"blas: Gemm: c is 3 x 1 with a stride of 4611686018427388004 and has 1 elements: it needs"},
		"Gemm, stride 2^62+2^40": {func() { blas.Gemm(false, false, 1, at(3, 1, 1<<62+1<<40), one, 0, three) }, "blas: Gemm: a is 3 x 1"},
		"Gemm, a product of 2^64": {func() { blas.Gemm(false, false, 1, at(1<<32+1, 1, 1<<32), one, 0, at(1<<32+1, 1, 1<<32)) },
			"blas: Gemm: a is 4294967297 x 1"},
		"DotInc": {func() { blas.DotInc(3, big[:1], 1<<62, big[:1], 1<<62) },
			"blas: DotInc: x has 1 elements, too few for 3 with an increment of 4611686018427387904"},
		"CopyInc":       {func() { blas.CopyInc(2, big[:2], 1, big[:1], math.MinInt) }, "blas: CopyInc: y has 1 elements, too few for 2"},
		"ScalInc":       {func() { blas.ScalInc(5, 2, big[:1], 1<<62) }, "blas: ScalInc: x has 1 elements, too few for 5"},
		"one element":   {func() { blas.ScalInc(1, 2, big[:1], math.MinInt) }, ""},
		"MatrixOf":      {func() { blas.MatrixOf[float32](1<<32, 1<<32, nil) }, "blas: MatrixOf: 4294967296 x 4294967296 elements"},
		"Row":           {func() { at(3, 1, 1<<62).Row(2) }, "blas: Row: the matrix is 3 x 1"},
		"Row 3 of 3":    {func() { three.Row(3) }, "blas: Row: row 3 of 3 x 1"},
		"Slice":         {func() { at(5, 1, 1<<62).Slice(4, 5, 0, 1) }, "blas: Slice: the matrix is 5 x 1"},
		"batch strides": {func() { blas.GemmStridedBatched(false, false, 1, one, 1<<62, one, 0, 0, at(1, 1, 1), 1<<62, 5) }, "blas: GemmStridedBatched: a has 1 elements"},
		"batch of nothing": {func() { blas.GemmStridedBatched(false, false, 1, noRows, 0, noRows, 0, 0, noRows, 0, math.MaxInt) },
			""},
		"Trmm of no columns": {func() { blas.Trmm(blas.Right, blas.Upper, false, blas.NonUnit, 2, noRows, none) }, ""},
		"Trsm of no columns": {func() { blas.Trsm(blas.Right, blas.Upper, false, blas.NonUnit, 2, noRows, none) }, ""},
		"pairs of no rows": {func() {
			metric.EuclideanPairs(noRows, none, blas.Matrix[float32]{Cols: math.MaxInt, Stride: math.MaxInt})
		}, ""},
		"pairs": {func() { metric.DotPairs(at(3, 1, 1<<62+100), one, three) }, "metric: DotPairs: a is 3 x 1"},
		"rows":  {func() { metric.Rows(metric.MSE, at(3, 1, 1<<62+100), one, big[:3]) }, "metric: Rows: a is 3 x 1"},
	} {
		if got := recovered(test.call); !strings.HasPrefix(got, test.want) || (test.want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	for i, v := range big {
		if v != 0 {
			t.Errorf("element %d was written", i)
		}
	}
}
