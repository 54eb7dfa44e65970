package spread

import (
	"context"
	"errors"
	"math"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
)

// cosine is the cosine similarity of x and y.
func cosine[T gpublas.Float](ctx context.Context, h *Handle, x, y []gpublas.Vector[T]) (T, error) {
	c, err := compare(ctx, h, x, y)
	if err != nil {
		return 0, err
	}
	if inRange(c.SquaredNormX) && inRange(c.SquaredNormY) {
		return c.CosineSimilarity(), nil
	}
	largestX, errX := largest(ctx, h, x)
	largestY, errY := largest(ctx, h, y)
	if err := errors.Join(errX, errY); err != nil {
		return 0, err
	}
	switch {
	case !(largestX <= math.MaxFloat64 && largestY <= math.MaxFloat64):
		return T(math.NaN()), nil
	case largestX == 0 || largestY == 0:
		return 0, nil
	}
	return scaledCosine(ctx, h, x, y, largestX, largestY)
}

// inRange reports that a sum of squares is a number, and large enough that squares which were rounded
// to 0 do not matter, as in package metric.
func inRange[T gpublas.Float](sum T) bool {
	if single[T]() {
		return sum >= 0x1p-90 && float64(sum) <= math.MaxFloat32
	}
	return float64(sum) >= 0x1p-900 && float64(sum) <= math.MaxFloat64
}

// largest is the largest |x|, NaN if there is one.
func largest[T gpublas.Float](ctx context.Context, h *Handle, x []gpublas.Vector[T]) (most float64, err error) {
	list := make([]float64, len(h.ranks))
	err = h.each(func(r int, k *rank) error {
		at, err := gpublas.Iamax(ctx, k.blas, x[r])
		if err != nil || at < 0 {
			return err
		}
		i := at * x[r].Inc
		if x[r].Inc < 0 {
			i = (at + 1 - x[r].N) * x[r].Inc
		}
		got, err := x[r].Data.Slice(i, i+1).Read(ctx, k.core.Stream(), nil)
		if err == nil {
			list[r] = math.Abs(float64(got[0]))
		}
		return err
	})
	for _, v := range list {
		most = max(most, v)
	}
	return most, err
}

// scaledCosine is the cosine of copies that are multiplied by powers of two, so that the largest
// elements are in [0.5, 1).
func scaledCosine[T gpublas.Float](ctx context.Context, h *Handle, x, y []gpublas.Vector[T], largestX, largestY float64) (c T, err error) {
	copies := [2][]gpublas.Vector[T]{make([]gpublas.Vector[T], len(x)), make([]gpublas.Vector[T], len(x))}
	defer func() {
		for _, parts := range copies {
			for _, part := range parts {
				err = errors.Join(err, part.Data.Free())
			}
		}
	}()
	for i, largest := range []float64{largestX, largestY} {
		_, exponent := math.Frexp(largest)
		err := h.each(func(r int, k *rank) (err error) {
			copies[i][r], err = scaled(k, [2][]gpublas.Vector[T]{x, y}[i][r], -exponent)
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	sums, err := compare(ctx, h, copies[0], copies[1])
	if err != nil {
		return 0, err
	}
	v := float64(sums.Dot) / (math.Sqrt(float64(sums.SquaredNormX)) * math.Sqrt(float64(sums.SquaredNormY)))
	return T(max(-1, min(1, v))), nil
}

// scaled queues a copy of x times a power of two, in two steps: the power itself may be no number of
// the type.
func scaled[T gpublas.Float](k *rank, x gpublas.Vector[T], exponent int) (gpublas.Vector[T], error) {
	data, err := gridstride.Make[T](k.core.Stream().Device(), x.N)
	v := gpublas.VectorOf(data)
	if err != nil || x.N == 0 {
		return v, err
	}
	if err := gpublas.Copy(k.blas, x, v); err != nil {
		return v, err
	}
	half := exponent / 2
	return v, errors.Join(gpublas.Scal(k.blas, T(math.Ldexp(1, half)), v), gpublas.Scal(k.blas, T(math.Ldexp(1, exponent-half)), v))
}
