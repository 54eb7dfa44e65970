package npymetric

import (
	"context"
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/metric"
	"github.com/gridstride/gridstride/metric/gpumetric"
)

// rowMetric is a metric by its name, on the processor and on a device.
type rowMetric[T blas.Float] struct {
	one  bool // of one vector
	host func(x, y []T) T
	pair func(ctx context.Context, h *gpumetric.Handle, x, y gpublas.Vector[T]) (T, error)
	rows *gpumetric.Metric // nil if the rows are processed one by one
}

// metrics are the metrics by name.
func metrics[T blas.Float]() map[string]rowMetric[T] {
	type handle = gpumetric.Handle
	named := func(host func(x, y []T) T, m gpumetric.Metric) rowMetric[T] {
		return rowMetric[T]{host: host, rows: &m, pair: func(ctx context.Context, h *handle, x, y gpublas.Vector[T]) (T, error) {
			return gpumetric.Between(ctx, h, m, x, y)
		}}
	}
	return map[string]rowMetric[T]{
		"mse":              named(metric.MSE[T], gpumetric.MSE),
		"rmse":             named(metric.RMSE[T], gpumetric.RMSE),
		"mae":              named(metric.MAE[T], gpumetric.MAE),
		"cosine":           named(metric.CosineSimilarity[T], gpumetric.CosineSimilarity),
		"cosinedistance":   named(metric.CosineDistance[T], gpumetric.CosineDistance),
		"euclidean":        named(metric.Euclidean[T], gpumetric.Euclidean),
		"squaredeuclidean": named(metric.SquaredEuclidean[T], gpumetric.SquaredEuclidean),
		"manhattan":        named(metric.Manhattan[T], gpumetric.Manhattan),
		"chebyshev":        named(metric.Chebyshev[T], gpumetric.Chebyshev),
		"pearson":          named(metric.Pearson[T], gpumetric.Pearson),
		"dot": {
			host: blas.Dot[T],
			pair: func(ctx context.Context, h *handle, x, y gpublas.Vector[T]) (T, error) {
				c, err := gpumetric.Compare(ctx, h, x, y)
				return c.Dot, err
			},
		},
		"squarednorm": {
			one:  true,
			host: func(x, _ []T) T { return metric.SquaredNorm(x) },
			pair: func(ctx context.Context, h *handle, x, _ gpublas.Vector[T]) (T, error) {
				return gpumetric.SquaredNorm(ctx, h, x)
			},
		},
	}
}

// device computes the metric of each row of x with the same row of y, or with its only one.
func (m rowMetric[T]) device(ctx context.Context, dev *gridstride.Device, x, y blas.Matrix[T], values []T) (err error) {
	h, err := gpumetric.New(dev.Stream())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	a, err := gridstride.CopyOf(dev, x.Data)
	if err != nil {
		return err
	}
	defer a.Free()
	b, err := gridstride.CopyOf(dev, y.Data)
	if err != nil {
		return err
	}
	defer b.Free()
	if m.rows != nil && len(values) > 1 {
		return m.deviceRows(ctx, dev, h, gpublas.MatrixOf(x.Rows, x.Cols, a), gpublas.MatrixOf(y.Rows, y.Cols, b), values)
	}
	for i := range values {
		second := 0
		if y.Rows > 1 {
			second = i
		}
		u, v := row(a, i, x.Cols), row(b, second, x.Cols)
		if values[i], err = m.pair(ctx, h, u, v); err != nil {
			return err
		}
	}
	return nil
}

// row is a row of a buffer.
func row[T blas.Float](b gridstride.Buffer[T], i, cols int) gpublas.Vector[T] {
	return gpublas.VectorOf(b.Slice(i*cols, (i+1)*cols))
}

// deviceRows computes the metric of all rows at once.
func (m rowMetric[T]) deviceRows(ctx context.Context, dev *gridstride.Device, h *gpumetric.Handle,
	a, b gpublas.Matrix[T], values []T) error {
	out, err := gridstride.Make[T](dev, len(values))
	if err != nil {
		return err
	}
	defer out.Free()
	if err := gpumetric.Rows(h, *m.rows, a, b, out); err != nil {
		return err
	}
	_, err = out.Read(ctx, h.Stream(), values)
	return err
}
