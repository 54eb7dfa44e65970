// Package openblas binds the functions of OpenBLAS that tests and benchmarks compare with. OpenBLAS
// is the library of linear algebra that is most used on processors. Load loads it without cgo if it
// finds one. The package calls its C interface, with the names and meaning of
// https://www.netlib.org/blas/#_cblas. Matrices are stored by rows.
package openblas

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/gridstride/gridstride/internal/device/dynlib"
)

// ErrNotFound: there is no OpenBLAS where the loader looks.
var ErrNotFound = errors.New("OpenBLAS is not found; Debian has it in libopenblas0-pthread")

// Float is an element's type.
type Float interface{ float32 | float64 }

// Library is a loaded OpenBLAS. It is never unloaded. Any goroutine may use it. Vectors and
// matrices are as long as the sizes say, which it does not check.
type Library struct {
	about  string
	single calls[float32]
	double calls[float64]
}

// calls are the functions of an element type.
type calls[T Float] struct {
	dot  func(n int32, x *T, incX int32, y *T, incY int32) T
	nrm2 func(n int32, x *T, incX int32) T
	asum func(n int32, x *T, incX int32) T
	gemv func(order, trans, m, n int32, alpha T, a *T, lda int32, x *T, incX int32, beta T, y *T, incY int32)
	ger  func(order, m, n int32, alpha T, x *T, incX int32, y *T, incY int32, a *T, lda int32)
	symv func(order, uplo, n int32, alpha T, a *T, lda int32, x *T, incX int32, beta T, y *T, incY int32)
	trmv func(order, uplo, trans, diag, n int32, a *T, lda int32, x *T, incX int32)
	trsv func(order, uplo, trans, diag, n int32, a *T, lda int32, x *T, incX int32)
	gemm func(order, transA, transB, m, n, k int32, alpha T, a *T, lda int32, b *T, ldb int32, beta T, c *T, ldc int32)
	syrk func(order, uplo, trans, n, k int32, alpha T, a *T, lda int32, beta T, c *T, ldc int32)
	symm func(order, side, uplo, m, n int32, alpha T, a *T, lda int32, b *T, ldb int32, beta T, c *T, ldc int32)
	trmm func(order, side, uplo, trans, diag, m, n int32, alpha T, a *T, lda int32, b *T, ldb int32)
	trsm func(order, side, uplo, trans, diag, m, n int32, alpha T, a *T, lda int32, b *T, ldb int32)
}

// The values of CBLAS's enumerations. A choice between two of a kind is the first one or the next.
const (
	rowMajor = 101
	noTrans  = 111
	upper    = 121
	nonUnit  = 131
	left     = 141
)

// Load finds and loads the library, once a process.
//
// Errors: ErrNotFound, or what the loader says of a library that has no such functions.
func Load() (*Library, error) { return load() }

var load = sync.OnceValues(func() (*Library, error) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" { // of which numbers can be handed over
		return nil, ErrNotFound
	}
	for _, path := range []string{"libopenblas.so.0", "libopenblas.so", "libopenblas.dll"} {
		if lookup, err := dynlib.Open(path); err == nil {
			return bind(lookup)
		}
	}
	return nil, ErrNotFound
})

func bind(lookup func(symbol string) (uintptr, error)) (*Library, error) {
	l := &Library{}
	var config func() string
	err := register(lookup, "openblas_get_config", &config)
	if err = errors.Join(err, l.single.bind(lookup, 's'), l.double.bind(lookup, 'd')); err != nil {
		return nil, fmt.Errorf("OpenBLAS: %w", err)
	}
	l.about = strings.TrimSpace(config())
	return l, nil
}

func (c *calls[T]) bind(lookup func(symbol string) (uintptr, error), letter rune) error {
	var all []error
	for name, function := range map[string]any{"dot": &c.dot, "nrm2": &c.nrm2, "asum": &c.asum, "gemv": &c.gemv,
		"ger": &c.ger, "symv": &c.symv, "trmv": &c.trmv, "trsv": &c.trsv, "gemm": &c.gemm, "syrk": &c.syrk,
		"symm": &c.symm, "trmm": &c.trmm, "trsm": &c.trsm} {
		all = append(all, register(lookup, fmt.Sprintf("cblas_%c%s", letter, name), function))
	}
	return errors.Join(all...)
}

func register(lookup func(symbol string) (uintptr, error), name string, function any) error {
	address, err := lookup(name)
	if err == nil {
		purego.RegisterFunc(function, address)
	}
	return err
}

// About is the version, and for which processor it was built or has chosen its kernels.
func (l *Library) About() string { return l.about }

func callsOf[T Float](l *Library) *calls[T] {
	if unsafe.Sizeof(T(0)) == 4 {
		return any(&l.single).(*calls[T])
	}
	return any(&l.double).(*calls[T])
}

// second is the first value of an enumeration, or the one after it.
func second(first int32, yes bool) int32 {
	if yes {
		return first + 1
	}
	return first
}

// Dot is the dot product of x and y.
func Dot[T Float](l *Library, x, y []T) T {
	return callsOf[T](l).dot(int32(len(x)), unsafe.SliceData(x), 1, unsafe.SliceData(y), 1)
}

// Nrm2 is the Euclidean norm of x.
func Nrm2[T Float](l *Library, x []T) T {
	return callsOf[T](l).nrm2(int32(len(x)), unsafe.SliceData(x), 1)
}

// Asum is the sum of the absolute values of x.
func Asum[T Float](l *Library, x []T) T {
	return callsOf[T](l).asum(int32(len(x)), unsafe.SliceData(x), 1)
}

// Gemv computes y = alpha*A*x + beta*y, or with A transposed, for an A of m rows and n columns.
func Gemv[T Float](l *Library, trans bool, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) {
	callsOf[T](l).gemv(rowMajor, second(noTrans, trans), int32(m), int32(n), alpha, unsafe.SliceData(a), int32(lda),
		unsafe.SliceData(x), int32(incX), beta, unsafe.SliceData(y), int32(incY))
}

// Ger computes A += alpha*x*y', for an A of m rows and n columns.
func Ger[T Float](l *Library, m, n int, alpha T, x, y, a []T, lda int) {
	callsOf[T](l).ger(rowMajor, int32(m), int32(n), alpha, unsafe.SliceData(x), 1, unsafe.SliceData(y), 1,
		unsafe.SliceData(a), int32(lda))
}

// Symv computes y = alpha*A*x + beta*y for a symmetric A of n rows with one triangle stored.
func Symv[T Float](l *Library, lower bool, n int, alpha T, a []T, lda int, x []T, beta T, y []T) {
	callsOf[T](l).symv(rowMajor, second(upper, lower), int32(n), alpha, unsafe.SliceData(a), int32(lda),
		unsafe.SliceData(x), 1, beta, unsafe.SliceData(y), 1)
}

// Trmv computes x = A*x, or with A transposed, for a triangular A of n rows.
func Trmv[T Float](l *Library, lower, trans, unit bool, n int, a []T, lda int, x []T) {
	callsOf[T](l).trmv(rowMajor, second(upper, lower), second(noTrans, trans), second(nonUnit, unit), int32(n),
		unsafe.SliceData(a), int32(lda), unsafe.SliceData(x), 1)
}

// Trsv solves A*y = x, or with A transposed, for a triangular A of n rows, and writes y to x.
func Trsv[T Float](l *Library, lower, trans, unit bool, n int, a []T, lda int, x []T) {
	callsOf[T](l).trsv(rowMajor, second(upper, lower), second(noTrans, trans), second(nonUnit, unit), int32(n),
		unsafe.SliceData(a), int32(lda), unsafe.SliceData(x), 1)
}

// Gemm computes C = alpha*A*B + beta*C, with A or B transposed, for a C of m rows and n columns.
func Gemm[T Float](l *Library, transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int,
	beta T, c []T, ldc int) {
	callsOf[T](l).gemm(rowMajor, second(noTrans, transA), second(noTrans, transB), int32(m), int32(n), int32(k), alpha,
		unsafe.SliceData(a), int32(lda), unsafe.SliceData(b), int32(ldb), beta, unsafe.SliceData(c), int32(ldc))
}

// Syrk computes a triangle of C = alpha*A*A' + beta*C, or with A transposed, for a C of n rows and
// columns.
func Syrk[T Float](l *Library, lower, trans bool, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int) {
	callsOf[T](l).syrk(rowMajor, second(upper, lower), second(noTrans, trans), int32(n), int32(k), alpha,
		unsafe.SliceData(a), int32(lda), beta, unsafe.SliceData(c), int32(ldc))
}

// Symm computes C = alpha*A*B + beta*C, or with A on the right, for a symmetric A with one triangle
// stored, and a C of m rows and n columns.
func Symm[T Float](l *Library, right, lower bool, m, n int, alpha T, a []T, lda int, b []T, ldb int,
	beta T, c []T, ldc int) {
	callsOf[T](l).symm(rowMajor, second(left, right), second(upper, lower), int32(m), int32(n), alpha,
		unsafe.SliceData(a), int32(lda), unsafe.SliceData(b), int32(ldb), beta, unsafe.SliceData(c), int32(ldc))
}

// Trmm computes B = alpha*A*B, or B = alpha*B*A with A on the right, for a triangular A and a B of
// m rows and n columns.
func Trmm[T Float](l *Library, right, lower, trans, unit bool, m, n int, alpha T, a []T, lda int, b []T, ldb int) {
	callsOf[T](l).trmm(rowMajor, second(left, right), second(upper, lower), second(noTrans, trans),
		second(nonUnit, unit), int32(m), int32(n), alpha, unsafe.SliceData(a), int32(lda), unsafe.SliceData(b), int32(ldb))
}

// Trsm solves A*X = alpha*B, or X*A = alpha*B with A on the right, for a triangular A and a B of m
// rows and n columns, and writes X to B.
func Trsm[T Float](l *Library, right, lower, trans, unit bool, m, n int, alpha T, a []T, lda int, b []T, ldb int) {
	callsOf[T](l).trsm(rowMajor, second(left, right), second(upper, lower), second(noTrans, trans),
		second(nonUnit, unit), int32(m), int32(n), alpha, unsafe.SliceData(a), int32(lda), unsafe.SliceData(b), int32(ldb))
}
