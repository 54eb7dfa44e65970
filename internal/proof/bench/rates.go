package bench

import (
	"context"
	"errors"

	"github.com/gridstride/gridstride"
)

// Rates say how much a GPU was measured to do in a second: bytes that it copies, read and written together,
// and operations of multiply-adds on registers, two each.
type Rates struct{ Memory, Float32, Float64 float64 }

// MeasureRates measures a GPU, with the kernels that the benchmarks are compared with. The simulator has
// no rates.
func MeasureRates(ctx context.Context, dev *gridstride.Device) (r Rates, err error) {
	if dev.Info().Backend == "sim" {
		return r, errors.New("the simulator has no speed that says anything about a GPU")
	}
	ss := &bencher{dev: dev, s: dev.NewStream(), o: &Options{}}
	if ss.yard, err = newYardstick(ctx, ss); err != nil {
		ss.s.Close()
		return r, err
	}
	defer func() { err = errors.Join(err, ss.yard.free(), ss.s.Close()) }()
	const giga = 1e9
	y := ss.yard
	if r.Memory, err = y.rate(ctx, ss.s, 2*16*float64(y.src.Len()), y.launch(ss.s)); err != nil {
		return r, err
	}
	if r.Float32, err = fmaRate[float32](ctx, ss); err != nil {
		return r, err
	}
	r.Float64, err = fmaRate[float64](ctx, ss)
	return Rates{r.Memory * giga, r.Float32 * giga, r.Float64 * giga}, err
}
