package gonumblas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	gonumblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/blas/testblas"
	"gonum.org/v1/gonum/mat"
)

// TestTestblas is gonum's own suite, all of it for float64.
func TestTestblas(t *testing.T) {
	impl := Implementation{}
	for name, test := range map[string]func(t *testing.T){
		"Dasum":  func(t *testing.T) { testblas.DasumTest(t, impl) },
		"Daxpy":  func(t *testing.T) { testblas.DaxpyTest(t, impl) },
		"Ddot":   func(t *testing.T) { testblas.DdotTest(t, impl) },
		"Dnrm2":  func(t *testing.T) { testblas.Dnrm2Test(t, impl) },
		"Idamax": func(t *testing.T) { testblas.IdamaxTest(t, impl) },
		"Dswap":  func(t *testing.T) { testblas.DswapTest(t, impl) },
		"Dcopy":  func(t *testing.T) { testblas.DcopyTest(t, impl) },
		"Drotg":  func(t *testing.T) { testblas.DrotgTest(t, impl, false) },
		"Drotmg": func(t *testing.T) { testblas.DrotmgTest(t, impl) },
		"Drot":   func(t *testing.T) { testblas.DrotTest(t, impl) },
		"Drotm":  func(t *testing.T) { testblas.DrotmTest(t, impl) },
		"Dscal":  func(t *testing.T) { testblas.DscalTest(t, impl) },

		"Dgemv": func(t *testing.T) { testblas.DgemvTest(t, impl) },
		"Dger":  func(t *testing.T) { testblas.DgerTest(t, impl) },
		"Dtxmv": func(t *testing.T) { testblas.DtxmvTest(t, impl) },
		"Dgbmv": func(t *testing.T) { testblas.DgbmvTest(t, impl) },
		"Dtbsv": func(t *testing.T) { testblas.DtbsvTest(t, impl) },
		"Dsbmv": func(t *testing.T) { testblas.DsbmvTest(t, impl) },
		"Dtbmv": func(t *testing.T) { testblas.DtbmvTest(t, impl) },
		"Dtrsv": func(t *testing.T) { testblas.DtrsvTest(t, impl) },
		"Dtrmv": func(t *testing.T) { testblas.DtrmvTest(t, impl) },
		"Dsymv": func(t *testing.T) { testblas.DsymvTest(t, impl) },
		"Dsyr":  func(t *testing.T) { testblas.DsyrTest(t, impl) },
		"Dsyr2": func(t *testing.T) { testblas.Dsyr2Test(t, impl) },
		"Dspr2": func(t *testing.T) { testblas.Dspr2Test(t, impl) },
		"Dspr":  func(t *testing.T) { testblas.DsprTest(t, impl) },
		"Dspmv": func(t *testing.T) { testblas.DspmvTest(t, impl) },
		"Dtpsv": func(t *testing.T) { testblas.DtpsvTest(t, impl) },
		"Dtpmv": func(t *testing.T) { testblas.DtpmvTest(t, impl) },

		"Dgemm":  func(t *testing.T) { testblas.TestDgemm(t, impl) },
		"Dsymm":  func(t *testing.T) { testblas.DsymmTest(t, impl) },
		"Dtrsm":  func(t *testing.T) { testblas.DtrsmTest(t, impl) },
		"Dsyrk":  func(t *testing.T) { testblas.DsyrkTest(t, impl) },
		"Dsyr2k": func(t *testing.T) { testblas.Dsyr2kTest(t, impl) },
		"Dtrmm":  func(t *testing.T) { testblas.DtrmmTest(t, impl) },
	} {
		t.Run(name, test)
	}
}

// TestSingle compares the methods for float32 with gonum's.
func TestSingle(t *testing.T) {
	ours, theirs := Implementation{}, gonum.Implementation{}
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 5, 33, 70} {
		random := func(n int) []float32 {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(r.NormFloat64()) / 8
			}
			return x
		}
		a, b, c, x := random(n*n), random(n*n), random(n*n), random(2*n)
		for i := range n {
			a[i*n+i] = 2
		}
		run := func(i gonumblas.Float32) []float32 {
			c, d, y, z := append([]float32{}, c...), append([]float32{}, b...), append([]float32{}, x...), append([]float32{}, x...)
			e := append([]float32{}, a...)
			i.Sgemm(gonumblas.Trans, gonumblas.NoTrans, n, n, n, 2, a, n, b, n, 0.5, c, n)
			i.Ssyrk(gonumblas.Upper, gonumblas.Trans, n, n, 2, b, n, 0.5, c, n)
			i.Ssymm(gonumblas.Right, gonumblas.Lower, n, n, 1, a, n, b, n, 0.5, c, n)
			i.Strsm(gonumblas.Left, gonumblas.Upper, gonumblas.NoTrans, gonumblas.NonUnit, n, n, 1, a, n, d, n)
			i.Strmm(gonumblas.Right, gonumblas.Lower, gonumblas.Trans, gonumblas.Unit, n, n, 1, a, n, d, n)
			i.Sgemv(gonumblas.Trans, n, n, 1, a, n, x, 2, 0.5, y, 1)
			i.Ssymv(gonumblas.Upper, n, 1, a, n, x, 1, 0.5, y, 2)
			i.Strmv(gonumblas.Upper, gonumblas.Trans, gonumblas.NonUnit, n, a, n, y, 1)
			i.Strsv(gonumblas.Lower, gonumblas.NoTrans, gonumblas.NonUnit, n, a, n, y, 2)
			i.Sger(n, n, 0.5, x, 1, y, 1, e, n)
			i.Saxpy(n, 2, x, 2, z, 1)
			i.Srot(n, z, 1, y, 1, 0.6, 0.8)
			i.Sscal(n, 3, z, 2)
			sums := []float32{i.Sdot(n, x, 1, y, 2), i.Snrm2(n, x, 2), i.Sasum(n, x, 1)}
			return append(append(append(append(append(append(c, d...), e...), y...), z...), e...), sums...)
		}
		got, want := run(ours), run(theirs)
		for i := range want {
			if math.Abs(float64(got[i]-want[i])) > 1e-4*(1+math.Abs(float64(want[i]))) {
				t.Fatalf("n = %d: result %d is %v, gonum's %v", n, i, got[i], want[i])
			}
		}
	}
}

// TestPanics: a bad argument gets gonum's panic.
func TestPanics(t *testing.T) {
	x := make([]float64, 4)
	panicOf := func(i gonumblas.Float64, f func(i gonumblas.Float64)) (text string) {
		defer func() { text = fmt.Sprint(recover()) }()
		f(i)
		return ""
	}
	for _, f := range []func(i gonumblas.Float64){
		func(i gonumblas.Float64) { i.Ddot(5, x, 1, x, 1) },
		func(i gonumblas.Float64) { i.Ddot(-1, x, 1, x, 1) },
		func(i gonumblas.Float64) { i.Daxpy(2, 1, x, 0, x, 1) },
		func(i gonumblas.Float64) {
			i.Dgemm(gonumblas.NoTrans, gonumblas.NoTrans, 2, 2, 2, 1, x, 1, x, 2, 0, x, 2)
		},
		func(i gonumblas.Float64) { i.Dgemm('x', gonumblas.NoTrans, 2, 2, 2, 1, x, 2, x, 2, 0, x, 2) },
		func(i gonumblas.Float64) { i.Dgemv(gonumblas.NoTrans, 2, 3, 1, x, 3, x, 1, 0, x, 1) },
		func(i gonumblas.Float64) { i.Dtrsm('L', 'U', 'N', 'N', 3, 3, 1, x, 3, x, 3) },
	} {
		if got, want := panicOf(Implementation{}, f), panicOf(gonum.Implementation{}, f); got != want || want == "<nil>" {
			t.Errorf("panic %q, gonum's %q", got, want)
		}
	}
}

// TestUse: a program over gonum's mat runs with it.
func TestUse(t *testing.T) {
	blas64.Use(Implementation{})
	defer blas64.Use(gonum.Implementation{})
	a := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	var b, inverse mat.Dense
	if err := inverse.Inverse(a); err != nil {
		t.Fatal(err)
	}
	b.Mul(a, &inverse)
	if !mat.EqualApprox(&b, mat.NewDiagDense(2, []float64{1, 1}), 1e-14) {
		t.Errorf("a matrix times its inverse is\n%v", mat.Formatted(&b))
	}
}

// BenchmarkMat measures programs over mat with gonum's BLAS and with ours.
func BenchmarkMat(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	dense := func(n int) *mat.Dense {
		data := make([]float64, n*n)
		for i := range data {
			data[i] = r.NormFloat64()
		}
		return mat.NewDense(n, n, data)
	}
	large, small := dense(1000), dense(500)
	var product, square mat.Dense
	square.Mul(small, small.T())
	for i := range 500 {
		square.Set(i, i, square.At(i, i)+1)
	}
	symmetric := mat.NewSymDense(500, square.RawMatrix().Data)
	for _, program := range []struct {
		name string
		run  func()
	}{
		{"Mul1000", func() { product.Mul(large, large) }},
		{"SVD500", func() { new(mat.SVD).Factorize(small, mat.SVDThin) }},
		{"QR500", func() { new(mat.QR).Factorize(small) }},
		{"Cholesky500", func() { new(mat.Cholesky).Factorize(symmetric) }},
	} {
		for name, impl := range map[string]gonumblas.Float64{"gonum": gonum.Implementation{}, "ours": Implementation{}} {
			b.Run(program.name+"/"+name, func(b *testing.B) {
				blas64.Use(impl)
				defer blas64.Use(gonum.Implementation{})
				for b.Loop() {
					program.run()
				}
			})
		}
	}
}
