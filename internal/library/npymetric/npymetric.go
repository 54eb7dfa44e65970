// Package npymetric computes the metrics of packages metric and gpumetric of arrays in NumPy's .npy
// files.
package npymetric

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/internal/device/option"
	"github.com/gridstride/gridstride/internal/library/npy"
)

// Job is a metric of one file, or of two.
type Job struct {
	Metric string   // one of Names
	Files  []string // two, of one file for the metrics of one vector
	Device string   // what gridstride.Use takes; "" for the processor
	// TimeLimit is how long a launch on a simulated device may take, as option.TimeLimit has it.
	TimeLimit time.Duration
}

// Result is the result of a job.
type Result struct {
	Metric string
	DType  string    // of the computation: "float32" or "float64"
	Device string    // "cpu", "cuda" or "sim"
	N      int       // elements of a vector
	Values []float64 // one, or one a row
	Rows   bool      // a file has two dimensions, so that there is one value a row
}

// Names are the names of the metrics, sorted.
func Names() []string { return slices.Sorted(maps.Keys(metrics[float64]())) }

// Check is an error unless the job makes sense, before any file is read.
func (j *Job) Check() error {
	m, ok := metrics[float64]()[j.Metric]
	switch {
	case !ok:
		return fmt.Errorf("%q is no metric; there are %s", j.Metric, strings.Join(Names(), ", "))
	case m.one && len(j.Files) != 1:
		return fmt.Errorf("%s is of one vector: it takes one file, not %d", j.Metric, len(j.Files))
	case !m.one && len(j.Files) != 2:
		return fmt.Errorf("%s compares two vectors: it takes two files, not %d", j.Metric, len(j.Files))
	}
	return nil
}

// Run reads the files and computes the metric. Vectors of float32 are computed in float32, all
// others in float64. Two files of two dimensions are compared row by row, and the rows of one with
// a vector.
func (j *Job) Run(ctx context.Context) (*Result, error) {
	if err := j.Check(); err != nil {
		return nil, err
	}
	var arrays []*npy.Array
	single := true
	for _, name := range j.Files {
		a, err := npy.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if n := len(a.Shape); n != 1 && n != 2 {
			return nil, fmt.Errorf("%s: has %d dimensions, not one or two", name, n)
		}
		arrays = append(arrays, a)
		single = single && a.Name() == "float32"
	}
	if single {
		return run[float32](ctx, j, arrays)
	}
	return run[float64](ctx, j, arrays)
}

// operand is a file as rows. A vector is one row.
type operand[T blas.Float] struct {
	name string
	blas.Matrix[T]
	vector bool
}

func run[T blas.Float](ctx context.Context, j *Job, arrays []*npy.Array) (*Result, error) {
	var ops []operand[T]
	for i, a := range arrays {
		data, err := npy.Floats[T](a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", j.Files[i], err)
		}
		rows, cols := 1, a.Shape[len(a.Shape)-1]
		if len(a.Shape) == 2 {
			rows = a.Shape[0]
			if rows > 0 && cols == 0 { // the file may be small and promise any number of results
				return nil, fmt.Errorf("%s: has %d rows without elements; want at least one element in a row", j.Files[i], rows)
			}
		}
		ops = append(ops, operand[T]{j.Files[i], blas.MatrixOf(rows, cols, data), len(a.Shape) == 1})
	}
	x, y := ops[0], ops[len(ops)-1]
	if x.vector && !y.vector {
		x, y = y, x // the metrics are symmetric, and a row of the second stands for all
	}
	if err := fit(x, y); err != nil {
		return nil, err
	}
	r := &Result{Metric: j.Metric, DType: fmt.Sprintf("%T", *new(T)), Device: "cpu", N: x.Cols, Rows: !x.vector}
	values := make([]T, x.Rows)
	m := metrics[T]()[j.Metric]
	if j.Device == "" {
		onHost(m, x.Matrix, y.Matrix, values)
	} else if err := onDevice(ctx, j, m, x.Matrix, y.Matrix, values, r); err != nil {
		return nil, err
	}
	for _, v := range values {
		r.Values = append(r.Values, float64(v))
	}
	return r, nil
}

// fit is an error unless the rows of x can be compared with y's.
func fit[T blas.Float](x, y operand[T]) error {
	switch {
	case x.Cols != y.Cols && x.vector && y.vector:
		return fmt.Errorf("%s has %d elements, %s %d", x.name, x.Cols, y.name, y.Cols)
	case x.Cols != y.Cols:
		return fmt.Errorf("the rows of %s have %d elements, those of %s %d", x.name, x.Cols, y.name, y.Cols)
	case y.Rows != x.Rows && y.Rows != 1:
		return fmt.Errorf("%s has %d rows, %s %d", x.name, x.Rows, y.name, y.Rows)
	}
	return nil
}

// onHost computes the metric of each row by the processor.
func onHost[T blas.Float](m rowMetric[T], x, y blas.Matrix[T], values []T) {
	for i := range values {
		a, b := x.Data[i*x.Cols:(i+1)*x.Cols], y.Data
		if y.Rows > 1 {
			b = y.Data[i*x.Cols : (i+1)*x.Cols]
		}
		values[i] = m.host(a, b[:x.Cols])
	}
}

// onDevice computes the metric of each row on a device.
func onDevice[T blas.Float](ctx context.Context, j *Job, m rowMetric[T], x, y blas.Matrix[T], values []T,
	r *Result) (err error) {
	dev, err := gridstride.Open(gridstride.Use(j.Device), option.TimeLimit(j.TimeLimit))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	r.Device = dev.Info().Backend
	return m.device(ctx, dev, x, y, values)
}
