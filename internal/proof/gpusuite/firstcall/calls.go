package main

import (
	"context"
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/metric/gpumetric"
	"github.com/gridstride/gridstride/similar/gpusimilar"
)

// call is a function of a library whose first call is timed.
type call struct {
	name string
	// prepare makes the operands, before the clock starts. The first call of run makes what the
	// library needs, a handle for example. It returns when the result is there.
	prepare func(w *work) (run func() error)
}

// calls are what is measured.
var calls = []call{
	{"dot", dot},
	{"cosine", cosine},
	{"gemm", func(w *work) func() error { return gemm[float32](w) }},
	{"sum-reproducible", sumReproducible},
	{"gemm-bf16", func(w *work) func() error { return product[gpu.BFloat16](w, gpublas.BF16) }},
	{"gemm-bf16x6", func(w *work) func() error { return product[float32](w, gpublas.BF16x6) }},
	{"gemm-float64", func(w *work) func() error { return gemm[float64](w) }},
	{"search", search},
}

// work is where a call runs.
type work struct {
	ctx  context.Context
	dev  *gridstride.Device
	n    int // elements of a vector, which is also rows of a collection times its columns
	side int // rows and columns of a matrix
	errs []error
}

// must keeps an error for the end.
func (w *work) must(err error) { w.errs = append(w.errs, err) }

// filled makes a buffer of elements x.
func filled[T any](w *work, n int, x T) gridstride.Buffer[T] {
	b, err := gridstride.Make[T](w.dev, n)
	w.must(err)
	if err == nil {
		w.must(b.Fill(w.dev.Stream(), x))
	}
	return b
}

// square makes a square matrix of elements x.
func square[T gpublas.Element](w *work, x T) gpublas.Matrix[T] {
	return gpublas.MatrixOf(w.side, w.side, filled(w, w.side*w.side, x))
}

// with calls f with a value that is made for the first call.
func with[H any](w *work, make func(*gridstride.Stream) (H, error), f func(H) error) func() error {
	var h H
	made := false
	return func() (err error) {
		if !made {
			if h, err = make(w.dev.Stream()); err != nil {
				return err
			}
			made = true
		}
		return f(h)
	}
}

func dot(w *work) func() error {
	x, y := gpublas.VectorOf(filled[float32](w, w.n, 1)), gpublas.VectorOf(filled[float32](w, w.n, 2))
	return with(w, gpublas.New, func(h *gpublas.Handle) error {
		_, err := gpublas.Dot(w.ctx, h, x, y)
		return err
	})
}

func cosine(w *work) func() error {
	x, y := gpublas.VectorOf(filled[float32](w, w.n, 1)), gpublas.VectorOf(filled[float32](w, w.n, 2))
	return with(w, gpumetric.New, func(h *gpumetric.Handle) error {
		_, err := gpumetric.Between(w.ctx, h, gpumetric.CosineSimilarity, x, y)
		return err
	})
}

func sumReproducible(w *work) func() error {
	x := gpublas.VectorOf(filled[float32](w, w.n, 1))
	return with(w, gpublas.New, func(h *gpublas.Handle) error {
		_, err := gpublas.SumReproducible(w.ctx, h, x)
		return err
	})
}

func gemm[T gpublas.Float](w *work) func() error {
	a, b, c := square[T](w, 1), square[T](w, 2), square[T](w, 0)
	return with(w, gpublas.New, func(h *gpublas.Handle) error {
		return errors.Join(gpublas.Gemm(h, gpublas.NoTrans, gpublas.NoTrans, 1, a, b, 0, c), w.dev.Stream().Wait(w.ctx))
	})
}

func product[T gpublas.Element](w *work, by gpublas.Compute[T, float32]) func() error {
	var zero T
	a, b, c := square(w, zero), square(w, zero), square[float32](w, 0)
	p := gpublas.ProductOf(by, a, b)
	p.TransB = gpublas.Trans
	return with(w, gpublas.New, func(h *gpublas.Handle) error {
		return errors.Join(p.To(h, c), w.dev.Stream().Wait(w.ctx))
	})
}

func search(w *work) func() error {
	const columns, k = 128, 10
	rows := gpublas.MatrixOf(w.n/columns, columns, filled[float32](w, w.n/columns*columns, 1))
	query := gpublas.MatrixOf(1, columns, filled[float32](w, columns, 1))
	collection := func(s *gridstride.Stream) (*gpusimilar.Vectors[float32], error) {
		h, err := gpusimilar.New(s)
		if err != nil {
			return nil, err
		}
		return gpusimilar.NewVectors[float32](h, rows, gpusimilar.Cosine)
	}
	return with(w, collection, func(v *gpusimilar.Vectors[float32]) error {
		_, err := v.Search(w.ctx, query, k)
		return err
	})
}
