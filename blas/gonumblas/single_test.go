package gonumblas

import (
	"reflect"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/testblas"
)

// single is the methods for float32 under the names of those for float64, so that gonum's suite for
// float64 runs them: arguments are rounded to float32.
type single struct{ Implementation }

// call calls a method for float32. Of the elements of slices it writes back those that changed.
func call(name string, args ...any) []reflect.Value {
	in := make([]reflect.Value, len(args))
	narrow := make([][]float32, len(args))
	for i, arg := range args {
		switch x := arg.(type) {
		case float64:
			arg = float32(x)
		case []float64:
			if x != nil {
				narrow[i] = make([]float32, len(x))
			}
			for j, v := range x {
				narrow[i][j] = float32(v)
			}
			arg = narrow[i]
		}
		in[i] = reflect.ValueOf(arg)
	}
	out := reflect.ValueOf(Implementation{}).MethodByName(name).Call(in)
	for i, arg := range args {
		for j, v := range narrow[i] {
			if x := arg.([]float64); v != float32(x[j]) {
				x[j] = float64(v)
			}
		}
	}
	return out
}

func (single) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	return call("Sdot", n, x, incX, y, incY)[0].Float()
}

func (single) Dasum(n int, x []float64, incX int) float64 {
	return call("Sasum", n, x, incX)[0].Float()
}

func (single) Idamax(n int, x []float64, incX int) int {
	return int(call("Isamax", n, x, incX)[0].Int())
}

func (single) Dswap(n int, x []float64, incX int, y []float64, incY int) {
	call("Sswap", n, x, incX, y, incY)
}

func (single) Dcopy(n int, x []float64, incX int, y []float64, incY int) {
	call("Scopy", n, x, incX, y, incY)
}

func (single) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	call("Saxpy", n, alpha, x, incX, y, incY)
}

func (single) Dscal(n int, alpha float64, x []float64, incX int) {
	call("Sscal", n, alpha, x, incX)
}

func (single) Dgbmv(tA blas.Transpose, m, n, kL, kU int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	call("Sgbmv", tA, m, n, kL, kU, alpha, a, lda, x, incX, beta, y, incY)
}

func (single) Dtrmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	call("Strmv", ul, tA, d, n, a, lda, x, incX)
}

func (single) Dtbmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n, k int, a []float64, lda int, x []float64, incX int) {
	call("Stbmv", ul, tA, d, n, k, a, lda, x, incX)
}

func (single) Dtpmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, ap []float64, x []float64, incX int) {
	call("Stpmv", ul, tA, d, n, ap, x, incX)
}

func (single) Dtrsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	call("Strsv", ul, tA, d, n, a, lda, x, incX)
}

func (single) Dtpsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, ap []float64, x []float64, incX int) {
	call("Stpsv", ul, tA, d, n, ap, x, incX)
}

func (single) Dsbmv(ul blas.Uplo, n, k int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	call("Ssbmv", ul, n, k, alpha, a, lda, x, incX, beta, y, incY)
}

func (single) Dsyr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, a []float64, lda int) {
	call("Ssyr", ul, n, alpha, x, incX, a, lda)
}

func (single) Dspr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, ap []float64) {
	call("Sspr", ul, n, alpha, x, incX, ap)
}

func (single) Dsyr2(ul blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	call("Ssyr2", ul, n, alpha, x, incX, y, incY, a, lda)
}

func (single) Dspr2(ul blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64) {
	call("Sspr2", ul, n, alpha, x, incX, y, incY, a)
}

func (single) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	call("Sgemm", tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (single) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	call("Ssymm", s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (single) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	call("Ssyrk", ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

func (single) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	call("Ssyr2k", ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (single) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	call("Strmm", s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// TestTestblasSingle runs the part of gonum's suite that float32 can pass: Dnrm2, Dgemv and seven
// others have data with decimal fractions and compare 14 digits.
func TestTestblasSingle(t *testing.T) {
	impl := single{}
	for name, test := range map[string]func(t *testing.T){
		"Dasum":  func(t *testing.T) { testblas.DasumTest(t, impl) },
		"Daxpy":  func(t *testing.T) { testblas.DaxpyTest(t, impl) },
		"Ddot":   func(t *testing.T) { testblas.DdotTest(t, impl) },
		"Idamax": func(t *testing.T) { testblas.IdamaxTest(t, impl) },
		"Dswap":  func(t *testing.T) { testblas.DswapTest(t, impl) },
		"Dcopy":  func(t *testing.T) { testblas.DcopyTest(t, impl) },
		"Dscal":  func(t *testing.T) { testblas.DscalTest(t, impl) },
		"Dtxmv":  func(t *testing.T) { testblas.DtxmvTest(t, impl) },
		"Dgbmv":  func(t *testing.T) { testblas.DgbmvTest(t, impl) },
		"Dsbmv":  func(t *testing.T) { testblas.DsbmvTest(t, impl) },
		"Dtbmv":  func(t *testing.T) { testblas.DtbmvTest(t, impl) },
		"Dtrsv":  func(t *testing.T) { testblas.DtrsvTest(t, impl) },
		"Dtrmv":  func(t *testing.T) { testblas.DtrmvTest(t, impl) },
		"Dsyr":   func(t *testing.T) { testblas.DsyrTest(t, impl) },
		"Dsyr2":  func(t *testing.T) { testblas.Dsyr2Test(t, impl) },
		"Dspr2":  func(t *testing.T) { testblas.Dspr2Test(t, impl) },
		"Dspr":   func(t *testing.T) { testblas.DsprTest(t, impl) },
		"Dtpsv":  func(t *testing.T) { testblas.DtpsvTest(t, impl) },
		"Dtpmv":  func(t *testing.T) { testblas.DtpmvTest(t, impl) },
		"Dgemm":  func(t *testing.T) { testblas.TestDgemm(t, impl) },
		"Dsymm":  func(t *testing.T) { testblas.DsymmTest(t, impl) },
		"Dsyrk":  func(t *testing.T) { testblas.DsyrkTest(t, impl) },
		"Dsyr2k": func(t *testing.T) { testblas.Dsyr2kTest(t, impl) },
		"Dtrmm":  func(t *testing.T) { testblas.DtrmmTest(t, impl) },
	} {
		t.Run(name, test)
	}
}
