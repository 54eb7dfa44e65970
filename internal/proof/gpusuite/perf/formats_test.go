package perf

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/proof/cublas"
)

// normals is how many random normal numbers there are. Matrices repeat them.
const normals = 1 << 24

// measureFormats measures the products of formats other than float64 together with cuBLAS's of the
// same format, and BF16x6 together with its Sgemm and its emulation of float32.
func measureFormats(t *testing.T) []speed {
	u := newSuite[float32](t)
	r := rand.New(rand.NewPCG(2, 2))
	random := make([]float32, normals)
	for i := range random {
		random[i] = float32(r.NormFloat64())
	}
	sum := filled(u, []float32{0}, 16384*16384)
	upTo8192 := func(n int) bool { return n <= 8192 }
	upTo16384 := func(n int) bool { return n <= 16384 }
	format(u, "bf16", gpublas.BF16, converter(random, func(x float32) gpu.BFloat16 { return gpu.BFloat16Of(x) }), sum, upTo16384, cublas.GemmEx, cublas.GemmStridedBatchedEx)
	format(u, "f16", gpublas.F16, converter(random, func(x float32) gpu.Float16 { return gpu.Float16Of(x) }), sum, upTo16384, cublas.GemmEx, cublas.GemmStridedBatchedEx)
	format(u, "tf32", gpublas.TF32, random, sum, upTo8192, asTF32(cublas.GemmEx[gpu.TF32, float32]), nil)
	format(u, "bf16x6", gpublas.BF16x6, random, sum, upTo8192,
		func(h *cublas.Handle, transB bool, m, n, l int, a, b, c gridstride.Buffer[float32]) error {
			return cublas.Gemm(h, m, n, l, a, b, c) // of matrices whose transposes cost it nothing
		}, nil)
	format(u, "bf16x6-emulated", gpublas.BF16x6, random, sum, func(n int) bool { return n == 4096 || n == 8192 }, cublas.GemmEmulated, nil)
	whole, err := gridstride.Cast[int32](sum)
	must(t, err)
	format(u, "int8", gpublas.Int8, converter(random, func(x float32) int8 { return int8(max(min(40*x, 127), -127)) }), whole, upTo8192,
		cublas.GemmEx, cublas.GemmStridedBatchedEx)
	return u.rows
}

func converter[T any](x []float32, convert func(x float32) T) []T {
	y := make([]T, len(x))
	for i, v := range x {
		y[i] = convert(v)
	}
	return y
}

// filled is n elements on the device, which repeat host's.
func filled[T any](u *suite[float32], host []T, n int) gridstride.Buffer[T] {
	b, err := gridstride.Make[T](u.dev, n)
	must(u, err)
	u.Cleanup(func() { must(u, b.Free()) })
	must(u, b.Slice(0, min(len(host), n)).Write(u.Context(), u.s, host[:min(len(host), n)]))
	for have := len(host); have < n; have *= 2 {
		next := min(2*have, n)
		must(u, gridstride.Copy(u.s, b.Slice(have, next), b.Slice(0, next-have)))
	}
	return b
}

// gemmEx is cuBLAS's GemmEx, or a product of ours in its place. batchedEx is the same for a batch.
type gemmEx[T, S any] func(h *cublas.Handle, transB bool, m, n, l int, a, b gridstride.Buffer[T], c gridstride.Buffer[S]) error
type batchedEx[T, S any] func(h *cublas.Handle, transB bool, n, count int, a, b gridstride.Buffer[T], c gridstride.Buffer[S]) error

// asTF32 is a product of float32 by one of TF32.
func asTF32(f gemmEx[gpu.TF32, float32]) gemmEx[float32, float32] {
	return func(h *cublas.Handle, transB bool, m, n, l int, a, b, c gridstride.Buffer[float32]) error {
		a32, err := gridstride.Cast[gpu.TF32](a)
		if err != nil {
			return err
		}
		b32, err := gridstride.Cast[gpu.TF32](b)
		if err != nil {
			return err
		}
		return f(h, transB, m, n, l, a32, b32, c)
	}
}

// format measures a way to compute, with B as it is, and transposed: large squares, small and odd
// ones, a narrow product, and a batch.
func format[T gpublas.Element, S gpublas.Accumulator](u *suite[float32], name string, by gpublas.Compute[T, S], random []T, sum gridstride.Buffer[S],
	takes func(n int) bool, rival gemmEx[T, S], batched batchedEx[T, S],
) {
	all := filled(u, random, 2*16384*16384)
	half := all.Len() / 2
	row := func(what string, transB bool, m, n, k int) {
		if what += "-" + name; transB {
			what += "-nt"
		}
		a, b, c := all.Slice(0, m*k), all.Slice(half, half+k*n), sum.Slice(0, m*n)
		matrixB := gpublas.MatrixOf(k, n, b)
		if transB {
			matrixB = gpublas.MatrixOf(n, k, b)
		}
		theirs := func() error { return rival(u.c, transB, m, k, n, a, b, c) }
		if err := theirs(); errors.Is(err, cublas.StatusNotSupported) {
			theirs = nil // rows of int8 that do not begin at multiples of 4 bytes
		}
		p := gpublas.ProductOf(by, gpublas.MatrixOf(m, k, a), matrixB)
		p.TransB = gpublas.Transpose(transB)
		u.row(what, m, 2*float64(m)*float64(n)*float64(k), "GFLOP/s", func() error { return p.To(u.h, gpublas.MatrixOf(m, n, c)) }, theirs)
	}
	for _, n := range []int{128, 256, 512, 1024, 2048, 4095, 4096, 8192, 16384} {
		if takes(n) {
			row("gemm", false, n, n, n)
			row("gemm", true, n, n, n)
		}
	}
	row("narrow", true, 8191, 5000, 100)
	if batched == nil {
		return
	}
	const n, count = 64, 1000
	a, b, c := all.Slice(0, count*n*n), all.Slice(half, half+count*n*n), sum.Slice(0, count*n*n)
	p := gpublas.ProductOf(by, gpublas.MatrixOf(n, n, a), gpublas.MatrixOf(n, n, b))
	p.TransB, p.Count, p.StrideA, p.StrideB, p.StrideC = gpublas.Trans, count, n*n, n*n, n*n
	u.row("batch-"+name, n, 2*count*n*n*n, "GFLOP/s", func() error { return p.To(u.h, gpublas.MatrixOf(n, n, c)) },
		func() error { return batched(u.c, true, n, count, a, b, c) })
}
