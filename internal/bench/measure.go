package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

// Samples of a GPU take about sampleTime each, and there are as many as rounds. The order of the variants is turned round from one round to the next, so
// that what the clock or the temperature does with time does not fall on one variant.
const (
	rounds     = 11
	sampleTime = 2 * time.Millisecond
	maxRepeat  = 200
)

// measuring is a benchmark under way.
type measuring struct {
	dev     *gridstride.Device
	s       *gridstride.Stream
	o       *Options
	entries []entry
}

func (m *measuring) simulated() bool { return m.dev.Info().Backend == "sim" }

func (m *measuring) progress(format string, args ...any) {
	if m.o.Progress != nil {
		fmt.Fprintf(m.o.Progress, format+"\n", args...)
	}
}

// rows warms every entry up, compares its result, and times it.
func (m *measuring) rows(ctx context.Context) ([]Row, error) {
	rows := make([]Row, len(m.entries))
	repeat := make([]int, len(m.entries))
	for i, e := range m.entries {
		m.progress("%s %s: first run", m.o.What, e.variant)
		row, took, err := m.first(ctx, e)
		if err != nil {
			return nil, err
		}
		rows[i] = row
		repeat[i] = max(1, min(int(sampleTime/max(took, 1)), maxRepeat))
		if m.simulated() {
			repeat[i] = 1
		}
	}
	samples := make([][]time.Duration, len(m.entries))
	n := rounds
	if m.simulated() {
		n = 3
	}
	for round := range n {
		m.progress("%s: round %d of %d", m.o.What, round+1, n)
		for k := range m.entries {
			i := k
			if round%2 == 1 {
				i = len(m.entries) - 1 - k
			}
			took, err := m.sample(ctx, m.entries[i], repeat[i])
			if err != nil {
				return nil, err
			}
			samples[i] = append(samples[i], took/time.Duration(repeat[i]))
		}
	}
	for i := range rows {
		rows[i].Launches = n * repeat[i]
		rows[i].Median = median(samples[i]).Seconds()
		rows[i].Least, rows[i].Most = samples[i][0].Seconds(), samples[i][n-1].Seconds()
		if rows[i].Median > 0 {
			rows[i].Rate = m.entries[i].work / rows[i].Median / 1e9
		}
		if rows[0].Rate > 0 {
			rows[i].Speedup = rows[i].Rate / rows[0].Rate
		}
	}
	return rows, nil
}

// first runs an entry once and compares the result, then once more for the time.
func (m *measuring) first(ctx context.Context, e entry) (Row, time.Duration, error) {
	row := Row{What: m.o.What, Variant: e.variant, About: e.about, DType: m.o.DType, Shape: e.shape, Device: m.dev.Info().Name, On: "device", Unit: "GB/s"}
	if m.o.What == "matmul" {
		row.Unit = "GFLOP/s"
	}
	switch {
	case e.host != nil:
		row.On = "host"
	case m.simulated():
		row.On = "simulator"
	}
	if _, err := m.sample(ctx, e, 1); err != nil {
		return row, 0, err
	}
	var err error
	if row.Error, row.Wrong, err = e.result(ctx, m.s); err != nil {
		return row, 0, err
	}
	took, err := m.sample(ctx, e, 1)
	return row, took, err
}

// sample is the time that count runs of an entry take together: by the device's clock, or the host's for what runs there.
func (m *measuring) sample(ctx context.Context, e entry, count int) (time.Duration, error) {
	if e.host != nil {
		start := time.Now()
		for range count {
			e.host()
			if err := ctx.Err(); err != nil {
				return 0, err
			}
		}
		return time.Since(start), nil
	}
	start := m.s.Record()
	for i := range count {
		if err := e.launch(m.s, i); err != nil {
			return 0, err
		}
	}
	return m.s.Record().Since(ctx, start)
}

// copyBytes is what the copy moves: far more than the caches of a GPU hold.
const copyBytes = 1 << 30

// shares measures how fast the device copies, bytes read and bytes written together, and sets the rows' shares of it. The simulator's memory has no speed.
func (m *measuring) shares(ctx context.Context, rows []Row) (err error) {
	if m.simulated() || m.o.What == "matmul" {
		return nil
	}
	m.progress("copy within the device")
	k, err := loadCopyAll(m.dev)
	if err != nil {
		return err
	}
	size := int(min(copyBytes, m.dev.Info().Memory/16)) / 16
	dst, err := gridstride.Make[gpu.Uint32x4](m.dev, size)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dst.Free()) }()
	src, err := gridstride.Make[gpu.Uint32x4](m.dev, size)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Free()) }()
	e := entry{launch: func(s *gridstride.Stream, _ int) error { return k.Launch(s, gridstride.Grid(64*132), dst, src) }}
	var samples []time.Duration
	for range rounds + 1 {
		took, err := m.sample(ctx, e, 1)
		if err != nil {
			return err
		}
		samples = append(samples, took)
	}
	rate := 2 * 16 * float64(size) / float64(median(samples[1:])) // GB/s
	for i := range rows {
		if rows[i].On == "device" {
			rows[i].Share = rows[i].Rate / rate
		}
	}
	return nil
}
