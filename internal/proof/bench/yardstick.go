package bench

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

// yardstick measures the limits of a GPU, with which the variants are compared, and keeps the GPU
// occupied.
type yardstick struct {
	copy     *copyAllKernel
	dst, src gridstride.Buffer[gpu.Uint32x4]
	blocks   int
	took     time.Duration // a copy, about

	copyRate float64            // GB/s, 0 before it is measured
	fmaRate  map[string]float64 // GFLOP/s by element type
}

// copyBytes is the size of the copy: far more than a GPU's caches.
const copyBytes = 1 << 30

func newYardstick(ctx context.Context, ss *bencher) (_ *yardstick, err error) {
	dev, info := ss.dev, ss.dev.Info()
	y := &yardstick{blocks: 64 * max(info.Multiprocessors, 1), fmaRate: map[string]float64{}}
	if y.copy, err = loadCopyAll(dev); err != nil {
		return nil, err
	}
	size := int(min(copyBytes, info.Memory/32)) / 16
	if y.dst, err = gridstride.Make[gpu.Uint32x4](dev, size); err != nil {
		return nil, err
	}
	if y.src, err = gridstride.Make[gpu.Uint32x4](dev, size); err != nil {
		return nil, errors.Join(err, y.dst.Free())
	}
	for range 2 { // the first sets things up
		if y.took, err = y.time(ctx, ss.s, y.launch(ss.s)); err != nil {
			return nil, errors.Join(err, y.free())
		}
	}
	return y, nil
}

// launch is a launch of the copy.
func (y *yardstick) launch(s *gridstride.Stream) func() error {
	return func() error { return y.copy.Launch(s, gridstride.Grid(y.blocks), y.dst, y.src) }
}

// time is the device's time of a launch.
func (y *yardstick) time(ctx context.Context, s *gridstride.Stream, launch func() error) (time.Duration, error) {
	start := s.Record()
	if err := launch(); err != nil {
		return 0, err
	}
	return s.Record().Since(ctx, start)
}

func (y *yardstick) free() error {
	if y == nil {
		return nil
	}
	return errors.Join(y.dst.Free(), y.src.Free())
}

// launchCost is more than the host takes for a launch.
const launchCost = 12 * time.Microsecond

// occupy queues work that keeps the device busy until the host has queued count launches after it:
// the time of these launches is then the device's own, and not the host's.
func (y *yardstick) occupy(s *gridstride.Stream, count int) error {
	return y.busy(s, time.Duration(count)*launchCost)
}

// warm keeps the device at it long enough for its clock to rise.
func (y *yardstick) warm(s *gridstride.Stream) error { return y.busy(s, 200*time.Millisecond) }

// mostQueued is how many launches a driver takes before it makes the host wait, or less.
const mostQueued = 800

// busy queues copies that take about so long. It does nothing on the simulator.
func (y *yardstick) busy(s *gridstride.Stream, d time.Duration) error {
	if y == nil {
		return nil
	}
	launch := y.launch(s)
	for range min(1+int(d/max(y.took, 1)), mostQueued) {
		if err := launch(); err != nil {
			return err
		}
	}
	return nil
}

// limits measures what the device is able to, and sets the rows' shares of it. The simulator's
// memory and units have no speed.
func (ss *bencher) limits(ctx context.Context, rows []Row) error {
	if ss.yard == nil || kinds[ss.o.What].unlimited {
		return nil
	}
	limit, err := ss.yard.limit(ctx, ss)
	if err != nil {
		return err
	}
	for i := range rows {
		if r := &rows[i]; r.On == "device" && r.Skipped == "" {
			r.Limit, r.Share = limit, r.Rate/limit
		}
	}
	return nil
}

// limit is the limit of the device, in the unit of the benchmark.
func (y *yardstick) limit(ctx context.Context, ss *bencher) (float64, error) {
	if !kinds[ss.o.What].operations {
		if y.copyRate != 0 {
			return y.copyRate, nil
		}
		ss.progress("copy within the device")
		var err error
		y.copyRate, err = y.rate(ctx, ss.s, 2*16*float64(y.src.Len()), y.launch(ss.s))
		return y.copyRate, err
	}
	if rate := y.fmaRate[ss.o.DType]; rate != 0 {
		return rate, nil
	}
	ss.progress("multiply-adds without memory")
	var err error
	if ss.o.DType == "float64" {
		y.fmaRate[ss.o.DType], err = fmaRate[float64](ctx, ss)
	} else {
		y.fmaRate[ss.o.DType], err = fmaRate[float32](ctx, ss)
	}
	return y.fmaRate[ss.o.DType], err
}

// fmaTime is the least that a launch of multiply-adds is to take.
const fmaTime = 2 * time.Millisecond

// fmaRate is how many operations of multiply-adds the device does, in GFLOP/s.
func fmaRate[T float](ctx context.Context, ss *bencher) (_ float64, err error) {
	k, err := loadFmaAll[T](ss.dev)
	if err != nil {
		return 0, err
	}
	x, err := gridstride.CopyOf(ss.dev, []T{0.999, 0.001})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, x.Free()) }()
	rounds, blocks := 16, 8*ss.dev.Info().Multiprocessors
	launch := func() error { return k.Launch(ss.s, gridstride.Grid(blocks), x, rounds) }
	if err := launch(); err != nil { // has the driver compile it, which is not to be timed
		return 0, err
	}
	for took := time.Duration(0); took < fmaTime && rounds < 1<<24; {
		rounds *= 2
		if took, err = ss.yard.time(ctx, ss.s, launch); err != nil {
			return 0, err
		}
	}
	return ss.yard.rate(ctx, ss.s, 2*float64(rounds)*fmaEach*copyBlock*float64(blocks), launch)
}

// rate is the work of a launch by the time it takes, the median of several.
func (y *yardstick) rate(ctx context.Context, s *gridstride.Stream, work float64, launch func() error) (float64,
	error) {
	if err := y.warm(s); err != nil {
		return 0, err
	}
	var samples []time.Duration
	for range mostRounds {
		took, err := y.time(ctx, s, launch)
		if err != nil {
			return 0, err
		}
		samples = append(samples, took)
	}
	slices.Sort(samples)
	return work / float64(samples[len(samples)/2]), nil
}
